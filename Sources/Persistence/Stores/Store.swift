import Feedback

/// Something that keeps objects of one type and answers queries for them: memory, a database, a server.
///
/// Nothing happens before a producer is started, and what then happens is done when the producer says so, on the thread that
/// started it unless a scheduler is named.
public protocol Store<Object>: Sendable {
    associatedtype Object: Identifiable & Sendable where Object.ID: Primitive

    /// Adds an object, and emits it as it is stored. Fails with ``StoreError/duplicate(id:)`` where its id is taken.
    func insert(_ object: Object) -> SignalProducer<Object, StoreError>

    /// Replaces the object that has this one's id. Fails with ``StoreError/missing(id:)`` where there is none.
    func update(_ object: Object) -> SignalProducer<Object, StoreError>

    /// Removes the object that has this one's id, if there is one.
    func delete(_ object: Object) -> SignalProducer<Never, StoreError>

    /// The objects that a query asks for.
    func execute(_ query: Query<Self>) -> SignalProducer<[Object], StoreError>

    /// Adds an object, or replaces the one that has its id.
    func upsert(_ object: Object) -> SignalProducer<Object, StoreError>

    /// Adds all of `objects`, or none if one cannot be added.
    func insert(_ objects: [Object]) -> SignalProducer<[Object], StoreError>

    /// Replaces all of `objects`, or none if one is missing.
    func update(_ objects: [Object]) -> SignalProducer<[Object], StoreError>

    /// Adds or replaces all of `objects`.
    func upsert(_ objects: [Object]) -> SignalProducer<[Object], StoreError>

    /// Removes those of `objects` that are there.
    func delete(_ objects: [Object]) -> SignalProducer<Never, StoreError>

    /// Removes the objects of which `condition` is true, and emits how many these were.
    func delete(where condition: Condition<Object>) -> SignalProducer<Int, StoreError>

    /// How many objects a query's condition is true of; sort order and page do not count.
    func count(_ query: Query<Self>) -> SignalProducer<Int, StoreError>

    /// Emits the object with this id, or nil.
    func object(withId id: Object.ID) -> SignalProducer<Object?, StoreError>

    /// Emits the steps that the store takes to answer a query.
    func plan(_ query: Query<Self>) -> SignalProducer<QueryPlan, StoreError>

    // The same as async functions. A store whose work is async implements these, and its producers call them.

    @discardableResult func insert(_ object: Object) async throws(StoreError) -> Object
    @discardableResult func update(_ object: Object) async throws(StoreError) -> Object
    @discardableResult func upsert(_ object: Object) async throws(StoreError) -> Object
    func delete(_ object: Object) async throws(StoreError)
    @discardableResult func insert(_ objects: [Object]) async throws(StoreError) -> [Object]
    @discardableResult func update(_ objects: [Object]) async throws(StoreError) -> [Object]
    @discardableResult func upsert(_ objects: [Object]) async throws(StoreError) -> [Object]
    func delete(_ objects: [Object]) async throws(StoreError)
    @discardableResult func delete(where condition: Condition<Object>) async throws(StoreError) -> Int
    func object(withId id: Object.ID) async throws(StoreError) -> Object?
    func execute(_ query: Query<Self>) async throws(StoreError) -> [Object]
    func count(_ query: Query<Self>) async throws(StoreError) -> Int
}

/// A store that tells when the answer to a query changes.
public protocol ObservableStore<Object>: Store {
    /// The answer now, and again after each write that could have changed it, in the order of the writes.
    ///
    /// Each answer is that of the moment right after its write. It is delivered by the thread that wrote.
    func observe(_ query: Query<Self>) -> SignalProducer<[Object], StoreError>
}

/// A store that can do several things as one.
public protocol TransactionalStore<Object>: Store {
    associatedtype Transaction: StoreTransaction where Transaction.S == Self

    /// Does all that `body` does, or nothing if that throws; nobody else sees anything of it before the end.
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

/// What the body of a transaction works with, and only it: when the body is done, this is of no more use.
public protocol StoreTransaction<S> {
    associatedtype S: Store

    func insert(_ objects: [S.Object]) throws(StoreError)
    func update(_ objects: [S.Object]) throws(StoreError)
    func upsert(_ objects: [S.Object]) throws(StoreError)
    func delete(_ objects: [S.Object]) throws(StoreError)
    @discardableResult func delete(where condition: Condition<S.Object>) throws(StoreError) -> Int
    func object(withId id: S.Object.ID) throws(StoreError) -> S.Object?
    func execute(_ query: Query<S>) throws(StoreError) -> [S.Object]
    func count(_ query: Query<S>) throws(StoreError) -> Int
}

// MARK: - Queries

extension Store {
    /// A query for all objects.
    @inlinable
    public func all() -> Query<Self> { Query(store: self, question: Question()) }

    /// A query for the objects of which `condition` is true.
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
