/// A step from one version of a database file to the next.
///
///     Migration(to: 2, "ALTER TABLE movies ADD COLUMN year INTEGER")
///     Migration(to: 3) { database throws(StoreError) in
///         for row in try database.rows("SELECT id, title FROM movies") {
///             guard case .text(let title) = row[1] else { continue }
///             try database.execute("UPDATE movies SET title = \(title.capitalized) WHERE id = \(row[0])")
///         }
///     }
///
/// A new file gets its tables from the schemas, in their present shape, and runs no migration. An older one runs those above
/// its version, each in a transaction: a step that fails leaves the file at the version before it. A statement about a table
/// that the file does not have is skipped, since the table's store makes it in its present shape.
public struct Migration: Sendable {
    /// The version that the file has after this step; the first file ever written has version 1.
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

    func run(on connection: SQLiteConnection) throws(StoreError) { try body(MigratingDatabase(connection)) }
}

/// A database inside of a ``Migration``.
public struct MigratingDatabase {
    private let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) { self.connection = connection }

    /// Returns the rows that a statement selects; none if it asks a table that the file does not have.
    ///
    /// Values are as SQLite has them: null, integers, numbers, texts and data.
    public func rows(_ sql: SQL) throws(StoreError) -> [[PrimitiveValue]] {
        do throws(StoreError) {
            return try connection.rows(sql.text, sql.values)
        } catch {
            if error.isMissingTable { return [] }
            throw error
        }
    }

    /// Runs a statement, and returns how many rows it changed.
    @discardableResult
    public func execute(_ sql: SQL) throws(StoreError) -> Int {
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

    /// Runs one statement after the other.
    func run(_ statements: String) throws(StoreError) {
        var rest = statements[...]
        while !rest.isEmpty {
            do throws(StoreError) {
                guard let statement = try connection.prepareNext(&rest) else { return }
                try connection.run(statement)
            } catch {
                guard error.isMissingTable else { throw error }
                // SQLite does not say where a statement ends that it cannot prepare.
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

    /// The same error, of a migration, unless it says that the file cannot be written at all.
    func inMigration(of file: String, to version: Int) -> StoreError {
        switch self {
        case .full, .locked, .readOnly, .corrupt, .cannotOpen: self
        case .sqlite(_, let reason), .constraint(let reason), .rolledBack(let reason):
            .migrationFailed(file: file, version: version, reason: reason)
        case .duplicate:
            .migrationFailed(file: file, version: version, reason: "a row with the same key exists")
        default: .migrationFailed(file: file, version: version, reason: "\(self)")
        }
    }
}
