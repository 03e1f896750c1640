import CSQLite
import Foundation
import Feedback
import Synchronization

/// A SQLite database: one file, or memory, that any number of stores keep their tables in.
///
///     let database = try SQLiteDatabase(.file("/var/lib/movies.sqlite"))
///     let movies = try SQLiteStore(Movie.schema, in: database)
///
/// One thread at a time writes, any number read meanwhile, each what was committed when it began. A write that has been
/// answered is on the disk. The file is an ordinary one, which the `sqlite3` shell reads and writes. Text is kept composed
/// (NFC), dates as seconds since 2001-01-01 UTC, UUIDs as text, NaN as the text `NaN`.
public final class SQLiteDatabase: Sendable {
    public enum Location: Sendable, Hashable {
        case file(String)
        case memory
    }

    public struct Configuration: Sendable {
        /// Whether the file is only ever read.
        public var isReadOnly = false
        /// How long to wait for another process before failing with ``StoreError/locked(file:)``.
        public var patience: Duration = .seconds(5)
        /// Whether a write waits until the disk has it. Without, writes are faster; they still survive the end of the process,
        /// but the last of them perhaps not the loss of power.
        public var waitsForDisk = true
        /// The size in bytes above which the file does not grow; then writes fail with ``StoreError/full(file:)``.
        public var maximumSize: Int?

        public init() {}
    }

    let file: String
    let configuration: Configuration
    let deliveries = Deliveries()
    private let isInMemory: Bool
    private let writer: ExclusiveAccess<Writer>
    private let readers = Locked<[SQLiteConnection]>([])
    private let lastSlot = Atomic(0)

    /// The connection that writes, and who watches what it writes.
    // Unchecked, since only whoever holds the writer's lock reaches it.
    final class Writer: @unchecked Sendable {
        let connection: SQLiteConnection
        var watches = SQLiteWatches()

        init(_ connection: SQLiteConnection) { self.connection = connection }
    }

    /// Opens the file, makes it if there is none, and brings it to the newest version.
    ///
    /// - Parameter migrations: The steps from version to version, see ``Migration``.
    public init(
        _ location: Location, migrations: [Migration] = [], configuration: Configuration = Configuration()
    ) throws(StoreError) {
        switch location {
        case .file(let path): (file, isInMemory) = (path, false)
        case .memory: (file, isInMemory) = (":memory:", true)
        }
        self.configuration = configuration
        let flags = configuration.isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let connection = try SQLiteConnection(file: file, flags: flags, busyTimeout: configuration.patience)
        writer = ExclusiveAccess(Writer(connection))
        try prepare(connection, migrations)
    }

    deinit {
        // The writer's connection must be the last to close, since only it can leave all in the one file.
        readers.withLock { $0 = [] }
    }

    private func prepare(_ connection: SQLiteConnection, _ migrations: [Migration]) throws(StoreError) {
        // Nothing of the file was read before; what is no database shows itself here.
        let version = try connection.integer("PRAGMA user_version")
        let newest = migrations.map(\.version).max() ?? 1
        if version > newest { throw .newerVersion(file: file, found: version, supported: newest) }
        let isReadOnly = sqlite3_db_readonly(connection.handle, "main") != 0
        if !isReadOnly {
            if !isInMemory { _ = try connection.rows("PRAGMA journal_mode = WAL") }
            try connection.execute("PRAGMA synchronous = \(configuration.waitsForDisk ? "FULL" : "NORMAL")")
            if let size = configuration.maximumSize {
                let pageSize = try connection.integer("PRAGMA page_size")
                _ = try connection.rows("PRAGMA max_page_count = \(max(1, size / pageSize))")
            }
        }
        guard version < newest else { return }
        if isReadOnly {
            // Without migrations a file from elsewhere can be read as it is.
            guard migrations.isEmpty else { throw .readOnly(file: file) }
            return
        }
        try migrate(connection, migrations, newest: newest)
    }

    private func migrate(
        _ connection: SQLiteConnection, _ migrations: [Migration], newest: Int
    ) throws(StoreError) {
        let isNew = try transaction(on: connection) { () throws(StoreError) in
            // Another process may have been quicker.
            guard try connection.integer("PRAGMA user_version") == 0,
                try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
            else { return false }
            try connection.execute("PRAGMA user_version = \(newest)")
            return true
        }
        if isNew { return }
        for migration in migrations.sorted(by: { $0.version < $1.version }) {
            do throws(StoreError) {
                try transaction(on: connection) { () throws(StoreError) in
                    guard try connection.integer("PRAGMA user_version") < migration.version else { return }
                    for statement in migration.statements { try connection.execute(statement) }
                    try connection.execute("PRAGMA user_version = \(migration.version)")
                }
            } catch {
                switch error {
                case .sqlite(_, let reason), .constraint(let reason):
                    throw .migrationFailed(file: file, version: migration.version, reason: reason)
                default: throw error
                }
            }
        }
        // Without migrations, a file from elsewhere becomes ours as it is.
        if migrations.isEmpty { try connection.execute("PRAGMA user_version = \(newest)") }
    }

    /// What SQLite finds wrong with the file; nothing, if all is well. It reads the whole file.
    public func checkIntegrity() throws(StoreError) -> [String] {
        try read { connection throws(StoreError) in
            try connection.rows("PRAGMA integrity_check").compactMap { $0.first ?? nil }.filter { $0 != "ok" }
        }
    }

    /// A number for a statement that a store keeps, see ``SQLiteConnection/statement(_:_:)``.
    func makeSlot() -> Int { lastSlot.add(1, ordering: .relaxed).newValue }

    // MARK: - Reading

    /// Lets `body` read on a connection that no other thread uses meanwhile.
    func read<Result: Sendable>(_ body: (SQLiteConnection) throws(StoreError) -> Result) throws(StoreError) -> Result {
        guard let connection = try takeReader() else {
            return try writer.withLock { writer throws(StoreError) in try body(writer.connection) }
        }
        defer { giveBack(connection) }
        return try body(connection)
    }

    /// Takes a connection out of the pool; nil for a database in memory, which belongs to its one connection.
    func takeReader() throws(StoreError) -> SQLiteConnection? {
        if isInMemory { return nil }
        if let idle = readers.withLock({ $0.popLast() }) { return idle }
        return try SQLiteConnection(file: file, flags: SQLITE_OPEN_READONLY, busyTimeout: configuration.patience)
    }

    func giveBack(_ connection: SQLiteConnection) {
        readers.withLock { readers in
            if readers.count < 8 { readers.append(connection) }
        }
    }

    // MARK: - Writing

    /// Lets `body` use the writer's connection, and then tells whoever watches what it wrote.
    func withWriter<Result: Sendable>(
        _ body: (Writer) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        defer { deliveries.handOut() }
        return try writer.withLock { writer throws(StoreError) in try body(writer) }
    }

    /// Lets `body` write in a transaction that is kept whole or not at all.
    func write<Result: Sendable>(_ body: (Writer) throws(StoreError) -> Result) throws(StoreError) -> Result {
        try withWriter { writer throws(StoreError) in
            let result: Result
            do throws(StoreError) {
                result = try transaction(on: writer.connection) { () throws(StoreError) in try body(writer) }
            } catch {
                writer.watches.forgetChanges()
                throw error
            }
            // Before anyone else can write, so that each answer is that of its own write.
            writer.watches.answer(on: writer.connection, through: deliveries)
            return result
        }
    }

    private func transaction<Result>(
        on connection: SQLiteConnection, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try connection.run(connection.statement("BEGIN IMMEDIATE"))
        do throws(StoreError) {
            let result = try body()
            try connection.run(connection.statement("COMMIT"))
            return result
        } catch {
            // SQLite ends some failed transactions by itself, say on a full disk.
            if connection.isInTransaction { try? connection.run(connection.statement("ROLLBACK")) }
            throw error
        }
    }
}
