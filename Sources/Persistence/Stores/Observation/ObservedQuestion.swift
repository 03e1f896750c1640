/// The part of an observed query that depends on the type of its objects.
protocol ObservedQuestion: Sendable {
    /// Asks the store; returns the present ``ObservedObjects``, or nil if the store was deallocated.
    func ask() throws(StoreError) -> (any AnyObject & Sendable)?
    /// Returns whether two answers have the same objects; false if they cannot be compared.
    func isSame(_ lhs: any AnyObject & Sendable, _ rhs: any AnyObject & Sendable) -> Bool
    /// Returns true if inserting or deleting one of these objects of the question's table could change `answer`.
    func isConcerned<Element: Sendable>(by objects: [Element], _ answer: (any AnyObject & Sendable)?) -> Bool
}

/// The objects of an answer.
final class ObservedObjects<Object: Sendable>: Sendable {
    let all: [Object]

    init(_ all: [Object]) { self.all = all }
}

struct TypedQuestion<Object: Identifiable & Sendable>: ObservedQuestion where Object.ID: Primitive {
    private let filter: Filter<Object>
    private let limit: Int?
    private let comparings: [Comparing]
    private let askStore: @Sendable () throws(StoreError) -> [Object]?
    private let areSame: (@Sendable ([Object], [Object]) -> Bool)?

    init(
        _ question: Question<Object>, id: Attribute<Object>, areSame: (@Sendable ([Object], [Object]) -> Bool)?,
        ask: @escaping @Sendable () throws(StoreError) -> [Object]?
    ) throws(StoreError) {
        filter = try Filter(question.pagedCondition(id: id))
        limit = question.limit
        comparings = (question.criteria + [SortCriterion(id)]).map { $0.comparing }
        self.areSame = areSame
        askStore = ask
    }

    func ask() throws(StoreError) -> (any AnyObject & Sendable)? {
        guard let objects = try askStore() else { return nil }
        return ObservedObjects(objects)
    }

    func isSame(_ lhs: any AnyObject & Sendable, _ rhs: any AnyObject & Sendable) -> Bool {
        areSame?(objects(of: lhs), objects(of: rhs)) ?? false
    }

    /// The objects of one of this question's answers, which are all made by ``ask()``.
    private func objects(of answer: any AnyObject & Sendable) -> [Object] {
        unsafeDowncast(answer, to: ObservedObjects<Object>.self).all
    }

    func isConcerned<Element: Sendable>(by objects: [Element], _ answer: (any AnyObject & Sendable)?) -> Bool {
        // Two stores may keep different models in one table.
        guard Element.self == Object.self else { return true }
        let answer = answer.map { self.objects(of: $0) }
        // The types are the same; a cast would check that for each object.
        return unsafeBitCast(objects, to: [Object].self).contains { isConcerned(by: $0, answer) }
    }

    private func isConcerned(by object: Object, _ answer: [Object]?) -> Bool {
        guard filter.passes(object) else { return false }
        guard let limit, let answer, answer.count >= limit else { return true }
        // Objects that come after a full page do not change it.
        guard let last = answer.last else { return limit > 0 }
        return withUnsafePointer(to: object) { object in
            withUnsafePointer(to: last) { last in
                for comparing in comparings {
                    let order = comparing(UnsafeRawPointer(object), UnsafeRawPointer(last))
                    if order != 0 { return order < 0 }
                }
                return true
            }
        }
    }
}
