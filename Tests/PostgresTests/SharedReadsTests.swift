import CPostgres
import Feedback
import FeedbackTesting
import Persistence
import Testing

@testable import Postgres

@Suite("Reads by id that share statements", .timeLimit(.minutes(1)))
struct SharedReadsTests {
    /// Statements that are answered when a test says so. The number of the row with an id is that id.
    private final class Statements: Sendable {
        private struct Statement: Sendable {
            let ids: [Int64]
            let continuation: UnsafeContinuation<Bool, Never>
        }

        private let running = Locked<[Statement]>([])

        var ids: [[Int64]] { running.withLock { $0.map(\.ids) } }

        func read(_ ids: [PrimitiveValue]) async -> [Result<FoundRow?, StoreError>] {
            let ids = ids.map { id in if case .integer(let id) = id { id } else { -1 as Int64 } }
            let isAnswered = await withTaskCancellationHandler {
                await withUnsafeContinuation { continuation in
                    running.withLock { $0.append(Statement(ids: ids, continuation: continuation)) }
                    if Task.isCancelled { end(ids, isAnswered: false) }
                }
            } onCancel: {
                end(ids, isAnswered: false)
            }
            return ids.map { isAnswered ? .success($0 == 404 ? nil : .fixture($0)) : .failure(.cancelled) }
        }

        /// Answers the statement about some ids.
        func answer(_ ids: [Int64]) { end(ids, isAnswered: true) }

        private func end(_ ids: [Int64], isAnswered: Bool) {
            let statement = running.withLock { running in
                running.firstIndex { $0.ids == ids }.map { running.remove(at: $0) }
            }
            statement?.continuation.resume(returning: isAnswered)
        }
    }

    private let statements = Statements()

    /// - Parameter soon: Without it, every answer comes soon.
    private func reads(_ connections: Int = 8, few: Int = 2, soon: Duration = .seconds(3_600)) -> SharedReads {
        SharedReads(connections: connections, few: few, soon: soon) { [statements] in await statements.read($0) }
    }

    private func read(_ id: Int64, _ reads: SharedReads) async throws(StoreError) -> Int32? {
        let row = try await reads.row(withId: .integer(id), size: 8) { () throws(StoreError) in
            try await statements.read([.integer(id)])[0].get()
        }
        return row?.row
    }

    /// Begins to read the rows with these ids, one after the other.
    private func begin(_ ids: [Int64], _ reads: SharedReads) async -> [Task<Int32?, any Error>] {
        var tasks: [Task<Int32?, any Error>] = []
        for id in ids {
            // Those before it may begin to run meanwhile.
            let waiting = reads.waitingCount
            tasks.append(Task { try await read(id, reads) })
            await eventually("the read of \(id) runs or waits") {
                statements.ids.joined().contains(id) || reads.waitingCount > waiting
            }
        }
        return tasks
    }

    /// Answers all statements until these tasks have their rows. A read may be between waiting and its statement meanwhile.
    private func answering(_ tasks: [Task<Int32?, any Error>]) async throws -> [Int32?] {
        let answering = Task {
            while !Task.isCancelled {
                for ids in statements.ids { statements.answer(ids) }
                await Task.yield()
            }
        }
        defer { answering.cancel() }
        var rows: [Int32?] = []
        for task in tasks { rows.append(try await task.value) }
        return rows
    }

    @Test("Two reads have a statement each; those that come meanwhile wait, and share the next one")
    func shared() async throws {
        let tasks = await begin([1, 2, 3, 404, 3], reads())
        #expect(statements.ids == [[1], [2]])
        statements.answer([1])
        #expect(try await tasks[0].value == 1)
        await eventually("the others share a statement") { statements.ids == [[2], [3, 404, 3]] }
        statements.answer([3, 404, 3])
        #expect(try await tasks[2].value == 3)
        #expect(try await tasks[3].value == nil)
        #expect(try await tasks[4].value == 3)
        statements.answer([2])
        #expect(try await tasks[1].value == 2)
    }

    @Test("With one connection, there is one statement at a time")
    func oneConnection() async throws {
        let tasks = await begin([1, 2, 3], reads(1))
        #expect(statements.ids == [[1]])
        statements.answer([1])
        await eventually("the others share a statement") { statements.ids == [[2, 3]] }
        statements.answer([2, 3])
        #expect(try await tasks[2].value == 3)
    }

    @Test("After an answer that came late, each read gets a statement of its own")
    func late() async throws {
        let reads = reads(4, soon: .zero)
        let first = await begin([1, 2], reads)
        statements.answer([1])
        #expect(try await first[0].value == 1)
        let others = await begin([3, 4, 5], reads)
        #expect(statements.ids == [[2], [3], [4], [5]])
        for id in 2...5 as ClosedRange<Int64> { statements.answer([id]) }
        for (task, id) in zip(first + others, 1...5) { #expect(try await task.value == Int32(id)) }
    }

    @Test("While no answer comes soon, each read gets a statement of its own, up to the number of connections")
    func slow() async throws {
        let reads = reads(4, soon: .milliseconds(1))
        let first = await begin([1, 2, 3, 4], reads)
        await eventually("four connections are busy") { statements.ids.count == 4 }
        #expect(statements.ids.allSatisfy { $0.count == 1 })
        let others = await begin([5, 6, 7], reads)
        #expect(reads.waitingCount == 3)
        statements.answer([1])
        await eventually("the others share the connection that is free") { statements.ids.last == [5, 6, 7] }
        for ids in statements.ids { statements.answer(ids) }
        for (task, id) in zip(first + others, 1...7) { #expect(try await task.value == Int32(id)) }
    }

    @Test("Once an answer comes soon again, reads share statements again")
    func soonAgain() async throws {
        let reads = reads(4, soon: .milliseconds(20))
        let slow = await begin([1, 2, 3], reads)
        await eventually("the third read does not wait for the others") { statements.ids == [[1], [2], [3]] }
        for id in 1...3 as ClosedRange<Int64> { statements.answer([id]) }
        for (task, id) in zip(slow, 1...3) { #expect(try await task.value == Int32(id)) }
        // On a busy machine, an answer may come late.
        try await eventually("a read waits for the others") { () async throws in
            let soon = await begin([4], reads)
            #expect(try await answering(soon) == [4])
            let others = await begin([5, 6, 7], reads)
            let isWaiting = statements.ids == [[5], [6]]
            #expect(try await answering(others) == [5, 6, 7])
            return isWaiting
        }
    }

    @Test("A task that is cancelled while it waits fails at once, and nobody reads for it")
    func cancelledWaiting() async throws {
        let reads = reads()
        let tasks = await begin([1, 2, 3, 4], reads)
        tasks[2].cancel()
        await #expect(throws: StoreError.cancelled) { try await tasks[2].value }
        statements.answer([1])
        await eventually("the other one is read") { statements.ids == [[2], [4]] }
        statements.answer([4])
        statements.answer([2])
        #expect(try await tasks[3].value == 4)
    }

    @Test("However many tasks that wait are cancelled, none is kept, and it takes no time for each other one")
    func manyCancelled() async throws {
        let reads = reads(few: 1)
        let first = await begin([1], reads)
        let tasks = (2...20_001 as ClosedRange<Int64>).map { id in Task { try await read(id, reads) } }
        await eventually("all wait") { reads.waitingCount == 20_000 }
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: StoreError.cancelled) { try await task.value } }
        await eventually("none is kept") { reads.waitingCount == 0 }
        statements.answer([1])
        #expect(try await first[0].value == 1)
    }

    @Test("A task that is cancelled does not end the statement that it shares; when all are cancelled, it ends")
    func cancelledTogether() async throws {
        let reads = reads()
        let tasks = await begin([1, 2, 3, 4, 5], reads)
        statements.answer([1])
        await eventually("three share a statement") { statements.ids == [[2], [3, 4, 5]] }
        for task in tasks[2...3] {
            task.cancel()
            await #expect(throws: StoreError.cancelled) { try await task.value }
        }
        #expect(statements.ids == [[2], [3, 4, 5]])
        tasks[4].cancel()
        await #expect(throws: StoreError.cancelled) { try await tasks[4].value }
        await eventually("the statement ends, too") { statements.ids == [[2]] }
        let last = await begin([6], reads)
        await eventually("its place is free") { statements.ids == [[2], [6]] }
        statements.answer([2])
        statements.answer([6])
        #expect(try await last[0].value == 6)
    }

    @Test(
        "However many tasks read, and whenever some are cancelled, each gets its own object, and every place is free at the end"
    )
    func stress() async throws {
        let most = Locked((running: 0, greatest: 0))
        let reads = SharedReads(connections: 4, few: 2, soon: .microseconds(100)) { ids in
            most.withLock { most in
                most.running += 1
                most.greatest = max(most.greatest, most.running)
            }
            for _ in 0..<ids.count { await Task.yield() }
            most.withLock { $0.running -= 1 }
            return ids.map { id in if case .integer(let id) = id { .success(.fixture(id)) } else { .success(nil) } }
        }
        for round in 0..<30 {
            let tasks = (0..<100 as Range<Int64>).map { id in
                Task {
                    for id in id..<id + 10 {
                        let row = try await reads.row(withId: .integer(id), size: 8) { () throws(StoreError) in
                            await Task.yield()
                            return .fixture(id)
                        }
                        #expect(row?.row == Int32(id))
                    }
                }
            }
            for (index, task) in tasks.enumerated() where (index + round) % 7 == 0 {
                task.cancel()
                await Task.yield()
            }
            for task in tasks {
                do { try await task.value } catch { #expect(error as? StoreError == .cancelled) }
            }
        }
        #expect(reads.waitingCount == 0)
        #expect((1...4).contains(most.withLock { $0.greatest }))
        await eventually("nothing runs") { most.withLock { $0.running } == 0 }
    }
}

extension FoundRow {
    /// A row of a result without values.
    fileprivate static func fixture(_ row: Int64) -> FoundRow? {
        PQmakeEmptyPGresult(nil, PGRES_TUPLES_OK).map { FoundRow(result: PostgresResult($0), row: Int32(row)) }
    }
}
