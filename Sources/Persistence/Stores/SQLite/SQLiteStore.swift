import Feedback

/// A store that keeps its objects in a table of a SQLite database.
///
///     let movies = try SQLiteStore(Movie.schema, at: "/var/lib/movies.sqlite")
///     movies.filter(where: \.rating == .G).result()
///
/// Work is done on the thread that starts a producer, or calls an async function. Stores of the same table in one
/// ``SQLiteDatabase`` observe each other's writes. Writes of other processes are read, but not observed.
public final class SQLiteStore<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    /// The database that holds the table.
    public let database: SQLiteDatabase
    @usableFromInline let table: SQLiteTable<Object>

    /// Makes a store in a database that other stores may share. It makes the table and its indexes if they do not
    /// exist.
    public init(_ schema: Schema<Object>, in database: SQLiteDatabase) throws(StoreError) {
        self.database = database
        table = try SQLiteTable(schema, in: database)
        try table.prepare(in: database)
    }

    /// Makes a store in a file of its own.
    public convenience init(_ schema: Schema<Object>, at path: String, migrations: [Migration] = []) throws(StoreError)
    {
        try self.init(schema, in: SQLiteDatabase(.file(path), migrations: migrations))
    }

    // MARK: - SQL

    /// Emits the objects that a statement of SQL selects; its columns are found by their names.
    ///
    ///     films.select("SELECT * FROM films WHERE budget > \(least) ORDER BY random() LIMIT 3")
    public func select(_ sql: SQL) -> SignalProducer<[Object], StoreError> {
        SignalProducer { [self] in Result { () throws(StoreError) in try objects(sql) } }
    }

    /// Returns the objects that a statement of SQL selects; its columns are found by their names.
    public func select(_ sql: SQL) async throws(StoreError) -> [Object] { try objects(sql) }

    private func objects(_ sql: SQL) throws(StoreError) -> [Object] {
        try database.read { connection throws(StoreError) in try table.select(sql, on: connection) }
    }
}

// MARK: - Store

extension SQLiteStore: SynchronousStore {
    /// The store as the body of a transaction sees it.
    public typealias Transaction = SQLiteTransaction<Object>

    public func perform<Value: Sendable>(
        _ body: (SQLiteTransaction<Object>) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try database.write { writer throws(StoreError) in
            let scope = SQLiteTransactionScope(database, writer)
            defer { scope.end() }
            return try body(SQLiteTransaction(table, scope))
        }
    }

    // These are the most frequent calls, so they must be specialized for the type of the objects: the producers are
    // inlinable, and take a reader without a closure.

    @inlinable
    public func execute(_ query: Query<SQLiteStore>) -> SignalProducer<[Object], StoreError> {
        SignalProducer { [self, question = query.question] in
            do throws(StoreError) {
                return .success(try answer(question))
            } catch {
                return .failure(error)
            }
        }
    }

    @inlinable
    public func object(withId id: Object.ID) -> SignalProducer<Object?, StoreError> {
        SignalProducer { [self] in
            do throws(StoreError) {
                return .success(try find(id))
            } catch {
                return .failure(error)
            }
        }
    }

    public func answer(_ query: Query<SQLiteStore>) throws(StoreError) -> [Object] { try answer(query.question) }

    @inlinable
    func answer(_ question: Question<Object>) throws(StoreError) -> [Object] {
        let connection = try database.takeReader()
        defer { database.giveBack(connection) }
        return try table.execute(question, on: connection)
    }

    @inlinable
    public func find(_ id: Object.ID) throws(StoreError) -> Object? {
        let connection = try database.takeReader()
        defer { database.giveBack(connection) }
        return try table.object(withId: id, on: connection)
    }

    public func answerCount(_ query: Query<SQLiteStore>) throws(StoreError) -> Int {
        try database.read { connection throws(StoreError) in try table.count(query.question, on: connection) }
    }

    public func answer(
        _ aggregate: Aggregate<Object>, of query: Query<SQLiteStore>
    ) throws(StoreError) -> [[PrimitiveValue]] {
        try database.read { connection throws(StoreError) in
            try table.aggregate(aggregate, query.question, on: connection)
        }
    }

    /// Emits the SQL of the query, followed by the steps in which SQLite runs it.
    public func plan(_ query: Query<SQLiteStore>) -> SignalProducer<QueryPlan, StoreError> {
        SignalProducer { [table, database] in
            Result { () throws(StoreError) in
                try database.read { connection throws(StoreError) in try table.plan(query.question, on: connection) }
            }
        }
    }
}

// MARK: - Observing

extension SQLiteStore: ObservableStore {
    public func observe(_ query: Query<SQLiteStore>) -> SignalProducer<[Object], StoreError> {
        SignalProducer { [table, database] observer, lifetime in
            let question = query.question
            do throws(StoreError) {
                let end = try database.observed.observe(
                    QueryKey(question, store: table.number), Self.observed(question, table, database), by: observer)
                lifetime.observeEnded(end)
            } catch {
                observer.send(error: error)
            }
        }
    }

    private static func observed(
        _ question: Question<Object>, _ table: SQLiteTable<Object>, _ database: SQLiteDatabase
    ) throws(StoreError) -> ObservedQuery {
        let answer = try table.repeated(question)
        // The database is not retained, so that observers are interrupted when it is deallocated.
        let ask: @Sendable () throws(StoreError) -> [Object]? = { [weak database] () throws(StoreError) in
            try database?.read(answer)
        }
        // SQLite counts all changes of a table's rows, and none of a view's.
        let isTable = try database.read { connection throws(StoreError) in
            try table.definition(on: connection) != nil
        }
        return try ObservedQuery(
            question, table: table.name, id: table.schema.id.attribute, areSame: { table.schema.areSame($0, $1) },
            isEditable: isTable, ask: ask)
    }
}
