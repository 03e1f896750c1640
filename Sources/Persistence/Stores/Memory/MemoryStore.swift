import Feedback

/// A store that keeps its objects in memory.
///
///     let movies = MemoryStore(Movie.schema)
///     let scratch = MemoryStore(id: \Movie.id)
///
/// One thread at a time writes. Meanwhile others read; each sees the objects as they were when it began, and never
/// waits for a transaction or a batch. Work is done on the thread that starts a producer, or calls an async function.
/// An answer has changed for its observers if a property of the schema has, or any property of objects that are
/// `Equatable`.
public final class MemoryStore<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    /// Held by the thread that writes, from the beginning of its transaction to the end.
    private let writer = ExclusiveAccess<Void>(())
    /// The objects. The lock is held for a moment only: to copy them, to replace them, or to change one object.
    private let table: Locked<MemoryTable<Object>>
    private let observed = ObservedQueries()
    private let id: Attribute<Object>
    /// Compares two answers of an observed query; nil if the objects cannot be compared.
    private let areSame: (@Sendable ([Object], [Object]) -> Bool)?

    /// Makes a store of the objects that a schema describes, with the schema's indexes.
    @inlinable
    public convenience init(_ schema: Schema<Object>) {
        self.init(schema: schema, operations: .make())
    }

    /// Makes a store without a schema or indexes; `id` is the key path of the objects' id.
    @inlinable
    public convenience init(id: KeyPath<Object, Object.ID> & Sendable) {
        self.init(id: Attribute(id), operations: .make())
    }

    @usableFromInline
    init(schema: Schema<Object>, operations: MemoryOperations<Object>) {
        id = schema.id.attribute
        // A model may have properties that are not in the schema. They are compared if the model is Equatable, but not in
        // an object that does not equal itself, since one of its values is NaN.
        let isComparable = Object.self is any Equatable.Type
        let isSame: @Sendable (Object, Object) -> Bool = { lhs, rhs in
            schema.isSame(lhs, rhs) && (!isComparable || areEqual(lhs, rhs) || !areEqual(lhs, lhs))
        }
        areSame = { lhs, rhs in
            guard schema.areSame(lhs, rhs) else { return false }
            if !isComparable || areEqual(lhs, rhs) { return true }
            return zip(lhs, rhs).allSatisfy { areEqual($0, $1) || !areEqual($0, $0) }
        }
        table = Locked(
            MemoryTable(
                id: id, indexes: schema.columns.dropFirst().filter(\.isIndexed).map { $0.makeIndex($0.attribute) },
                uniqueIndexes: schema.uniques.map { MemoryUniqueIndex($0) },
                operations: operations, isSame: isSame))
    }

    @usableFromInline
    init(id: Attribute<Object>, operations: MemoryOperations<Object>) {
        self.id = id
        let areSame: @Sendable ([Object], [Object]) -> Bool = { areEqual($0, $1) }
        self.areSame = Object.self is any Equatable.Type ? areSame : nil
        table = Locked(
            MemoryTable(
                id: id, indexes: [], uniqueIndexes: [], operations: operations, isSame: { areEqual($0, $1) }))
    }

    /// Returns a copy of the objects as they are now.
    private func snapshot() throws(StoreError) -> MemoryTable<Object> {
        try writer.checkNotHeld()
        return table.withLock { $0 }
    }

    // MARK: - Single objects

    /// Changes one object in place. Such a change either succeeds or fails before it has changed anything.
    private func change(
        _ body: (inout MemoryTable<Object>, inout MemoryChanges<Object>) throws(StoreError) -> Void
    ) throws(StoreError) {
        try write { queries throws(StoreError) in
            var changes = MemoryChanges<Object>(isObserved: !queries.isEmpty)
            try table.withLock { table throws(StoreError) in try body(&table, &changes) }
            return ((), changes)
        }
    }

    /// Runs `body` as the only writer, and notifies the observers that its changes concern.
    private func write<Value: Sendable>(
        _ body: ([ObservedQuery]) throws(StoreError) -> (Value, MemoryChanges<Object>)
    ) throws(StoreError) -> Value {
        let (value, concerned) = try writer.withLock { _ throws(StoreError) -> (Value, [ObservedQuery]) in
            let queries = observed.all
            let (value, changes) = try body(queries)
            if changes.isEmpty { return (value, []) }
            var log = ChangeLog(queries)
            log.note(table: "")
            log.note(table: "", changes.objects)
            return (value, log.pass(to: observed.all))
        }
        for query in concerned { query.tell() }
        return value
    }
}

// MARK: - Store

extension MemoryStore: SynchronousStore {
    /// The store as the body of a transaction sees it.
    public typealias Transaction = MemoryTransaction<Object>

    public func perform<Value: Sendable>(
        _ body: (MemoryTransaction<Object>) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try write { queries throws(StoreError) in
            let transaction = MemoryTransaction(
                table.withLock { $0 }, MemoryChanges<Object>(isObserved: !queries.isEmpty))
            defer { transaction.end() }
            let value = try body(transaction)
            let (draft, changes) = try transaction.open()
            // The old objects are released after the lock, since there may be many.
            let old = table.withLock { table in
                defer { table = draft }
                return table
            }
            _ = old
            return (value, changes)
        }
    }

    public func answer(_ query: Query<MemoryStore>) throws(StoreError) -> [Object] {
        try snapshot().execute(query.question)
    }

    public func answerCount(_ query: Query<MemoryStore>) throws(StoreError) -> Int {
        try snapshot().count(query.question)
    }

    public func answer(
        _ aggregate: Aggregate<Object>, of query: Query<MemoryStore>
    ) throws(StoreError) -> [[PrimitiveValue]] {
        try snapshot().aggregate(aggregate, query.question)
    }

    public func find(_ id: Object.ID) throws(StoreError) -> Object? { try snapshot().object(withId: id) }

    public func plan(_ query: Query<MemoryStore>) -> SignalProducer<QueryPlan, StoreError> {
        SignalProducer { [self] in Result { () throws(StoreError) in try snapshot().plan(query.question) } }
    }

    // Single objects are changed in place, without a draft.

    public func insert(_ object: Object) -> SignalProducer<Object, StoreError> {
        single(object) { (table, changes) throws(StoreError) in try table.insert([object], &changes) }
    }

    public func update(_ object: Object) -> SignalProducer<Object, StoreError> {
        single(object) { (table, changes) throws(StoreError) in try table.update([object], &changes) }
    }

    public func upsert(_ object: Object) -> SignalProducer<Object, StoreError> {
        single(object) { (table, changes) throws(StoreError) in try table.upsert([object], &changes) }
    }

    private func single(
        _ object: Object,
        _ body: @escaping @Sendable (inout MemoryTable<Object>, inout MemoryChanges<Object>) throws(StoreError) -> Void
    ) -> SignalProducer<Object, StoreError> {
        SignalProducer { [self] in
            Result { () throws(StoreError) in
                try change(body)
                return object
            }
        }
    }
}

// MARK: - Observing

extension MemoryStore: ObservableStore {
    public func observe(_ query: Query<MemoryStore>) -> SignalProducer<[Object], StoreError> {
        SignalProducer { [self] observer, lifetime in
            let question = query.question
            // The store is not retained, so that observers are interrupted when it is deallocated.
            let ask: @Sendable () throws(StoreError) -> [Object]? = { [weak self] () throws(StoreError) in
                try self?.snapshot().execute(question)
            }
            do throws(StoreError) {
                let end = try observed.observe(
                    QueryKey(question),
                    ObservedQuery(question, table: "", id: id, areSame: areSame, ask: ask), by: observer)
                lifetime.observeEnded(end)
            } catch {
                observer.send(error: error)
            }
        }
    }
}
