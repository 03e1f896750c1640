import Feedback

/// A store that does its work on the calling thread, such as ``MemoryStore`` and ``SQLiteStore``.
///
/// Its async functions finish what they have begun, also if their task is cancelled.
///
/// All functions of a store have defaults here, made from ``perform(_:)`` and ``answer(_:)``.
public protocol SynchronousStore<Object>: ObservableStore, TransactionalStore {
    /// Runs a transaction now, on this thread, and returns what `body` returns.
    func perform<Value: Sendable>(
        _ body: (Transaction) throws(StoreError) -> Value
    ) throws(StoreError) -> Value

    /// Returns the objects that match a query.
    func answer(_ query: Query<Self>) throws(StoreError) -> [Object]
    /// Returns the number of objects that match a query; sort order and page do not count. The default counts the
    /// objects of an answer.
    func answerCount(_ query: Query<Self>) throws(StoreError) -> Int
    /// Returns the rows of an aggregate of the objects that match a query; sort order and page do not count. The default
    /// makes them from the objects of an answer.
    func answer(_ aggregate: Aggregate<Object>, of query: Query<Self>) throws(StoreError) -> [[PrimitiveValue]]
    /// Returns the object with this id, or nil. The default answers a query for it.
    func find(_ id: Object.ID) throws(StoreError) -> Object?
}

extension SynchronousStore {
    public func answerCount(_ query: Query<Self>) throws(StoreError) -> Int {
        try answer(filter(where: query.condition)).count
    }

    public func answer(_ aggregate: Aggregate<Object>, of query: Query<Self>) throws(StoreError) -> [[PrimitiveValue]] {
        try aggregate.rows(of: answer(filter(where: query.condition)))
    }

    public func find(_ id: Object.ID) throws(StoreError) -> Object? {
        try answer(filter(where: Condition(id: id))).first
    }
}

extension SynchronousStore {
    private func start<Value: Sendable>(
        _ work: @escaping @Sendable () throws(StoreError) -> Value
    ) -> SignalProducer<Value, StoreError> {
        SignalProducer { Result { () throws(StoreError) in try work() } }
    }

    private func start<Value: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws(StoreError) -> Value
    ) -> SignalProducer<Value, StoreError> {
        start { () throws(StoreError) in try perform(body) }
    }

    // MARK: - Writing

    public func insert(_ object: Object) -> SignalProducer<Object, StoreError> {
        start { (transaction: Transaction) throws(StoreError) in
            try transaction.insert([object])
            return object
        }
    }

    public func update(_ object: Object) -> SignalProducer<Object, StoreError> {
        start { (transaction: Transaction) throws(StoreError) in
            try transaction.update([object])
            return object
        }
    }

    public func upsert(_ object: Object) -> SignalProducer<Object, StoreError> {
        start { (transaction: Transaction) throws(StoreError) in
            try transaction.upsert([object])
            return object
        }
    }

    public func delete(_ object: Object) -> SignalProducer<Never, StoreError> { delete([object]) }

    public func insert(_ objects: [Object]) -> SignalProducer<[Object], StoreError> {
        start { (transaction: Transaction) throws(StoreError) in
            try transaction.insert(objects)
            return objects
        }
    }

    public func update(_ objects: [Object]) -> SignalProducer<[Object], StoreError> {
        start { (transaction: Transaction) throws(StoreError) in
            try transaction.update(objects)
            return objects
        }
    }

    public func upsert(_ objects: [Object]) -> SignalProducer<[Object], StoreError> {
        start { (transaction: Transaction) throws(StoreError) in
            try transaction.upsert(objects)
            return objects
        }
    }

    public func delete(_ objects: [Object]) -> SignalProducer<Never, StoreError> {
        SignalProducer { [self] observer, _ in
            do throws(StoreError) {
                try perform { transaction throws(StoreError) in try transaction.delete(objects) }
                observer.sendCompleted()
            } catch {
                observer.send(error: error)
            }
        }
    }

    public func delete(ids: [Object.ID]) -> SignalProducer<Int, StoreError> {
        start { (transaction: Transaction) throws(StoreError) in try transaction.delete(ids: ids) }
    }

    public func delete(where condition: Condition<Object>) -> SignalProducer<Int, StoreError> {
        start { (transaction: Transaction) throws(StoreError) in try transaction.delete(where: condition) }
    }

    public func update(
        where condition: Condition<Object>, set assignments: [Assignment<Object>]
    ) -> SignalProducer<Int, StoreError> {
        start { (transaction: Transaction) throws(StoreError) in
            try transaction.update(where: condition, set: assignments)
        }
    }

    public func merge(
        _ objects: [Object], where condition: Condition<Object>
    ) -> SignalProducer<MergeResult<Object>, StoreError> {
        start { (transaction: Transaction) throws(StoreError) in try transaction.merge(objects, where: condition) }
    }

    public func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws(StoreError) -> Value
    ) -> SignalProducer<Value, StoreError> {
        start(body)
    }

    // MARK: - Reading

    public func execute(_ query: Query<Self>) -> SignalProducer<[Object], StoreError> {
        start { () throws(StoreError) in try answer(query) }
    }

    public func count(_ query: Query<Self>) -> SignalProducer<Int, StoreError> {
        start { () throws(StoreError) in try answerCount(query) }
    }

    public func aggregate(
        _ aggregate: Aggregate<Object>, of query: Query<Self>
    ) -> SignalProducer<[[PrimitiveValue]], StoreError> {
        start { () throws(StoreError) in try answer(aggregate, of: query) }
    }

    public func object(withId id: Object.ID) -> SignalProducer<Object?, StoreError> {
        start { () throws(StoreError) in try find(id) }
    }
}

// MARK: - Async functions

extension SynchronousStore {
    @discardableResult
    public func insert(_ object: Object) async throws(StoreError) -> Object {
        try perform { transaction throws(StoreError) in try transaction.insert([object]) }
        return object
    }

    @discardableResult
    public func update(_ object: Object) async throws(StoreError) -> Object {
        try perform { transaction throws(StoreError) in try transaction.update([object]) }
        return object
    }

    @discardableResult
    public func upsert(_ object: Object) async throws(StoreError) -> Object {
        try perform { transaction throws(StoreError) in try transaction.upsert([object]) }
        return object
    }

    public func delete(_ object: Object) async throws(StoreError) {
        try perform { transaction throws(StoreError) in try transaction.delete([object]) }
    }

    @discardableResult
    public func insert(_ objects: [Object]) async throws(StoreError) -> [Object] {
        try perform { transaction throws(StoreError) in try transaction.insert(objects) }
        return objects
    }

    @discardableResult
    public func update(_ objects: [Object]) async throws(StoreError) -> [Object] {
        try perform { transaction throws(StoreError) in try transaction.update(objects) }
        return objects
    }

    @discardableResult
    public func upsert(_ objects: [Object]) async throws(StoreError) -> [Object] {
        try perform { transaction throws(StoreError) in try transaction.upsert(objects) }
        return objects
    }

    public func delete(_ objects: [Object]) async throws(StoreError) {
        try perform { transaction throws(StoreError) in try transaction.delete(objects) }
    }

    @discardableResult
    public func delete(ids: [Object.ID]) async throws(StoreError) -> Int {
        try perform { transaction throws(StoreError) in try transaction.delete(ids: ids) }
    }

    @discardableResult
    public func delete(where condition: Condition<Object>) async throws(StoreError) -> Int {
        try perform { transaction throws(StoreError) in try transaction.delete(where: condition) }
    }

    @discardableResult
    public func update(
        where condition: Condition<Object>, set assignments: [Assignment<Object>]
    ) async throws(StoreError) -> Int {
        try perform { transaction throws(StoreError) in try transaction.update(where: condition, set: assignments) }
    }

    @discardableResult
    public func merge(
        _ objects: [Object], where condition: Condition<Object>
    ) async throws(StoreError) -> MergeResult<Object> {
        try perform { transaction throws(StoreError) in try transaction.merge(objects, where: condition) }
    }

    public func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try perform(body)
    }

    public func execute(_ query: Query<Self>) async throws(StoreError) -> [Object] { try answer(query) }

    public func count(_ query: Query<Self>) async throws(StoreError) -> Int { try answerCount(query) }

    public func aggregate(
        _ aggregate: Aggregate<Object>, of query: Query<Self>
    ) async throws(StoreError) -> [[PrimitiveValue]] {
        try answer(aggregate, of: query)
    }

    public func object(withId id: Object.ID) async throws(StoreError) -> Object? { try find(id) }
}
