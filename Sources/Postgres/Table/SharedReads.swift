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
    private struct State: Sendable {
        let connections: Int
        /// The number of statements that may run at a time while answers come soon.
        let few: Int
        var answersSoon = true
        var running = 0
        /// The number of statements that have ended.
        var ended = 0
        /// The reads that wait, and some that were cancelled meanwhile.
        var waiting: [SharedRead] = []
        /// The greatest number of those that were cancelled.
        var cancelled = 0
        /// `true` while ``SharedReads/watch(since:)`` will look again.
        var isWatched = false

        /// The number of statements that may run at a time.
        private var places: Int { answersSoon ? min(few, connections) : connections }

        /// Records that a statement begins, if one can.
        mutating func begin() -> Bool {
            guard running < places, waiting.isEmpty else { return false }
            running += 1
            return true
        }

        mutating func end(isSoon: Bool) {
            answersSoon = isSoon
            running -= 1
            ended += 1
        }

        /// Returns the reads of each statement that can begin now.
        mutating func next() -> [[SharedRead]] {
            var next: [[SharedRead]] = []
            while running < places, !waiting.isEmpty {
                next.append(take(waiting.count / (places - running)))
                running += 1
            }
            return next
        }

        /// Returns the number of statements that have ended if ``SharedReads/watch(since:)`` must look for more. While answers take
        /// long, every statement begins that can.
        mutating func watch() -> Int? {
            if isWatched || waiting.isEmpty || !answersSoon { return nil }
            isWatched = true
            return ended
        }

        /// Records that a read was cancelled. Those that were are removed when they may be half of all. To search for each one would take
        /// long if very many are cancelled.
        mutating func cancel() {
            cancelled += 1
            if cancelled <= waiting.count / 2 { return }
            waiting.removeAll { $0.hasEnded }
            cancelled = 0
        }

        /// Removes the reads that have waited longest: so many, at least one, and no more than one statement can have. A read whose
        /// id is long has a statement of its own.
        private mutating func take(_ wanted: Int) -> [SharedRead] {
            var count = 1
            var size = waiting[0].isLong ? maximumSize : waiting[0].size
            while count < wanted, !waiting[count].isLong, size + waiting[count].size <= maximumSize {
                size += waiting[count].size
                count += 1
            }
            defer { waiting.removeFirst(count) }
            return Array(waiting[..<count])
        }
    }

    /// The greatest number of bytes of the ids in one statement, which may have one of them ten times.
    private static var maximumSize: Int { PostgresConnection.maximumUnreadSize / 2 }
    fileprivate static var longSize: Int { maximumSize / 10 }

    private let soon: Duration
    private let read: @Sendable ([PrimitiveValue]) async -> [Result<FoundRow?, StoreError>]
    private let state: Locked<State>

    /// - Parameters:
    ///   - few: The number of statements that keep the processors busy. While one is answered, one processor works here
    ///     or at the server, and another one begins or ends its work.
    ///   - soon: An answer comes soon if it takes less.
    ///   - read: Returns the row with each id, or nil if there is none.
    init(
        connections: Int, few: Int = max(1, ProcessInfo.processInfo.activeProcessorCount / 2),
        soon: Duration = .milliseconds(1),
        read: @escaping @Sendable ([PrimitiveValue]) async -> [Result<FoundRow?, StoreError>]
    ) {
        self.soon = soon
        self.read = read
        state = Locked(State(connections: max(1, connections), few: few))
    }

    /// The number of reads that wait, with those that were cancelled and are not removed yet.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Returns the row with an id, or nil if there is none.
    ///
    /// - Parameters:
    ///   - size: The number of bytes of the id in a statement.
    ///   - alone: Reads the row with a statement of its own.
    func row(
        withId id: PrimitiveValue, size: Int, alone: () async throws(StoreError) -> FoundRow?
    ) async throws(StoreError) -> FoundRow? {
        if state.withLock({ $0.begin() }) {
            let start = ContinuousClock.now
            defer {
                let isSoon = isSoon(since: start)
                advance { $0.end(isSoon: isSoon) }
            }
            return try await alone()
        }
        let read = SharedRead(id, size: size)
        let outcome = await withTaskCancellationHandler {
            advance { $0.waiting.append(read) }
            return await read.outcome()
        } onCancel: {
            read.cancel()
            state.withLock { $0.cancel() }
        }
        return try outcome.get()
    }

    /// Changes the state, and lets the statements begin that can.
    private func advance(_ change: (inout State) -> Void) {
        let (next, watched) = state.withLock { state in
            change(&state)
            return (state.next(), state.watch())
        }
        for reads in next { begin(reads) }
        if let watched { watch(since: watched) }
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
    private func watch(since ended: Int) {
        DispatchQueue.global().asyncAfter(deadline: .now() + 2 * soon.timeInterval) { [weak self] in
            self?.advance { state in
                state.isWatched = false
                if state.ended == ended { state.answersSoon = false }
            }
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
    let size: Int
    let priority = Task.currentPriority
    private let state = Locked(State())

    init(_ id: PrimitiveValue, size: Int) {
        self.id = id
        self.size = size
    }

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

    var isLong: Bool { size > SharedReads.longSize }

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
        /// Below zero if tasks are cancelled before the statement begins.
        var readers = 0
    }

    private let state = Locked(State())

    func begin(_ task: Task<Void, Never>, for readers: Int) {
        state.withLock { state in state.task = task }
        add(readers)
    }

    /// Records that a task was cancelled.
    func leave() { add(-1) }

    private func add(_ readers: Int) {
        let task = state.withLock { state in
            state.readers += readers
            return state.readers == 0 ? state.task : nil
        }
        task?.cancel()
    }
}
