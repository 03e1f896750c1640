/// Brings a file to the newest version.
struct SQLiteMigrator {
    let newest: Int
    private let migrations: [Migration]
    private let file: String

    init(_ migrations: [Migration], file: String) throws(StoreError) {
        self.migrations = migrations.sorted { $0.version < $1.version }
        self.file = file
        newest = self.migrations.last?.version ?? 1
        for (first, second) in zip(self.migrations, self.migrations.dropFirst()) where first.version == second.version {
            throw .migrationFailed(
                file: file, version: first.version, reason: "two migrations lead to this version; give each its own")
        }
    }

    func run(on connection: SQLiteConnection) throws(StoreError) {
        let isNew = try transaction(on: connection) { () throws(StoreError) in
            // Another process may have migrated the file meanwhile. A file without tables gets them in their present
            // form.
            guard try connection.integer("PRAGMA user_version") < newest,
                try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
            else { return false }
            try connection.execute("PRAGMA user_version = \(newest)")
            return true
        }
        if isNew { return }
        for migration in migrations {
            do throws(StoreError) {
                try transaction(on: connection) { () throws(StoreError) in
                    guard try connection.integer("PRAGMA user_version") < migration.version else { return }
                    try connection.withoutTransactionControl { () throws(StoreError) in
                        try migration.run(on: SQLiteMigration(connection: connection))
                    }
                    try connection.execute("PRAGMA user_version = \(migration.version)")
                }
            } catch {
                throw error.inMigration(of: file, to: migration.version)
            }
        }
        // Without migrations, a file from elsewhere only gets the version.
        if migrations.isEmpty { try connection.execute("PRAGMA user_version = \(newest)") }
    }

    private func transaction<Result>(
        on connection: SQLiteConnection, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try connection.execute("BEGIN IMMEDIATE")
        do throws(StoreError) {
            let result = try body()
            try connection.execute("COMMIT")
            return result
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }
}
