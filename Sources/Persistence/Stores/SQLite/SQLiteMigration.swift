import CSQLite

/// A connection to a SQLite file during its migrations.
struct SQLiteMigration: MigratingConnection {
    /// The connection, and the error with which SQLite has ended the transaction, if it has.
    let writer: SQLiteDatabase.Writer

    func rows(_ sql: SQL) throws(StoreError) -> [[PrimitiveValue]] {
        try step { connection throws(StoreError) in try connection.rows(sql.text, sql.values, isUsers: true) } ?? []
    }

    func execute(_ sql: SQL) throws(StoreError) -> Int {
        try step { connection throws(StoreError) in try connection.execute(sql) } ?? 0
    }

    func run(_ statements: String) throws(StoreError) {
        var rest = statements[...]
        while !rest.isEmpty {
            let before = rest
            let isDone = try step { connection throws(StoreError) in
                guard let statement = try connection.prepareNext(&rest, isUsers: true) else { return true }
                try statement.bindAll([])
                try connection.run(statement)
                return false
            }
            if isDone == true { return }
            // A statement that was not even prepared is still in the rest.
            if isDone == nil, rest.utf8.count == before.utf8.count {
                guard let end = rest.endOfStatement else { return }
                rest = rest[end...]
            }
        }
    }

    /// Runs a statement; returns nil if it is about a table that the file does not have.
    private func step<Result>(
        _ body: (SQLiteConnection) throws(StoreError) -> Result
    ) throws(StoreError) -> Result? {
        do throws(StoreError) {
            return try writer.step { () throws(StoreError) in try body(writer.connection) }
        } catch {
            if error.isMissingTable { return nil }
            throw error
        }
    }
}

extension Substring {
    /// The end of the first statement, which SQLite does not return for a statement that it cannot prepare; nil if the
    /// statement ends with the text.
    fileprivate var endOfStatement: Index? {
        // A semicolon may be in a literal, a comment or a trigger.
        indices.lazy.filter { self[$0] == ";" }.map { self.index(after: $0) }
            .first { sqlite3_complete(String(self[..<$0])) != 0 }
    }
}

extension StoreError {
    fileprivate var isMissingTable: Bool {
        if case .sqlite(1, let reason) = self { reason.hasPrefix("no such table: ") } else { false }
    }
}
