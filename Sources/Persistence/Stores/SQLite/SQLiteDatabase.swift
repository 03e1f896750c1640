import CSQLite
import Foundation
import Feedback
import Synchronization

/// A SQLite database in a file or in memory, with the tables of any number of stores.
///
///     let database = try SQLiteDatabase(.file("/var/lib/movies.sqlite"))
///     let movies = try SQLiteStore(Movie.schema, in: database)
///
/// One thread at a time writes. Meanwhile others read; each sees the state that was committed when it began, and never
/// waits for a transaction. When a write returns, its changes are on the disk. The file is an ordinary one, which the
/// `sqlite3` shell can read and write; its text is in UTF-8. If it, or one of the two files that SQLite keeps beside it,
/// is deleted or replaced while it is open, or its log is cut, the next write fails with
/// ``StoreError/cannotOpen(file:reason:)``, and no read returns rows of the other file. Other bytes that somebody puts into
/// these files are not noticed; and if the file whose name ends with `-shm` is cut, the process ends with the signal SIGBUS,
/// since SQLite maps it into memory. Text is stored in composed form (NFC), dates as seconds since 2001-01-01 UTC,
/// UUIDs as text in capitals, NaN as the text `NaN`, and -0.0 as 0.0. Another program must store them in the same way. No
/// condition would find a UUID in small letters, so a read of its row fails with
/// ``StoreError/unreadable(table:id:column:found:)``, which names the row and the statement that mends the column.
///
/// The foreign keys of tables are enforced: a write that breaks one fails with ``StoreError/constraint(reason:)``, and observers
/// see what their actions, such as `ON DELETE CASCADE`, change. In a migration they may be broken until its end.
///
/// If the definition of a table has clauses such as `ON CONFLICT REPLACE`, the writes of stores overrule them: a write
/// that a constraint forbids fails. They then overrule the words `OR REPLACE` in the triggers of the table, too, and so
/// do upserts into a table of more than 64 columns.
public final class SQLiteDatabase: Sendable {
    /// The place of a database.
    public enum Location: Sendable, Hashable {
        /// A file. A relative path begins at the directory that is the current one when the database is opened.
        case file(String)
        /// Memory that is released with the last reference to the database.
        case memory
    }

    /// Settings of a database.
    public struct Configuration: Sendable {
        /// True if the file is only ever read.
        public var isReadOnly = false
        /// The time to wait for the lock of another process before failing with ``StoreError/locked(file:)``.
        public var patience: Duration = .seconds(5)
        /// True if a write waits until it is on the disk. If false, writes are about four times as fast and still
        /// survive the end of the process, but the last ones may be lost if the machine loses power.
        public var waitsForDisk = true
        /// The size in bytes above which the file does not grow; then writes fail with ``StoreError/full(file:)``.
        public var maximumSize: Int?

        /// Makes the default settings: writable, durable, patient for 5 seconds.
        public init() {}
    }

    let file: String
    /// The path of the file; nil in memory.
    package let path: String?
    let configuration: Configuration
    /// True if the file cannot be written to, whatever the reason.
    let isReadOnly: Bool
    let observed = ObservedQueries()
    private let writer: ExclusiveAccess<Writer>
    private let readers: SQLiteReaders
    private let files: SQLiteFiles
    private let slots = Locked<[String: SQLiteTableSlots]>([:])
    private let columns = Locked<[String: SQLiteTableColumns]>([:])
    private let lastNumber = Atomic(0)

    /// Opens the file, makes it if there is none, and brings it to the newest version.
    ///
    /// A file in a folder that cannot be written to is opened for reading.
    /// - Parameter migrations: The steps from version to version, see ``Migration``.
    public init(
        _ location: Location, migrations: [Migration] = [], configuration: Configuration = Configuration()
    ) throws(StoreError) {
        var place = try SQLiteConnection.Location(location, patience: configuration.patience)
        self.configuration = configuration
        file = place.file
        path = location == .memory ? nil : place.file
        let connection: SQLiteConnection
        do throws(StoreError) {
            connection = try Self.open(place, migrations, configuration)
        } catch {
            let mayBeFolder =
                switch error {
                case .cannotOpen, .readOnly: true
                default: false
                }
            guard mayBeFolder, let unchanging = try place.inReadOnlyFolder() else { throw error }
            place = unchanging
            connection = try Self.open(place, migrations, configuration)
        }
        isReadOnly = connection.isReadOnly
        writer = ExclusiveAccess(Writer(connection))
        files = SQLiteFiles(of: connection)
        readers = SQLiteReaders { [place, files] () throws(StoreError) in
            let connection = try SQLiteConnection(place, flags: SQLITE_OPEN_READONLY)
            // Answers must not come from one file, and then from another.
            guard files.areInPlace else { throw .lost(file: place.file) }
            return connection
        }
    }

    deinit {
        // The writer's connection must close last, since only it can copy the log into the file.
        readers.close()
    }

    /// Returns the faults that SQLite finds in the file; an empty array if there are none. It reads the whole file.
    public func checkIntegrity() throws(StoreError) -> [String] {
        try read { connection throws(StoreError) in
            try connection.rows("PRAGMA integrity_check").compactMap { row in
                if case .text(let text)? = row.first, text != "ok" { text } else { nil }
            }
        }
    }

    /// Returns the numbers of the statements of a table with these columns.
    func slots(for table: String) -> SQLiteTableSlots {
        slots.withLock { slots in
            if let known = slots[table] { return known }
            let first = SQLiteConnection.TransactionStatement.allCases.count + slots.count * SQLiteTableSlots.count
            slots[table] = SQLiteTableSlots(first: first)
            return SQLiteTableSlots(first: first)
        }
    }

    /// Returns the columns of a table, as the stores of this database know them, among them a new one with a schema.
    func columns<Object>(of table: String, _ schema: Schema<Object>) -> SQLiteTableColumns {
        let known = columns.withLock { columns in
            let known = columns[table] ?? SQLiteTableColumns(schema)
            columns[table] = known
            return known
        }
        known.add(schema)
        return known
    }

    /// Returns a number for a store.
    func makeNumber() -> Int { lastNumber.add(1, ordering: .relaxed).newValue }

    // MARK: - SQL

    /// Returns the rows that a statement selects. Values are as SQLite stores them: null, integers, numbers, texts and
    /// data.
    ///
    /// A statement that writes and returns rows (`INSERT … RETURNING`) is refused; see ``execute(_:)``.
    public func rows(_ sql: SQL) throws(StoreError) -> [[PrimitiveValue]] {
        try read { connection throws(StoreError) in
            guard try connection.statement(sql.text, isUsers: true).isReadOnly else {
                throw .refused(
                    reason: "rows(_:) reads, and \"\(sql.text)\" would write; use execute(_:), and then read the rows")
            }
            return try connection.rows(sql.text, sql.values, isUsers: true)
        }
    }

    /// Runs a statement in a transaction of its own, and returns how many rows it changed; those that triggers change do
    /// not count. All observed queries ask again.
    @discardableResult
    public func execute(_ sql: SQL) throws(StoreError) -> Int {
        try write { writer throws(StoreError) in try writer.execute(sql) }
    }

    // MARK: - Reading

    /// Lets `body` read on a connection that no other thread uses meanwhile.
    func read<Result: Sendable>(_ body: (SQLiteConnection) throws(StoreError) -> Result) throws(StoreError) -> Result {
        let connection = try takeReader()
        defer { giveBack(connection) }
        return try body(connection)
    }

    /// Throws ``StoreError/insideTransaction`` if this thread runs the body of a transaction.
    func checkNotInside() throws(StoreError) { try writer.checkNotHeld() }

    /// Takes a connection out of the pool. Fails in the body of a transaction, whose changes the connection would not
    /// see.
    @usableFromInline
    func takeReader() throws(StoreError) -> SQLiteConnection {
        try checkNotInside()
        return try readers.take()
    }

    @usableFromInline
    func giveBack(_ connection: SQLiteConnection) { readers.giveBack(connection) }

    // MARK: - Writing

    /// Lets `body` write in a transaction, and then notifies the observers that it concerns.
    func write<Result: Sendable>(_ body: (Writer) throws(StoreError) -> Result) throws(StoreError) -> Result {
        let start = ContinuousClock.now
        let (result, concerned) = try readers.whileWriting { () throws(StoreError) in
            try writer.withLock { writer throws(StoreError) in try write(body, to: writer, since: start) }
        }
        for query in concerned { query.tell() }
        return result
    }

    /// Lets `body` use the connection that writes, outside of a transaction.
    func withWriter(_ body: (Writer) throws(StoreError) -> Void) throws(StoreError) {
        try readers.whileWriting { () throws(StoreError) in
            try writer.withLock { writer throws(StoreError) in
                guard files.areInPlace else { throw .lost(file: file) }
                try body(writer)
            }
        }
    }

    /// Lets `body` write in a transaction, and returns the queries that it concerns.
    private func write<Result: Sendable>(
        _ body: (Writer) throws(StoreError) -> Result, to writer: Writer, since start: ContinuousClock.Instant
    ) throws(StoreError) -> (Result, [ObservedQuery]) {
        writer.changes = ChangeLog(observed.all)
        defer { writer.changes = ChangeLog([]) }
        writer.failure = nil
        let result = try transaction(writer, since: start) { () throws(StoreError) in
            try writer.beginChanges()
            defer { writer.stopCounting() }
            let result = try body(writer)
            writer.endChanges()
            return result
        }
        writer.dataVersion = writer.connection.dataVersion
        writer.checkpoints.run(on: writer.connection)
        return (result, writer.changes.pass(to: observed.all))
    }

    /// Throws if a file was deleted or replaced, or if pages of the log are gone. In a transaction no other process changes
    /// their number.
    private func checkFiles(of connection: SQLiteConnection) throws(StoreError) {
        switch files.look(logSize: csqlite_log_size(connection.handle)) {
        case .inPlace: return
        case .replaced: throw .lost(file: file)
        case .shortLog: throw .lost(file: file, "its log was cut while it was open")
        }
    }

    private func transaction<Result>(
        _ writer: Writer, since start: ContinuousClock.Instant, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let connection = writer.connection
        try begin(writer, since: start)
        do throws(StoreError) {
            let result = try body()
            // The body may have caught the error with which SQLite ended the transaction.
            if let failure = writer.failure { throw failure }
            // SQLite would write to a file that can no longer be opened by its path.
            try checkFiles(of: connection)
            try connection.run(.commit)
            return result
        } catch {
            if connection.isInTransaction { try? connection.run(.rollback) }
            // The log may take the space. If it can be copied into the file, the next write begins it anew.
            if case .full = error { writer.checkpoints.restart(on: connection) }
            throw error
        }
    }

    /// Begins a transaction for a caller that has waited for its turn since `start`.
    private func begin(_ writer: Writer, since start: ContinuousClock.Instant) throws(StoreError) {
        let connection = writer.connection
        do throws(StoreError) {
            if let heldSince = writer.heldSince {
                // A caller that waited behind another one, which waited for the lock of another process, has waited for
                // that lock, too.
                let waited = max(start, heldSince).duration(to: .now)
                try connection.withPatience(configuration.patience - waited) { () throws(StoreError) in
                    try connection.run(.begin)
                }
                writer.heldSince = nil
            } else {
                try connection.run(.begin)
            }
        } catch {
            if case .locked = error { writer.heldSince = writer.heldSince ?? .now - configuration.patience }
            throw error
        }
    }
}

extension StoreError {
    /// The error for a file that has another file, or none, in its place or in that of its log.
    fileprivate static func lost(
        file: String, _ reason: String = "it or its log was deleted or replaced while it was open"
    ) -> StoreError {
        .cannotOpen(file: file, reason: "\(reason); open the database again")
    }
}
