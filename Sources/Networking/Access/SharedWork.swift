import Feedback

/// Runs work once for several callers: the first one starts it, and all get its result.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, CoreError>
    private typealias Continuation = CheckedContinuation<Outcome, Never>

    /// Work under way, and the callers that wait for it.
    private struct Run {
        let number: Int
        var task: Task<Void, Never>?
        var waiting: [Int: Continuation] = [:]
    }

    private enum Step {
        case giveUp
        case join
        case start(Int)
    }

    private struct State {
        var runs: [Key: Run] = [:]
        var lastNumber = 0
        /// Callers that gave up before they had begun to wait.
        var cancelled: Set<Int> = []

        mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }
    }

    private let cancelsAbandonedWork: Bool
    private let state = Locked(State())

    /// - Parameter cancelsAbandonedWork: True to cancel the work when the last caller has given up waiting.
    init(cancelsAbandonedWork: Bool) {
        self.cancelsAbandonedWork = cancelsAbandonedWork
    }

    /// Returns the result of the work under way for `key`; starts `work` if there is none.
    func value(
        for key: Key, _ work: @escaping @Sendable () async throws(CoreError) -> Value
    ) async throws(CoreError) -> Value {
        let caller = state.withLock { $0.nextNumber() }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in wait(for: key, caller, continuation, work) }
        } onCancel: {
            cancel(caller, for: key)
        }
        state.withLock { _ = $0.cancelled.remove(caller) }
        return try outcome.get()
    }

    // MARK: - Machinery

    private func wait(
        for key: Key, _ caller: Int, _ continuation: Continuation,
        _ work: @escaping @Sendable () async throws(CoreError) -> Value
    ) {
        let step: Step = state.withLock { state in
            if state.cancelled.remove(caller) != nil { return .giveUp }
            if state.runs[key] != nil {
                state.runs[key]?.waiting[caller] = continuation
                return .join
            }
            let number = state.nextNumber()
            state.runs[key] = Run(number: number, waiting: [caller: continuation])
            return .start(number)
        }
        switch step {
        case .giveUp: continuation.resume(returning: .failure(.cancelled))
        case .join: break
        case .start(let number): start(number, for: key, work)
        }
    }

    private func start(
        _ number: Int, for key: Key, _ work: @escaping @Sendable () async throws(CoreError) -> Value
    ) {
        let task = Task {
            let outcome: Outcome
            do throws(CoreError) {
                outcome = .success(try await work())
            } catch {
                outcome = .failure(error)
            }
            finish(number, for: key, outcome)
        }
        let isUnderWay = state.withLock { state in
            guard state.runs[key]?.number == number else { return false }
            state.runs[key]?.task = task
            return true
        }
        // The work has ended already, or its last caller was cancelled.
        if !isUnderWay { task.cancel() }
    }

    private func finish(_ number: Int, for key: Key, _ outcome: Outcome) {
        let waiting = state.withLock { state in
            state.runs[key]?.number == number ? state.runs.removeValue(forKey: key)?.waiting : nil
        }
        waiting?.values.forEach { $0.resume(returning: outcome) }
    }

    private func cancel(_ caller: Int, for key: Key) {
        let (continuation, abandoned) = state.withLock { state -> (Continuation?, Task<Void, Never>?) in
            guard let continuation = state.runs[key]?.waiting.removeValue(forKey: caller) else {
                state.cancelled.insert(caller)
                return (nil, nil)
            }
            guard cancelsAbandonedWork, state.runs[key]?.waiting.isEmpty == true else {
                return (continuation, nil)
            }
            return (continuation, state.runs.removeValue(forKey: key)?.task)
        }
        abandoned?.cancel()
        continuation?.resume(returning: .failure(.cancelled))
    }
}
