/// A step from one version of a database to the next.
///
///     Migration(to: 2, "ALTER TABLE movies ADD COLUMN year INTEGER")
///     Migration(to: 3) { database throws(StoreError) in
///         for row in try database.rows("SELECT id, title FROM movies") {
///             guard case .text(let title) = row[1] else { continue }
///             try database.execute("UPDATE movies SET title = \(title.capitalized) WHERE id = \(row[0])")
///         }
///     }
///
/// A new database gets its tables from the schemas, in their present form, and runs no migration. An older database
/// runs the migrations above its version, each in a transaction: a step that fails leaves the database at the version
/// before it. On PostgreSQL, a step that conflicts with another transaction, such as by a deadlock, runs again. A statement that names a table which the database does not have is skipped, since the table's store makes
/// the table in its present form. A statement fails if only a trigger, a view or a function that it uses names such a
/// table.
public struct Migration: Sendable {
    /// The version that the database has after this step; the first one ever written has version 1. A SQLite file holds
    /// versions up to `Int32.max`.
    public let version: Int
    private let body: @Sendable (MigratingDatabase) throws(StoreError) -> Void

    /// A step of SQL statements.
    public init(to version: Int, _ statements: String...) {
        self.version = version
        body = { database throws(StoreError) in for statement in statements { try database.run(statement) } }
    }

    /// A step of Swift code.
    public init(to version: Int, _ body: @escaping @Sendable (MigratingDatabase) throws(StoreError) -> Void) {
        self.version = version
        self.body = body
    }

    package func run(on connection: any MigratingConnection) throws(StoreError) {
        try body(MigratingDatabase(connection))
    }
}

extension [Migration] {
    /// Returns the migrations in the order of their versions. Throws if a version is not from 1 to `last`, or if two
    /// migrations have the same one.
    package func inOrder(for database: String, upTo last: Int) throws(StoreError) -> [Migration] {
        let migrations = sorted { $0.version < $1.version }
        for migration in migrations where migration.version < 1 || migration.version > last {
            let limit = last == .max ? "" : " to \(last)"
            throw .migrationFailed(
                file: database, version: migration.version, reason: "versions are numbers from 1\(limit)")
        }
        for (first, second) in zip(migrations, migrations.dropFirst()) where first.version == second.version {
            throw .migrationFailed(
                file: database, version: first.version, reason: "two migrations lead to this version; give each its own"
            )
        }
        return migrations
    }
}

/// The database in a ``Migration``.
public struct MigratingDatabase {
    private let connection: any MigratingConnection

    init(_ connection: any MigratingConnection) { self.connection = connection }

    /// Returns the rows that a statement selects; none if it reads a table that the database does not have.
    ///
    /// Values are as the database has them. SQLite has null, integers, numbers, texts and data.
    public func rows(_ sql: SQL) throws(StoreError) -> [[PrimitiveValue]] { try connection.rows(sql) }

    /// Runs a statement, and returns how many rows it changed.
    @discardableResult
    public func execute(_ sql: SQL) throws(StoreError) -> Int { try connection.execute(sql) }

    /// Runs one statement after the other.
    func run(_ statements: String) throws(StoreError) { try connection.run(statements) }
}

/// A connection that migrations run on. It skips statements about a table that the database does not have.
package protocol MigratingConnection {
    func rows(_ sql: SQL) throws(StoreError) -> [[PrimitiveValue]]
    func execute(_ sql: SQL) throws(StoreError) -> Int
    /// Runs one statement after the other.
    func run(_ statements: String) throws(StoreError)
}

extension StoreError {
    /// Returns this error as one of a migration, unless it says that the file cannot be written or used at all.
    package func inMigration(of file: String, to version: Int) -> StoreError {
        switch self {
        case .full, .locked, .readOnly, .corrupt, .cannotOpen, .newerVersion: self
        case .sqlite(_, let reason), .postgres(_, let reason), .constraint(let reason), .rolledBack(let reason):
            .migrationFailed(file: file, version: version, reason: reason)
        default: .migrationFailed(file: file, version: version, reason: "\(self)")
        }
    }
}
