import CSQLite

/// A statement that SQLite has prepared, kept to be run again.
final class SQLiteStatement {
    let handle: OpaquePointer
    let binder: SQLiteBinder
    /// How many rows its last run returned.
    var lastCount = 0

    init(_ handle: OpaquePointer) {
        self.handle = handle
        binder = SQLiteBinder(handle)
    }

    deinit { sqlite3_finalize(handle) }

    func bind(_ values: [SQLValue]) {
        binder.begin()
        for (index, value) in values.enumerated() {
            switch value {
            case .primitive(let value): binder.bind(value, at: Int32(index + 1))
            case .pattern(let pattern): binder.bind(pattern, at: Int32(index + 1))
            }
        }
    }

    /// Makes the statement ready for its next run; a write or read that it was in ends.
    func reset() {
        sqlite3_reset(handle)
    }

    /// Lets go of what was bound, for statements that may not run again soon.
    func clear() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }
}

/// What stands for a `?`: values are always bound, and never become part of the text.
enum SQLValue: Sendable {
    case primitive(PrimitiveValue)
    case pattern(TextPattern)
}
