import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Synchronization
import Testing

@testable import Postgres

@Suite("Steps of transactions with PostgreSQL")
struct PostgresStepTests {
    private func films() throws -> PostgresStore<Film> {
        try PostgresStore(Film.schema, in: TestServer.running().database())
    }

    @Test("A deletion and a change that nothing matches concern zero objects, also if a text is matched in memory")
    func nothingMatches() throws {
        let films = try films()
        try films.insert([.fixture(id: 1, title: "a")]).get()
        let condition = Condition<Film>.contains(\.title, "B", [.caseInsensitive])
        #expect(try films.delete(where: condition).get() == 0)
        #expect(try films.update(where: condition, set: [.value(\.budget, 7)]).get() == 0)
        #expect(try films.update(where: \.id == 1, set: []).get() == 1)
        #expect(try films.delete(where: \.id == 2).get() == 0)
        #expect(try films.find(1)?.budget == Film.fixture(id: 1, title: "a").budget)
        #expect(try films.delete(where: .contains(\.title, "A", [.caseInsensitive])).get() == 1)
        #expect(try films.delete(ids: []).get() == 0)
        #expect(try films.database.execute("CREATE TABLE more (n int)") == 0)
    }

    @Test("A change by condition cannot give an object another id")
    func otherID() throws {
        let films = try films()
        try films.insert(.fixture(id: 1)).get()
        #expect(throws: StoreError.self) { try films.update(where: \.id == 1, set: .value(\.id, 9)).get() }
        #expect(try films.all().result().get() == [.fixture(id: 1)])
    }

    @Test("A write by condition is one round trip to the server, and the commit another")
    func roundTrips() throws {
        let server = try TestServer.running()
        let proxy = try CuttingProxy(to: server.folder)
        defer { proxy.close() }
        let films = try PostgresStore(Film.schema, in: PostgresDatabase(server.address(folder: proxy.folder)))
        for id in 1...3 { try films.insert(.fixture(id: id)).get() }
        // The first time, the statements are prepared, too.
        for id in 1...3 {
            let before = proxy.roundTrips
            #expect(try films.update(where: \.id == id, set: [.value(\.budget, 7)]).get() == 1)
            #expect(try films.delete(where: \.id == id).get() == 1)
            #expect(proxy.roundTrips == before + 4)
        }
    }

    @Test("A transaction that only reads sends nothing more for its end than the commit")
    func readingRoundTrips() throws {
        let server = try TestServer.running()
        let proxy = try CuttingProxy(to: server.folder)
        defer { proxy.close() }
        let films = try PostgresStore(Film.schema, in: PostgresDatabase(server.address(folder: proxy.folder)))
        let all = films.all()
        // The first time, the statement is prepared.
        _ = try films.perform { films throws(StoreError) in try films.execute(all) }
        for _ in 1...3 {
            let before = proxy.roundTrips
            #expect(try films.perform { films throws(StoreError) in try films.execute(all) } == [])
            // The beginning, the statement, and the commit.
            #expect(proxy.roundTrips == before + 3)
        }
    }

    @Test("A row that a trigger leaves out is no missing one")
    func leftOut() throws {
        let films = try films()
        try films.database.execute(
            "CREATE FUNCTION leaving_out() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'")
        try films.database.execute(
            "CREATE TRIGGER leaving_out BEFORE INSERT ON films FOR EACH ROW EXECUTE FUNCTION leaving_out()")
        try films.insert(.fixture(id: 1)).get()
        try films.perform { films throws(StoreError) in
            try films.insert([.fixture(id: 2)])
            try films.upsert([.fixture(id: 3)])
        }
        #expect(try films.all().count().get() == 0)
    }

    @Test("After a statement that fails while reading, the transaction fails with its error, whatever follows")
    func failedRead() throws {
        let films = try films()
        let failures = Locked<[StoreError]>([])
        let error = #expect(throws: StoreError.self) {
            try films.perform { films throws(StoreError) in
                for _ in 1...2 {
                    do throws(StoreError) {
                        _ = try films.select("SELECT * FROM films WHERE 1 / 0 = 1")
                    } catch {
                        failures.withLock { $0.append(error) }
                    }
                }
                try films.insert([.fixture(id: 1)])
            }
        }
        guard case .postgres(code: "22012", _)? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        #expect(failures.withLock(\.self) == [error, error].compactMap(\.self))
        #expect(try films.all().count().get() == 0)
    }

    @Test("A statement that PostgreSQL does not support fails at once; the transaction is not tried again")
    func notSupported() throws {
        let films = try films()
        let attempts = Atomic(0)
        let error = #expect(throws: StoreError.self) {
            try films.perform { films throws(StoreError) in
                attempts.add(1, ordering: .relaxed)
                try films.execute("SELECT count(*) FROM films FOR UPDATE")
            }
        }
        guard case .postgres(code: "0A000", _)? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        #expect(attempts.load(ordering: .relaxed) == 1)
    }

    @Test("If PostgreSQL cannot reach another server, its connection stays, and the transaction is not tried again")
    func otherServer() throws {
        let films = try PostgresStore(Film.schema, in: TestServer.running().database { $0.maximumConnections = 1 })
        let session = try films.database.rows("SELECT pg_backend_pid()")
        let attempts = Atomic(0)
        let error = #expect(throws: StoreError.self) {
            try films.perform { films throws(StoreError) in
                attempts.add(1, ordering: .relaxed)
                // As a foreign data wrapper does.
                try films.execute("DO $$ BEGIN RAISE EXCEPTION 'it is away' USING ERRCODE = '08001'; END $$")
            }
        }
        guard case .unreachable? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        #expect(attempts.load(ordering: .relaxed) == 1)
        #expect(try films.database.rows("SELECT pg_backend_pid()") == session)
    }

    @Test(
        "If a part meets a table whose columns have changed, all is done again, also if the caller goes on without it")
    func outdatedPart() throws {
        let address = try TestServer.running().address()
        var configuration = PostgresDatabase.Configuration()
        configuration.maximumConnections = 1
        let films = try PostgresStore(Film.schema, in: PostgresDatabase(address, configuration: configuration))
        try films.insert([.fixture(id: 1)]).get()
        let sql: SQL = "SELECT * FROM films"
        _ = try films.perform { films throws(StoreError) in try films.select(sql) }
        let other = try PostgresDatabase(address)
        let attempts = Atomic(0)
        // The prepared statement selects the columns that the table had.
        try other.execute("ALTER TABLE films ALTER COLUMN budget TYPE numeric")
        let found = try films.perform { films throws(StoreError) in
            attempts.add(1, ordering: .relaxed)
            try films.insert([.fixture(id: 2)])
            return try? films.withSavepoint { () throws(StoreError) in try films.select(sql).count }
        }
        #expect(found == 2)
        #expect(attempts.load(ordering: .relaxed) == 2)
    }

    @Test("A page that begins after an object without a value is whole, also for a task")
    func pageInTask() async throws {
        let films = try films()
        let years = [1950, nil, 1960, nil]
        try await films.insert(years.enumerated().map { .fixture(id: $0.offset, year: $0.element) })
        for query in [films.sorted(by: \.year), films.sorted(by: \.year, inOrder: .descending)] {
            let sorted = try await query.result()
            #expect(sorted.count == 4)
            for (number, film) in sorted.enumerated() {
                for limit in 1...4 {
                    let page = try await query.page(after: film, limit: limit).result()
                    #expect(page == Array(sorted.dropFirst(number + 1).prefix(limit)))
                }
            }
        }
    }

    @Test(
        "A page that few rows match is fetched in larger and larger batches",
        arguments: [("LAST", 1, 8), ("LAST", 5_000, 3), ("FIRST", 1, 1)])
    func batches(title: String, limit: Int, count: Int) throws {
        let server = try TestServer.running()
        let proxy = try CuttingProxy(to: server.folder)
        defer { proxy.close() }
        var configuration = PostgresDatabase.Configuration()
        configuration.maximumConnections = 1
        let films = try PostgresStore(
            Film.schema, in: PostgresDatabase(server.address(folder: proxy.folder), configuration: configuration))
        try films.insert([.fixture(id: 1, title: "first"), .fixture(id: 10_000, title: "last")]).get()
        try films.database.execute(
            """
            INSERT INTO films SELECT n, '', 'G', n, n, NULL, NULL, false, NULL, \(UUID.zero), NULL, n, NULL, NULL, '[]', NULL
            FROM generate_series(2, 9999) n
            """)
        let query = films.filter(where: .contains(\.title, title, [.caseInsensitive])).sorted(by: \.id).page(
            limit: limit)
        // The first time, the statements are prepared.
        _ = try films.answer(query)
        let before = proxy.roundTrips
        #expect(try films.answer(query).map(\.title) == [title.lowercased()])
        // A transaction and a cursor have a beginning and an end.
        #expect(proxy.roundTrips == before + count + 4)
    }

    @Test(
        "Functions that block their thread are refused in the body of a transaction, for which they could wait for ever"
    )
    func blockingInside() throws {
        let films = try films()
        let calls: [() throws -> Void] = [
            { _ = try films.find(1) }, { _ = try films.answer(films.all()) },
            { _ = try films.answerCount(films.all()) },
            { _ = try films.database.rows("SELECT 1") }, { try films.database.execute("DELETE FROM films") },
            { try films.perform { _ in } },
        ]
        try films.perform { _ throws(StoreError) in
            for call in calls { #expect(throws: StoreError.insideTransaction) { try call() } }
        }
    }

    @Test("After its end, a transaction takes in no other store")
    func otherStoreAfterEnd() throws {
        let films = try films()
        let notes = try PostgresStore(Note.schema, in: films.database)
        // Only this test's thread runs the body.
        nonisolated(unsafe) var late: (() throws(StoreError) -> Void)?
        try films.perform { films throws(StoreError) in late = { () throws(StoreError) in _ = try films.with(notes) } }
        let error = #expect(throws: StoreError.self) { try late?() }
        guard case .rolledBack? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
    }

    @Test("A page of several statements ends its transaction, so that its connection is used again")
    func pageOnOneConnection() throws {
        let database = try TestServer.running().database { $0.maximumConnections = 1 }
        let films = try PostgresStore(Film.schema, in: database)
        try films.insert([.fixture(id: 1, year: 1950), .fixture(id: 2, year: nil), .fixture(id: 3, year: 1960)]).get()
        let session = try database.rows("SELECT pg_backend_pid()")
        let first = try #require(try films.find(1))
        #expect(try films.answer(films.sorted(by: \.year).page(after: first)).map(\.id) == [3, 2])
        #expect(try database.rows("SELECT pg_backend_pid()") == session)
    }

    @Test("The observer of a query that cannot be asked is told why")
    func invalidQuery() async throws {
        let films = try films()
        let errors = Locked<[StoreError]>([])
        let observation = films.filter(where: .matches(\.title, "[")).observe().startWithFailed { error in
            errors.withLock { $0.append(error) }
        }
        defer { observation.dispose() }
        await eventually("it was told") { errors.withLock { !$0.isEmpty } }
        guard case .invalidPattern("[", _)? = errors.withLock(\.first) else {
            Issue.record("\(errors.withLock(\.self)) are other errors")
            return
        }
    }

    @Test("The connection that listens for observers ends with the database")
    func listenerEnds() async throws {
        let server = try TestServer.running()
        let name = "listening_\(UUID().uuidString.prefix(8))"
        let address = try server.address()
        let other = try await PostgresDatabase(address)
        func sessions() throws -> Int64? {
            let sql: SQL = "SELECT count(*) FROM pg_stat_activity WHERE application_name = \(name)"
            guard case .integer(let count)? = try other.rows(sql).first?.first else { return nil }
            return count
        }
        var films: PostgresStore<Film>? = try await PostgresStore(
            Film.schema, in: PostgresDatabase(address + "&application_name=\(name)"))
        let answers = Locked(0)
        let observation = films?.all().observe().startWithResult { _ in answers.withLock { $0 += 1 } }
        await eventually("the first answer is there") { answers.withLock(\.self) == 1 }
        let count = try sessions() ?? 0
        #expect(count >= 2)
        observation?.dispose()
        films = nil
        try await eventually("all its sessions have ended") { try sessions() == 0 }
    }
}
