import Feedback
import LocalBackend

/// The answers to the most recent requests with an idempotency key, in memory.
final class RememberedKeys: Sendable {
    private struct State {
        var responses: [String: Task<LocalBackend.Response, Never>] = [:]
        /// The keys, the oldest first.
        var order: [String] = []
    }

    private let limit = 10_000
    private let state = Locked(State())

    /// Returns the earlier answer to the key; does the work if there is none.
    ///
    /// A repeated request that arrives while the first one is under way waits for it. A failure of the server is not
    /// remembered, so that the request can be tried again.
    func response(
        to key: String, _ work: @escaping @Sendable () async -> LocalBackend.Response
    ) async -> LocalBackend.Response {
        let task = state.withLock { state in
            if let task = state.responses[key] { return task }
            let task = Task { [self] in
                let response = await work()
                if response.status >= 500 { forget(key) }
                return response
            }
            state.responses[key] = task
            state.order.append(key)
            if state.order.count > 2 * limit {
                for old in state.order.prefix(limit) { state.responses[old] = nil }
                state.order.removeFirst(limit)
            }
            return task
        }
        return await task.value
    }

    private func forget(_ key: String) {
        state.withLock { $0.responses[key] = nil }
    }
}
