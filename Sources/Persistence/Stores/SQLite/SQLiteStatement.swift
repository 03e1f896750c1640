import CSQLite

/// The tables that a statement may write to, itself or by triggers and foreign keys.
struct SQLiteTargets {
    /// Their names, as observers know them.
    private(set) var tables: Set<String> = []
    /// True if the statement runs triggers that may write.
    private(set) var hasTriggers = false

    mutating func insert(_ table: String, isOfTrigger: Bool) {
        tables.insert(table)
        if isOfTrigger { hasTriggers = true }
    }
}

/// A prepared statement that is kept for further runs.
@usableFromInline
final class SQLiteStatement {
    @usableFromInline let handle: OpaquePointer
    @usableFromInline let binder: SQLiteBinder
    /// The tables that it may write to. SQLite prepares it again when the schema has changed, which may add some.
    var targets: SQLiteTargets

    init(_ handle: OpaquePointer, targets: SQLiteTargets) {
        self.handle = handle
        self.targets = targets
        binder = SQLiteBinder(handle)
    }

    deinit { sqlite3_finalize(handle) }

    /// True if it does not write to the database; `EXPLAIN` of a statement that does writes nothing itself.
    var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 || sqlite3_stmt_isexplain(handle) != 0 }

    func bind(_ values: [SQLValue]) {
        binder.begin()
        for (index, value) in values.enumerated() {
            switch value {
            case .primitive(let value): binder.bind(value, at: Int32(index + 1))
            case .pattern(let pattern): binder.bind(pattern, at: Int32(index + 1))
            // SQLite's dialect has no lists.
            case .list: break
            }
        }
    }

    /// Runs the statement up to its next row; fails if a value could not be bound.
    @usableFromInline
    func step() -> Int32 { binder.status == SQLITE_OK ? sqlite3_step(handle) : binder.status }

    /// Makes the statement ready for its next run; ends a run that is under way.
    @usableFromInline
    func reset() { sqlite3_reset(handle) }

    /// Resets the statement and releases the bound values.
    func clear() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }
}
