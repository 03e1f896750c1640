import Feedback

// The async form of each producer. Cancelling the task disposes the producer, and throws ``StoreError/cancelled``.

extension Store {
    @discardableResult
    public func insert(_ object: Object) async throws(StoreError) -> Object {
        try await (insert(object) as SignalProducer<Object, StoreError>).value()
    }

    @discardableResult
    public func update(_ object: Object) async throws(StoreError) -> Object {
        try await (update(object) as SignalProducer<Object, StoreError>).value()
    }

    @discardableResult
    public func upsert(_ object: Object) async throws(StoreError) -> Object {
        try await (upsert(object) as SignalProducer<Object, StoreError>).value()
    }

    public func delete(_ object: Object) async throws(StoreError) {
        try await (delete(object) as SignalProducer<Never, StoreError>).end()
    }

    @discardableResult
    public func insert(_ objects: [Object]) async throws(StoreError) -> [Object] {
        try await (insert(objects) as SignalProducer<[Object], StoreError>).value()
    }

    @discardableResult
    public func update(_ objects: [Object]) async throws(StoreError) -> [Object] {
        try await (update(objects) as SignalProducer<[Object], StoreError>).value()
    }

    @discardableResult
    public func upsert(_ objects: [Object]) async throws(StoreError) -> [Object] {
        try await (upsert(objects) as SignalProducer<[Object], StoreError>).value()
    }

    public func delete(_ objects: [Object]) async throws(StoreError) {
        try await (delete(objects) as SignalProducer<Never, StoreError>).end()
    }

    @discardableResult
    public func delete(where condition: Condition<Object>) async throws(StoreError) -> Int {
        try await (delete(where: condition) as SignalProducer<Int, StoreError>).value()
    }

    @discardableResult
    public func delete(ids: [Object.ID]) async throws(StoreError) -> Int {
        try await (delete(ids: ids) as SignalProducer<Int, StoreError>).value()
    }

    @discardableResult
    public func update(
        where condition: Condition<Object>, set assignments: [Assignment<Object>]
    ) async throws(StoreError) -> Int {
        try await (update(where: condition, set: assignments) as SignalProducer<Int, StoreError>).value()
    }

    @discardableResult
    public func merge(
        _ objects: [Object], where condition: Condition<Object>
    ) async throws(StoreError) -> MergeResult<Object> {
        try await (merge(objects, where: condition) as SignalProducer<MergeResult<Object>, StoreError>).value()
    }

    public func aggregate(
        _ aggregate: Aggregate<Object>, of query: Query<Self>
    ) async throws(StoreError) -> [[PrimitiveValue]] {
        try await (self.aggregate(aggregate, of: query) as SignalProducer<[[PrimitiveValue]], StoreError>).value()
    }

    public func object(withId id: Object.ID) async throws(StoreError) -> Object? {
        try await (object(withId: id) as SignalProducer<Object?, StoreError>).value()
    }

    public func execute(_ query: Query<Self>) async throws(StoreError) -> [Object] {
        try await (execute(query) as SignalProducer<[Object], StoreError>).value()
    }

    public func count(_ query: Query<Self>) async throws(StoreError) -> Int {
        try await (count(query) as SignalProducer<Int, StoreError>).value()
    }
}

extension TransactionalStore {
    public func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await (transaction(body) as SignalProducer<Value, StoreError>).value()
    }
}

extension SignalProducer where Error == StoreError {
    fileprivate func end() async throws(StoreError) {
        try await wait()
        if Task.isCancelled { throw .cancelled }
    }
}
