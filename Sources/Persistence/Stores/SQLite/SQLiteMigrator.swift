/// Brings a file to the newest version.
struct SQLiteMigrator {
    let newest: Int
    private let migrations: [Migration]
    private let file: String

    init(_ migrations: [Migration], file: String) throws(StoreError) {
        self.migrations = try migrations.inOrder(for: file, upTo: Int(Int32.max))
        self.file = file
        newest = self.migrations.last?.version ?? 1
    }

    /// Migrates the file of a connection.
    ///
    /// - Parameter connecting: Opens another connection. The migrations run on it, and their temporary tables and settings
    ///   end with it.
    func run(
        on connection: SQLiteConnection, connecting: () throws(StoreError) -> SQLiteConnection
    ) throws(StoreError) {
        let isDone = try transaction(on: connection) { () throws(StoreError) in
            if try version(of: connection) == newest { return true }
            // A file without tables gets them in their present form. Without migrations, a file from elsewhere only gets
            // the version.
            let isEmpty = try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
            guard migrations.isEmpty || isEmpty else { return false }
            try connection.execute("PRAGMA user_version = \(newest)")
            return true
        }
        if isDone { return }
        let writer = SQLiteDatabase.Writer(try connecting())
        let connection = writer.connection
        connection.isOfMigrations = true
        for migration in migrations {
            do throws(StoreError) {
                try transaction(on: connection) { () throws(StoreError) in
                    guard try version(of: connection) < migration.version else { return }
                    try migration.run(on: SQLiteMigration(writer: writer))
                    // The migration may have caught the error with which SQLite ended the transaction.
                    if let failure = writer.failure { throw failure }
                    try checkForeignKeys(on: connection)
                    try connection.execute("PRAGMA user_version = \(migration.version)")
                }
            } catch {
                throw error.inMigration(of: file, to: migration.version)
            }
        }
    }

    /// Throws if a row refers to one that does not exist.
    private func checkForeignKeys(on connection: SQLiteConnection) throws(StoreError) {
        let broken = try connection.rows("SELECT \"table\", rowid, parent FROM pragma_foreign_key_check LIMIT 1")
        guard let row = broken.first, case .text(let table) = row[0], case .text(let parent) = row[2] else { return }
        let number = if case .integer(let number) = row[1] { "the row with the rowid \(number)" } else { "a row" }
        throw .constraint(
            reason: "after the migration, \(number) of \(table) refers to a row of \(parent) that does not exist")
    }

    /// Returns the version of the file, which another process may have migrated until now. Throws if it is newer than the
    /// newest migration.
    func version(of connection: SQLiteConnection) throws(StoreError) -> Int {
        let version = try connection.integer("PRAGMA user_version")
        if version > newest { throw .newerVersion(file: file, found: version, supported: newest) }
        return version
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
