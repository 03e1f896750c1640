import Feedback
import Foundation
import Persistence

/// A database on a PostgreSQL server, with the tables of any number of stores in any number of processes.
///
///     let database = try await PostgresDatabase("postgresql://films@db.example.org/films?sslmode=verify-full")
///     let movies = try await PostgresStore(Movie.schema, in: database)
///
/// Work is done on a bounded number of connections. Producers and transactions use threads of the database. An awaited
/// query uses the thread of its task for at most a few milliseconds, and is suspended if the server takes longer.
///
/// Transactions are serializable: the result is as if they had run one after the other. A transaction that conflicts
/// with another one is tried again, and so is one whose connection was lost before its commit. If the connection was
/// lost during the commit, the server is asked if the transaction was committed.
///
/// Text is stored in composed form (NFC) and compared by its bytes (`COLLATE "C"`); it cannot have zero bytes. Dates
/// are stored as seconds since 2001-01-01 UTC, in columns of type `double precision`, since no date type of PostgreSQL
/// can hold every `Date`. An unsigned integer of 64 bits is stored as `numeric`.
public final class PostgresDatabase: Sendable {
    /// Settings of a database.
    public struct Configuration: Sendable {
        /// The maximum number of connections, without the one that listens for the writes of others if queries are
        /// observed.
        public var maximumConnections = 8
        /// The time to wait for a free connection, and for a server that restarts, before failing with
        /// `StoreError.unreachable(reason:)`.
        public var patience: Duration = .seconds(5)
        /// The longest time to wait for the answer to a statement. By default there is no limit, since some statements take long;
        /// then a statement waits for ever if the server freezes. Tasks can be cancelled nevertheless.
        ///
        /// When the time is over, the connection is closed, the server is asked to stop the statement, and the read or write fails
        /// with `StoreError.unreachable(reason:)`, or with `outcomeUnknown(reason:)` during a commit. It is not tried again.
        /// Migrations, and the making of tables and indexes, have no limit.
        public var answerTimeout: Duration?
        /// `true` if observers of queries, in this and other processes, are notified of writes. If `false`, a write is
        /// a little faster.
        public var notifiesObservers = true

        /// Makes the default settings.
        public init() {}
    }

    let address: PostgresAddress
    let configuration: Configuration
    let pool: PostgresPool
    let workers: PostgresWorkers
    let listener: PostgresListener
    /// The threads that run the body of a transaction.
    let insiders = Locked<Set<UInt>>([])

    private init(_ address: PostgresAddress, _ pool: PostgresPool, _ configuration: Configuration) {
        self.address = address
        self.pool = pool
        self.configuration = configuration
        workers = PostgresWorkers(maximum: configuration.maximumConnections)
        listener = PostgresListener(
            address, patience: configuration.patience, answerTimeout: configuration.answerTimeout ?? .seconds(30))
    }

    /// Connects to a server, and brings the database to the newest version. The calling thread waits for that.
    ///
    /// - Parameters:
    ///   - address: `postgresql://user:password@host:port/database`, or any other form that libpq accepts, such as with
    ///     options for TLS. The password may also be in the file `~/.pgpass` or in `PGPASSWORD`. It is never printed.
    ///   - migrations: The steps from version to version, see `Migration`. They run once, even if several processes
    ///     start together.
    public convenience init(
        _ address: String, migrations: [Migration] = [], configuration: Configuration = Configuration()
    ) throws(StoreError) {
        let address = try PostgresAddress(address)
        self.init(address, try Self.open(address, migrations, configuration), configuration)
    }

    /// Connects to a server, and brings the database to the newest version, on another thread; see the form that is not async.
    public convenience init(
        _ address: String, migrations: [Migration] = [], configuration: Configuration = Configuration()
    ) async throws(StoreError) {
        let address = try PostgresAddress(address)
        let opened = await onOtherThread(late: { (try? $0.get())?.close() }) { () throws(StoreError) in
            try Self.open(address, migrations, configuration)
        }
        guard let opened else { throw .cancelled }
        self.init(address, try opened.get(), configuration)
    }

    deinit {
        listener.stop()
        workers.stop()
        pool.close()
    }

    private static func open(
        _ address: PostgresAddress, _ migrations: [Migration], _ configuration: Configuration
    ) throws(StoreError) -> PostgresPool {
        let pool = PostgresPool(
            address, maximum: configuration.maximumConnections, patience: configuration.patience,
            answerTimeout: configuration.answerTimeout)
        let migrator = try PostgresMigrator(migrations, database: address.description)
        let connection = try firstConnection(pool)
        defer { pool.giveBack(connection) }
        try migrator.run(on: connection)
        return pool
    }

    /// Waits for a server that answers, but has no free connection or is about to start. A server that does not answer
    /// may have another address, so its absence is told at once.
    private static func firstConnection(_ pool: PostgresPool) throws(StoreError) -> PostgresConnection {
        let start = ContinuousClock.now
        while true {
            do throws(StoreError) {
                return try pool.take()
            } catch {
                guard case .unreachable = error, ContinuousClock.now - start < pool.patience,
                    PostgresConnection.isAnswering(pool.address)
                else { throw error }
                Thread.sleep(forTimeInterval: 0.05)
            }
        }
    }

    // MARK: - SQL

    /// Returns the rows that a statement selects. The calling thread waits for them.
    ///
    /// Values have the kind that corresponds to their PostgreSQL type. A `numeric` that is not a whole number, such as an
    /// average of integers, or has more than 64 bits, is the nearest real. Values of other types are data in PostgreSQL's
    /// binary form.
    ///
    /// The transaction is read-only, since the statement is run again if the connection is lost. A statement that writes
    /// is refused; use ``execute(_:)`` or a transaction.
    public func rows(_ sql: SQL) throws(StoreError) -> [[PrimitiveValue]] {
        try read { connection throws(StoreError) in
            try connection.read(sql.textWithoutTransactionControl(), PostgresParameters(sql.values)).rows
        }
    }

    /// Runs a statement in a transaction of its own, and returns how many rows it changed. All observed queries ask again. The
    /// calling thread waits for it.
    @discardableResult
    public func execute(_ sql: SQL) throws(StoreError) -> Int {
        try write(isSole: true) { writer throws(StoreError) in try writer.execute(sql) }
    }

    // MARK: - Reading

    /// Lets `body` read, on this thread. If the connection is lost, another one is tried.
    func read<Result>(
        cancelledBy cancellation: PostgresCancellation? = nil,
        _ body: (PostgresConnection) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try checkNotInside()
        return try retrying { attempts throws(Attempt) in
            let connection = try take(attempts, cancellation)
            let result = Swift.Result { () throws(StoreError) in try body(connection) }
            try end(cancellation, connection)
            switch result {
            case .success(let value):
                pool.giveBack(connection)
                return value
            case .failure(let error): throw release(connection, error)
            }
        }
    }

    // MARK: - Writing

    /// Lets `body` write in a transaction, on this thread. It runs again if the transaction conflicts with another one.
    ///
    /// - Parameters:
    ///   - cancellation: It ends the body. A commit that has begun goes on.
    ///   - isSole: `true` if the body has only one step, which then needs no savepoint.
    func write<Result>(
        cancelledBy cancellation: PostgresCancellation? = nil, isSole: Bool,
        _ body: (PostgresWriter) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try checkNotInside()
        return try retrying { attempts throws(Attempt) in
            let connection = try take(attempts, cancellation)
            let writer = PostgresWriter(
                connection, isSole: isSole, notifiesObservers: configuration.notifiesObservers)
            let result = try run(body, by: writer, cancelledBy: cancellation)
            try commit(writer)
            listener.invalidate(writer.tables)
            return result
        }
    }

    /// Runs the body of a transaction. If it fails or is cancelled, the transaction is rolled back.
    private func run<Result>(
        _ body: (PostgresWriter) throws(StoreError) -> Result, by writer: PostgresWriter,
        cancelledBy cancellation: PostgresCancellation?
    ) throws(Attempt) -> Result {
        let result = Swift.Result { () throws(StoreError) in
            let result = try inside { () throws(StoreError) in try body(writer) }
            // The body may have caught the error that ended the transaction.
            if let failure = writer.failure { throw failure }
            return result
        }
        if case .failure = result { writer.rollBack() }
        // If it was cancelled after its last step, the connection is closed, which rolls the transaction back.
        try end(cancellation, writer.connection)
        switch result {
        case .success(let value): return value
        case .failure(let error):
            // The body may have replaced the conflict by an error of its own.
            if case .conflict? = writer.failure { throw release(writer.connection, writer.failure ?? error) }
            throw release(writer.connection, error)
        }
    }

    /// Commits a transaction. If its connection is lost meanwhile, the server is asked on another one if it was committed.
    private func commit(_ writer: PostgresWriter) throws(Attempt) {
        let connection = writer.connection
        do throws(StoreError) {
            try writer.commit()
        } catch {
            guard case .lost(let transaction) = writer.commitment else {
                writer.rollBack()
                throw release(connection, error)
            }
            pool.discard(connection)
            if try wasCommitted(transaction, on: connection, error) { return }
            throw .lost(error)
        }
        pool.giveBack(connection)
    }

    /// Ends what the caller could cancel; throws if it has cancelled it. The connection is then returned to the pool.
    private func end(
        _ cancellation: PostgresCancellation?, _ connection: PostgresConnection
    ) throws(Attempt) {
        if let cancellation, cancellation.end(connection, in: pool) { throw .over(.cancelled) }
    }

    /// Returns a connection to the pool after an error; the result says if another attempt makes sense.
    func release(_ connection: PostgresConnection, _ error: StoreError) -> Attempt {
        if connection.isLost || connection.isOutdated {
            pool.discard(connection)
            if connection.hasBegunCopy { return .over(error) }
            if connection.hasTimedOut {
                // A server that is frozen may never take notice.
                Thread.detachNewThread { connection.cancel() }
                return .over(error)
            }
            return connection.isLost ? .lost(error) : .outdated(error)
        }
        pool.giveBack(connection)
        if case .conflict = error { return .conflict(error) }
        return .over(error)
    }
}
