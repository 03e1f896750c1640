/// What the body of a ``SQLiteStore``'s transaction works with.
public final class SQLiteTransaction<Object: Identifiable & Sendable>: StoreTransaction where Object.ID: Primitive {
    public typealias S = SQLiteStore<Object>

    private let table: SQLiteTable<Object>
    private var writer: SQLiteDatabase.Writer?

    init(_ table: SQLiteTable<Object>, _ writer: SQLiteDatabase.Writer) {
        self.table = table
        self.writer = writer
    }

    func end() { writer = nil }

    private func open() throws(StoreError) -> SQLiteDatabase.Writer {
        guard let writer else { throw .rolledBack(reason: "it was used after its body was done") }
        return writer
    }

    /// Does several things, or none of them if one fails, and lets the transaction go on after that.
    private func batch(
        _ objects: [Object], _ body: (SQLiteDatabase.Writer) throws(StoreError) -> Void
    ) throws(StoreError) {
        let writer = try open()
        guard objects.count > 1 else { return try body(writer) }
        let connection = writer.connection
        try connection.run(connection.statement("SAVEPOINT batch"))
        do throws(StoreError) {
            try body(writer)
        } catch {
            // Where SQLite has ended the whole transaction there is nothing to go back to.
            if connection.isInTransaction { try connection.run(connection.statement("ROLLBACK TO batch")) }
            throw error
        }
        try connection.run(connection.statement("RELEASE batch"))
    }

    public func insert(_ objects: [Object]) throws(StoreError) {
        try batch(objects) { writer throws(StoreError) in try table.insert(objects, by: writer) }
    }

    public func update(_ objects: [Object]) throws(StoreError) {
        try batch(objects) { writer throws(StoreError) in try table.update(objects, by: writer) }
    }

    public func upsert(_ objects: [Object]) throws(StoreError) {
        try batch(objects) { writer throws(StoreError) in try table.upsert(objects, by: writer) }
    }

    public func delete(_ objects: [Object]) throws(StoreError) {
        try batch(objects) { writer throws(StoreError) in try table.delete(objects, by: writer) }
    }

    @discardableResult
    public func delete(where condition: Condition<Object>) throws(StoreError) -> Int {
        try table.delete(where: condition, by: open())
    }

    public func object(withId id: Object.ID) throws(StoreError) -> Object? {
        try table.object(withId: id, on: open().connection)
    }

    public func execute(_ query: Query<S>) throws(StoreError) -> [Object] {
        try table.execute(query.question, on: open().connection)
    }

    public func count(_ query: Query<S>) throws(StoreError) -> Int {
        try table.count(query.question, on: open().connection)
    }

    /// The same transaction for another store of the same database, so that both write together or not at all.
    public func with<Other>(_ store: SQLiteStore<Other>) throws(StoreError) -> SQLiteTransaction<Other> {
        SQLiteTransaction<Other>(store.table, try open())
    }
}
