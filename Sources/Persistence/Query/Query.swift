import Feedback

/// A question to a store: a condition, a sort order, and a page.
///
///     movies
///         .filter(where: \.rating == .G && \.budget < 5_000_000)
///         .sorted(by: \.title)
///         .sorted(by: \.budget, inOrder: .descending)
///         .result()
///
/// The first criterion sorts, the next one sorts the objects that the first finds equal, and so on. Objects that all
/// criteria find equal are in the order of their ids, as are all objects if there is no criterion. So each query has
/// one answer, the same on every store.
public struct Query<S: Store>: Sendable {
    /// The store that is asked.
    public let store: S
    @usableFromInline package var question: Question<S.Object>

    @inlinable
    init(store: S, question: Question<S.Object>) {
        self.store = store
        self.question = question
    }

    /// Creates a query for the objects of which `condition` is true.
    ///
    /// - Parameters:
    ///   - sortCriteria: The sort order, the first criterion first.
    ///   - limit: The maximum number of objects, or nil for all.
    ///   - offset: The number of objects to skip.
    ///   - after: The object after which the page begins, or nil for the first page.
    public init(
        store: S, condition: Condition<S.Object> = .always, sortCriteria: [SortCriterion<S.Object>] = [],
        limit: Int? = nil, offset: Int = 0, after: S.Object? = nil
    ) {
        question = Question(condition: condition)
        question.criteria = sortCriteria
        question.limit = limit.map { Swift.max(0, $0) }
        question.offset = Swift.max(0, offset)
        question.after = after
        self.store = store
    }

    // MARK: - What a store reads

    /// The condition of the objects, without the start of the page (``after``).
    public var condition: Condition<S.Object> { question.condition }

    /// The sort order, the first criterion first. Objects that are equal by all criteria are in the order of their ids.
    public var sortCriteria: [SortCriterion<S.Object>] { question.criteria }

    /// The maximum number of objects, or nil for all.
    public var limit: Int? { question.limit }

    /// The number of objects to skip.
    public var offset: Int { question.offset }

    /// The object after which the page begins, or nil.
    public var after: S.Object? { question.after }

    /// The condition, joined with one that is true of the objects that come after ``after`` in the sort order.
    ///
    /// A store that can test conditions and sort needs nothing else to answer pages.
    /// - Parameter id: The attribute of the objects' id, such as ``Schema/id``'s.
    public func pagedCondition(id: Attribute<S.Object>) -> Condition<S.Object> { question.pagedCondition(id: id) }

    /// Returns the answer to the query for these objects: filtered, sorted, and cut to the page.
    ///
    /// For stores that hold or fetch their objects as an array, and for tests.
    public func answer(from objects: [S.Object]) throws(StoreError) -> [S.Object] {
        let isAsked = try pagedCondition(id: .id).compiled()
        let criteria = sortCriteria + [SortCriterion(.id)]
        return sortedPage(of: objects.filter(isAsked), by: criteria, offset: offset, limit: limit ?? .max)
    }

    // MARK: - Asking more

    /// Asks only for the objects of which `condition` is true as well.
    public func filter(where condition: Condition<S.Object>) -> Query {
        with {
            if $0.condition.erased.isAlways {
                $0.condition = condition
            } else {
                $0.condition = $0.condition && condition
            }
        }
    }

    /// Sorts what the criteria so far find equal.
    @inlinable
    public func sorted<Value: Primitive>(
        by property: KeyPath<S.Object, Value> & Sendable, inOrder order: SortCriterion<S.Object>.Order = .ascending,
        nil nilPlace: SortCriterion<S.Object>.NilPlace = .last
    ) -> Query {
        sorted(by: SortCriterion(property, order, nil: nilPlace))
    }

    /// Sorts what the criteria so far find equal.
    public func sorted(by criterion: SortCriterion<S.Object>) -> Query { with { $0.order.append(criterion.erased) } }

    /// Asks for a part of the answer: at most `limit` objects, after skipping `offset` objects.
    public func page(limit: Int?, offset: Int = 0) -> Query {
        with {
            $0.limit = limit.map { Swift.max(0, $0) }
            $0.offset = Swift.max(0, offset)
        }
    }

    /// Asks for the part of the answer that comes after `object`, or for the first part if that is nil.
    ///
    /// Unlike pages by offset these neither repeat nor skip an object when others are added or removed meanwhile.
    public func page(after object: S.Object?, limit: Int? = nil) -> Query {
        with {
            $0.after = object
            $0.limit = limit.map { Swift.max(0, $0) }
        }
    }

    /// The same question, with its condition simplified.
    public var optimized: Query { with { $0.condition = $0.condition.optimized } }

    /// The same question to another store of the same objects.
    public func asked<Other: Store>(of store: Other) -> Query<Other> where Other.Object == S.Object {
        Query<Other>(store: store, question: question)
    }

    private func with(_ change: (inout Question<S.Object>) -> Void) -> Query {
        var query = self
        change(&query.question)
        return query
    }
}

// MARK: - Getting the answer

extension Query {
    /// Emits the objects that match.
    @inlinable
    public func result() -> SignalProducer<[S.Object], StoreError> { store.execute(self) }

    /// Returns the objects that match.
    @inlinable
    public func result() async throws(StoreError) -> [S.Object] { try await store.execute(self) }

    /// Emits the number of objects that match; sort order and page do not count.
    public func count() -> SignalProducer<Int, StoreError> { store.count(self) }

    /// Returns the number of objects that match; sort order and page do not count.
    public func count() async throws(StoreError) -> Int { try await store.count(self) }

    /// Emits the steps that the store takes to answer.
    public func plan() -> SignalProducer<QueryPlan, StoreError> { store.plan(self) }
}

extension Query where S: ObservableStore {
    /// Emits the answer now, and again after each write that has changed it.
    public func observe() -> SignalProducer<[S.Object], StoreError> { store.observe(self) }
}

// MARK: - Comparing and printing

extension Query: Equatable {
    /// Returns whether both ask the same question, of whichever store.
    public static func == (lhs: Query, rhs: Query) -> Bool {
        let criteria = lhs.sortCriteria
        func place(_ object: S.Object?) -> [PrimitiveValue]? {
            object.map { object in criteria.map { $0.attribute.value(in: object) } + [object.id.primitiveValue] }
        }
        return lhs.condition == rhs.condition && criteria == rhs.sortCriteria && lhs.limit == rhs.limit
            && lhs.offset == rhs.offset && place(lhs.after) == place(rhs.after)
    }
}

extension Query: CustomStringConvertible {
    public var description: String {
        var parts = ["\(S.Object.self) where \(condition)"]
        if !sortCriteria.isEmpty {
            parts.append("sorted by \(sortCriteria.map(\.description).joined(separator: ", then "))")
        }
        if let after { parts.append("after \(after.id.printed)") }
        if let limit { parts.append("at most \(limit)") }
        if offset > 0 { parts.append("from \(offset) on") }
        return parts.joined(separator: ", ")
    }
}

/// The steps that a store takes to answer a query, for people to read.
public struct QueryPlan: Sendable, Hashable, CustomStringConvertible {
    /// The steps, in their order.
    public let steps: [String]

    /// Makes a plan of its steps.
    public init(steps: [String]) { self.steps = steps }

    public var description: String { steps.joined(separator: "\n") }
}
