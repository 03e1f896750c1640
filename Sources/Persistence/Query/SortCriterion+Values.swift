// Sorting by properties that are stored as JSON. To compare two of them would encode both, so each is encoded once.

/// Returns a part of the objects, sorted by their values; nil if no criterion is of a property that is stored as JSON. Objects that
/// all criteria find equal keep their order.
func sortedPageByValues<Object>(
    of objects: [Object], by criteria: [SortCriterion<Object>], offset: Int, limit: Int
) -> [Object]? {
    guard criteria.contains(where: \.attribute.isStoredAsJSON) else { return nil }
    let columns = criteria.map { criterion in objects.map { criterion.attribute.value(in: $0) } }
    let order = objects.indices.sorted { lhs, rhs in
        for (criterion, values) in zip(criteria, columns) {
            if let isBefore = criterion.isOrdered(values[lhs], before: values[rhs]) { return isBefore }
        }
        // Sorting keeps the order of equal elements.
        return false
    }
    return order.dropFirst(offset).prefix(limit).map { objects[$0] }
}

/// Returns a part of the sorted objects. Objects that all criteria find equal keep their order.
func sortedPage<Object>(
    of objects: [Object], by criteria: [SortCriterion<Object>], offset: Int, limit: Int
) -> [Object] {
    sortedPageByValues(of: objects, by: criteria, offset: offset, limit: limit)
        ?? sortedPage(of: objects, by: criteria.map { $0.comparing }, offset: offset, limit: limit)
}

extension SortCriterion {
    /// Returns whether the first value comes before the second one; nil if neither does.
    fileprivate func isOrdered(_ lhs: PrimitiveValue, before rhs: PrimitiveValue) -> Bool? {
        switch (lhs, rhs) {
        case (.null, .null): return nil
        case (.null, _): return nilPlace == .first
        case (_, .null): return nilPlace == .last
        default:
            let (first, second) = order == .ascending ? (lhs, rhs) : (rhs, lhs)
            if PrimitiveValue.isOrdered(first, before: second) { return true }
            return PrimitiveValue.isOrdered(second, before: first) ? false : nil
        }
    }
}

extension Attribute {
    fileprivate var isStoredAsJSON: Bool {
        func isJSON<Value: Primitive>(_ type: Value.Type) -> Bool { Value.Scalar.self is any StoredAsJSON.Type }
        guard kind == .text, let type = type(of: keyPath).valueType as? any Primitive.Type else { return false }
        return isJSON(type)
    }
}
