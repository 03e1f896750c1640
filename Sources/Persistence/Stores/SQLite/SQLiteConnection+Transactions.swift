import CSQLite
import Foundation

extension SQLiteConnection {
    /// A statement that begins or ends a transaction, or a part of one. It has a slot in every connection, and so is not
    /// found by its text, which a user's SQL may have as well.
    enum TransactionStatement: Int, CaseIterable {
        case begin
        case beginReading
        case commit
        case rollback
        case beginPart
        case endPart
        case undoPart

        fileprivate var text: String {
            switch self {
            case .begin: "BEGIN IMMEDIATE"
            case .beginReading: "BEGIN"
            case .commit: "COMMIT"
            case .rollback: "ROLLBACK"
            case .beginPart: "SAVEPOINT part"
            case .endPart: "RELEASE part"
            case .undoPart: "ROLLBACK TO part"
            }
        }
    }

    func run(_ statement: TransactionStatement) throws(StoreError) {
        try run(self.statement(statement.rawValue, statement.text))
    }

    /// Lets stores prepare their statements again if another connection has changed the schema since the last call. Call it in
    /// a transaction.
    ///
    /// SQLite does so as well, but not before a statement runs, and an upsert must know of triggers before.
    func noteOtherSchema() throws(StoreError) {
        let version = try integer("PRAGMA schema_version")
        if version == schemaVersion { return }
        schemaVersion = version
        // The statement that is run first reads the schema again.
        _ = try integer("SELECT count(*) FROM sqlite_schema")
        forgetStatements()
    }

    // MARK: - Statements of the library's user

    /// Refuses statements of the library's user that would end a transaction, or whose effect one connection alone
    /// would have; and records the tables that each statement may write to.
    func watchPreparation() {
        sqlite3_set_authorizer(
            handle,
            { context, action, name, argument, database, trigger in
                guard let context else { return SQLITE_OK }
                return Unmanaged<SQLiteConnection>.fromOpaque(context)._withUnsafeGuaranteedRef { connection in
                    guard connection.permits(action, name, argument, database) else { return SQLITE_DENY }
                    guard [SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE].contains(action) else { return SQLITE_OK }
                    if let name { connection.noteTarget(name, isOfTrigger: trigger != nil) }
                    // SQLite then deletes, and reports, row by row, instead of clearing a whole table.
                    return action == SQLITE_DELETE && trigger != nil ? SQLITE_IGNORE : SQLITE_OK
                }
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func permits(
        _ action: Int32, _ name: UnsafePointer<CChar>?, _ argument: UnsafePointer<CChar>?,
        _ database: UnsafePointer<CChar>?
    ) -> Bool {
        guard isPreparingForUser else { return true }
        switch action {
        case SQLITE_TRANSACTION, SQLITE_SAVEPOINT, SQLITE_ATTACH, SQLITE_DETACH: return false
        // Whatever is temporary is inserted into a list of its own.
        case SQLITE_INSERT: return isOfMigrations || database.map { strcmp($0, "temp") } != 0
        case SQLITE_PRAGMA:
            guard !isOfMigrations, argument != nil, let name else { return true }
            return Self.permittedPragmas.contains(String(cString: name).lowercased())
        default: return true
        }
    }

    /// The pragmas that may have an argument. They read, change the file, or end with the transaction; those of the cache
    /// change no answer. Any other one would change a setting of one connection, such as `query_only`.
    private static let permittedPragmas: Set<String> = [
        "application_id", "cache_size", "cache_spill", "defer_foreign_keys", "foreign_key_check", "foreign_key_list",
        "incremental_vacuum", "index_info", "index_list", "index_xinfo", "integrity_check", "optimize", "quick_check",
        "table_info", "table_list", "table_xinfo", "user_version", "wal_checkpoint",
    ]

    /// Runs a statement of the library's user; returns how many rows it changed itself.
    func execute(_ sql: SQL) throws(StoreError) -> Int {
        let statement = try prepare(sql.text, isUsers: true)
        try statement.bindAll(sql.values)
        let total = totalChanges
        try run(statement)
        if totalChanges == total {
            // It may have made a trigger. SQLite still returns the number of the statement before it.
            forgetStatements()
            return 0
        }
        return changes
    }
}

extension SQLiteStatement {
    /// Binds the values of a statement of the library's user, which may have parameters of its own.
    func bindAll(_ values: [SQLValue]) throws(StoreError) {
        let count = Int(sqlite3_bind_parameter_count(handle))
        guard count == values.count else {
            throw .refused(
                reason: "the numbers of parameters (\(count)) and values (\(values.count)) of a statement differ; "
                    + "put each value into the statement as \\(value)")
        }
        bind(values)
    }
}
