import Feedback

/// A place that keeps objects of one type and answers queries for them: memory, a database, a server.
///
/// A producer does nothing before it is started. Its work is done when it says so, on the thread that started it unless the
/// store says otherwise. Each async function does the same work and returns the value.
///
/// A type becomes a store with four functions: `insert`, `update` and `delete` of one object, and `execute`. All else has a
/// default that uses these, which a store replaces by something faster or atomic. ``Query`` lists what a store reads of a
/// query, and ``Query/answer(from:)`` answers one from an array.
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

    /// Adds all of `objects`, or none if one cannot be added.
    func insert(_ objects: [Object]) -> SignalProducer<[Object], StoreError>

    /// Replaces all of `objects`, or none if one is missing.
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
    func update(where condition: Condition<Object>, set assignments: [Assignment<Object>]) -> SignalProducer<
        Int, StoreError
    >

    /// Makes the stored objects that match `condition` be exactly `objects`, and emits what was done for that.
    ///
    /// Objects that are not stored are inserted, those that differ are updated, and stored ones that match `condition` and are
    /// not among `objects` are deleted. An object that has not changed is not written, and its observers are not told.
    ///
    ///     quakes.merge(fetched, where: \.time >= startOfMonth)
    func merge(_ objects: [Object], where condition: Condition<Object>) -> SignalProducer<
        MergeResult<Object>, StoreError
    >

    /// Emits the number of objects that match a query; sort order and page do not count.
    func count(_ query: Query<Self>) -> SignalProducer<Int, StoreError>

    /// Emits the rows of an aggregate of the objects that match a query; sort order and page do not count.
    ///
    /// `Query.sum(_:)` and its kind call this.
    func aggregate(_ aggregate: Aggregate<Object>, of query: Query<Self>) -> SignalProducer<
        [[PrimitiveValue]], StoreError
    >

    /// Emits the object with this id, or nil.
    func object(withId id: Object.ID) -> SignalProducer<Object?, StoreError>

    /// Emits the steps that the store takes to answer a query.
    func plan(_ query: Query<Self>) -> SignalProducer<QueryPlan, StoreError>

    // The same as async functions. A store whose work is async implements these, and its producers call them.

    /// Adds an object, and returns it as it is stored. Throws ``StoreError/duplicate(id:)`` if an object with the same
    /// id exists.
    @discardableResult func insert(_ object: Object) async throws(StoreError) -> Object
    /// Replaces the object with the same id. Throws ``StoreError/missing(id:)`` if there is none.
    @discardableResult func update(_ object: Object) async throws(StoreError) -> Object
    /// Adds an object, or replaces the one with the same id.
    @discardableResult func upsert(_ object: Object) async throws(StoreError) -> Object
    /// Removes the object with the same id, if there is one.
    func delete(_ object: Object) async throws(StoreError)
    /// Adds all of `objects`, or none if one cannot be added.
    @discardableResult func insert(_ objects: [Object]) async throws(StoreError) -> [Object]
    /// Replaces all of `objects`, or none if one is missing.
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
    /// Makes the stored objects that match `condition` be exactly `objects`, and returns what was done for that.
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

/// A store that tells when the answer to a query changes.
public protocol ObservableStore<Object>: Store {
    /// Emits the answer now, and again whenever a write has changed it.
    ///
    /// An observer is told one answer at a time: the latest, and never the same one twice. Answers that are outdated before it
    /// is done with the one before are skipped, so a slow observer misses steps but never the end.
    ///
    /// The first answer is delivered by the thread that starts the producer, each later one by the thread that wrote, after
    /// its write. An observer that is still busy, or that took longer than 50 ms the last time, is told on a queue instead, so
    /// that it holds up nobody's writes. Use `observe(on:)` to be told on a thread of your own.
    func observe(_ query: Query<Self>) -> SignalProducer<[Object], StoreError>
}

/// A store that can do several things as one.
public protocol TransactionalStore<Object>: Store {
    /// The store as the body of a transaction sees it.
    associatedtype Transaction: StoreTransaction where Transaction.S == Self

    /// Does all that `body` does, or nothing if it throws; no other reader sees anything of it before the end.
    ///
    ///     movies.transaction { movies throws(StoreError) in
    ///         try movies.delete(where: \.budget == 0)
    ///         try movies.insert([movie])
    ///     }
    ///
    /// The store itself must not be used inside, and fails with ``StoreError/insideTransaction`` if it is.
    func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws(StoreError) -> Result
    ) -> SignalProducer<Result, StoreError>

    /// Does all that `body` does, or nothing if it throws; see the form that returns a producer.
    func transaction<Result: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result
}

/// The store inside of a transaction. Once the transaction's body has ended, each use of it fails.
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
    /// Makes the stored objects that match `condition` be exactly `objects`; see `Store.merge(_:where:)`.
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
    /// Returns the same transaction for another store, so that both write together or not at all. Throws
    /// ``StoreError/refused(reason:)`` if they are not in one database.
    func with<Other: TransactionalStore>(_ store: Other) throws(StoreError) -> Other.Transaction
}

extension StoreTransaction {
    // A store that shares no database.
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
