import Feedback

/// Runs work once for several callers: the first one starts it, and all get its result.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, CoreError>
    private typealias Continuation = CheckedContinuation<Outcome, Never>

    private struct Flight {
        let number: Int
        var task: Task<Void, Never>?
        var waiting: [Int: Continuation] = [:]
    }

    private enum Step {
        case giveUp
        case join
        case depart(Int)
    }

    private struct State {
        var sharedWork: [Key: Flight] = [:]
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
            if state.sharedWork[key] != nil {
                state.sharedWork[key]?.waiting[caller] = continuation
                return .join
            }
            let number = state.nextNumber()
            state.sharedWork[key] = Flight(number: number, waiting: [caller: continuation])
            return .depart(number)
        }
        switch step {
        case .giveUp: continuation.resume(returning: .failure(.cancelled))
        case .join: break
        case .depart(let number): depart(number, for: key, work)
        }
    }

    private func depart(
        _ number: Int, for key: Key, _ work: @escaping @Sendable () async throws(CoreError) -> Value
    ) {
        let task = Task {
            let outcome: Outcome
            do throws(CoreError) {
                outcome = .success(try await work())
            } catch {
                outcome = .failure(error)
            }
            land(number, for: key, outcome)
        }
        let isUnderWay = state.withLock { state in
            guard state.sharedWork[key]?.number == number else { return false }
            state.sharedWork[key]?.task = task
            return true
        }
        // The work has ended already, or its last caller was cancelled.
        if !isUnderWay { task.cancel() }
    }

    private func land(_ number: Int, for key: Key, _ outcome: Outcome) {
        let waiting = state.withLock { state in
            state.sharedWork[key]?.number == number ? state.sharedWork.removeValue(forKey: key)?.waiting : nil
        }
        waiting?.values.forEach { $0.resume(returning: outcome) }
    }

    private func cancel(_ caller: Int, for key: Key) {
        let (continuation, abandoned) = state.withLock { state -> (Continuation?, Task<Void, Never>?) in
            guard let continuation = state.sharedWork[key]?.waiting.removeValue(forKey: caller) else {
                state.cancelled.insert(caller)
                return (nil, nil)
            }
            guard cancelsAbandonedWork, state.sharedWork[key]?.waiting.isEmpty == true else {
                return (continuation, nil)
            }
            return (continuation, state.sharedWork.removeValue(forKey: key)?.task)
        }
        abandoned?.cancel()
        continuation?.resume(returning: .failure(.cancelled))
    }
}
