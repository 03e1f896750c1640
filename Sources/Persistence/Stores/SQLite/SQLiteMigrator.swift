/// Brings a file to the newest version.
struct SQLiteMigrator {
    let newest: Int
    private let migrations: [Migration]
    private let file: String

    init(_ migrations: [Migration], file: String) throws(StoreError) {
        self.migrations = migrations.sorted { $0.version < $1.version }
        self.file = file
        newest = self.migrations.last?.version ?? 1
        for migration in migrations where !(1...Int(Int32.max)).contains(migration.version) {
            throw .migrationFailed(
                file: file, version: migration.version, reason: "versions are numbers from 1 to \(Int32.max)")
        }
        for (first, second) in zip(self.migrations, self.migrations.dropFirst()) where first.version == second.version {
            throw .migrationFailed(
                file: file, version: first.version, reason: "two migrations lead to this version; give each its own")
        }
    }

    /// Migrates the file of a connection.
    ///
    /// - Parameter connecting: Opens another connection. The migrations run on it, and their temporary tables and settings
    ///   end with it.
    func run(
        on connection: SQLiteConnection, connecting: () throws(StoreError) -> SQLiteConnection
    ) throws(StoreError) {
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
        // Without migrations, a file from elsewhere only gets the version.
        if migrations.isEmpty { return try connection.execute("PRAGMA user_version = \(newest)") }
        let writer = SQLiteDatabase.Writer(try connecting())
        let connection = writer.connection
        connection.hasTemporaryTables = true
        for migration in migrations {
            do throws(StoreError) {
                try transaction(on: connection) { () throws(StoreError) in
                    guard try connection.integer("PRAGMA user_version") < migration.version else { return }
                    try migration.run(on: SQLiteMigration(writer: writer))
                    // The migration may have caught the error with which SQLite ended the transaction.
                    if let failure = writer.failure { throw failure }
                    try connection.execute("PRAGMA user_version = \(migration.version)")
                }
            } catch {
                throw error.inMigration(of: file, to: migration.version)
            }
        }
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
