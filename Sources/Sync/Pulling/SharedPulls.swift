import Feedback
import Persistence

/// The pulls of a table, shared by its reads and its writes.
final class SharedPulls: Sendable {
    private struct Running {
        let id: Int
        let task: Task<Result<Void, StoreError>, Never>
        var waiting = 1
    }

    private struct State {
        var ledger = PullLedger()
        var running: Running?
        var lastID = 0
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
    var waiting: Int { state.withLock { $0.running?.waiting ?? 0 } }

    /// Runs a pull of the whole table, or waits for the one under way.
    ///
    /// The pull is cancelled when all its callers are cancelled.
    func run(_ pull: @escaping @Sendable () async throws(StoreError) -> Void) async throws(StoreError) {
        let (id, task) = state.withLock { state in
            if let running = state.running {
                state.running?.waiting += 1
                return (running.id, running.task)
            }
            state.lastID += 1
            let id = state.lastID
            let task = Task { [self] () -> Result<Void, StoreError> in
                let result: Result<Void, StoreError>
                do throws(StoreError) {
                    result = .success(try await pull())
                } catch {
                    result = .failure(error)
                }
                finish(id)
                return result
            }
            state.running = Running(id: id, task: task)
            return (id, task)
        }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            leave(id)
        }
        try result.get()
    }

    private func finish(_ id: Int) {
        state.withLock { state in
            if state.running?.id == id { state.running = nil }
        }
    }

    /// Removes a caller that was cancelled. If it was the last one, the pull is cancelled, and later callers get a new
    /// one.
    private func leave(_ id: Int) {
        let task = state.withLock { state -> Task<Result<Void, StoreError>, Never>? in
            guard let running = state.running, running.id == id else { return nil }
            state.running?.waiting -= 1
            guard running.waiting == 1 else { return nil }
            state.running = nil
            return running.task
        }
        task?.cancel()
    }
}
