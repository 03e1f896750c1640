/// A connection to a SQLite file during its migrations.
struct SQLiteMigration: MigratingConnection {
    let connection: SQLiteConnection

    func rows(_ sql: SQL) throws(StoreError) -> [[PrimitiveValue]] {
        do throws(StoreError) {
            return try connection.rows(sql.text, sql.values)
        } catch {
            if error.isMissingTable { return [] }
            throw error
        }
    }

    func execute(_ sql: SQL) throws(StoreError) -> Int {
        do throws(StoreError) {
            let statement = try connection.prepare(sql.text)
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
                guard let statement = try connection.prepareNext(&rest) else { return }
                try connection.run(statement)
            } catch {
                guard error.isMissingTable else { throw error }
                // SQLite does not return the end of a statement that it cannot prepare.
                guard let end = rest.firstIndex(of: ";") else { return }
                rest = rest[rest.index(after: end)...]
            }
        }
    }
}

extension StoreError {
    fileprivate var isMissingTable: Bool {
        if case .sqlite(1, let reason) = self { reason.hasPrefix("no such table: ") } else { false }
    }
}
