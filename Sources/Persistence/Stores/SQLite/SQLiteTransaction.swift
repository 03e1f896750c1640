/// A ``SQLiteStore`` in a transaction.
public final class SQLiteTransaction<Object: Identifiable & Sendable>: StoreTransaction where Object.ID: Primitive {
    /// The store that the transaction changes.
    public typealias S = SQLiteStore<Object>

    private let table: SQLiteTable<Object>
    private let scope: SQLiteTransactionScope

    init(_ table: SQLiteTable<Object>, _ scope: SQLiteTransactionScope) {
        self.table = table
        self.scope = scope
    }

    private func step<Result>(
        _ body: (SQLiteDatabase.Writer) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let writer = try scope.open()
        return try writer.step { () throws(StoreError) in try body(writer) }
    }

    /// Runs several steps; if one fails, all of them are undone and the transaction can continue.
    ///
    /// - Parameter isNeeded: False if there is a single statement, which SQLite undoes by itself.
    private func batch<Result>(
        isNeeded: Bool = true, _ body: (SQLiteDatabase.Writer) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try step { writer throws(StoreError) in
            let connection = writer.connection
            guard isNeeded else {
                let changes = connection.totalChanges
                do throws(StoreError) {
                    return try body(writer)
                } catch {
                    // After `RAISE(FAIL)` in a trigger, SQLite keeps what the statement has changed, so the transaction as a
                    // whole is undone.
                    if connection.totalChanges != changes { writer.failure = error }
                    throw error
                }
            }
            try connection.run(.beginPart)
            do throws(StoreError) {
                let result = try body(writer)
                try connection.run(.endPart)
                return result
            } catch {
                writer.undoPart()
                throw error
            }
        }
    }

    public func insert(_ objects: [Object]) throws(StoreError) {
        try batch(isNeeded: objects.count > 1) { writer throws(StoreError) in try table.insert(objects, by: writer) }
    }

    public func update(_ objects: [Object]) throws(StoreError) {
        try batch(isNeeded: objects.count > 1) { writer throws(StoreError) in try table.update(objects, by: writer) }
    }

    public func upsert(_ objects: [Object]) throws(StoreError) {
        try batch(isNeeded: objects.count > 1) { writer throws(StoreError) in try table.upsert(objects, by: writer) }
    }

    @discardableResult
    public func delete(ids: [Object.ID]) throws(StoreError) -> Int {
        try batch(isNeeded: ids.count > 1) { writer throws(StoreError) in try table.delete(ids: ids, by: writer) }
    }

    @discardableResult
    public func delete(where condition: Condition<Object>) throws(StoreError) -> Int {
        try batch { writer throws(StoreError) in try table.delete(where: condition, by: writer) }
    }

    @discardableResult
    public func update(
        where condition: Condition<Object>, set assignments: [Assignment<Object>]
    ) throws(StoreError) -> Int {
        try batch { writer throws(StoreError) in try table.update(where: condition, set: assignments, by: writer) }
    }

    @discardableResult
    public func merge(_ objects: [Object], where condition: Condition<Object>) throws(StoreError) -> MergeResult<Object>
    {
        try batch { writer throws(StoreError) in try table.merge(objects, where: condition, by: writer) }
    }

    // The body runs in as few functions of the library as possible, so that deeply nested parts need little of the stack.
    public func withSavepoint<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        try scope.beginPart()
        do throws(StoreError) {
            let result = try body()
            try scope.endPart()
            return result
        } catch {
            try scope.undoPart()
            throw error
        }
    }

    public func object(withId id: Object.ID) throws(StoreError) -> Object? {
        try step { writer throws(StoreError) in try table.object(withId: id, on: writer.connection) }
    }

    public func execute(_ query: Query<S>) throws(StoreError) -> [Object] {
        try step { writer throws(StoreError) in try table.execute(query.question, on: writer.connection) }
    }

    public func count(_ query: Query<S>) throws(StoreError) -> Int {
        try step { writer throws(StoreError) in try table.count(query.question, on: writer.connection) }
    }

    public func aggregate(_ aggregate: Aggregate<Object>, of query: Query<S>) throws(StoreError) -> [[PrimitiveValue]] {
        try step { writer throws(StoreError) in
            try table.aggregate(aggregate, query.question, on: writer.connection)
        }
    }

    /// Returns the objects that a statement of SQL selects; its columns are found by their names.
    public func select(_ sql: SQL) throws(StoreError) -> [Object] {
        try step { writer throws(StoreError) in try table.select(sql, on: writer.connection) }
    }

    /// Returns the rows that a statement selects, with values as SQLite stores them.
    package func rows(_ sql: SQL) throws(StoreError) -> [[PrimitiveValue]] {
        try step { writer throws(StoreError) in
            try writer.connection.rows(sql.text, sql.values, isUsers: true)
        }
    }

    /// Runs a statement of SQL, and returns how many rows it changed; those that triggers change do not count. All
    /// observed queries of the database ask again.
    @discardableResult
    public func execute(_ sql: SQL) throws(StoreError) -> Int { try scope.open().execute(sql) }

    /// Returns the same transaction for another store of the same database, so that both write together or not at all.
    public func with<Other>(_ store: SQLiteStore<Other>) throws(StoreError) -> SQLiteTransaction<Other> {
        guard store.database === scope.database else {
            throw .refused(
                reason: "the store of \(store.table.schema.name) is in another database than this transaction")
        }
        return SQLiteTransaction<Other>(store.table, scope)
    }

    public func with<Other: TransactionalStore>(_ store: Other) throws(StoreError) -> Other.Transaction {
        guard let own = store as? SQLiteStore<Other.Object>, let transaction = try with(own) as? Other.Transaction
        else {
            throw .refused(reason: "a \(Other.self) is not in the same database as a \(S.self)")
        }
        return transaction
    }
}
