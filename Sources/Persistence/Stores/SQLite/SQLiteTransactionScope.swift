/// The scope of a transaction, shared by all stores that take part in it.
final class SQLiteTransactionScope {
    let database: SQLiteDatabase
    private var writer: SQLiteDatabase.Writer?
    /// The number of parts that have begun and not ended.
    private var parts = 0

    init(_ database: SQLiteDatabase, _ writer: SQLiteDatabase.Writer) {
        self.database = database
        self.writer = writer
    }

    func open() throws(StoreError) -> SQLiteDatabase.Writer {
        guard let writer else { throw .rolledBack(reason: "the transaction was used after its body had ended") }
        return writer
    }

    func end() { writer = nil }

    // MARK: - Parts

    func beginPart() throws(StoreError) {
        let writer = try open()
        guard parts < StoreError.maximumNumberOfNestedParts else { throw .tooManyNestedParts }
        try writer.step { () throws(StoreError) in try writer.connection.run(.beginPart) }
        parts += 1
    }

    func endPart() throws(StoreError) {
        let writer = try open()
        // The body may have caught the error of a statement that cannot be undone alone, which this one throws again.
        try writer.step { () throws(StoreError) in try writer.connection.run(.endPart) }
        parts -= 1
    }

    func undoPart() throws(StoreError) {
        let writer = try open()
        parts -= 1
        writer.undoPart()
        // A trigger that the body has made or dropped is gone, or there again.
        writer.connection.forgetStatements()
    }
}
