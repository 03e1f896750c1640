import CSQLite

/// A connection to a database file, with the statements that it has prepared.
// Unchecked, since it is used by one thread at a time: by whoever has the writer's lock, or took it out of the pool.
final class SQLiteConnection: @unchecked Sendable {
    let handle: OpaquePointer
    let file: String
    private var statements: [String: SQLiteStatement] = [:]
    private var slots: [SQLiteStatement?] = []

    /// Opens a file, which `flags` may tell to be made.
    init(file: String, flags: Int32, busyTimeout: Duration) throws(StoreError) {
        var handle: OpaquePointer?
        let status = sqlite3_open_v2(file, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard let handle else { throw .cannotOpen(file: file, reason: "there is no memory for it") }
        self.handle = handle
        self.file = file
        guard status == SQLITE_OK else { throw error(status) }
        let milliseconds =
            busyTimeout.components.seconds * 1000 + busyTimeout.components.attoseconds / 1_000_000_000_000_000
        sqlite3_busy_timeout(handle, Int32(clamping: milliseconds))
        try check(SQLiteFunctions.register(with: handle))
    }

    deinit {
        statements = [:]
        slots = []
        sqlite3_close_v2(handle)
    }

    // MARK: - Statements

    /// The statement with this text, prepared once.
    func statement(_ text: String) throws(StoreError) -> SQLiteStatement {
        if let statement = statements[text] { return statement }
        let statement = try prepare(text)
        // Texts differ only by the shape of a query, so few are expected; this only bounds what odd programs keep.
        if statements.count >= 128 { statements = [:] }
        statements[text] = statement
        return statement
    }

    /// The statement of a slot that one text owns; quicker than to look the text up.
    func statement(_ slot: Int, _ text: @autoclosure () -> String) throws(StoreError) -> SQLiteStatement {
        if slot < slots.count, let statement = slots[slot] { return statement }
        let statement = try prepare(text())
        while slots.count <= slot { slots.append(nil) }
        slots[slot] = statement
        return statement
    }

    private func prepare(_ text: String) throws(StoreError) -> SQLiteStatement {
        var handle: OpaquePointer?
        var text = text
        let status = text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) {
                sqlite3_prepare_v3(
                    self.handle, $0.baseAddress, Int32($0.count), UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
            }
        }
        try check(status)
        guard let handle else { throw .sqlite(code: SQLITE_MISUSE, reason: "there is no statement in \"\(text)\"") }
        return SQLiteStatement(handle)
    }

    // MARK: - Running

    /// Runs text that may hold several statements and returns nothing.
    func execute(_ text: String) throws(StoreError) {
        try check(sqlite3_exec(handle, text, nil, nil, nil))
    }

    /// Runs a statement that returns nothing.
    func run(_ statement: SQLiteStatement) throws(StoreError) {
        let status = statement.binder.status == SQLITE_OK ? sqlite3_step(statement.handle) : statement.binder.status
        // The message belongs to the step, and resetting may change it.
        let failure = status == SQLITE_DONE || status == SQLITE_ROW ? nil : error(status)
        statement.reset()
        if let failure { throw failure }
    }

    /// The first integer that `text` selects.
    func integer(_ text: String, _ values: [SQLValue] = []) throws(StoreError) -> Int {
        let statement = try statement(text)
        defer { statement.clear() }
        statement.bind(values)
        let status = statement.binder.status == SQLITE_OK ? sqlite3_step(statement.handle) : statement.binder.status
        guard status == SQLITE_ROW else { throw error(status) }
        return Int(sqlite3_column_int64(statement.handle, 0))
    }

    /// The rows that `text` selects, as text.
    func rows(_ text: String, _ values: [SQLValue] = []) throws(StoreError) -> [[String?]] {
        let statement = try statement(text)
        defer { statement.clear() }
        statement.bind(values)
        var rows: [[String?]] = []
        while true {
            switch sqlite3_step(statement.handle) {
            case SQLITE_ROW:
                rows.append(
                    (0..<sqlite3_column_count(statement.handle)).map { index in
                        let column = SQLiteColumn(statement.handle, index)
                        return column.isNull ? nil : column.text
                    })
            case SQLITE_DONE: return rows
            case let status: throw error(status)
            }
        }
    }

    var changes: Int { Int(sqlite3_changes64(handle)) }

    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    // MARK: - Errors

    func check(_ status: Int32) throws(StoreError) {
        if status != SQLITE_OK { throw error(status) }
    }

    func error(_ status: Int32) -> StoreError {
        let reason = String(cString: sqlite3_errmsg(handle))
        return switch status & 0xFF {
        case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt(file: file, reason: reason)
        case SQLITE_BUSY, SQLITE_LOCKED: .locked(file: file)
        case SQLITE_READONLY: .readOnly(file: file)
        case SQLITE_FULL: .full(file: file)
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: .cannotOpen(file: file, reason: reason)
        // The extended codes SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_CONSTRAINT_ROWID; who writes the object knows its id.
        case SQLITE_CONSTRAINT where status == 1555 || status == 2579: .duplicate(id: "")
        case SQLITE_CONSTRAINT: .constraint(reason: reason)
        default: .sqlite(code: status, reason: reason)
        }
    }
}
