import Feedback
import Persistence

/// A store that keeps its objects in a table of a PostgreSQL database.
///
///     let movies = try await PostgresStore(Movie.schema, in: database)
///     try await movies.filter(where: \.rating == .G).result()
///
/// Producers work on threads of the database, and emit there. So an observer must not block its thread until another
/// producer of the database has ended: once all threads do that, none is left for the work. Use a function that is not a
/// producer there, such as ``perform(_:)``. Async functions suspend the task while the server works.
/// Functions that are not async and return a value, such as ``find(_:)``, block the calling thread. Do not call them in tasks:
/// if all threads of tasks wait for connections that awaited queries have, none is left on which these queries could end.
///
/// An observed query asks again after each write to its table by any process that uses this package. Writes by other
/// means are noticed if they send the notification that `Documentation/PostgreSQL.md` describes. If the table has a trigger or a
/// rule, if a foreign key of another table changes its rows, or if it is a partition, all observed queries ask again after each
/// write to it. A transaction that has begun before a trigger was made does not notice the trigger.
public final class PostgresStore<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    /// The database that holds the table.
    public let database: PostgresDatabase
    let table: PostgresTable<Object>
    let reads: SharedReads

    /// Makes a store in a database that other stores may share. It makes the table and its indexes if they do not
    /// exist. The calling thread waits for that.
    public init(_ schema: Schema<Object>, in database: PostgresDatabase) throws(StoreError) {
        self.database = database
        table = try PostgresTable.prepared(schema, in: database)
        reads = table.sharedReads(in: database)
    }

    /// Makes a store in a database that other stores may share. It makes the table and its indexes if they do not
    /// exist.
    public init(_ schema: Schema<Object>, in database: PostgresDatabase) async throws(StoreError) {
        self.database = database
        let prepared = await onOtherThread { () throws(StoreError) in try PostgresTable.prepared(schema, in: database) }
        guard let prepared else { throw .cancelled }
        table = try prepared.get()
        reads = table.sharedReads(in: database)
    }

    // MARK: - SQL

    /// Emits the objects that a statement of SQL selects; its columns are found by their names.
    ///
    ///     films.select("SELECT * FROM films WHERE budget > \(least) ORDER BY random() LIMIT 3")
    ///
    /// The transaction is read-only, since the statement is run again if the connection is lost. A statement that writes
    /// is refused; use a transaction.
    public func select(_ sql: SQL) -> SignalProducer<[Object], StoreError> {
        read { [table] connection throws(StoreError) in
            try table.select(sql, on: connection, isInTransaction: false)
        }
    }

    /// Returns the objects that a statement of SQL selects; its columns are found by their names.
    public func select(_ sql: SQL) async throws(StoreError) -> [Object] { try await select(sql).value() }

    // MARK: - On the calling thread

    /// Runs a transaction now, on this thread, and returns what `body` returns.
    ///
    /// The body runs again if the transaction conflicts with another one, so it should have no other effects.
    public func perform<Value: Sendable>(
        _ body: (PostgresTransaction<Object>) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try perform(cancelledBy: nil, isSole: false, body)
    }

    /// Returns the objects that match a query. The calling thread waits for them.
    public func answer(_ query: Query<PostgresStore>) throws(StoreError) -> [Object] {
        try database.read { connection throws(StoreError) in
            try table.execute(query.question, on: connection, isInTransaction: false)
        }
    }

    /// Returns the number of objects that match a query. The calling thread waits for it.
    public func answerCount(_ query: Query<PostgresStore>) throws(StoreError) -> Int {
        try database.read { connection throws(StoreError) in try table.count(query.question, on: connection) }
    }

    /// Returns the object with this id, or nil. The calling thread waits for it.
    public func find(_ id: Object.ID) throws(StoreError) -> Object? {
        try database.read { connection throws(StoreError) in try table.object(withId: id, on: connection) }
    }

    private func perform<Value>(
        cancelledBy cancellation: PostgresCancellation?, isSole: Bool,
        _ body: (PostgresTransaction<Object>) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try database.write(cancelledBy: cancellation, isSole: isSole) { writer throws(StoreError) in
            let scope = PostgresTransactionScope(database, writer)
            defer { scope.end() }
            return try body(PostgresTransaction(table, scope))
        }
    }

    // MARK: - On threads of the database

    fileprivate func read<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws(StoreError) -> Value
    ) -> SignalProducer<Value, StoreError> {
        SignalProducer { [database] observer, lifetime in
            let cancellation = PostgresCancellation()
            lifetime.observeEnded { cancellation.cancel() }
            database.start(observer) { () throws(StoreError) in
                try database.read(cancelledBy: cancellation, body)
            }
        }
    }

    fileprivate func write<Value: Sendable>(
        isSole: Bool = true, _ body: @escaping @Sendable (PostgresTransaction<Object>) throws(StoreError) -> Value
    ) -> SignalProducer<Value, StoreError> {
        SignalProducer { [self] observer, lifetime in
            let cancellation = PostgresCancellation()
            lifetime.observeEnded { cancellation.cancel() }
            database.start(observer, unless: { lifetime.hasEnded }) { () throws(StoreError) in
                try self.perform(cancelledBy: cancellation, isSole: isSole) { transaction throws(StoreError) in
                    let value = try body(transaction)
                    // Disposed before the commit, it changes nothing.
                    if lifetime.hasEnded { throw .cancelled }
                    return value
                }
            }
        }
    }
}

extension PostgresDatabase {
    /// Works on a thread of the database, and sends the result.
    fileprivate func start<Value: Sendable>(
        _ observer: Observer<Value, StoreError>, unless isDropped: @escaping @Sendable () -> Bool = { false },
        _ work: @escaping @Sendable () throws(StoreError) -> Value
    ) {
        // In the body of a transaction, the work could wait for the transaction for ever.
        do throws(StoreError) {
            try checkNotInside()
        } catch {
            return observer.send(error: error)
        }
        workers.add {
            if isDropped() { return }
            do throws(StoreError) {
                observer.send(value: try work())
                observer.sendCompleted()
            } catch {
                observer.send(error: error)
            }
        }
    }
}

// MARK: - Store

extension PostgresStore: TransactionalStore {
    public typealias Transaction = PostgresTransaction<Object>

    public func insert(_ object: Object) -> SignalProducer<Object, StoreError> { insert([object]).map { _ in object } }

    public func update(_ object: Object) -> SignalProducer<Object, StoreError> { update([object]).map { _ in object } }

    public func upsert(_ object: Object) -> SignalProducer<Object, StoreError> { upsert([object]).map { _ in object } }

    public func delete(_ object: Object) -> SignalProducer<Never, StoreError> { delete([object]) }

    public func insert(_ objects: [Object]) -> SignalProducer<[Object], StoreError> {
        write { transaction throws(StoreError) in
            try transaction.insert(objects)
            return objects
        }
    }

    public func update(_ objects: [Object]) -> SignalProducer<[Object], StoreError> {
        write { transaction throws(StoreError) in
            try transaction.update(objects)
            return objects
        }
    }

    public func upsert(_ objects: [Object]) -> SignalProducer<[Object], StoreError> {
        write { transaction throws(StoreError) in
            try transaction.upsert(objects)
            return objects
        }
    }

    public func delete(_ objects: [Object]) -> SignalProducer<Never, StoreError> {
        delete(ids: objects.map(\.id)).then(SignalProducer<Never, StoreError>.empty)
    }

    public func delete(ids: [Object.ID]) -> SignalProducer<Int, StoreError> {
        write { transaction throws(StoreError) in try transaction.delete(ids: ids) }
    }

    public func delete(where condition: Condition<Object>) -> SignalProducer<Int, StoreError> {
        write { transaction throws(StoreError) in try transaction.delete(where: condition) }
    }

    public func update(
        where condition: Condition<Object>, set assignments: [Assignment<Object>]
    ) -> SignalProducer<Int, StoreError> {
        write { transaction throws(StoreError) in try transaction.update(where: condition, set: assignments) }
    }

    public func merge(
        _ objects: [Object], where condition: Condition<Object>
    ) -> SignalProducer<MergeResult<Object>, StoreError> {
        write(isSole: false) { transaction throws(StoreError) in try transaction.merge(objects, where: condition) }
    }

    /// Runs `body` as a transaction. Its changes are kept if it returns, and none of them if it throws; other readers
    /// see no change before the end.
    ///
    /// The body runs on a thread of the database. It runs again if the transaction conflicts with another one, if the
    /// connection was lost before the commit, or if it was lost during the commit and nothing was written. So it should
    /// have no other effects.
    public func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresTransaction<Object>) throws(StoreError) -> Value
    ) -> SignalProducer<Value, StoreError> {
        write(isSole: false, body)
    }

    /// Runs `body` as a transaction; see the form that returns a producer.
    public func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresTransaction<Object>) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let producer: SignalProducer<Value, StoreError> = transaction(body)
        return try await producer.value()
    }

    public func execute(_ query: Query<PostgresStore>) -> SignalProducer<[Object], StoreError> {
        read { [table] connection throws(StoreError) in
            try table.execute(query.question, on: connection, isInTransaction: false)
        }
    }

    public func count(_ query: Query<PostgresStore>) -> SignalProducer<Int, StoreError> {
        read { [table] connection throws(StoreError) in try table.count(query.question, on: connection) }
    }

    public func aggregate(
        _ aggregate: Aggregate<Object>, of query: Query<PostgresStore>
    ) -> SignalProducer<[[PrimitiveValue]], StoreError> {
        read { [table] connection throws(StoreError) in
            try table.aggregate(aggregate, query.question, on: connection)
        }
    }

    public func object(withId id: Object.ID) -> SignalProducer<Object?, StoreError> {
        read { [table] connection throws(StoreError) in try table.object(withId: id, on: connection) }
    }

    /// Emits the SQL of the query, followed by the steps in which PostgreSQL runs it.
    public func plan(_ query: Query<PostgresStore>) -> SignalProducer<QueryPlan, StoreError> {
        read { [table] connection throws(StoreError) in try table.plan(query.question, on: connection) }
    }
}
