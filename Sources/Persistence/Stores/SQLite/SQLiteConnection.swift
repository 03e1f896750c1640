import CSQLite
import Foundation

/// A connection to a database, with the statements that it has prepared.
// Unchecked, since one thread at a time uses it: the one that has the writer's lock, or that took it out of the pool.
@usableFromInline
final class SQLiteConnection: @unchecked Sendable {
    let handle: OpaquePointer
    let file: String
    /// The number of pages in the write-ahead log after the last commit.
    var logPages = 0
    /// True while a statement of the library's user is prepared.
    private(set) var isPreparingForUser = false
    /// True if statements may make temporary tables and change settings, which end with the connection.
    var isOfMigrations = false
    /// The tables that the statement which is being prepared may write to; nil if none is.
    private var preparedTargets: SQLiteTargets?
    /// The statement that ran last. What SQLite prepares by itself is this statement again, or one that a module such as FTS5
    /// runs for it.
    private var lastRun: SQLiteStatement?
    /// The version of the schema that ``noteOtherSchema()`` has found last.
    var schemaVersion: Int?
    let patience: Duration
    private var statements = LimitedCache<StatementText, SQLiteStatement>(limit: 256)
    // Unchecked, since no access to it lasts while another one begins.
    @exclusivity(unchecked) private var slots: [SQLiteStatement?] = []
    private var updates = LimitedCache<UpdateKey, SQLiteStatement>(limit: 256)
    /// The statements for questions of one shape; nil for a shape that cannot have one.
    var shaped = LimitedCache<ShapedStatement.Key, ShapedStatement?>(limit: 256)

    private struct UpdateKey: Hashable {
        let slot: Int
        let columns: ColumnSet
    }

    /// Opens a file; makes it if `flags` say so.
    init(_ location: Location, flags: Int32) throws(StoreError) {
        file = location.file
        patience = location.patience
        var handle: OpaquePointer?
        let flags = flags | location.flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let status = sqlite3_open_v2(location.name, &handle, flags, location.system)
        guard let handle else { throw .cannotOpen(file: file, reason: "there is not enough memory") }
        self.handle = handle
        guard status == SQLITE_OK else {
            throw location.explained(error(status), isReadOnly: flags & SQLITE_OPEN_CREATE == 0)
        }
        sqlite3_busy_timeout(handle, patience.milliseconds)
        try check(csqlite_refuse_quoted_texts(handle))
        try check(SQLiteFunctions.register(with: handle))
        watchPreparation()
    }

    // The statements are still open. SQLite frees the connection with the last of them.
    deinit { sqlite3_close_v2(handle) }

    // MARK: - Statements

    /// The statement with this text, prepared once. See ``prepare(_:isUsers:)``.
    func statement(_ text: String, isUsers: Bool = false) throws(StoreError) -> SQLiteStatement {
        let key = StatementText(text)
        if let statement = statements[key] { return statement }
        let statement = try prepare(text, isUsers: isUsers)
        // Queries of the same form have the same text. Long texts are those of unusual programs.
        if text.utf8.count < 16_384 { statements.insert(statement, for: key) }
        return statement
    }

    /// Returns the statement of a slot, which belongs to one text; that is faster than looking up the text.
    func statement(_ slot: Int, _ text: @autoclosure () -> String) throws(StoreError) -> SQLiteStatement {
        if slot < slots.count, let statement = slots[slot] { return statement }
        let statement = try prepare(text())
        while slots.count <= slot { slots.append(nil) }
        slots[slot] = statement
        return statement
    }

    /// The statement of a slot that updates some columns.
    func statement(
        _ slot: Int, _ columns: ColumnSet, _ text: @autoclosure () -> String
    ) throws(StoreError) -> SQLiteStatement {
        let key = UpdateKey(slot: slot, columns: columns)
        if let statement = updates[key] { return statement }
        let statement = try prepare(text())
        updates.insert(statement, for: key)
        return statement
    }

    /// Lets stores prepare their statements again.
    func forgetStatements() { slots = [] }

    /// Prepares the one statement in `text`.
    ///
    /// - Parameter isUsers: True for SQL of the library's user, which neither begins nor ends a transaction.
    func prepare(_ text: String, isUsers: Bool = false) throws(StoreError) -> SQLiteStatement {
        var rest = text[...]
        guard let statement = try prepareNext(&rest, isUsers: isUsers) else {
            throw .sqlite(code: SQLITE_MISUSE, reason: "there is no statement in \"\(text)\"")
        }
        guard !hasStatement(rest) else {
            throw .sqlite(code: SQLITE_MISUSE, reason: "there is more than one statement in \"\(text)\"")
        }
        return statement
    }

    /// Returns true if a text has anything but spaces, semicolons and comments.
    private func hasStatement(_ text: Substring) -> Bool {
        var rest = text.drop { $0.isWhitespace || $0 == ";" }
        if rest.isEmpty { return false }
        do throws(StoreError) {
            return try prepareNext(&rest) != nil
        } catch {
            return true
        }
    }

    /// Prepares the first statement in `text` and removes it from the text; returns nil if there is none in the whole text.
    func prepareNext(_ text: inout Substring, isUsers: Bool = false) throws(StoreError) -> SQLiteStatement? {
        guard !isUsers else {
            // SQLite would end the statement there, and a condition behind it would be lost.
            guard !text.utf8.contains(0) else {
                throw .sqlite(code: SQLITE_MISUSE, reason: "there is a zero character in \"\(text)\"")
            }
            isPreparingForUser = true
            defer { isPreparingForUser = false }
            do throws(StoreError) {
                return try prepareNext(&text)
            } catch .sqlite(code: SQLITE_AUTH, _) {
                throw .refused(
                    reason:
                        "a statement of SQL neither begins nor ends a transaction, nor attaches a file, nor makes a "
                        + "temporary table or changes a setting, which one of several connections would have; use the "
                        + "store's transaction function, an ordinary table, or the configuration of the database")
            }
        }
        var handle: OpaquePointer?
        preparedTargets = SQLiteTargets()
        defer { preparedTargets = nil }
        var copy = String(text)
        var used = copy.utf8.count
        let status = copy.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { bytes in
                var tail: UnsafePointer<CChar>?
                let status = sqlite3_prepare_v3(
                    self.handle, bytes.baseAddress, Int32(clamping: bytes.count), UInt32(SQLITE_PREPARE_PERSISTENT),
                    &handle,
                    &tail)
                if let start = bytes.baseAddress, let tail { used = tail - start }
                return status
            }
        }
        try check(status)
        let index = copy.utf8.index(copy.startIndex, offsetBy: used)
        text = Substring(copy[index...])
        return handle.map { SQLiteStatement($0, targets: preparedTargets ?? SQLiteTargets()) }
    }

    /// Records a table that a statement may write to, itself or by a trigger or a foreign key.
    func noteTarget(_ table: UnsafePointer<CChar>, isOfTrigger: Bool) {
        let table = observedName(of: String(cString: table))
        if preparedTargets == nil {
            lastRun?.targets.insert(table, isOfTrigger: isOfTrigger)
        } else {
            preparedTargets?.insert(table, isOfTrigger: isOfTrigger)
        }
    }

    // MARK: - Running

    /// Runs text that may hold several statements, and discards their rows.
    func execute(_ text: String) throws(StoreError) {
        try check(sqlite3_exec(handle, text, nil, nil, nil))
    }

    /// Runs a statement that returns nothing.
    func run(_ statement: SQLiteStatement) throws(StoreError) {
        lastRun = statement
        let status = statement.step()
        // The message belongs to the step, and resetting may change it.
        let failure = status == SQLITE_DONE || status == SQLITE_ROW ? nil : error(status, of: statement)
        statement.reset()
        if let failure { throw failure }
    }

    /// The first integer that `text` selects.
    func integer(_ text: String, _ values: [SQLValue] = []) throws(StoreError) -> Int {
        guard case .integer(let integer)? = try rows(text, values).first?.first else {
            throw .sqlite(code: SQLITE_MISMATCH, reason: "no integer was the answer to \"\(text)\"")
        }
        return Int(integer)
    }

    /// The rows that `text` selects. See ``prepare(_:isUsers:)``.
    func rows(
        _ text: String, _ values: [SQLValue] = [], isUsers: Bool = false
    ) throws(StoreError) -> [[PrimitiveValue]] {
        let statement = try statement(text, isUsers: isUsers)
        defer { statement.clear() }
        if isUsers { try statement.bindAll(values) } else { statement.bind(values) }
        lastRun = statement
        var rows: [[PrimitiveValue]] = []
        while true {
            switch statement.step() {
            case SQLITE_ROW:
                rows.append(
                    (0..<sqlite3_column_count(statement.handle)).map {
                        SQLiteColumn(statement.handle, $0).primitiveValue
                    })
            case SQLITE_DONE: return rows
            case let status: throw error(status, of: statement)
            }
        }
    }

    var changes: Int { Int(sqlite3_changes64(handle)) }

    /// The number of rows that were changed since the connection was opened, also by triggers and foreign keys.
    var totalChanges: Int { Int(sqlite3_total_changes64(handle)) }

    /// A number that changes with each transaction of this connection that writes, and at the beginning of a
    /// transaction if another connection has written since the last one.
    var dataVersion: UInt32? {
        var version: UInt32 = 0
        return sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version) == SQLITE_OK ? version : nil
    }

    /// True if the file cannot be written to, whatever the reason.
    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") != 0 }

    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }
}
