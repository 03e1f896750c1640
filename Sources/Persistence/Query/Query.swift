import Feedback

/// A question to a store: which objects, in which order, and which part of them.
///
///     movies
///         .filter(where: \.rating == .G && \.budget < 5_000_000)
///         .sorted(by: \.title)
///         .sorted(by: \.budget, inOrder: .descending)
///         .result()
///
/// The first criterion sorts, the next sorts what the first finds equal, and so on; what all find equal is in the order of the
/// ids, as is everything where there is no criterion. So each query has one answer, the same on every store.
public struct Query<S: Store>: Sendable {
    /// The store that is asked.
    public let store: S
    @usableFromInline var question: Question<S.Object>

    @inlinable
    init(store: S, question: Question<S.Object> = Question()) {
        self.store = store
        self.question = question
    }

    // MARK: - What it asks

    /// What is true of the objects asked for, apart from ``after``.
    public var predicate: Predicate<S.Object> { question.predicate }

    /// How the objects are sorted, the first criterion first.
    public var sortCriteria: [SortCriterion<S.Object>] { question.criteria }

    /// How many objects are asked for at most.
    public var limit: Int? { question.limit }

    /// How many objects are passed over first.
    public var offset: Int { question.offset }

    /// The object after which the page begins.
    public var after: S.Object? { question.after }

    /// The predicate, and that the objects come after the object that the page begins after; `id` is the attribute of the key.
    public func condition(id: Attribute<S.Object>) -> Predicate<S.Object> { question.condition(id: id) }

    // MARK: - Asking more

    /// Asks for those only of which `predicate` is true too.
    public func filter(where predicate: Predicate<S.Object>) -> Query {
        with {
            if case .constant(true) = $0.predicate.form {
                $0.predicate = predicate
            } else {
                $0.predicate = $0.predicate && predicate
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
    public func sorted(by criterion: SortCriterion<S.Object>) -> Query { with { $0.criteria.append(criterion) } }

    /// Asks for a part of the answer: at most `limit` objects, after passing over `offset`.
    public func page(limit: Int?, offset: Int = 0) -> Query {
        with {
            $0.limit = limit.map { max(0, $0) }
            $0.offset = max(0, offset)
        }
    }

    /// Asks for the part of the answer that comes after `object`, or for the first part where that is nil.
    ///
    /// Unlike pages by offset these neither repeat nor skip an object when others are added or removed meanwhile.
    public func page(after object: S.Object?, limit: Int? = nil) -> Query {
        with {
            $0.after = object
            $0.limit = limit.map { max(0, $0) }
        }
    }

    /// The same question, with its predicate simplified.
    public var optimized: Query { with { $0.predicate = $0.predicate.optimized } }

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
    /// The objects asked for.
    @inlinable
    public func result() -> SignalProducer<[S.Object], StoreError> { store.execute(self) }

    /// How many objects are asked for; sort order and page do not count.
    public func count() -> SignalProducer<Int, StoreError> { store.count(self) }

    /// How the store goes about it.
    public func plan() -> SignalProducer<QueryPlan, StoreError> { store.plan(self) }
}

extension Query where S: ObservableStore {
    /// The answer now, and again after each write that could have changed it.
    public func observe() -> SignalProducer<[S.Object], StoreError> { store.observe(self) }
}

// MARK: - Comparing and printing

extension Query: Equatable {
    /// Whether both ask the same question, of whichever store.
    public static func == (lhs: Query, rhs: Query) -> Bool {
        let criteria = lhs.sortCriteria
        func place(_ object: S.Object?) -> [PrimitiveValue]? {
            object.map { object in criteria.map { $0.attribute.value(in: object) } + [object.id.primitiveValue] }
        }
        return lhs.predicate == rhs.predicate && criteria == rhs.sortCriteria && lhs.limit == rhs.limit
            && lhs.offset == rhs.offset && place(lhs.after) == place(rhs.after)
    }
}

extension Query: CustomStringConvertible {
    public var description: String {
        var parts = ["\(S.Object.self) where \(predicate)"]
        if !sortCriteria.isEmpty {
            parts.append("sorted by \(sortCriteria.map(\.description).joined(separator: ", then "))")
        }
        if let after { parts.append("after \(after.id)") }
        if let limit { parts.append("at most \(limit)") }
        if offset > 0 { parts.append("from \(offset) on") }
        return parts.joined(separator: ", ")
    }
}

/// How a store goes about a query, for people to read.
public struct QueryPlan: Sendable, Hashable, CustomStringConvertible {
    /// What is done, one step after the other.
    public let steps: [String]

    public init(steps: [String]) { self.steps = steps }

    public var description: String { steps.joined(separator: "\n") }
}
