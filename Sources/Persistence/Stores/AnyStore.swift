import Feedback

/// A store of any type, for code that chooses its store while it runs.
///
///     let movies: AnyStore<Movie> = isOnline ? AnyStore(remote) : AnyStore(local)
///     movies.filter(where: \.rating == .G).result()
///
/// It passes every call to the store that it was created with. To swap stores, create an ``AnyStore`` of another store.
public struct AnyStore<Object: Identifiable & Sendable>: Store where Object.ID: Primitive {
    /// The store that does the work.
    public let base: any Store<Object>

    /// Wraps a store; an `AnyStore` is not wrapped again.
    public init(_ base: some Store<Object>) {
        // One level is enough, however often a store is wrapped.
        self.base = (base as? AnyStore)?.base ?? base
    }

    // MARK: - Producers

    public func insert(_ object: Object) -> SignalProducer<Object, StoreError> { base.insert(object) }

    public func update(_ object: Object) -> SignalProducer<Object, StoreError> { base.update(object) }

    public func upsert(_ object: Object) -> SignalProducer<Object, StoreError> { base.upsert(object) }

    public func delete(_ object: Object) -> SignalProducer<Never, StoreError> { base.delete(object) }

    public func insert(_ objects: [Object]) -> SignalProducer<[Object], StoreError> { base.insert(objects) }

    public func update(_ objects: [Object]) -> SignalProducer<[Object], StoreError> { base.update(objects) }

    public func upsert(_ objects: [Object]) -> SignalProducer<[Object], StoreError> { base.upsert(objects) }

    public func delete(_ objects: [Object]) -> SignalProducer<Never, StoreError> { base.delete(objects) }

    public func delete(where condition: Condition<Object>) -> SignalProducer<Int, StoreError> {
        base.delete(where: condition)
    }

    public func delete(ids: [Object.ID]) -> SignalProducer<Int, StoreError> { base.delete(ids: ids) }

    public func update(
        where condition: Condition<Object>, set assignments: [Assignment<Object>]
    ) -> SignalProducer<Int, StoreError> {
        base.update(where: condition, set: assignments)
    }

    public func merge(
        _ objects: [Object], where condition: Condition<Object>
    ) -> SignalProducer<MergeResult<Object>, StoreError> {
        base.merge(objects, where: condition)
    }

    public func aggregate(
        _ aggregate: Aggregate<Object>, of query: Query<AnyStore>
    ) -> SignalProducer<[[PrimitiveValue]], StoreError> {
        func ask(_ store: some Store<Object>) -> SignalProducer<[[PrimitiveValue]], StoreError> {
            store.aggregate(aggregate, of: query.asked(of: store))
        }
        return ask(base)
    }

    public func object(withId id: Object.ID) -> SignalProducer<Object?, StoreError> { base.object(withId: id) }

    public func execute(_ query: Query<AnyStore>) -> SignalProducer<[Object], StoreError> {
        func ask(_ store: some Store<Object>) -> SignalProducer<[Object], StoreError> {
            query.asked(of: store).result()
        }
        return ask(base)
    }

    public func count(_ query: Query<AnyStore>) -> SignalProducer<Int, StoreError> {
        func ask(_ store: some Store<Object>) -> SignalProducer<Int, StoreError> { query.asked(of: store).count() }
        return ask(base)
    }

    public func plan(_ query: Query<AnyStore>) -> SignalProducer<QueryPlan, StoreError> {
        func ask(_ store: some Store<Object>) -> SignalProducer<QueryPlan, StoreError> { query.asked(of: store).plan() }
        return ask(base)
    }

    // MARK: - Async functions

    @discardableResult
    public func insert(_ object: Object) async throws(StoreError) -> Object { try await base.insert(object) }

    @discardableResult
    public func update(_ object: Object) async throws(StoreError) -> Object { try await base.update(object) }

    @discardableResult
    public func upsert(_ object: Object) async throws(StoreError) -> Object { try await base.upsert(object) }

    public func delete(_ object: Object) async throws(StoreError) { try await base.delete(object) }

    @discardableResult
    public func insert(_ objects: [Object]) async throws(StoreError) -> [Object] { try await base.insert(objects) }

    @discardableResult
    public func update(_ objects: [Object]) async throws(StoreError) -> [Object] { try await base.update(objects) }

    @discardableResult
    public func upsert(_ objects: [Object]) async throws(StoreError) -> [Object] { try await base.upsert(objects) }

    public func delete(_ objects: [Object]) async throws(StoreError) { try await base.delete(objects) }

    @discardableResult
    public func delete(where condition: Condition<Object>) async throws(StoreError) -> Int {
        try await base.delete(where: condition)
    }

    @discardableResult
    public func delete(ids: [Object.ID]) async throws(StoreError) -> Int { try await base.delete(ids: ids) }

    @discardableResult
    public func update(
        where condition: Condition<Object>, set assignments: [Assignment<Object>]
    ) async throws(StoreError) -> Int {
        try await base.update(where: condition, set: assignments)
    }

    @discardableResult
    public func merge(
        _ objects: [Object], where condition: Condition<Object>
    ) async throws(StoreError) -> MergeResult<Object> {
        try await base.merge(objects, where: condition)
    }

    public func aggregate(
        _ aggregate: Aggregate<Object>, of query: Query<AnyStore>
    ) async throws(StoreError) -> [[PrimitiveValue]] {
        func ask(_ store: some Store<Object>) async throws(StoreError) -> [[PrimitiveValue]] {
            try await store.aggregate(aggregate, of: query.asked(of: store))
        }
        return try await ask(base)
    }

    public func object(withId id: Object.ID) async throws(StoreError) -> Object? { try await base.object(withId: id) }

    public func execute(_ query: Query<AnyStore>) async throws(StoreError) -> [Object] {
        func ask(_ store: some Store<Object>) async throws(StoreError) -> [Object] {
            try await query.asked(of: store).result()
        }
        return try await ask(base)
    }

    public func count(_ query: Query<AnyStore>) async throws(StoreError) -> Int {
        func ask(_ store: some Store<Object>) async throws(StoreError) -> Int {
            try await query.asked(of: store).count()
        }
        return try await ask(base)
    }
}
