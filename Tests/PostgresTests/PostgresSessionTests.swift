import Dispatch
import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Synchronization
import Testing

@testable import Postgres

/// What statements of the library's user leave behind in their session, which another task gets next.
@Suite("Sessions of PostgreSQL")
struct PostgresSessionTests {
    /// A statement that leaves something behind, and a question for the number of things that are left.
    private static let leftovers: [(statement: SQL, question: SQL)] = [
        ("SET work_mem = '77MB'", "SELECT (current_setting('work_mem') = '77MB')::int"),
        (
            "SELECT set_config('search_path', 'nowhere', false)",
            "SELECT (current_setting('search_path') = 'nowhere')::int"
        ),
        ("SET ROLE pg_monitor", "SELECT (current_user = 'pg_monitor')::int"),
        (
            "CREATE TEMPORARY TABLE scratch (n int)",
            // A session that was closed keeps its table for a moment.
            "SELECT count(*) FROM pg_class WHERE relname = 'scratch' AND relnamespace = pg_my_temp_schema()"
        ),
        (
            "DECLARE films_cursor CURSOR WITH HOLD FOR SELECT 1",
            "SELECT count(*) FROM pg_cursors WHERE name = 'films_cursor'"
        ),
        ("LISTEN news", "SELECT count(*) FROM pg_listening_channels()"),
        (
            "SELECT pg_advisory_lock_shared(1)",
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"
        ),
    ]

    private func films(
        _ change: (inout PostgresDatabase.Configuration) -> Void = { _ in }
    ) throws -> PostgresStore<Film> {
        let films = try PostgresStore(
            Film.schema,
            in: TestServer.running().database {
                $0.maximumConnections = 1
                change(&$0)
            })
        try films.insert(.fixture(id: 1)).get()
        return films
    }

    /// Expects that nothing of what a statement leaves behind in a session is there for the next task, whichever way the
    /// statement was run.
    private func expectEnd(of leftover: (statement: SQL, question: SQL), in films: PostgresStore<Film>) throws {
        let (statement, question) = leftover
        let database = films.database
        try database.execute(statement)
        #expect(try database.rows(question) == [[.integer(0)]])
        _ = try films.perform { films throws(StoreError) in try films.execute(statement) }
        #expect(try database.rows(question) == [[.integer(0)]])
        // A transaction that fails has no end of its own.
        #expect(throws: StoreError.self) {
            try films.perform { films throws(StoreError) in
                try films.execute(statement)
                try films.insert([.fixture(id: 1)])
            }
        }
        #expect(try database.rows(question) == [[.integer(0)]])
        _ = try? database.rows(statement)
        #expect(try database.rows(question) == [[.integer(0)]])
        #expect(try films.find(1) == .fixture(id: 1))
    }

    @Test(
        "The settings that a statement leaves behind in its session end with its transaction",
        arguments: PostgresSessionTests.leftovers.indices)
    func ends(_ index: Int) throws { try expectEnd(of: Self.leftovers[index], in: films()) }

    @Test("A session that the user may not clean is not used again, and its statements succeed")
    func uncleaned() throws {
        _ = try TestServer.running()
        let server = try TestServer()
        let owner = try PostgresDatabase(server.address())
        for statement: SQL in [
            "CREATE ROLE ordinary LOGIN", "GRANT pg_monitor TO ordinary",
            "GRANT CREATE ON DATABASE postgres TO ordinary",
            "REVOKE EXECUTE ON FUNCTION pg_advisory_unlock_all() FROM PUBLIC",
        ] { try owner.execute(statement) }
        var configuration = PostgresDatabase.Configuration()
        configuration.maximumConnections = 1
        let films = try PostgresStore(
            Film.schema, in: PostgresDatabase(server.address(user: "ordinary"), configuration: configuration))
        try films.insert(.fixture(id: 1)).get()
        #expect(try films.database.rows("SELECT set_config('work_mem', '77MB', false)") == [[.text("77MB")]])
        #expect(
            try films.select("SELECT * FROM films WHERE pg_advisory_lock_shared(1) IS NOT NULL").get() == [
                .fixture(id: 1)
            ])
        for leftover in Self.leftovers { try expectEnd(of: leftover, in: films) }
    }

    @Test("A commit that the server refuses fails with its reason, once, and the session is cleaned and used again")
    func refusedCommit() throws {
        let films = try films()
        try films.database.execute("CREATE TABLE places (number int UNIQUE DEFERRABLE INITIALLY DEFERRED)")
        let session = try films.database.rows("SELECT pg_backend_pid()")
        let attempts = Atomic(0)
        let error = #expect(throws: StoreError.self) {
            try films.perform { films throws(StoreError) in
                attempts.add(1, ordering: .relaxed)
                try films.execute("SET work_mem = '77MB'")
                try films.execute("INSERT INTO places VALUES (1), (1)")
            }
        }
        guard case .constraint(let reason)? = error, reason.contains("places") else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        #expect(attempts.load(ordering: .relaxed) == 1)
        #expect(try films.database.rows("SELECT pg_backend_pid()") == session)
        #expect(try films.database.rows("SELECT current_setting('work_mem') = '77MB'") == [[.bool(false)]])
    }

    @Test("A setting of a transaction is there until its end")
    func setting() throws {
        let films = try films()
        let changed = try films.perform { films throws(StoreError) in
            try films.execute("SET work_mem = '77MB'")
            return try films.execute("UPDATE films SET year = 7 WHERE current_setting('work_mem') = '77MB'")
        }
        #expect(changed == 1)
        #expect(try films.find(1)?.year == 7)
    }

    @Test("What a statement that selects leaves behind ends with its transaction, also if it fails after that")
    func selected() throws {
        let films = try films()
        #expect(throws: StoreError.self) {
            try films.database.rows("SELECT pg_advisory_lock_shared(1), 1 / (id - 1) FROM films")
        }
        let locks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()" as SQL
        #expect(try films.database.rows(locks) == [[.integer(0)]])
        let statement = "SELECT * FROM films WHERE set_config('work_mem', '77MB', false) <> ''" as SQL
        #expect(try films.perform { films throws(StoreError) in try films.select(statement).count } == 1)
        #expect(try films.database.rows("SELECT current_setting('work_mem') = '77MB'") == [[.bool(false)]])
    }

    @Test("A setting of a migration ends with the migrations")
    func migration() throws {
        let address = try TestServer.running().address()
        try PostgresDatabase(address).execute("CREATE TABLE old (id int)")
        let migrations = [
            Migration(to: 2, "SET work_mem = '77MB'; SELECT pg_advisory_lock_shared(1)"),
            Migration(to: 3) { database throws(StoreError) in
                try database.execute("SET statement_timeout = 1")
                _ = try database.rows("SELECT pg_advisory_lock_shared(1)")
            },
        ]
        let database = try PostgresDatabase(address, migrations: migrations)
        for setting in ["work_mem", "statement_timeout"] {
            let rows = try database.rows(
                "SELECT count(*) FROM pg_settings WHERE name = \(setting) AND source = 'session'")
            #expect(rows == [[.integer(0)]])
        }
        #expect(
            try database.rows(
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()")
                == [[.integer(0)]])
    }

    @Test("Cleaning a session takes no round trip to the server")
    func roundTrips() throws {
        let server = try TestServer.running()
        let proxy = try CuttingProxy(to: server.folder)
        defer { proxy.close() }
        let database = try PostgresDatabase(server.address(folder: proxy.folder))
        for _ in 1...3 {
            let before = proxy.roundTrips
            try database.execute("SET work_mem = '77MB'")
            #expect(proxy.roundTrips == before + 2)
        }
        // A session that has run no statement of the user's needs no cleaning.
        let pool = database.pool
        let connections = [try pool.take(), try pool.take()]
        let before = proxy.roundTrips
        for connection in connections { pool.giveBack(connection) }
        #expect(proxy.roundTrips == before)
    }

    @Test("A session is cleaned once, and not again after each later read")
    func cleanedOnce() throws {
        let server = try TestServer.running()
        let proxy = try CuttingProxy(to: server.folder)
        defer { proxy.close() }
        var configuration = PostgresDatabase.Configuration()
        configuration.maximumConnections = 1
        let films = try PostgresStore(
            Film.schema, in: PostgresDatabase(server.address(folder: proxy.folder), configuration: configuration))
        func roundTripsOfRead() throws -> Int {
            let before = proxy.roundTrips
            #expect(try films.find(1) == nil)
            return proxy.roundTrips - before
        }
        // The first read prepares its statement.
        _ = try roundTripsOfRead()
        let usual = try roundTripsOfRead()
        _ = try films.database.rows("SELECT set_config('work_mem', '77MB', false)")
        for _ in 1...2 { #expect(try roundTripsOfRead() == usual) }
        // A transaction that fails has no end of its own, with which the session would be cleaned.
        #expect(throws: StoreError.insideTransaction) {
            try films.perform { films throws(StoreError) in
                try films.execute("SET work_mem = '77MB'")
                throw .insideTransaction
            }
        }
        for _ in 1...2 { #expect(try roundTripsOfRead() == usual) }
    }

    @Test("After a statement that closes the prepared ones, the others are prepared anew")
    func deallocated() async throws {
        let films = try films()
        let reads: [() async throws -> Film?] = [
            { try films.find(1) }, { try await films.object(withId: 1) },
            { try films.select("SELECT * FROM films").get().first },
            { try films.perform { films throws(StoreError) in try films.object(withId: 1) } },
        ]
        for read in reads {
            #expect(try await read() == .fixture(id: 1))
            try films.database.execute("DEALLOCATE ALL")
            #expect(try await read() == .fixture(id: 1))
            try films.database.execute("DEALLOCATE ALL")
            try await films.update(.fixture(id: 1))
        }
    }
}

@Suite("Cancelled queries of PostgreSQL")
struct PostgresCancellationTests {
    @Test("The connection of a cancelled query is used again", arguments: [false, true])
    func reused(isSelect: Bool) async throws {
        let films = try await PostgresStore(
            Film.schema, in: TestServer.running().database { $0.maximumConnections = 1 })
        let watching = try await PostgresDatabase(TestServer.running().address())
        try await films.insert(.fixture(id: 1))
        try films.database.execute(
            "CREATE FUNCTION slow(id int8) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$ BEGIN PERFORM pg_sleep(300); RETURN true; END $$"
        )
        try films.database.execute("ALTER TABLE films RENAME TO stored")
        try films.database.execute("CREATE VIEW films AS SELECT * FROM stored WHERE slow(id)")
        func backend() throws -> PrimitiveValue { try films.database.rows("SELECT pg_backend_pid()")[0][0] }
        let before = try backend()
        let task = Task {
            if isSelect { try await films.select("SELECT * FROM films") } else { try await films.all().result() }
        }
        try await eventually("the server works") {
            try watching.rows(
                "SELECT count(*) FROM pg_stat_activity WHERE pid = \(before) AND wait_event = 'PgSleep'") == [
                    [.integer(1)]
                ]
        }
        task.cancel()
        let result = await task.result
        #expect(throws: StoreError.cancelled) { try result.get() }
        await eventually("the connection is back") { films.database.pool.idle == 1 }
        #expect(try backend() == before)
        try films.database.execute("DROP VIEW films")
        try films.database.execute("ALTER TABLE stored RENAME TO films")
        #expect(try await films.all().count() == 1)
    }

    @Test("A task that is cancelled does not wait for its connection, which the next query gets")
    func whileConnecting() async throws {
        let server = try TestServer.running()
        let proxy = try CuttingProxy(to: server.folder)
        defer { proxy.close() }
        var configuration = PostgresDatabase.Configuration()
        configuration.patience = .seconds(60)
        let address = try server.address(folder: proxy.folder)
        let database = try await PostgresDatabase(address, configuration: configuration)
        let films = try await PostgresStore(Film.schema, in: database)
        let connection = try await database.pool.take()
        proxy.hold(true)
        let query = Task { try await films.all().count() }
        await eventually("it waits for a connection") { proxy.held == 1 }
        query.cancel()
        await #expect(throws: StoreError.cancelled) { try await query.value }
        #expect(proxy.held == 1)
        let opening = Task { _ = try await PostgresDatabase(address, configuration: configuration) }
        await eventually("it waits for a connection") { proxy.held == 2 }
        opening.cancel()
        await #expect(throws: StoreError.cancelled) { try await opening.value }
        #expect(proxy.held == 2)
        proxy.hold(false)
        await eventually("the connection is there") { database.pool.idle == 1 }
        database.pool.giveBack(connection)
        #expect(try await films.all().count() == 0)
    }
}
