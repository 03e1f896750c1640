import Dispatch
import Feedback
import Foundation
import Persistence

/// The reads of objects by id on behalf of tasks.
///
/// While a server answers soon, few statements at a time keep the processors busy. Reads that are asked for while so many
/// are under way wait until one of them has ended, and then share the next statement. So many tasks take few round trips,
/// and leave connections for others. While answers take longer, each read has a statement of its own as long as there are
/// connections.
///
/// It deals in rows, of which each task makes its object: generic code would look up its types for each read.
final class SharedReads: Sendable {
    private let soon: Duration
    private let read: @Sendable ([PrimitiveValue]) async -> [Result<FoundRow?, StoreError>]
    private let queue: Locked<ReadQueue<SharedRead>>

    /// - Parameters:
    ///   - few: The number of statements that keep the processors busy, at least one. While one is answered, one processor
    ///     works here or at the server, and another one begins or ends its work.
    ///   - soon: An answer comes soon if it takes less.
    ///   - read: Returns the row with each id, or nil if there is none.
    init(
        connections: Int, few: Int = ProcessInfo.processInfo.activeProcessorCount / 2,
        soon: Duration = .milliseconds(1),
        read: @escaping @Sendable ([PrimitiveValue]) async -> [Result<FoundRow?, StoreError>]
    ) {
        self.soon = soon
        self.read = read
        queue = Locked(ReadQueue(connections: connections, few: few))
    }

    /// The number of reads that wait, with those that were cancelled and are not removed yet.
    var waitingCount: Int { queue.withLock(\.waitingCount) }

    /// Returns the row with an id, or nil if there is none.
    ///
    /// - Parameters:
    ///   - size: The number of bytes of the id in a statement.
    ///   - alone: Reads the row with a statement of its own.
    func row(
        withId id: PrimitiveValue, size: Int, alone: () async throws(StoreError) -> FoundRow?
    ) async throws(StoreError) -> FoundRow? {
        if queue.withLock({ $0.begin() }) {
            let start = ContinuousClock.now
            defer {
                let isSoon = isSoon(since: start)
                advance { $0.end(isSoon: isSoon) }
            }
            return try await alone()
        }
        let read = SharedRead(id)
        let outcome = await withTaskCancellationHandler {
            advance { $0.add(read, size: size) }
            return await read.outcome()
        } onCancel: {
            read.cancel()
            queue.withLock { $0.cancel(\.hasEnded) }
        }
        return try outcome.get()
    }

    /// Changes the queue, and lets the statements begin that can.
    private func advance(_ change: (inout ReadQueue<SharedRead>) -> Void) {
        let (next, beginsWatch) = queue.withLock { queue in
            change(&queue)
            return (queue.next(), queue.beginWatch())
        }
        for reads in next { begin(reads) }
        if beginsWatch { watch() }
    }

    private func isSoon(since start: ContinuousClock.Instant) -> Bool { start.duration(to: .now) < soon }

    private func begin(_ reads: [SharedRead]) {
        let statement = SharedStatement()
        let reads = reads.filter { $0.join(statement) }
        let task = Task.detached(priority: reads.map(\.priority).max()) { [self] in
            let start = ContinuousClock.now
            let outcomes = reads.isEmpty ? [] : await read(reads.map(\.id))
            let isSoon = isSoon(since: start)
            for (read, outcome) in zip(reads, outcomes) { read.end(outcome) }
            // The tasks that have got their objects may want further ones, which can then be in the next statement.
            await Task.yield()
            advance { $0.end(isSoon: isSoon) }
        }
        statement.begin(task, for: reads.count)
    }

    /// Lets more statements begin if reads wait and none has ended in a moment.
    private func watch() {
        DispatchQueue.global().asyncAfter(deadline: .now() + 2 * soon.timeInterval) { [weak self] in
            self?.advance { $0.endWatch() }
        }
    }
}

/// A row of a result.
struct FoundRow: Sendable {
    let result: PostgresResult
    let row: Int32

    init(result: PostgresResult, row: Int32) {
        self.result = result
        self.row = row
    }

    /// Returns nil if the result has no row.
    init?(firstOf result: PostgresResult) {
        if result.rowCount == 0 { return nil }
        self.init(result: result, row: 0)
    }
}

/// A task's read that waits, or shares a statement.
private final class SharedRead: Sendable {
    typealias Outcome = Result<FoundRow?, StoreError>

    private struct State: Sendable {
        var outcome: Outcome?
        var continuation: UnsafeContinuation<Outcome, Never>?
        var statement: SharedStatement?
    }

    let id: PrimitiveValue
    let priority = Task.currentPriority
    private let state = Locked(State())

    init(_ id: PrimitiveValue) { self.id = id }

    /// Suspends the task until the read has ended.
    func outcome() async -> Outcome {
        await withUnsafeContinuation { continuation in
            let outcome = state.withLock { state in
                if state.outcome == nil { state.continuation = continuation }
                return state.outcome
            }
            if let outcome { continuation.resume(returning: outcome) }
        }
    }

    var hasEnded: Bool { state.withLock { $0.outcome != nil } }

    /// Records the statement that reads for this task; returns false if the task was cancelled.
    func join(_ statement: SharedStatement) -> Bool {
        state.withLock { state in
            guard state.outcome == nil else { return false }
            state.statement = statement
            return true
        }
    }

    /// Ends the read, unless it has ended; returns the statement that reads for it, if it is the one that ended it.
    @discardableResult
    func end(_ outcome: Outcome) -> SharedStatement? {
        let (continuation, statement) = state.withLock { state in
            defer { (state.continuation, state.statement) = (nil, nil) }
            if state.outcome == nil { state.outcome = outcome }
            return (state.continuation, state.statement)
        }
        continuation?.resume(returning: outcome)
        return statement
    }

    func cancel() { end(.failure(.cancelled))?.leave() }
}

/// A statement that reads for several tasks. It is cancelled when all of them are.
private final class SharedStatement: Sendable {
    private struct State: Sendable {
        var task: Task<Void, Never>?
        /// The number of tasks; nil before the statement begins.
        var readers: Int?
        var cancelled = 0
    }

    private let state = Locked(State())

    func begin(_ task: Task<Void, Never>, for readers: Int) {
        change { state in
            state.task = task
            state.readers = readers
        }
    }

    /// Records that a task was cancelled.
    func leave() { change { $0.cancelled += 1 } }

    private func change(_ body: (inout State) -> Void) {
        let task = state.withLock { state in
            body(&state)
            return state.cancelled == state.readers ? state.task : nil
        }
        task?.cancel()
    }
}
