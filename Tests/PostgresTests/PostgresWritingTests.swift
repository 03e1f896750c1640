import Feedback
import Persistence
import Synchronization
import Testing

@testable import Postgres

@Suite("Writing objects to PostgreSQL")
struct PostgresWritingTests {
    @Test("The object that is missing is named, wherever it is among those to be updated", arguments: 0..<3)
    func missing(place: Int) throws {
        let films = try PostgresStore(Film.schema, in: TestServer.running().database())
        try films.insert((0..<3).map { .fixture(id: $0) }).get()
        var changed = (0..<3).map { Film.fixture(id: $0, title: "changed") }
        changed[place].id = 7
        #expect(throws: StoreError.missing(id: "7")) { try films.update(changed).get() }
        try films.perform { films throws(StoreError) in
            for id in 3...4 {
                try films.insert([.fixture(id: id)])
                do throws(StoreError) {
                    try films.update(changed)
                } catch {
                    #expect(error == .missing(id: "7"))
                }
            }
        }
        #expect(try films.sorted(by: \.id).result().get() == (0..<5).map { .fixture(id: $0) })
    }

    @Test(
        "If the connection is lost at the first step, all is done again, also if the body goes on as if nothing had happened",
        arguments: [false, true])
    func lostAtFirst(isRead: Bool) throws {
        let server = try TestServer.running()
        let films = try PostgresStore(Film.schema, in: server.database { $0.maximumConnections = 1 })
        try films.insert(.fixture(id: 1)).get()
        let session = try films.database.rows("SELECT pg_backend_pid()")[0][0]
        let ended = try server.database().rows(
            "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE pid = \(session)")
        #expect(ended == [[.bool(true)]])
        let attempts = Atomic(0)
        let found = try films.perform { films throws(StoreError) in
            attempts.add(1, ordering: .relaxed)
            if isRead { return try? films.object(withId: 1)?.id }
            try? films.insert([.fixture(id: 2)])
            return 2
        }
        #expect(found == (isRead ? 1 : 2))
        #expect(attempts.load(ordering: .relaxed) == 2)
        #expect(try films.sorted(by: \.id).result().get().map(\.id) == (isRead ? [1] : [1, 2]))
    }

    @Test("If a step's statement must be prepared again, all is done again, also if the body goes on without the step")
    func outdatedStep() throws {
        let films = try PostgresStore(
            Film.schema, in: TestServer.running().database { $0.maximumConnections = 1 })
        try films.insert(.fixture(id: 1)).get()
        try films.database.execute(
            """
            DO $$ DECLARE prepared text; BEGIN
                FOR prepared IN SELECT name FROM pg_prepared_statements WHERE statement LIKE 'INSERT INTO "films"%' LOOP
                    EXECUTE format('DEALLOCATE %I', prepared);
                END LOOP;
            END $$
            """)
        let attempts = Atomic(0)
        try films.perform { films throws(StoreError) in
            attempts.add(1, ordering: .relaxed)
            try films.delete(ids: [1])
            try? films.insert([.fixture(id: 2)])
        }
        #expect(attempts.load(ordering: .relaxed) == 2)
        #expect(try films.all().result().get().map(\.id) == [2])
    }

    @Test("After a function that has met a stored id, a step fails with that error, not as a duplicate of its own")
    func duplicateInFunction() throws {
        let films = try PostgresStore(Film.schema, in: TestServer.running().database())
        try films.insert(.fixture(id: 1)).get()
        try films.database.execute(
            """
            CREATE FUNCTION copying() RETURNS SETOF films LANGUAGE plpgsql AS
            $$ BEGIN RETURN QUERY INSERT INTO films SELECT * FROM films RETURNING *; END $$
            """)
        let error = #expect(throws: StoreError.self) {
            try films.perform { films throws(StoreError) in
                _ = try? films.select("SELECT * FROM copying()")
                try films.insert([.fixture(id: 5)])
            }
        }
        guard case .constraint? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
    }

    @Test("However many steps and parts a transaction has, none keeps a lock of its own until the end")
    func locks() throws {
        let films = try PostgresStore(Film.schema, in: TestServer.running().database())
        let locks = try films.perform { films throws(StoreError) in
            try films.insert([.fixture(id: 1), .fixture(id: 2)])
            try films.update([.fixture(id: 1, title: "changed")])
            try films.upsert([.fixture(id: 3)])
            try films.update(where: \.id == 2, set: [.value(\.budget, 7)])
            try films.merge([.fixture(id: 4)], where: \.id > 2)
            try films.delete(ids: [1])
            try? films.insert([.fixture(id: 5), .fixture(id: 5)])
            try films.withSavepoint { () throws(StoreError) in
                try films.insert([.fixture(id: 6)])
                try? films.withSavepoint { () throws(StoreError) in
                    try films.insert([.fixture(id: 7)])
                    throw .rolledBack(reason: "no")
                }
                try films.insert([.fixture(id: 8)])
            }
            return try films.execute("SELECT FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'transactionid'")
        }
        // That of the transaction. The server has room for some thousands only.
        #expect(locks == 1)
        #expect(try films.sorted(by: \.id).result().get().map(\.id) == [2, 4, 6, 8])
    }

    @Test("An object that is merged takes the place of the stored one with its id, also if that one does not match")
    func mergedWithOther() throws {
        let films = try PostgresStore(Film.schema, in: TestServer.running().database())
        try films.insert([.fixture(id: 1, budget: 1), .fixture(id: 2, budget: 7), .fixture(id: 3, budget: 1)]).get()
        let merged = [Film.fixture(id: 1, budget: 8), .fixture(id: 4, budget: 9)]
        let result = try films.merge(merged, where: \.budget > 5).get()
        #expect(result.updated.map(\.id) == [1])
        #expect(result.inserted.map(\.id) == [4])
        #expect(result.deleted.map(\.id) == [2])
        #expect(try films.sorted(by: \.id).result().get() == [merged[0], .fixture(id: 3, budget: 1), merged[1]])
    }

    @Test("A step has the outcomes of its own statements only", arguments: [false, true])
    func outcomes(isSole: Bool) throws {
        let connection = try TestServer.running().database().pool.take()
        let writer = PostgresWriter(connection, isSole: isSole, notifiesObservers: true)
        let outcomes = try writer.write(to: "films") { connection throws(PipelineError) in
            for number in 1...3 { try connection.send("SELECT \(number)::int8") }
        }
        #expect(outcomes.map(\.first) == [.integer(1), .integer(2), .integer(3)])
        writer.rollBack()
    }
}
