import CSQLite

/// A connection to a SQLite file during its migrations.
struct SQLiteMigration: MigratingConnection {
    let connection: SQLiteConnection

    func rows(_ sql: SQL) throws(StoreError) -> [[PrimitiveValue]] {
        do throws(StoreError) {
            return try connection.rows(sql.text, sql.values, isUsers: true)
        } catch {
            if error.isMissingTable { return [] }
            throw error
        }
    }

    func execute(_ sql: SQL) throws(StoreError) -> Int {
        do throws(StoreError) {
            let statement = try connection.prepare(sql.text, isUsers: true)
            statement.bind(sql.values)
            try connection.run(statement)
            return connection.changes
        } catch {
            if error.isMissingTable { return 0 }
            throw error
        }
    }

    func run(_ statements: String) throws(StoreError) {
        var rest = statements[...]
        while !rest.isEmpty {
            do throws(StoreError) {
                guard let statement = try connection.prepareNext(&rest, isUsers: true) else { return }
                try connection.run(statement)
            } catch {
                guard error.isMissingTable else { throw error }
                guard let end = rest.endOfStatement else { return }
                rest = rest[end...]
            }
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
