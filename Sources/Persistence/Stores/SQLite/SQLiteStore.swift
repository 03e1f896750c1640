import Feedback

/// A store that keeps its objects in a table of a SQLite database.
///
///     let movies = try SQLiteStore(Movie.schema, at: "/var/lib/movies.sqlite")
///     movies.filter(where: \.rating == .G).result()
///
/// Work is done on the thread that starts a producer. Stores of the same table in one ``SQLiteDatabase`` see each other's
/// writes as their own; those of other processes they read, and do not observe.
public final class SQLiteStore<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    public let database: SQLiteDatabase
    let table: SQLiteTable<Object>

    /// A store in a database that other stores may share. The table and its indexes are made if they are not there.
    public init(_ schema: Schema<Object>, in database: SQLiteDatabase) throws(StoreError) {
        self.database = database
        table = SQLiteTable(schema, in: database)
        try table.prepare(in: database)
    }

    /// A store in a file of its own.
    public convenience init(_ schema: Schema<Object>, at path: String, migrations: [Migration] = []) throws(StoreError)
    {
        try self.init(schema, in: SQLiteDatabase(.file(path), migrations: migrations))
    }

    /// The object with this id, or nil.
    @inlinable
    public func object(withId id: Object.ID) -> SignalProducer<Object?, StoreError> {
        SignalProducer { [self] in find(id) }
    }

    // What is asked often is written without generic closures, which would be compiled for no type in particular.

    @usableFromInline
    func find(_ id: Object.ID) -> Result<Object?, StoreError> {
        do throws(StoreError) {
            guard let connection = try database.takeReader() else {
                return .success(
                    try database.read { connection throws(StoreError) in try table.object(withId: id, on: connection) })
            }
            defer { database.giveBack(connection) }
            return .success(try table.object(withId: id, on: connection))
        } catch {
            return .failure(error)
        }
    }

    @usableFromInline
    func answer(_ question: Question<Object>) -> Result<[Object], StoreError> {
        do throws(StoreError) {
            guard let connection = try database.takeReader() else {
                return .success(
                    try database.read { connection throws(StoreError) in try table.execute(question, on: connection) })
            }
            defer { database.giveBack(connection) }
            return .success(try table.execute(question, on: connection))
        } catch {
            return .failure(error)
        }
    }

    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteTable<Object>, SQLiteConnection) throws(StoreError) -> Value
    ) -> SignalProducer<Value, StoreError> {
        SignalProducer { [table, database] in
            Result { () throws(StoreError) in
                try database.read { connection throws(StoreError) in try body(table, connection) }
            }
        }
    }

    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteTable<Object>, SQLiteDatabase.Writer) throws(StoreError) -> Value
    ) -> SignalProducer<Value, StoreError> {
        SignalProducer { [table, database] in
            Result { () throws(StoreError) in
                try database.write { writer throws(StoreError) in try body(table, writer) }
            }
        }
    }
}

// MARK: - Store

extension SQLiteStore: Store {
    public func insert(_ object: Object) -> SignalProducer<Object, StoreError> {
        write { (table, writer) throws(StoreError) in
            try table.insert([object], by: writer)
            return object
        }
    }

    public func insert(_ objects: [Object]) -> SignalProducer<[Object], StoreError> {
        write { (table, writer) throws(StoreError) in
            try table.insert(objects, by: writer)
            return objects
        }
    }

    public func update(_ object: Object) -> SignalProducer<Object, StoreError> {
        write { (table, writer) throws(StoreError) in
            try table.update([object], by: writer)
            return object
        }
    }

    public func update(_ objects: [Object]) -> SignalProducer<[Object], StoreError> {
        write { (table, writer) throws(StoreError) in
            try table.update(objects, by: writer)
            return objects
        }
    }

    public func upsert(_ object: Object) -> SignalProducer<Object, StoreError> {
        write { (table, writer) throws(StoreError) in
            try table.upsert([object], by: writer)
            return object
        }
    }

    public func upsert(_ objects: [Object]) -> SignalProducer<[Object], StoreError> {
        write { (table, writer) throws(StoreError) in
            try table.upsert(objects, by: writer)
            return objects
        }
    }

    public func delete(_ object: Object) -> SignalProducer<Never, StoreError> { delete([object]) }

    public func delete(_ objects: [Object]) -> SignalProducer<Never, StoreError> {
        SignalProducer { [table, database] observer, _ in
            do throws(StoreError) {
                try database.write { writer throws(StoreError) in try table.delete(objects, by: writer) }
                observer.sendCompleted()
            } catch {
                observer.send(error: error)
            }
        }
    }

    public func delete(where condition: Condition<Object>) -> SignalProducer<Int, StoreError> {
        write { (table, writer) throws(StoreError) in try table.delete(where: condition, by: writer) }
    }

    @inlinable
    public func execute(_ query: Query<SQLiteStore>) -> SignalProducer<[Object], StoreError> {
        SignalProducer { [self, question = query.question] in answer(question) }
    }

    public func count(_ query: Query<SQLiteStore>) -> SignalProducer<Int, StoreError> {
        read { (table, connection) throws(StoreError) in try table.count(query.question, on: connection) }
    }

    /// The SQL of the query, and then how SQLite carries it out.
    public func plan(_ query: Query<SQLiteStore>) -> SignalProducer<QueryPlan, StoreError> {
        read { (table, connection) throws(StoreError) in try table.plan(query.question, on: connection) }
    }
}

// MARK: - Observing

extension SQLiteStore: ObservableStore {
    public func observe(_ query: Query<SQLiteStore>) -> SignalProducer<[Object], StoreError> {
        SignalProducer { [table, database] observer, lifetime in
            let question = query.question
            let answer: @Sendable (SQLiteConnection) -> @Sendable () -> Void = { connection in
                let result = Result { () throws(StoreError) in try table.execute(question, on: connection) }
                return {
                    switch result {
                    case .success(let objects): observer.send(value: objects)
                    case .failure(let error): observer.send(error: error)
                    }
                }
            }
            do throws(StoreError) {
                let filter = try Filter(question.condition)
                let watch = SQLiteWatch(
                    table: table.schema.name,
                    couldBeAnswer: { ($0 as? Object).map { filter.passes($0) } ?? true }, answer: answer)
                try database.withWriter { writer throws(StoreError) in
                    writer.watches.add(watch)
                    database.deliveries.put(answer(writer.connection))
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

extension SQLiteStore: TransactionalStore {
    public func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteTransaction<Object>) throws(StoreError) -> Value
    ) -> SignalProducer<Value, StoreError> {
        write { (table, writer) throws(StoreError) in
            let transaction = SQLiteTransaction(table, writer)
            defer { transaction.end() }
            return try body(transaction)
        }
    }
}
