import Feedback

// The async form of each producer. Cancelling the task disposes the producer, and throws ``StoreError/cancelled``.

extension Store {
    @discardableResult
    public func insert(_ object: Object) async throws(StoreError) -> Object {
        let producer: SignalProducer<Object, StoreError> = insert(object)
        return try await producer.value()
    }

    @discardableResult
    public func update(_ object: Object) async throws(StoreError) -> Object {
        let producer: SignalProducer<Object, StoreError> = update(object)
        return try await producer.value()
    }

    @discardableResult
    public func upsert(_ object: Object) async throws(StoreError) -> Object {
        let producer: SignalProducer<Object, StoreError> = upsert(object)
        return try await producer.value()
    }

    public func delete(_ object: Object) async throws(StoreError) {
        let producer: SignalProducer<Never, StoreError> = delete(object)
        try await producer.end()
    }

    @discardableResult
    public func insert(_ objects: [Object]) async throws(StoreError) -> [Object] {
        let producer: SignalProducer<[Object], StoreError> = insert(objects)
        return try await producer.value()
    }

    @discardableResult
    public func update(_ objects: [Object]) async throws(StoreError) -> [Object] {
        let producer: SignalProducer<[Object], StoreError> = update(objects)
        return try await producer.value()
    }

    @discardableResult
    public func upsert(_ objects: [Object]) async throws(StoreError) -> [Object] {
        let producer: SignalProducer<[Object], StoreError> = upsert(objects)
        return try await producer.value()
    }

    public func delete(_ objects: [Object]) async throws(StoreError) {
        let producer: SignalProducer<Never, StoreError> = delete(objects)
        try await producer.end()
    }

    @discardableResult
    public func delete(where condition: Condition<Object>) async throws(StoreError) -> Int {
        let producer: SignalProducer<Int, StoreError> = delete(where: condition)
        return try await producer.value()
    }

    @discardableResult
    public func delete(ids: [Object.ID]) async throws(StoreError) -> Int {
        let producer: SignalProducer<Int, StoreError> = delete(ids: ids)
        return try await producer.value()
    }

    @discardableResult
    public func update(
        where condition: Condition<Object>, set assignments: [Assignment<Object>]
    ) async throws(StoreError) -> Int {
        let producer: SignalProducer<Int, StoreError> = update(where: condition, set: assignments)
        return try await producer.value()
    }

    @discardableResult
    public func merge(
        _ objects: [Object], where condition: Condition<Object>
    ) async throws(StoreError) -> MergeResult<Object> {
        let producer: SignalProducer<MergeResult<Object>, StoreError> = merge(objects, where: condition)
        return try await producer.value()
    }

    public func aggregate(
        _ aggregate: Aggregate<Object>, of query: Query<Self>
    ) async throws(StoreError) -> [[PrimitiveValue]] {
        let producer: SignalProducer<[[PrimitiveValue]], StoreError> = self.aggregate(aggregate, of: query)
        return try await producer.value()
    }

    public func object(withId id: Object.ID) async throws(StoreError) -> Object? {
        let producer: SignalProducer<Object?, StoreError> = object(withId: id)
        return try await producer.value()
    }

    public func execute(_ query: Query<Self>) async throws(StoreError) -> [Object] {
        let producer: SignalProducer<[Object], StoreError> = execute(query)
        return try await producer.value()
    }

    public func count(_ query: Query<Self>) async throws(StoreError) -> Int {
        let producer: SignalProducer<Int, StoreError> = count(query)
        return try await producer.value()
    }
}

extension TransactionalStore {
    public func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let producer: SignalProducer<Value, StoreError> = transaction(body)
        return try await producer.value()
    }
}

extension SignalProducer where Error == StoreError {
    fileprivate func end() async throws(StoreError) {
        try await wait()
        if Task.isCancelled { throw .cancelled }
    }
}
