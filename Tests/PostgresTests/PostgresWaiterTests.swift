import Dispatch
import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

@testable import Postgres

@Suite("Callers that wait for a connection and are cancelled")
struct PostgresWaiterTests {
    private func pool(_ maximum: Int, _ patience: Duration = .seconds(60)) throws -> PostgresPool {
        PostgresPool(
            try PostgresAddress(TestServer.running().address()), maximum: maximum, patience: patience)
    }

    @Test("The place goes to the next that waits, and none is lost, whenever tasks are cancelled")
    func cancelledAtRandom() async throws {
        let pool = try pool(2)
        var served = 0
        for round in 0..<30 {
            var tasks: [Task<Bool, any Error>] = []
            for number in 0..<20 {
                tasks.append(
                    Task {
                        let connection: PostgresConnection = try await pool.take()
                        if number % 3 == 0 { await Task.yield() }
                        pool.giveBack(connection)
                        return true
                    })
                if (number + round) % 4 == 0 { await Task.yield() }
                if number % 2 == 0 { tasks[(number * 7 + round) % tasks.count].cancel() }
            }
            for task in tasks.shuffled().prefix(5) { task.cancel() }
            for task in tasks {
                do {
                    if try await task.value { served += 1 }
                } catch {
                    #expect(error as? StoreError == .cancelled)
                }
            }
        }
        #expect(served > 0)
        // Both places are free: two connections can be taken without waiting, and no third one.
        let connections = [try await take(from: pool), try await take(from: pool)]
        let third = Task<PostgresConnection, any Error> { try await take(from: pool) }
        third.cancel()
        await #expect(throws: StoreError.cancelled) { _ = try await third.value }
        for connection in connections { pool.giveBack(connection) }
        pool.giveBack(try await take(from: pool))
    }

    /// Lets as many tasks wait for a connection, one after the other. Each calls `served` with its number when it has one.
    private func line(
        of count: Int, for pool: PostgresPool, served: @escaping @Sendable (Int) -> Void = { _ in }
    ) async -> [Task<Void, any Error>] {
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<count {
            tasks.append(
                Task {
                    let connection = try await take(from: pool)
                    served(number)
                    pool.giveBack(connection)
                })
            await eventually("it waits") { pool.waiting == number + 1 }
        }
        return tasks
    }

    @Test("A cancelled task leaves the line at once, and the others are served in their order")
    func leavesTheLine() async throws {
        let pool = try pool(1)
        let connection = try await take(from: pool)
        let order = Locked<[Int]>([])
        let tasks = await line(of: 5, for: pool) { number in order.withLock { $0.append(number) } }
        for number in [0, 2, 4] {
            tasks[number].cancel()
            await #expect(throws: StoreError.cancelled) { try await tasks[number].value }
        }
        #expect(pool.waiting == 2)
        pool.giveBack(connection)
        for number in [1, 3] { try await tasks[number].value }
        #expect(order.withLock(\.self) == [1, 3])
        #expect(pool.idle == 1)
    }

    @Test("A connection that is returned at the moment in which the task that waits for it is cancelled is not lost")
    func cancelledWhileServed() async throws {
        let pool = try pool(1)
        var cancelled = 0
        for round in 0..<500 {
            let connection = try await take(from: pool)
            let tasks = await line(of: 2, for: pool)
            if round.isMultiple(of: 2) {
                async let cancelling: Void = tasks[0].cancel()
                pool.giveBack(connection)
                await cancelling
            } else {
                async let returning: Void = pool.giveBack(connection)
                tasks[0].cancel()
                await returning
            }
            // Either it left the line, or it was served, and has passed the connection on.
            do {
                try await tasks[0].value
            } catch {
                #expect(error as? StoreError == .cancelled)
                cancelled += 1
            }
            try await tasks[1].value
            #expect(pool.idle == 1)
            #expect(pool.waiting == 0)
        }
        #expect(cancelled > 0)
    }

    @Test("A task that waits after a cancelled one is told that it gets no connection in time")
    func timesOutAfterCancelled() async throws {
        let pool = try pool(1, .seconds(2))
        let connection = try await take(from: pool)
        for _ in 0..<3 {
            let cancelled = Task { pool.giveBack(try await take(from: pool)) }
            await Task.yield()
            cancelled.cancel()
            let error = await #expect(throws: StoreError.self) { _ = try await take(from: pool) }
            guard case .unreachable? = error else {
                Issue.record("\(String(describing: error)) is another error")
                continue
            }
        }
        pool.giveBack(connection)
        #expect(pool.idle == 1)
    }

    private func filmsOfOneConnection() async throws -> PostgresStore<Film> {
        try await PostgresStore(
            Film.schema,
            in: TestServer.running().database {
                $0.maximumConnections = 1
                $0.patience = .seconds(60)
            })
    }

    private func take(from pool: PostgresPool) async throws -> PostgresConnection { try await pool.take() }

    @Test("Cancelled tasks in front of others do not delay them")
    func inFront() async throws {
        let films = try await filmsOfOneConnection()
        let (began, mayEnd) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
        let transaction = Task<Void, any Error> {
            try await films.transaction { films throws(StoreError) in
                try films.insert([.fixture(id: 1)])
                began.continuation.yield()
                mayEnd.wait()
            }
        }
        for await _ in began.stream { break }
        let front = (0..<10).map { _ in Task<Film?, any Error> { try await films.object(withId: 1) } }
        let behind = (0..<10).map { _ in Task<Film?, any Error> { try await films.object(withId: 1) } }
        for task in front { task.cancel() }
        for task in front { await #expect(throws: StoreError.cancelled) { try await task.value } }
        mayEnd.signal()
        try await transaction.value
        for task in behind { #expect(try await task.value == .fixture(id: 1)) }
    }

    @Test("Producers that are disposed while they wait for a thread do nothing, and those behind them work")
    func disposed() async throws {
        let films = try await filmsOfOneConnection()
        let (began, mayEnd) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
        films.transaction { films throws(StoreError) in
            try films.insert([.fixture(id: 1)])
            began.continuation.yield()
            mayEnd.wait()
        }.start()
        for await _ in began.stream { break }
        let dropped = [2, 3].map { films.insert(.fixture(id: $0)).start() } + [films.all().result().start()]
        let last = Task<Film, any Error> { try await films.insert(.fixture(id: 4)) }
        let cancelled = Task<Film, any Error> { try await films.insert(.fixture(id: 5)) }
        for disposable in dropped { disposable.dispose() }
        cancelled.cancel()
        await #expect(throws: StoreError.cancelled) { try await cancelled.value }
        mayEnd.signal()
        _ = try await last.value
        #expect(try await films.all().result().map(\.id) == [1, 4])
    }

    @Test("Of a transaction whose task is cancelled before its commit, nothing is kept")
    func inTheBody() async throws {
        let films = try await filmsOfOneConnection()
        let (began, mayEnd) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
        let transaction = Task<Void, any Error> {
            try await films.transaction { films throws(StoreError) in
                try films.insert([.fixture(id: 1)])
                began.continuation.yield()
                mayEnd.wait()
                try films.insert([.fixture(id: 2)])
            }
        }
        for await _ in began.stream { break }
        transaction.cancel()
        await #expect(throws: StoreError.cancelled) { try await transaction.value }
        mayEnd.signal()
        // This waits for the only connection, until the transaction has ended.
        #expect(try await films.all().count() == 0)
    }

    @Test(
        "A cancelled write that waits for a lock leaves its thread and connection to others", arguments: [false, true])
    func waitingForLock(isTransaction: Bool) async throws {
        let address = try TestServer.running().address()
        let watching = try await PostgresDatabase(address)
        var configuration = PostgresDatabase.Configuration()
        configuration.maximumConnections = 1
        configuration.patience = .seconds(60)
        let films = try await PostgresStore(
            Film.schema, in: PostgresDatabase(address, configuration: configuration))
        try await films.insert(.fixture(id: 1))
        let locking: PostgresConnection = try await watching.pool.take()
        try locking.run("BEGIN")
        try locking.run("SELECT FROM films FOR UPDATE")
        let backend = try films.database.rows("SELECT pg_backend_pid()")[0][0]
        let write = Task<Void, any Error> {
            guard isTransaction else {
                try await films.update(.fixture(id: 1, title: "changed"))
                return
            }
            try await films.transaction { films throws(StoreError) in
                try films.insert([.fixture(id: 2)])
                try films.update([.fixture(id: 1, title: "changed")])
            }
        }
        try await eventually("it waits for the lock") {
            try watching.rows(
                "SELECT count(*) FROM pg_stat_activity WHERE pid = \(backend) AND wait_event_type = 'Lock'")
                == [[.integer(1)]]
        }
        write.cancel()
        await #expect(throws: StoreError.cancelled) { try await write.value }
        #expect(try await films.all().count() == 1)
        try await films.insert(.fixture(id: 3))
        try locking.run("ROLLBACK")
        watching.pool.giveBack(locking)
        #expect(try await films.sorted(by: \.id).result() == [.fixture(id: 1), .fixture(id: 3)])
        #expect(try films.database.rows("SELECT pg_backend_pid()") == [[backend]])
    }

    @Test("Whenever writes are cancelled, each is kept as a whole or not at all, and no connection is lost")
    func writesCancelledAtRandom() async throws {
        let films = try await PostgresStore(
            Film.schema, in: TestServer.running().database { $0.maximumConnections = 2 })
        var random = SeededNumbers(seed: 7)
        var kept: Set<Int> = []
        for round in 0..<40 {
            let ids = (0..<5).map { (round * 5 + $0) * 2 }
            let tasks = ids.map { id in
                Task<Void, any Error> {
                    try await films.transaction { films throws(StoreError) in
                        try films.insert([.fixture(id: id)])
                        try films.insert([.fixture(id: id + 1)])
                    }
                }
            }
            for task in tasks {
                for _ in 0..<Int.random(in: 0..<100, using: &random) { await Task.yield() }
                task.cancel()
            }
            for (task, id) in zip(tasks, ids) where (try? await task.value) != nil { kept.insert(id) }
        }
        let stored = Set(try await films.all().result().map(\.id))
        #expect(kept.isSubset(of: stored))
        #expect(stored.allSatisfy { stored.contains($0 ^ 1) })
        let connections: [PostgresConnection] = [
            try await films.database.pool.take(), try await films.database.pool.take(),
        ]
        for connection in connections {
            #expect(connection.isBetweenTransactions)
            films.database.pool.giveBack(connection)
        }
    }
}
