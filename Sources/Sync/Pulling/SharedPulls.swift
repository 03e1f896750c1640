import Feedback
import Persistence

/// The pulls of a table, shared by its reads and its writes.
final class SharedPulls: Sendable {
    private typealias Waiting = CheckedContinuation<Result<Void, StoreError>, Never>

    /// A caller that waits for a pull. It may get its result before it begins to wait.
    private struct Caller {
        let pull: Int
        var continuation: Waiting?
        var result: Result<Void, StoreError>?
    }

    private struct State {
        var ledger = PullLedger()
        /// The pull that new callers share.
        var running: (id: Int, task: Task<Void, Never>)?
        var callers: [Int: Caller] = [:]
        var lastID = 0

        /// The callers that wait for a pull.
        func callers(of pull: Int) -> [Int] {
            callers.filter { $0.value.pull == pull && $0.value.result == nil }.map(\.key)
        }

        mutating func nextID() -> Int {
            lastID += 1
            return lastID
        }

        /// Gives a caller its result. Returns its continuation if it waits already.
        mutating func end(_ caller: Int, _ result: Result<Void, StoreError>) -> Waiting? {
            guard let continuation = callers[caller]?.continuation else {
                callers[caller]?.result = result
                return nil
            }
            callers[caller] = nil
            return continuation
        }
    }

    private let state = Locked(State())

    // MARK: - The ledger

    func begin() -> Int { state.withLock { $0.ledger.begin() } }
    func note(_ entities: Set<String>) { state.withLock { $0.ledger.note(entities) } }
    func note(_ entities: Set<String>, mergedBy answer: Int, isPage: Bool = true) {
        state.withLock { $0.ledger.note(entities, mergedBy: answer, isPage: isPage) }
    }
    func end(_ pull: Int) -> Set<String> { state.withLock { $0.ledger.end(pull) } }
    func endPage(_ page: Int) -> Set<String>? { state.withLock { $0.ledger.endPage(page) } }
    func cancel(_ pull: Int) { state.withLock { $0.ledger.cancel(pull) } }

    // MARK: - One at a time

    /// The number of callers that wait for the pull under way.
    var waiting: Int { state.withLock { state in state.running.map { state.callers(of: $0.id).count } ?? 0 } }

    /// Runs a pull of the whole table, or waits for the one under way.
    ///
    /// A caller that is cancelled returns at once if others wait for the pull. Otherwise the pull is cancelled.
    func run(_ pull: @escaping @Sendable () async throws(StoreError) -> Void) async throws(StoreError) {
        let caller = state.withLock { state in
            let caller = state.nextID()
            let running = state.running?.id ?? start(pull, &state)
            state.callers[caller] = Caller(pull: running)
            return caller
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result = state.withLock { state -> Result<Void, StoreError>? in
                    guard let result = state.callers[caller]?.result else {
                        state.callers[caller]?.continuation = continuation
                        return nil
                    }
                    state.callers[caller] = nil
                    return result
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            leave(caller)
        }
        try result.get()
    }

    /// Starts a pull, and returns its number.
    private func start(_ pull: @escaping @Sendable () async throws(StoreError) -> Void, _ state: inout State) -> Int {
        let id = state.nextID()
        let task = Task { [self] in
            do throws(StoreError) {
                try await pull()
                finish(id, .success(()))
            } catch {
                finish(id, .failure(error))
            }
        }
        state.running = (id, task)
        return id
    }

    private func finish(_ id: Int, _ result: Result<Void, StoreError>) {
        let waiting = state.withLock { state in
            if state.running?.id == id { state.running = nil }
            return state.callers(of: id).compactMap { state.end($0, result) }
        }
        for continuation in waiting { continuation.resume(returning: result) }
    }

    /// Ends the waiting of a caller that was cancelled. If it was the last one, the pull is cancelled instead, and later
    /// callers get a new one.
    private func leave(_ caller: Int) {
        let (continuation, task) = state.withLock { state -> (Waiting?, Task<Void, Never>?) in
            guard let running = state.running, state.callers(of: running.id).contains(caller) else { return (nil, nil) }
            if state.callers(of: running.id).count > 1 { return (state.end(caller, .failure(.cancelled)), nil) }
            state.running = nil
            return (nil, running.task)
        }
        continuation?.resume(returning: .failure(.cancelled))
        task?.cancel()
    }
}
