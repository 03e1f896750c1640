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
}
