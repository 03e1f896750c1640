import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

@testable import Postgres

@Suite("A PostgreSQL server that freezes")
struct PostgresAnswerTimeoutTests {
    enum Work: CaseIterable {
        case awaitedRead, awaitedFind, find, rows, write, largeWrite, transaction, execute

        func run(in films: PostgresStore<Film>, _ freeze: @escaping @Sendable () -> Void) async throws {
            if self != .transaction { freeze() }
            switch self {
            case .awaitedRead: _ = try await films.all().result()
            case .awaitedFind: _ = try await films.object(withId: 1)
            case .find: _ = try films.find(1)
            case .rows: _ = try films.database.rows("SELECT 1")
            case .write: try await films.insert(.fixture(id: 2))
            case .largeWrite: try await films.insert(.fixture(id: 2, poster: Data(count: 10_000_000)))
            case .transaction:
                try await films.transaction { films throws(StoreError) in
                    try films.insert([.fixture(id: 2)])
                    freeze()
                }
            case .execute: try films.database.execute("DELETE FROM films")
            }
        }
    }

    /// A store with one film.
    private func films(
        _ proxy: CuttingProxy, patience: Duration, connections: Int = 8
    ) throws -> PostgresStore<Film> {
        let address = try TestServer.running().address(folder: proxy.folder)
        try PostgresStore(Film.schema, in: PostgresDatabase(address)).insert(.fixture(id: 1)).get()
        var configuration = PostgresDatabase.Configuration()
        configuration.maximumConnections = connections
        configuration.patience = patience
        configuration.answerTimeout = .seconds(2)
        return try PostgresStore(Film.schema, in: PostgresDatabase(address, configuration: configuration))
    }

    @Test(
        "Work fails in time and is not tried again; once the server goes on, the next query is answered",
        arguments: Work.allCases)
    func frozen(_ work: Work) async throws {
        let proxy = try CuttingProxy(to: TestServer.running().folder)
        defer { proxy.close() }
        let films = try films(proxy, patience: .seconds(60))
        let error = await #expect(throws: StoreError.self) { try await work.run(in: films) { proxy.freeze(true) } }
        guard case .unreachable(let reason)? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        #expect(reason.contains("has not answered in 2.0 seconds"))
        proxy.freeze(false)
        await eventually("a query is answered") { (try? await films.all().result().map(\.id)) == [1] }
    }

    @Test("The connection of a cancelled task does not keep its place for ever", arguments: [false, true])
    func cancelled(isProducer: Bool) async throws {
        let proxy = try CuttingProxy(to: TestServer.running().folder)
        defer { proxy.close() }
        let films = try films(proxy, patience: .seconds(2), connections: 1)
        let pool = films.database.pool
        await eventually("the connection is free") { pool.idle == 1 }
        proxy.freeze(true)
        let task = Task {
            if isProducer { _ = try await films.insert(.fixture(id: 2)) } else { _ = try await films.all().result() }
        }
        await eventually("it waits for the answer") { pool.idle == 0 }
        task.cancel()
        _ = await task.result
        // The next caller gets the place, and opens another connection.
        await eventually("the place is free") {
            do throws(StoreError) {
                _ = try await films.all().count()
                return false
            } catch {
                return !"\(error)".contains("became free")
            }
        }
        proxy.freeze(false)
        await eventually("a query is answered") { (try? await films.all().count()) == 1 }
    }

    @Test("A transaction that its body ends does so in time, with the error of the body", .timeLimit(.minutes(1)))
    func frozenEnd() async throws {
        let proxy = try CuttingProxy(to: TestServer.running().folder)
        defer { proxy.close() }
        let films = try films(proxy, patience: .seconds(60))
        await #expect(throws: StoreError.rolledBack(reason: "no")) {
            try await films.transaction { films throws(StoreError) in
                try films.insert([.fixture(id: 2)])
                proxy.freeze(true)
                throw .rolledBack(reason: "no")
            }
        }
        proxy.freeze(false)
        await eventually("a query is answered") { (try? await films.all().result().map(\.id)) == [1] }
    }

    @Test("A migration, and an answer that comes in time, have no limit")
    func slow() async throws {
        // The server's time is what is tested: longer than the limit, within it, and all together longer again.
        let address = try TestServer.running().address()
        var configuration = PostgresDatabase.Configuration()
        configuration.maximumConnections = 2
        configuration.answerTimeout = .seconds(2)
        try await PostgresDatabase(address).execute("CREATE TABLE old (n int)")
        let database = try await PostgresDatabase(
            address, migrations: [Migration(to: 2, "SELECT pg_sleep(3)")], configuration: configuration)
        // The time of a statement that is cancelled does not go on either.
        let statement = "SELECT pg_sleep(300), '\(UUID())'"
        let cancelled = Task { _ = try await database.result(of: statement, PostgresParameters()) }
        await eventually("it has the connection") { database.pool.idle == 0 }
        cancelled.cancel()
        _ = await cancelled.result
        await eventually("the connection is back") { database.pool.idle == 1 }
        let connection: PostgresConnection = try await database.pool.take()
        for _ in 0..<6 { _ = try database.rows("SELECT pg_sleep(0.4)") }
        #expect(connection.isAlive)
        database.pool.giveBack(connection)
        #expect(throws: StoreError.self) { try database.rows("SELECT pg_sleep(60)") }
        // The server has stopped it.
        await eventually("no statement goes on") {
            (try? database.rows(
                "SELECT FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)%' AND pid <> pg_backend_pid()"))?
                .isEmpty == true
        }
    }
}
