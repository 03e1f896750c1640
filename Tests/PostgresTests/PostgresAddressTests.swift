import CPostgres
import Persistence
import Testing

@testable import Postgres

@Suite("What a connection asks of a PostgreSQL server")
struct PostgresAddressTests {
    /// The value of an option with which a connection was made.
    private func option(
        _ keyword: String, of address: String, patience: Duration = .seconds(60)
    ) throws -> String? {
        let connection = try PostgresConnection(PostgresAddress(address), patience: patience)
        return PostgresAddress.options(takenFrom: PQconninfo(connection.handle))?.first { $0.keyword == keyword }?.value
    }

    @Test("A server that takes long to connect to has as much time as the patience, but at least two seconds")
    func connectTimeout() throws {
        let address = try TestServer.running().address()
        #expect(try option("connect_timeout", of: address, patience: .seconds(60)) == "60")
        #expect(try option("connect_timeout", of: address, patience: .milliseconds(1)) == "2")
        #expect(try option("connect_timeout", of: address, patience: .seconds(Int64.max)) == "2147483")
        #expect(try option("connect_timeout", of: address + "&connect_timeout=7") == "7")
    }

    @Test("The server is told a name for the program, unless the address has another one")
    func applicationName() throws {
        let address = try TestServer.running().address()
        let name: SQL = "SELECT current_setting('application_name')"
        #expect(try PostgresDatabase(address).rows(name) == [[.text("feedback")]])
        #expect(try PostgresDatabase(address + "&application_name=films").rows(name) == [[.text("films")]])
    }

    @Test("An address with an option that libpq does not know how to meet is refused")
    func unknownMode() {
        let error = #expect(throws: StoreError.self) {
            _ = try PostgresDatabase("postgresql:///films?host=/nonexistent&sslmode=nonsense")
        }
        guard case .refused(let reason)? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        #expect(reason.contains("nonsense"))
    }

    @Test("A server answers at its address, also if it has no such database or its name looks like an option")
    func answering() throws {
        let folder = try TestServer.running().folder
        func isAnswering(_ address: String) throws -> Bool {
            try PostgresConnection.isAnswering(PostgresAddress("postgresql:///\(address)&user=tester"))
        }
        #expect(try isAnswering("postgres?host=\(folder)"))
        #expect(try isAnswering("films%3Dnew?host=\(folder)"))
        #expect(try !isAnswering("postgres?host=/nonexistent"))
    }

    @Test("The name of a database is only a name, also if it looks like an option of a connection", .onOwnThread)
    func nameLikeOption() throws {
        let folder = try TestServer.running().folder
        let owner = try TestServer.running().database().pool.take()
        try owner.execute("CREATE DATABASE \"films=old\"")
        try owner.execute("CREATE ROLE nobody_fits LOGIN CONNECTION LIMIT 0")
        func open(_ options: String, host: String = folder) throws(StoreError) -> PostgresDatabase {
            var configuration = PostgresDatabase.Configuration()
            configuration.patience = .milliseconds(300)
            return try PostgresDatabase(
                "postgresql:///films%3Dold?host=\(host)&\(options)", configuration: configuration)
        }
        let database = try open("user=tester")
        #expect(try database.rows("SELECT current_database()::text") == [[.text("films=old")]])
        let wrong = #expect(throws: StoreError.self) { _ = try open("user=locked&password=not-this-one") }
        guard case .refused? = wrong else {
            Issue.record("\(String(describing: wrong)) is another error")
            return
        }
        let start = ContinuousClock.now
        let full = #expect(throws: StoreError.self) { _ = try open("user=nobody_fits") }
        // A connection could have become free in that time.
        #expect(start.duration(to: .now) >= .milliseconds(300))
        let away = #expect(throws: StoreError.self) { _ = try open("user=tester", host: "/nonexistent") }
        for error in [full, away] {
            guard case .unreachable? = error else {
                Issue.record("\(String(describing: error)) is another error")
                continue
            }
        }
    }
}
