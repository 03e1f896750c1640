import Dispatch
import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

@testable import Postgres

@Suite("Connections to PostgreSQL")
struct PostgresPoolTests {
    @Test("There are never more connections than allowed, however many ask")
    func bounded() async throws {
        let address = try TestServer.running().address() + "&application_name=bounded"
        var configuration = PostgresDatabase.Configuration()
        configuration.maximumConnections = 3
        // As long as other tests keep the threads busy, no connection becomes free.
        configuration.patience = .seconds(60)
        let database = try await PostgresDatabase(address, configuration: configuration)
        let films = try await PostgresStore(Film.schema, in: database)
        try await films.insert((0..<50).map { .fixture(id: $0) })
        try await withThrowingTaskGroup(of: Film?.self) { group in
            for id in 0..<200 { group.addTask { try await films.object(withId: id % 50) } }
            for try await film in group { #expect(film != nil) }
        }
        let count = try database.rows("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'bounded'")
        guard case .integer(let connections) = count[0][0] else { return }
        #expect((1...3).contains(connections))
    }

    @Test("If the server has closed all connections meanwhile, a new one is opened, however many there were")
    func allClosed() throws {
        let name = "closed_\(UUID().uuidString.prefix(8))"
        let server = try TestServer.running()
        let database = try PostgresDatabase(server.address() + "&application_name=\(name)")
        let connections = try (0..<8).map { _ in try database.pool.take() }
        connections.forEach(database.pool.giveBack)
        #expect(database.pool.idle == 8)
        let other = try server.database()
        let closed = try other.rows(
            "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = \(name)")
        #expect(closed.map { $0[0] } == Array(repeating: .bool(true), count: 8))
        #expect(try database.rows("SELECT 1") == [[.integer(1)]])
    }

    @Test("A caller that gets no connection in time fails")
    func exhausted() throws {
        let database = try TestServer.running().database {
            $0.maximumConnections = 1
            $0.patience = .seconds(2)
        }
        let films = try PostgresStore(Film.schema, in: database)
        let (began, mayEnd, ended) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        Thread.detachNewThread {
            try? films.perform { films throws(StoreError) in
                try films.insert([.fixture(id: 1)])
                began.signal()
                mayEnd.wait()
            }
            ended.signal()
        }
        began.wait()
        let error = #expect(throws: StoreError.self) { try films.find(1) }
        guard case .unreachable? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        mayEnd.signal()
        ended.wait()
        #expect(try films.find(1) == .fixture(id: 1))
    }

    @Test("While a transaction runs, others read what was there before it")
    func readersDoNotWait() throws {
        let films = try PostgresStore(Film.schema, in: TestServer.running().database())
        try films.insert(.fixture(id: 1)).get()
        let (began, mayEnd, ended) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        films.transaction { films throws(StoreError) in
            try films.insert([.fixture(id: 2)])
            began.signal()
            mayEnd.wait()
        }.on(terminated: { ended.signal() }).start()
        began.wait()
        #expect(try films.all().result().get().map(\.id) == [1])
        #expect(try films.find(2) == nil)
        mayEnd.signal()
        ended.wait()
        #expect(try films.all().count().get() == 2)
    }

    @Test("A read that is given up ends on the server too")
    func cancellation() async throws {
        let database = try await PostgresDatabase(TestServer.running().address())
        let films = try await PostgresStore(Film.schema, in: database)
        try await films.insert(.fixture(id: 1))
        let mark = UUID().uuidString
        let task = Task { try await films.select("SELECT films.* FROM films, pg_sleep(300) WHERE \(mark) <> ''") }
        func isRunning() throws -> Bool {
            try database.rows(
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(300)%' AND state = 'active' AND pid <> pg_backend_pid()"
            )[0][0] != .integer(0)
        }
        await eventually("the server works") { (try? isRunning()) ?? false }
        task.cancel()
        let result = await task.result
        #expect(throws: StoreError.cancelled) { try result.get() }
        await eventually("the server has stopped") { (try? !isRunning()) ?? false }
        #expect(try await films.object(withId: 1) == .fixture(id: 1))
    }

    @Test("A server that accepts a connection and never answers is not one that refuses it for good")
    func withoutAnswer() throws {
        let proxy = try CuttingProxy(to: TestServer.running().folder)
        defer { proxy.close() }
        proxy.hold(true)
        let address = try PostgresAddress("postgresql:///postgres?host=\(proxy.folder)&user=tester")
        #expect(!PostgresConnection.isRefusedForGood(address, [:], within: 1))
    }

    @Test("A pool that was closed keeps no connection, neither an idle one nor one that is returned later")
    func closed() throws {
        let database = try TestServer.running().database()
        let pool = database.pool
        let connections = (try pool.take(), try pool.take())
        pool.giveBack(connections.0)
        #expect(pool.idle >= 1)
        pool.close()
        #expect(pool.idle == 0)
        pool.giveBack(connections.1)
        #expect(pool.idle == 0)
    }

    @Test("A caller whose connection cannot be opened leaves its place to the next one")
    func cannotOpen() async throws {
        let address = try PostgresAddress("postgresql:///films?host=/nonexistent")
        let pool = PostgresPool(address, maximum: 1, patience: .zero)
        func takeNow() throws(StoreError) -> PostgresConnection { try pool.take() }
        for _ in 1...2 {
            for error in [
                #expect(throws: StoreError.self) { _ = try takeNow() },
                await #expect(throws: StoreError.self) { _ = try await pool.take() },
            ] {
                guard case .unreachable(let reason)? = error, !reason.contains("became free") else {
                    Issue.record("\(String(describing: error)) is another error")
                    continue
                }
            }
        }
    }

    /// Lets `body` run in as many transactions at the same time.
    private func atOnce(
        _ count: Int, in films: PostgresStore<Film>,
        _ body: @escaping @Sendable (PostgresTransaction<Film>) throws(StoreError) -> Void
    ) {
        let (began, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let ended = DispatchGroup()
        for _ in 0..<count {
            ended.enter()
            Thread.detachNewThread {
                do throws(StoreError) {
                    try films.perform { films throws(StoreError) in
                        let result = Result { () throws(StoreError) in try body(films) }
                        began.signal()
                        try result.get()
                        mayEnd.wait()
                    }
                } catch {
                    Issue.record("\(error)")
                }
                ended.leave()
            }
        }
        for _ in 0..<count { began.wait() }
        for _ in 0..<count { mayEnd.signal() }
        ended.wait()
    }

    @Test(
        "However many connections have statements that must be prepared again, reads and writes succeed", .onOwnThread)
    func outdated() throws {
        let films = try PostgresStore(Film.schema, in: TestServer.running().database())
        try films.insert(.fixture(id: 1)).get()
        atOnce(8, in: films) { films throws(StoreError) in _ = try films.object(withId: 1) }
        try films.database.execute("ALTER TABLE films ALTER budget TYPE int")
        #expect(try films.find(1) == .fixture(id: 1))

        atOnce(8, in: films) { films throws(StoreError) in _ = try films.object(withId: 1) }
        try films.database.execute("ALTER TABLE films ALTER budget TYPE int8")
        try films.perform { films throws(StoreError) in
            guard var film = try films.object(withId: 1) else { return }
            film.year = 2
            try films.update([film])
        }
        #expect(try films.find(1)?.year == 2)
    }

    @Test("Statements beyond those that a connection keeps are prepared anew")
    func manyStatements() throws {
        let database = try TestServer.running().database { $0.maximumConnections = 1 }
        let films = try PostgresStore(Film.schema, in: database)
        try films.insert(.fixture(id: 1)).get()
        for round in 0..<2 {
            for number in 0..<300 {
                let statement = SQL(stringLiteral: "SELECT *, \(number) AS number FROM films")
                #expect(try films.select(statement).get().count == 1, "in round \(round)")
            }
            try films.update(.fixture(id: 1, budget: round)).get()
        }
        let prepared = try database.rows("SELECT count(*) FROM pg_prepared_statements")
        guard case .integer(let count) = prepared[0][0] else { return }
        #expect(count <= 256)
    }
}

@Suite("A PostgreSQL server that restarts")
struct PostgresRestartTests {
    @Test("Reads and writes go on, and observers see the last state", .onOwnThread)
    func restart() throws {
        _ = try TestServer.running()
        let server = try TestServer()
        let address = try server.address()
        var configuration = PostgresDatabase.Configuration()
        configuration.patience = .seconds(120)
        let films = try PostgresStore(Film.schema, in: PostgresDatabase(address, configuration: configuration))
        let others = try PostgresStore(Film.schema, in: PostgresDatabase(address, configuration: configuration))
        try films.insert((1...20).map { .fixture(id: $0) }).get()
        let counts = Locked<[Int]>([])
        let observation = films.all().observe().startWithResult { result in
            switch result {
            case .success(let films): counts.withLock { $0.append(films.count) }
            case .failure(let error): Issue.record("\(error)")
            }
        }
        func seesSoon(_ count: Int) -> Bool {
            let end = ContinuousClock.now + .seconds(120)
            while counts.withLock({ $0.last }) != count, ContinuousClock.now < end {
                Thread.sleep(forTimeInterval: 0.01)
            }
            return counts.withLock { $0.last } == count
        }
        #expect(seesSoon(20))
        for id in 21...23 {
            try server.restart()
            try others.insert(.fixture(id: id)).get()
            #expect(try films.all().count().get() == id)
            #expect(try films.find(id) != nil)
        }
        #expect(seesSoon(23))
        observation.dispose()
    }

    @Test("While the server is away, stores say so")
    func away() throws {
        _ = try TestServer.running()
        let server = try TestServer()
        var configuration = PostgresDatabase.Configuration()
        configuration.patience = .seconds(2)
        let films = try PostgresStore(
            Film.schema, in: PostgresDatabase(server.address(), configuration: configuration))
        try films.insert(.fixture(id: 1)).get()
        try server.control("stop -m immediate")
        for error in [
            #expect(throws: StoreError.self) { try films.all().result().get() },
            #expect(throws: StoreError.self) { try films.insert(.fixture(id: 2)).get() },
        ] {
            guard case .unreachable? = error else {
                Issue.record("\(String(describing: error)) is another error")
                continue
            }
        }
        try server.control("start")
        #expect(try films.all().result().get().map(\.id) == [1])
    }
}
