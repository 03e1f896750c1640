import Persistence

/// Brings a database to the newest version, in one process at a time.
struct PostgresMigrator {
    private let newest: Int
    private let migrations: [Migration]
    private let database: String

    /// The table that holds the version.
    private static var table: String { "\"feedback_version\"" }

    init(_ migrations: [Migration], database: String) throws(StoreError) {
        self.migrations = try migrations.inOrder(for: database, upTo: .max)
        self.database = database
        newest = self.migrations.last?.version ?? 1
    }

    func run(on connection: PostgresConnection) throws(StoreError) {
        let found = try version(on: connection)
        if let found, found > newest { throw .newerVersion(file: database, found: found, supported: newest) }
        // A database without migrations needs no version, and may be read-only.
        if migrations.isEmpty || found == newest { return }
        let isNew = try changing(connection) { () throws(StoreError) in
            // Another process may have migrated the database meanwhile. A database without tables gets them in their
            // present form.
            guard try version(on: connection) == nil else { return false }
            let tables = try connection.run(
                """
                SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE c.relkind IN ('r', 'p', 'v') AND n.nspname = current_schema()
                """
            ).integer
            try connection.run("CREATE TABLE \(Self.table) (version bigint NOT NULL)")
            try connection.run("INSERT INTO \(Self.table) VALUES (\(tables == 0 ? newest : 0))")
            return tables == 0
        }
        if isNew { return }
        for migration in migrations {
            do throws(StoreError) {
                try changing(connection) { () throws(StoreError) in
                    guard try version(on: connection) ?? 0 < migration.version else { return }
                    try migration.run(on: PostgresMigration(connection: connection))
                    try connection.run("UPDATE \(Self.table) SET version = \(migration.version)")
                }
            } catch {
                throw error.inMigration(of: database, to: migration.version)
            }
        }
    }

    /// Lets `body` change the database in a transaction, again if it conflicts with another one.
    private func changing<Result>(
        _ connection: PostgresConnection, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        var attempts = Attempts(PostgresDatabase.Configuration())
        return try attempts.retry { _ throws(Attempt) in
            do throws(StoreError) {
                return try connection.changingDefinitions(body)
            } catch {
                if case .conflict = error { throw .conflict(error) }
                throw .over(error)
            }
        }
    }

    /// The version, or nil if the database has none.
    private func version(on connection: PostgresConnection) throws(StoreError) -> Int? {
        guard try connection.hasTable("feedback_version") else { return nil }
        return try connection.run("SELECT version FROM \(Self.table)").integer
    }
}

/// A connection to a database during its migrations.
struct PostgresMigration: MigratingConnection {
    let connection: PostgresConnection

    func rows(_ sql: SQL) throws(StoreError) -> [[PrimitiveValue]] { try result(of: sql)?.rows ?? [] }

    func execute(_ sql: SQL) throws(StoreError) -> Int { try result(of: sql)?.changes ?? 0 }

    func run(_ statements: String) throws(StoreError) {
        for statement in SQLStatements(statements) { _ = try result(of: SQL(stringLiteral: statement)) }
    }

    /// Runs a statement. If its table does not exist, returns nil, and the transaction can continue.
    ///
    /// It is not kept prepared, since the migrations may change the columns of its result before they run it again.
    private func result(of sql: SQL) throws(StoreError) -> PostgresResult? {
        let text = try sql.textWithoutTransactionControl()
        let parameters = try PostgresParameters(sql.values)
        connection.mayHaveSettings = true
        try connection.run("SAVEPOINT statement")
        do throws(StoreError) {
            let result = try connection.runOnce(text, parameters)
            try connection.run("RELEASE statement")
            return result
        } catch {
            guard case .postgres = error, connection.namesMissingTable else { throw error }
            try connection.run("ROLLBACK TO statement")
            try connection.run("RELEASE statement")
            return nil
        }
    }
}
