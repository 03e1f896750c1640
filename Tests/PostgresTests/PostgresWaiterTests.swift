import Dispatch
import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

@testable import Postgres

@Suite("Callers that wait for a connection and are cancelled")
struct PostgresWaiterTests {
    private func connection(_ maximum: Int, _ patience: Duration = .seconds(60)) throws -> PostgresPool {
        PostgresPool(
            try PostgresAddress(TestServer.running().address()), maximum: maximum, patience: patience)
    }

    @Test("The place goes to the next that waits, and none is lost, whenever tasks are cancelled")
    func cancelledAtRandom() async throws {
        let pool = try connection(2)
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
}
