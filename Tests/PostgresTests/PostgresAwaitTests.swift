import Dispatch
import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

@testable import Postgres

@Suite("Awaited queries of PostgreSQL")
struct PostgresAwaitTests {
    /// Films in a table that somebody else has locked, so that no query about it is answered until ``unlock()``.
    private final class LockedFilms: Sendable {
        let films: PostgresStore<Film>
        let name = "awaiting_\(UUID().uuidString.prefix(8))"
        private let watching: PostgresDatabase
        private let mayEnd = DispatchSemaphore(value: 0)
        private let hasEnded = DispatchSemaphore(value: 0)

        init(connections: Int, by proxy: CuttingProxy? = nil, patience: Duration = .seconds(60)) throws {
            let server = try TestServer.running()
            let address = try server.address()
            // The same schema, by way of the proxy.
            let way = proxy.map { address.replacing("host=\(server.folder)&", with: "host=\($0.folder)&") } ?? address
            var configuration = PostgresDatabase.Configuration()
            (configuration.maximumConnections, configuration.patience) = (connections, patience)
            films = try PostgresStore(
                Film.schema,
                in: PostgresDatabase(way + "&application_name=\(name)", configuration: configuration))
            watching = try PostgresDatabase(address)
            try films.insert((0..<20).map { .fixture(id: $0) }).get()
            let others = try PostgresStore(Film.schema, in: PostgresDatabase(address))
            let isLocked = DispatchSemaphore(value: 0)
            Thread.detachNewThread { [mayEnd, hasEnded] in
                try? others.perform { films throws(StoreError) in
                    try films.execute("LOCK TABLE films IN ACCESS EXCLUSIVE MODE")
                    isLocked.signal()
                    mayEnd.wait()
                }
                hasEnded.signal()
            }
            isLocked.wait()
        }

        /// The number of statements that wait for the lock.
        func waitingStatements() throws -> Int {
            let rows = try watching.rows(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = \(name) AND wait_event_type = 'Lock'")
            guard case .integer(let count) = rows[0][0] else { return 0 }
            return Int(count)
        }

        func unlock() {
            mayEnd.signal()
            hasEnded.wait()
        }
    }

    @Test("Many more tasks than threads wait for slow answers, and each gets its own")
    func slowAnswers() async throws {
        let locked = try LockedFilms(connections: 20)
        try await withThrowingTaskGroup(of: Int?.self) { group in
            for id in 0..<20 { group.addTask { try await locked.films.object(withId: id)?.id } }
            try await eventually("all tasks wait") { try locked.waitingStatements() == 20 }
            // The threads of tasks are fewer, and still free.
            #expect(await Task.detached { 1 }.value == 1)
            locked.unlock()
            var found: Set<Int> = []
            for try await id in group { if let id { found.insert(id) } }
            #expect(found == Set(0..<20))
        }
    }

    @Test("Tasks that read by id while there is no connection share a statement, and each gets its own object, or none")
    func sharedStatement() async throws {
        let locked = try LockedFilms(connections: 1)
        try await withThrowingTaskGroup(of: (Int, Film?).self) { group in
            for id in 0..<40 { group.addTask { (id % 25, try await locked.films.object(withId: id % 25)) } }
            try await eventually("one has the connection") {
                try locked.films.reads.waitingCount == 39 && locked.waitingStatements() == 1
            }
            locked.unlock()
            for try await (id, film) in group { #expect(film == (id < 20 ? .fixture(id: id) : nil)) }
        }
        let shared = "SELECT 1 FROM pg_prepared_statements WHERE statement LIKE '%ANY($1)'" as SQL
        #expect(try locked.films.database.rows(shared) == [[.integer(1)]])
    }

    @Test("A cancelled task waits no longer, the server stops its statement, and the next query is answered")
    func cancelled() async throws {
        let locked = try LockedFilms(connections: 1)
        let task = Task<[Film], any Error> { try await locked.films.all().result() }
        try await eventually("the task waits for its answer") { try locked.waitingStatements() == 1 }
        // This one waits for the connection.
        let other = Task<Int, any Error> { try await locked.films.all().count() }
        other.cancel()
        await #expect(throws: StoreError.cancelled) { try await other.value }
        task.cancel()
        await #expect(throws: StoreError.cancelled) { try await task.value }
        try await eventually("the server stops the statement") { try locked.waitingStatements() == 0 }
        locked.unlock()
        #expect(try await locked.films.all().count() == 20)
    }

    @Test(
        "The connection of a cancelled task becomes free, although all threads of tasks wait for it",
        arguments: ["SELECT pg_sleep(600), '\(UUID())'", "COPY (SELECT pg_sleep(600), '\(UUID())') TO STDOUT"])
    func cancelledWithoutThreads(statement: String) async throws {
        let database = try TestServer.running().database { $0.maximumConnections = 1 }
        let watching = try TestServer.running().database()
        let task = Task<Void, any Error> {
            _ = try await database.result(of: statement, PostgresParameters())
        }
        try await eventually("the server runs the statement") {
            let isRunning: SQL = "SELECT 1 FROM pg_stat_activity WHERE query = \(statement) AND wait_event = 'PgSleep'"
            return try !watching.rows(isRunning).isEmpty
        }
        task.cancel()
        await #expect(throws: StoreError.cancelled) { try await task.value }
        try await withThrowingTaskGroup(of: [[PrimitiveValue]].self) { group in
            for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount {
                group.addTask { try database.rows("SELECT 1") }
            }
            for try await rows in group { #expect(rows == [[.integer(1)]]) }
        }
    }

    @Test("The connection of a cancelled task keeps its place until the server has taken notice")
    func cancelledWithoutNotice() async throws {
        let proxy = try CuttingProxy(to: TestServer.running().folder)
        defer { proxy.close() }
        let locked = try LockedFilms(connections: 1, by: proxy, patience: .seconds(2))
        let task = Task<[Film], any Error> { try await locked.films.all().result() }
        try await eventually("the task waits for its answer") { try locked.waitingStatements() == 1 }
        proxy.hold(true)
        task.cancel()
        await #expect(throws: StoreError.cancelled) { try await task.value }
        // This one gets no place, and opens no connection beside the one of the cancelled task.
        await #expect(throws: StoreError.self) { try await locked.films.all().count() }
        #expect(proxy.held == 1)
        proxy.hold(false)
        try await eventually("the server stops the statement") { try locked.waitingStatements() == 0 }
        locked.unlock()
        #expect(try await locked.films.all().count() == 20)
    }

    @Test("A task that begins on the thread of a transaction's body is refused there, as any other function is")
    func inBody() async throws {
        guard #available(macOS 26.0, iOS 26.0, tvOS 26.0, watchOS 26.0, visionOS 26.0, *) else { return }
        let films = try await PostgresStore(Film.schema, in: TestServer.running().database())
        let (query, count, find) = try films.perform { _ in
            (
                Task.immediate { _ = try await films.all().result() },
                Task.immediate { _ = try await films.all().count() },
                Task.immediate { _ = try await films.object(withId: 1) }
            )
        }
        for task in [query, count, find] {
            await #expect(throws: StoreError.insideTransaction) { try await task.value }
        }
    }

    @Test("A task that gets no connection in time is told")
    func exhausted() async throws {
        let database = try TestServer.running().database {
            $0.maximumConnections = 1
            $0.patience = .seconds(2)
        }
        let films = try await PostgresStore(Film.schema, in: database)
        let (began, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let transaction = Task<Void, any Error> {
            try await films.transaction { films throws(StoreError) in
                try films.insert([.fixture(id: 1)])
                began.signal()
                mayEnd.wait()
            }
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                began.wait()
                continuation.resume()
            }
        }
        let error = await #expect(throws: StoreError.self) { try await films.object(withId: 1) }
        guard case .unreachable? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        mayEnd.signal()
        try await transaction.value
        #expect(try await films.object(withId: 1) == .fixture(id: 1))
    }

    @Test("Tasks that share few connections get the answers to their own questions")
    func sharing() async throws {
        let films = try await PostgresStore(
            Film.schema,
            in: TestServer.running().database {
                $0.maximumConnections = 2
                $0.patience = .seconds(60)
            })
        try await films.insert((0..<50).map { .fixture(id: $0, budget: $0 * 7) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<32 {
                group.addTask {
                    for step in 0..<25 {
                        let id = (task * 31 + step) % 50
                        #expect(try await films.object(withId: id)?.budget == id * 7)
                        #expect(try await films.filter(where: \.budget < id * 7).count() == id)
                        let page = try await films.all().page(limit: 2, offset: id).result()
                        #expect(page.first?.id == id)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("After a restart of the server an awaited query is answered, however many connections were lost")
    func restart() async throws {
        _ = try TestServer.running()
        let server = try TestServer()
        let films = try await PostgresStore(
            Film.schema, in: server.database { $0.patience = .seconds(30) })
        try await films.insert((0..<8).map { .fixture(id: $0) })
        for _ in 0..<2 {
            try await withThrowingTaskGroup(of: Int?.self) { group in
                for id in 0..<8 { group.addTask { try await films.object(withId: id)?.id } }
                for try await id in group { #expect(id != nil) }
            }
            try server.restart()
        }
        #expect(try await films.all().count() == 8)
    }
}
