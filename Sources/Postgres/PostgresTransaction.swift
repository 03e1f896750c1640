import Persistence

/// A ``PostgresStore`` in a transaction.
public final class PostgresTransaction<Object: Identifiable & Sendable>: StoreTransaction where Object.ID: Primitive {
    public typealias S = PostgresStore<Object>

    private let table: PostgresTable<Object>
    private let scope: PostgresTransactionScope

    init(_ table: PostgresTable<Object>, _ scope: PostgresTransactionScope) {
        self.table = table
        self.scope = scope
    }

    private func read<Result>(
        _ body: (PostgresConnection) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try scope.open().read(body)
    }

    public func insert(_ objects: [Object]) throws(StoreError) { try table.insert(objects, by: scope.open()) }

    public func update(_ objects: [Object]) throws(StoreError) { try table.update(objects, by: scope.open()) }

    public func upsert(_ objects: [Object]) throws(StoreError) { try table.upsert(objects, by: scope.open()) }

    public func delete(_ objects: [Object]) throws(StoreError) { try delete(ids: objects.map(\.id)) }

    @discardableResult
    public func delete(ids: [Object.ID]) throws(StoreError) -> Int { try table.delete(ids: ids, by: scope.open()) }

    @discardableResult
    public func delete(where condition: Condition<Object>) throws(StoreError) -> Int {
        try table.delete(where: condition, by: scope.open())
    }

    @discardableResult
    public func update(
        where condition: Condition<Object>, set assignments: [Assignment<Object>]
    ) throws(StoreError) -> Int {
        try table.update(where: condition, set: assignments, by: scope.open())
    }

    @discardableResult
    public func merge(_ objects: [Object], where condition: Condition<Object>) throws(StoreError) -> MergeResult<Object>
    {
        try table.merge(objects, where: condition, by: scope.open())
    }

    public func withSavepoint<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        try scope.open().withSavepoint(body)
    }

    public func object(withId id: Object.ID) throws(StoreError) -> Object? {
        try read { connection throws(StoreError) in try table.object(withId: id, on: connection) }
    }

    public func execute(_ query: Query<S>) throws(StoreError) -> [Object] {
        try read { connection throws(StoreError) in
            try table.execute(query.question, on: connection, isInTransaction: true)
        }
    }

    public func count(_ query: Query<S>) throws(StoreError) -> Int {
        try read { connection throws(StoreError) in try table.count(query.question, on: connection) }
    }

    public func aggregate(_ aggregate: Aggregate<Object>, of query: Query<S>) throws(StoreError) -> [[PrimitiveValue]] {
        try read { connection throws(StoreError) in try table.aggregate(aggregate, query.question, on: connection) }
    }

    /// Returns the objects that a statement of SQL selects; its columns are found by their names.
    ///
    /// Observed queries are not told of what a function in the statement writes; use `execute(_:)` for that.
    public func select(_ sql: SQL) throws(StoreError) -> [Object] {
        try scope.open().read(mayWrite: true) { connection throws(StoreError) in
            try table.select(sql, on: connection, isInTransaction: true)
        }
    }

    /// Runs a statement of SQL, and returns how many rows it changed. All observed queries of the database ask again.
    @discardableResult
    public func execute(_ sql: SQL) throws(StoreError) -> Int { try scope.open().execute(sql) }

    /// Returns the same transaction for another store of the same database, so that both write together or not at all.
    public func with<Other>(_ store: PostgresStore<Other>) throws(StoreError) -> PostgresTransaction<Other> {
        guard store.database === scope.database else {
            throw .refused(
                reason: "the store of \(store.table.schema.name) is in another database than this transaction")
        }
        _ = try scope.open()
        return PostgresTransaction<Other>(store.table, scope)
    }

    public func with<Other: TransactionalStore>(_ store: Other) throws(StoreError) -> Other.Transaction {
        guard let own = store as? PostgresStore<Other.Object>, let transaction = try with(own) as? Other.Transaction
        else {
            throw .refused(reason: "a \(Other.self) is not in the same database as a \(S.self)")
        }
        return transaction
    }
}

/// The scope of a transaction, shared by all stores that take part in it.
final class PostgresTransactionScope {
    let database: PostgresDatabase
    private var writer: PostgresWriter?

    init(_ database: PostgresDatabase, _ writer: PostgresWriter) {
        self.database = database
        self.writer = writer
    }

    func open() throws(StoreError) -> PostgresWriter {
        guard let writer else { throw .rolledBack(reason: "the transaction was used after its body had ended") }
        return writer
    }

    func end() { writer = nil }
}
