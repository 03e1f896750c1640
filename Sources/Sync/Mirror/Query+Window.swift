import Persistence

extension Query {
    /// Returns the condition of the answer's range: from the beginning of its page to its last object, or to the end of
    /// the list if the page is not full. A page of no objects has no range.
    func window(of objects: [S.Object], id: Attribute<S.Object>) -> Condition<S.Object> {
        if limit == 0 { return .never }
        let begun = pagedCondition(id: id)
        guard let limit, objects.count >= limit, let last = objects.last else { return begun }
        let beyond = sortCriteria.reduce(store.all()) { $0.sorted(by: $1) }.page(after: last)
        return begun && !beyond.pagedCondition(id: id)
    }
}
