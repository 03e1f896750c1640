import CSQLite

/// A database that is used through the C API.
// Unchecked, since it is used by one benchmark at a time.
class BareDatabase: @unchecked Sendable {
    private(set) var handle: OpaquePointer?

    init(path: String) {
        sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
    }

    deinit { sqlite3_close_v2(handle) }

    /// Makes commits as safe as those of a store.
    final func beginLog() {
        execute("PRAGMA journal_mode = WAL")
        execute("PRAGMA synchronous = FULL")
    }

    final func execute(_ sql: String) {
        precondition(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK, "\(sql) failed.")
    }

    final func prepare(_ sql: String) -> OpaquePointer? {
        var statement: OpaquePointer?
        sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        return statement
    }

    @inline(__always)
    final func text(_ statement: OpaquePointer?, _ index: Int32) -> String {
        let start = sqlite3_column_text(statement, index)
        let count = Int(sqlite3_column_bytes(statement, index))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
}
