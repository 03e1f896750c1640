import Feedback
import Synchronization

/// A store that keeps its objects in memory.
///
///     let movies = MemoryStore(Movie.schema)
///     let scratch = MemoryStore(id: \Movie.id)
///
/// Any number of threads read while one writes; each reads what was there when it began. Work is done on the thread that
/// starts a producer.
public final class MemoryStore<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    private let state: ExclusiveAccess<State>
    private let deliveries = Deliveries()

    private struct State: Sendable {
        var table: MemoryTable<Object>
        var watches: [MemoryWatch<Object>] = []

        /// Puts in new answers for those whom the changes concern; they are found outside of the lock, in a copy.
        mutating func answer(_ changes: MemoryChanges<Object>, through deliveries: Deliveries) {
            guard !changes.objects.isEmpty else { return }
            watches.removeAll(where: \.isOver)
            for watch in watches where changes.objects.contains(where: { watch.couldAnswer(with: $0) }) {
                if let delivery = watch.answer(table) { deliveries.put(delivery) }
            }
        }
    }

    /// A store of the objects that a schema describes, with the indexes that it names.
    @inlinable
    public convenience init(_ schema: Schema<Object>) {
        self.init(schema: schema, operations: .make())
    }

    /// A store without a schema or indexes; `id` is the key path of the objects' id.
    @inlinable
    public convenience init(id: KeyPath<Object, Object.ID> & Sendable) {
        self.init(id: Attribute(id), operations: .make())
    }

    @usableFromInline
    init(schema: Schema<Object>, operations: MemoryOperations<Object>) {
        let indexes = schema.columns.dropFirst().filter(\.isIndexed).map { $0.makeIndex($0.attribute) }
        let table = MemoryTable(id: schema.id.attribute, indexes: indexes, operations: operations)
        state = ExclusiveAccess(State(table: table))
    }

    @usableFromInline
    init(id: Attribute<Object>, operations: MemoryOperations<Object>) {
        state = ExclusiveAccess(State(table: MemoryTable(id: id, indexes: [], operations: operations)))
    }

    /// The object with this id, or nil.
    public func object(withId id: Object.ID) -> SignalProducer<Object?, StoreError> {
        SignalProducer { [self] in
            Result { () throws(StoreError) in
                try state.withLock { state throws(StoreError) in state.table.object(withId: id) }
            }
        }
    }

    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (MemoryTable<Object>) throws(StoreError) -> Value
    ) -> SignalProducer<Value, StoreError> {
        SignalProducer { [self] in
            Result { () throws(StoreError) in
                let table = try state.withLock { state throws(StoreError) in state.table }
                return try body(table)
            }
        }
    }

    /// Lets `body` write, which fails before it changes anything or not at all; `restoring` what was there where it may fail
    /// half way.
    private func write<Value: Sendable>(
        restoring: Bool = false,
        _ body: @escaping @Sendable (inout MemoryTable<Object>, inout MemoryChanges<Object>) throws(StoreError) -> Value
    ) -> SignalProducer<Value, StoreError> {
        SignalProducer { [self] in
            Result { () throws(StoreError) in try perform(restoring: restoring, body) }
        }
    }

    private func perform<Value: Sendable>(
        restoring: Bool,
        _ body: (inout MemoryTable<Object>, inout MemoryChanges<Object>) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        defer { deliveries.handOut() }
        return try state.withLock { state throws(StoreError) in
            var changes = MemoryChanges<Object>(isWatched: state.watches.contains { !$0.isOver })
            let before = restoring ? state.table : nil
            do throws(StoreError) {
                let value = try body(&state.table, &changes)
                state.answer(changes, through: deliveries)
                return value
            } catch {
                if let before { state.table = before }
                throw error
            }
        }
    }
}

// MARK: - Store

extension MemoryStore: Store {
    public func insert(_ object: Object) -> SignalProducer<Object, StoreError> {
        write { (table, changes) throws(StoreError) in
            try table.insert([object], &changes)
            return object
        }
    }

    public func insert(_ objects: [Object]) -> SignalProducer<[Object], StoreError> {
        write(restoring: true) { (table, changes) throws(StoreError) in
            try table.insert(objects, &changes)
            return objects
        }
    }

    public func update(_ object: Object) -> SignalProducer<Object, StoreError> {
        write { (table, changes) throws(StoreError) in
            try table.update([object], &changes)
            return object
        }
    }

    public func update(_ objects: [Object]) -> SignalProducer<[Object], StoreError> {
        write(restoring: true) { (table, changes) throws(StoreError) in
            try table.update(objects, &changes)
            return objects
        }
    }

    public func upsert(_ object: Object) -> SignalProducer<Object, StoreError> {
        write { (table, changes) throws(StoreError) in
            try table.upsert([object], &changes)
            return object
        }
    }

    public func upsert(_ objects: [Object]) -> SignalProducer<[Object], StoreError> {
        write { (table, changes) throws(StoreError) in
            try table.upsert(objects, &changes)
            return objects
        }
    }

    public func delete(_ object: Object) -> SignalProducer<Never, StoreError> { delete([object]) }

    public func delete(_ objects: [Object]) -> SignalProducer<Never, StoreError> {
        SignalProducer { [self] observer, _ in
            do throws(StoreError) {
                try perform(restoring: false) { (table, changes) throws(StoreError) in table.delete(objects, &changes) }
                observer.sendCompleted()
            } catch {
                observer.send(error: error)
            }
        }
    }

    public func delete(where condition: Condition<Object>) -> SignalProducer<Int, StoreError> {
        write { (table, changes) throws(StoreError) in
            let objects = try table.execute(Question(condition: condition))
            table.delete(objects, &changes)
            return objects.count
        }
    }

    public func execute(_ query: Query<MemoryStore>) -> SignalProducer<[Object], StoreError> {
        read { table throws(StoreError) in try table.execute(query.question) }
    }

    public func count(_ query: Query<MemoryStore>) -> SignalProducer<Int, StoreError> {
        read { table throws(StoreError) in try table.count(query.question) }
    }

    public func plan(_ query: Query<MemoryStore>) -> SignalProducer<QueryPlan, StoreError> {
        read { table throws(StoreError) in try table.plan(query.question) }
    }
}

// MARK: - Observing

extension MemoryStore: ObservableStore {
    public func observe(_ query: Query<MemoryStore>) -> SignalProducer<[Object], StoreError> {
        SignalProducer { [self] observer, lifetime in
            defer { deliveries.handOut() }
            do throws(StoreError) {
                let question = query.question
                let filter = try Filter(question.condition)
                let watch = MemoryWatch<Object>(
                    couldBeAnswer: { filter.passes($0) },
                    answer: { table in
                        {
                            do throws(StoreError) {
                                observer.send(value: try table.execute(question))
                            } catch {
                                observer.send(error: error)
                            }
                        }
                    })
                try state.withLock { state throws(StoreError) in
                    state.watches.removeAll(where: \.isOver)
                    state.watches.append(watch)
                    if let delivery = watch.answer(state.table) { deliveries.put(delivery) }
                }
                // Held by the store alone, so that who observes a store that goes is interrupted.
                lifetime.observeEnded { [weak watch] in watch?.end() }
            } catch {
                observer.send(error: error)
            }
        }
    }
}

// MARK: - Transactions

extension MemoryStore: TransactionalStore {
    public func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (MemoryTransaction<Object>) throws(StoreError) -> Value
    ) -> SignalProducer<Value, StoreError> {
        write { (table, changes) throws(StoreError) in
            let transaction = MemoryTransaction(table, changes)
            defer { transaction.end() }
            let value = try body(transaction)
            (table, changes) = try transaction.open()
            return value
        }
    }
}
