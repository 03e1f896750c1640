import Feedback

/// Returns the result of the work, or throws `failure` if the work does not end in time.
///
/// Late work is cancelled, and so is work whose caller is cancelled. The function does not wait for it to end, since it
/// may ignore the cancellation.
func withTimeLimit<Value: Sendable>(
    _ limit: Duration, failure: CoreError, _ work: @escaping @Sendable () async throws(CoreError) -> Value
) async throws(CoreError) -> Value {
    let race = Race<Value>()
    let result = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
            race.start(continuation, limit: limit, failure: failure, work)
        }
    } onCancel: {
        race.end(with: .failure(.cancelled))
    }
    return try result.get()
}

/// Two tasks, the work and the time limit; the first one to end determines the result.
private final class Race<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, CoreError>

    private struct State {
        var continuation: CheckedContinuation<Outcome, Never>?
        var tasks: [Task<Void, Never>] = []
        var outcome: Outcome?
    }

    private let state = Locked(State())

    func start(
        _ continuation: CheckedContinuation<Outcome, Never>, limit: Duration, failure: CoreError,
        _ work: @escaping @Sendable () async throws(CoreError) -> Value
    ) {
        let early = state.withLock { state in
            if state.outcome == nil { state.continuation = continuation }
            return state.outcome
        }
        if let early { return continuation.resume(returning: early) }
        add(
            Task {
                do throws(CoreError) {
                    self.end(with: .success(try await work()))
                } catch {
                    self.end(with: .failure(error))
                }
            })
        add(
            Task {
                try? await Task.sleep(for: limit.clamped)
                self.end(with: .failure(failure))
            })
    }

    /// Ends the race; only the first outcome counts.
    func end(with outcome: Outcome) {
        let (continuation, tasks) = state.withLock { state in
            if state.outcome == nil { state.outcome = outcome }
            defer { (state.continuation, state.tasks) = (nil, []) }
            return (state.continuation, state.tasks)
        }
        tasks.forEach { $0.cancel() }
        continuation?.resume(returning: outcome)
    }

    private func add(_ task: Task<Void, Never>) {
        let isOver = state.withLock { state in
            if state.outcome == nil { state.tasks.append(task) }
            return state.outcome != nil
        }
        if isOver { task.cancel() }
    }
}
