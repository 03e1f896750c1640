import Feedback

/// A place that keeps objects of one type and answers queries for them: memory, a database, a server.
///
/// A producer does nothing before it is started. It works on the thread that starts it, unless the store's
/// documentation says otherwise; its work is done when it completes. Each async function does the same work and returns
/// the value.
///
/// A type becomes a store with four functions: `insert`, `update` and `delete` of one object, and `execute`. Everything
/// else has a default that uses these; a store can replace it by a faster or atomic one. ``Query`` lists the parts of a
/// query that a store reads, and ``Query/answer(from:)`` answers a query from an array.
public protocol Store<Object>: Sendable {
    /// The type of the objects. Its id is a primitive, so that every store can look it up.
    associatedtype Object: Identifiable & Sendable where Object.ID: Primitive

    /// Adds an object, and emits it as it is stored. Fails with ``StoreError/duplicate(id:)`` if an object with the same id exists.
    func insert(_ object: Object) -> SignalProducer<Object, StoreError>

    /// Replaces the object with the same id. Fails with ``StoreError/missing(id:)`` if there is none.
    func update(_ object: Object) -> SignalProducer<Object, StoreError>

    /// Removes the object with the same id, if there is one.
    func delete(_ object: Object) -> SignalProducer<Never, StoreError>

    /// Emits the objects that match a query.
    func execute(_ query: Query<Self>) -> SignalProducer<[Object], StoreError>

    /// Adds an object, or replaces the one with the same id.
    func upsert(_ object: Object) -> SignalProducer<Object, StoreError>

    /// Adds all of `objects`, or none if one cannot be added. A store must implement it to keep this promise:
    /// the default adds one object after the other, and a failure leaves the earlier ones stored.
    func insert(_ objects: [Object]) -> SignalProducer<[Object], StoreError>

    /// Replaces all of `objects`, or none if one is missing. A store must implement it to keep this promise: the
    /// default replaces one object after the other, and a failure leaves the earlier ones changed.
    func update(_ objects: [Object]) -> SignalProducer<[Object], StoreError>

    /// Adds or replaces all of `objects`.
    func upsert(_ objects: [Object]) -> SignalProducer<[Object], StoreError>

    /// Removes those of `objects` that are stored.
    func delete(_ objects: [Object]) -> SignalProducer<Never, StoreError>

    /// Removes the objects with these ids, and emits how many there were.
    func delete(ids: [Object.ID]) -> SignalProducer<Int, StoreError>

    /// Removes the objects that match `condition`, and emits how many there were.
    func delete(where condition: Condition<Object>) -> SignalProducer<Int, StoreError>

    /// Sets properties of the objects that match `condition`, and emits how many there were.
    ///
    ///     movies.update(where: \.year < 1968, set: .value(\.rating, .G))
    ///
    /// A property is set as in Swift, so its observers such as `didSet` may change the value. A database sets properties without
    /// observers by one statement. For others it reads the objects and writes them back.
    func update(where condition: Condition<Object>, set assignments: [Assignment<Object>]) -> SignalProducer<
        Int, StoreError
    >

    /// Replaces the stored objects that match `condition` by `objects`, and emits the changes that it made.
    ///
    /// Objects that are not stored are inserted, those that differ are updated, and stored ones that match `condition`
    /// and are not among `objects` are deleted. An object that has not changed is not written, and its observers are
    /// not notified.
    ///
    ///     quakes.merge(fetched, where: \.time >= startOfMonth)
    ///
    /// An object that gets a unique value which another updated object gives up, as when two objects swap names, may be deleted
    /// and inserted again. In a database, its columns that the schema does not have then get their defaults, and foreign keys
    /// with `ON DELETE CASCADE` delete the rows that refer to it. To avoid that, update such objects in two steps.
    func merge(_ objects: [Object], where condition: Condition<Object>) -> SignalProducer<
        MergeResult<Object>, StoreError
    >

    /// Emits the number of objects that match a query; sort order and page do not count.
    func count(_ query: Query<Self>) -> SignalProducer<Int, StoreError>

    /// Emits the rows of an aggregate of the objects that match a query; sort order and page do not count.
    ///
    /// `Query.sum(_:)` and the other aggregates call this.
    func aggregate(_ aggregate: Aggregate<Object>, of query: Query<Self>) -> SignalProducer<
        [[PrimitiveValue]], StoreError
    >

    /// Emits the object with this id, or nil.
    func object(withId id: Object.ID) -> SignalProducer<Object?, StoreError>

    /// Emits the steps that the store takes to answer a query.
    func plan(_ query: Query<Self>) -> SignalProducer<QueryPlan, StoreError>

    // The async functions. A store whose work is async implements these, and its producers call them.

    /// Adds an object, and returns it as it is stored. Throws ``StoreError/duplicate(id:)`` if an object with the same
    /// id exists.
    @discardableResult func insert(_ object: Object) async throws(StoreError) -> Object
    /// Replaces the object with the same id. Throws ``StoreError/missing(id:)`` if there is none.
    @discardableResult func update(_ object: Object) async throws(StoreError) -> Object
    /// Adds an object, or replaces the one with the same id.
    @discardableResult func upsert(_ object: Object) async throws(StoreError) -> Object
    /// Removes the object with the same id, if there is one.
    func delete(_ object: Object) async throws(StoreError)
    /// Adds all of `objects`, or none if one cannot be added. A store must implement it to keep this promise:
    /// the default adds one object after the other, and a failure leaves the earlier ones stored.
    @discardableResult func insert(_ objects: [Object]) async throws(StoreError) -> [Object]
    /// Replaces all of `objects`, or none if one is missing. A store must implement it to keep this promise: the
    /// default replaces one object after the other, and a failure leaves the earlier ones changed.
    @discardableResult func update(_ objects: [Object]) async throws(StoreError) -> [Object]
    /// Adds or replaces all of `objects`.
    @discardableResult func upsert(_ objects: [Object]) async throws(StoreError) -> [Object]
    /// Removes those of `objects` that are stored.
    func delete(_ objects: [Object]) async throws(StoreError)
    /// Removes the objects with these ids, and returns how many there were.
    @discardableResult func delete(ids: [Object.ID]) async throws(StoreError) -> Int
    /// Removes the objects that match `condition`, and returns how many there were.
    @discardableResult func delete(where condition: Condition<Object>) async throws(StoreError) -> Int
    /// Sets properties of the objects that match `condition`, and returns how many there were.
    @discardableResult
    func update(where condition: Condition<Object>, set assignments: [Assignment<Object>]) async throws(StoreError)
        -> Int
    /// Replaces the stored objects that match `condition` by `objects`, and returns the changes that it made.
    @discardableResult
    func merge(_ objects: [Object], where condition: Condition<Object>) async throws(StoreError) -> MergeResult<Object>
    /// Returns the object with this id, or nil.
    func object(withId id: Object.ID) async throws(StoreError) -> Object?
    /// Returns the objects that match a query.
    func execute(_ query: Query<Self>) async throws(StoreError) -> [Object]
    /// Returns the number of objects that match a query; sort order and page do not count.
    func count(_ query: Query<Self>) async throws(StoreError) -> Int
    /// Returns the rows of an aggregate of the objects that match a query; sort order and page do not count.
    func aggregate(_ aggregate: Aggregate<Object>, of query: Query<Self>) async throws(StoreError) -> [[PrimitiveValue]]
}

/// A store that can observe the answer to a query.
public protocol ObservableStore<Object>: Store {
    /// Emits the answer now, and again whenever a write has changed it.
    ///
    /// An observer gets one answer at a time: the latest, and never the same one twice in a row. Answers that are
    /// outdated before the observer has handled the previous one are skipped, so a slow observer may miss answers in
    /// between, but never the last one.
    ///
    /// The first answer is delivered by the thread that starts the producer; each later one by the thread that wrote, after its
    /// write. An observer that is still busy, or that took longer than 50 ms the last time, is called on a global queue
    /// instead, so that it does not delay writes. Use `observe(on:)` to get the answers on a scheduler of your own.
    ///
    /// An observer may write to the store. It gets the answer with its own changes after it has returned, so an
    /// observer that changes its answer each time that it is called is called without end.
    func observe(_ query: Query<Self>) -> SignalProducer<[Object], StoreError>
}

/// A store with transactions.
public protocol TransactionalStore<Object>: Store {
    /// The store as the body of a transaction sees it.
    associatedtype Transaction: StoreTransaction where Transaction.S == Self

    /// Runs `body` as a transaction. Its changes are kept if it returns, and none of them if it throws; other readers
    /// see no change before the end.
    ///
    ///     movies.transaction { movies throws(StoreError) in
    ///         try movies.delete(where: \.budget == 0)
    ///         try movies.insert([movie])
    ///     }
    ///
    /// The body must not use the store itself, which then fails with ``StoreError/insideTransaction``.
    func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws(StoreError) -> Result
    ) -> SignalProducer<Result, StoreError>

    /// Runs `body` as a transaction; see the form that returns a producer.
    func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result
}

/// The store as the body of a transaction uses it. After the body has ended, each use of it fails.
public protocol StoreTransaction<S> {
    /// The store that the transaction changes.
    associatedtype S: Store

    /// Adds all of `objects`, or none if one cannot be added.
    func insert(_ objects: [S.Object]) throws(StoreError)
    /// Replaces all of `objects`, or none if one is missing.
    func update(_ objects: [S.Object]) throws(StoreError)
    /// Adds or replaces all of `objects`.
    func upsert(_ objects: [S.Object]) throws(StoreError)
    /// Removes those of `objects` that are stored.
    func delete(_ objects: [S.Object]) throws(StoreError)
    /// Removes the objects with these ids, and returns how many there were.
    @discardableResult func delete(ids: [S.Object.ID]) throws(StoreError) -> Int
    /// Removes the objects that match `condition`, and returns how many there were.
    @discardableResult func delete(where condition: Condition<S.Object>) throws(StoreError) -> Int
    /// Sets properties of the objects that match `condition`, and returns how many there were.
    @discardableResult
    func update(where condition: Condition<S.Object>, set assignments: [Assignment<S.Object>]) throws(StoreError) -> Int
    /// Replaces the stored objects that match `condition` by `objects`; see `Store.merge(_:where:)`.
    @discardableResult
    func merge(_ objects: [S.Object], where condition: Condition<S.Object>) throws(StoreError) -> MergeResult<S.Object>
    /// Returns the object with this id, or nil.
    func object(withId id: S.Object.ID) throws(StoreError) -> S.Object?
    /// Returns the objects that match a query.
    func execute(_ query: Query<S>) throws(StoreError) -> [S.Object]
    /// Returns the number of objects that match a query.
    func count(_ query: Query<S>) throws(StoreError) -> Int
    /// Returns the rows of an aggregate of the objects that match a query.
    func aggregate(_ aggregate: Aggregate<S.Object>, of query: Query<S>) throws(StoreError) -> [[PrimitiveValue]]
    /// Runs a part of the transaction. If `body` throws, its changes in all stores that take part are undone, and the
    /// transaction can go on.
    ///
    ///     try await movies.transaction { movies in
    ///         try movies.delete(where: \.year < 1900)
    ///         try? movies.withSavepoint {
    ///             try movies.insert([movie])
    ///             try movies.delete(where: \.budget == 0)
    ///         }
    ///     }
    ///
    /// A part may have parts of its own, up to 500 within each other; more fail with ``StoreError/refused(reason:)``. One step
    /// needs no savepoint: if it fails, it has changed nothing.
    func withSavepoint<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result
    /// Returns the same transaction for another store, so that both write together or not at all. Throws
    /// ``StoreError/refused(reason:)`` if they are not in one database.
    func with<Other: TransactionalStore>(_ store: Other) throws(StoreError) -> Other.Transaction
}

extension StoreTransaction {
    public func delete(_ objects: [S.Object]) throws(StoreError) { try delete(ids: objects.map { $0.id }) }

    public func count(_ query: Query<S>) throws(StoreError) -> Int {
        try execute(query.store.filter(where: query.condition)).count
    }

    public func aggregate(_ aggregate: Aggregate<S.Object>, of query: Query<S>) throws(StoreError) -> [[PrimitiveValue]]
    {
        try aggregate.rows(of: execute(query.store.filter(where: query.condition)))
    }

    // The default, for a store that does not share a database.
    public func with<Other: TransactionalStore>(_ store: Other) throws(StoreError) -> Other.Transaction {
        throw .refused(reason: "a \(Other.self) is not in the same database as a \(S.self)")
    }
}

// MARK: - Queries

extension Store {
    /// A query for all objects.
    @inlinable
    public func all() -> Query<Self> { Query(store: self, question: Question()) }

    /// A query for the objects that match `condition`.
    @inlinable
    public func filter(where condition: Condition<Object>) -> Query<Self> {
        Query(store: self, question: Question(condition: condition))
    }

    /// A query for all objects, sorted.
    @inlinable
    public func sorted<Value: Primitive>(
        by property: KeyPath<Object, Value> & Sendable, inOrder order: SortCriterion<Object>.Order = .ascending,
        nil nilPlace: SortCriterion<Object>.NilPlace = .last
    ) -> Query<Self> {
        all().sorted(by: property, inOrder: order, nil: nilPlace)
    }
}
