/// A transaction of a store of any type, for code that chooses its store while it runs.
///
///     movies.transaction { transaction throws(StoreError) in
///         let erased: any StoreTransaction<AnyStore<Movie>> = AnyTransaction(transaction, of: movies)
///         try erased.delete(where: \.budget == 0)
///     }
///
/// The queries that it answers are those of an ``AnyStore``.
public struct AnyTransaction<Base: StoreTransaction>: StoreTransaction {
    /// The store whose queries the transaction answers.
    public typealias S = AnyStore<Base.S.Object>
    /// The type of the objects.
    public typealias Object = Base.S.Object

    private let base: Base
    private let store: Base.S

    /// Wraps a transaction of `store`.
    public init(_ base: Base, of store: Base.S) {
        self.base = base
        self.store = store
    }

    public func insert(_ objects: [Object]) throws(StoreError) { try base.insert(objects) }

    public func update(_ objects: [Object]) throws(StoreError) { try base.update(objects) }

    public func upsert(_ objects: [Object]) throws(StoreError) { try base.upsert(objects) }

    public func delete(_ objects: [Object]) throws(StoreError) { try base.delete(objects) }

    @discardableResult
    public func delete(ids: [Object.ID]) throws(StoreError) -> Int { try base.delete(ids: ids) }

    @discardableResult
    public func delete(where condition: Condition<Object>) throws(StoreError) -> Int {
        try base.delete(where: condition)
    }

    @discardableResult
    public func update(
        where condition: Condition<Object>, set assignments: [Assignment<Object>]
    ) throws(StoreError) -> Int {
        try base.update(where: condition, set: assignments)
    }

    @discardableResult
    public func merge(_ objects: [Object], where condition: Condition<Object>) throws(StoreError) -> MergeResult<Object>
    {
        try base.merge(objects, where: condition)
    }

    public func object(withId id: Object.ID) throws(StoreError) -> Object? { try base.object(withId: id) }

    public func execute(_ query: Query<S>) throws(StoreError) -> [Object] { try base.execute(query.asked(of: store)) }

    public func count(_ query: Query<S>) throws(StoreError) -> Int { try base.count(query.asked(of: store)) }

    public func aggregate(_ aggregate: Aggregate<Object>, of query: Query<S>) throws(StoreError) -> [[PrimitiveValue]] {
        try base.aggregate(aggregate, of: query.asked(of: store))
    }

    public func withSavepoint<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        try base.withSavepoint(body)
    }

    public func with<Other: TransactionalStore>(_ store: Other) throws(StoreError) -> Other.Transaction {
        try base.with(store)
    }
}
