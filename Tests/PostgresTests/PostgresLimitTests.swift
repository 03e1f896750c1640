import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Postgres
import Synchronization
import Testing

@Suite("Limits that a server sets")
struct PostgresLimitTests {
    /// A store whose connections have a setting of the server's.
    private func films(with setting: String) throws -> PostgresStore<Film> {
        try PostgresStore(
            Film.schema, in: PostgresDatabase(TestServer.running().address() + "%20-c\(setting)"))
    }

    @Test("A statement that takes longer than the server allows is refused, and the next one is answered")
    func statementTimeout() throws {
        let films = try films(with: "statement_timeout%3D1000")
        let error = #expect(throws: StoreError.self) { try films.database.rows("SELECT pg_sleep(60)") }
        guard case .refused? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        try films.insert(.fixture(id: 1)).get()
        #expect(try films.find(1) != nil)
    }

    @Test("A transaction that rests longer than the server allows is done again, and kept once")
    func restingOnce() throws {
        let films = try films(with: "idle_in_transaction_session_timeout%3D500")
        let attempts = Atomic(0)
        try films.perform { transaction throws(StoreError) in
            try transaction.insert([.fixture(id: 1)])
            if attempts.add(1, ordering: .relaxed).newValue == 1 { try self.rest(in: transaction, "rests once") }
            try transaction.insert([.fixture(id: 2)])
        }
        #expect(attempts.load(ordering: .relaxed) > 1)
        #expect(try films.all().result().get().map(\.id) == [1, 2])
    }

    @Test("A transaction that always rests too long fails, and nothing of it is kept")
    func restingAlways() throws {
        let films = try films(with: "idle_in_transaction_session_timeout%3D500")
        let attempts = Atomic(0)
        let error = #expect(throws: StoreError.self) {
            try films.perform { transaction throws(StoreError) in
                attempts.add(1, ordering: .relaxed)
                try transaction.insert([.fixture(id: 1)])
                try self.rest(in: transaction, "always rests")
                try transaction.insert([.fixture(id: 2)])
            }
        }
        #expect(error?.description.contains("idle-in-transaction") == true, "\(String(describing: error))")
        #expect(attempts.load(ordering: .relaxed) < 10)
        #expect(try films.all().count().get() == 0)
    }

    /// Rests in a transaction, whose session is given a name, until the server has ended the session.
    private func rest(in transaction: PostgresTransaction<Film>, _ name: String) throws(StoreError) {
        _ = try transaction.execute("SELECT set_config('application_name', \(name), false)")
        do {
            let watching = try TestServer.running().database()
            // The server waits before each look, so that the test does not ask without a pause.
            let sessions: SQL = "SELECT pg_sleep(0.02) FROM pg_stat_activity WHERE application_name = \(name)"
            while try !watching.rows(sessions).isEmpty {}
        } catch {
            throw .rolledBack(reason: "\(error)")
        }
    }

    @Test("A password with signs that mean something in an address is found when they are escaped")
    func oddPassword() throws {
        let server = try TestServer.running()
        let database = try server.database()
        try database.execute("DROP ROLE IF EXISTS odd")
        try database.execute("CREATE ROLE odd LOGIN PASSWORD 'p@s:s/w#r?d%&='")
        let address = "postgresql://odd:p%40s%3As%2Fw%23r%3Fd%25%26%3D@/postgres?host=\(server.folder)"
        #expect(try PostgresDatabase(address).rows("SELECT current_user::text") == [[.text("odd")]])
        let error = #expect(throws: StoreError.self) {
            _ = try PostgresDatabase(address.replacing("%40s", with: "%40x"))
        }
        for secret in ["p%40x", "p@x", "w%23r", "w#r"] { #expect(error?.description.contains(secret) == false) }
    }

    @Test(
        "Data that is too large for a statement is refused, and the transaction can go on",
        arguments: [1 << 30, 1 << 31])
    func largeData(_ size: Int) throws {
        let films = try PostgresStore(Film.schema, in: TestServer.running().database())
        // The system provides its memory only where it is read or written.
        let data = Data(count: size)
        let error = #expect(throws: StoreError.self) { try films.insert(.fixture(poster: data)).get() }
        guard case .constraint? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        try films.perform { films throws(StoreError) in
            try films.insert([.fixture(id: 1)])
            _ = try? films.update(where: \.id == 1, set: [.value(\.poster, data)])
            try films.insert([.fixture(id: 2)])
        }
        #expect(try films.all().result().get() == [.fixture(id: 1), .fixture(id: 2)])
    }

    @Test(
        "A database may have the patience to wait for ever",
        arguments: [Duration.seconds(Int64.max), .seconds(1 << 31)])
    func patience(_ patience: Duration) async throws {
        let database = try await PostgresDatabase(
            TestServer.running().address(), configuration: .init(maximumConnections: 1, patience: patience))
        let films = try await PostgresStore(Film.schema, in: database)
        let (answers, observation) = films.all().observe().map(\.count).collecting()
        defer { observation.dispose() }
        await eventually("the first answer is there") { answers.all == [0] }
        // Each waits for the only connection.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 0..<10 {
                group.addTask { try await films.insert(.fixture(id: id)) }
                group.addTask { _ = try await films.object(withId: id) }
            }
            try await group.waitForAll()
        }
        await eventually("the last answer is there") { answers.all.last == 10 }
    }

    @Test(
        "A name that PostgreSQL would cut, or cannot have, is refused",
        arguments: ["", "a\u{0}b", String(repeating: "n", count: 64)])
    func names(_ name: String) throws {
        struct Note: Identifiable, Sendable {
            var id: Int
            var text: String
        }
        let database = try TestServer.running().database()
        func open(_ table: String, _ column: String) throws {
            let schema = Schema(table, Note.init, Column("id", \.id), Column(column, \.text))
            _ = try PostgresStore(schema, in: database)
        }
        for error in [
            #expect(throws: StoreError.self) { try open(name, "text") },
            #expect(throws: StoreError.self) { try open("notes", name) },
        ] {
            guard case .schemaMismatch(_, let reason)? = error, reason.contains("63 bytes") else {
                Issue.record("\(String(describing: error)) is another error")
                continue
            }
        }
        try open(String(repeating: "n", count: 63), "text")
    }

    @Test("A text that is too long for its index is refused as a constraint, with the reason")
    func longIndexedText() throws {
        let films = try PostgresStore(Film.schema, in: TestServer.running().database())
        var generator = SystemRandomNumberGenerator()
        let title = String(
            String.UnicodeScalarView(
                (0..<9_000).map { _ in
                    UnicodeScalar(UInt8.random(in: 33..<127, using: &generator))
                }))
        let error = #expect(throws: StoreError.self) { try films.insert(.fixture(title: title)).get() }
        guard case .constraint(let reason)? = error, reason.contains("index") else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
    }
}

extension PostgresDatabase.Configuration {
    fileprivate init(maximumConnections: Int, patience: Duration) {
        self.init()
        self.maximumConnections = maximumConnections
        self.patience = patience
    }
}
