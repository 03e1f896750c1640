import Feedback
import LocalBackend

/// The answers to the most recent requests with an idempotency key, in memory.
final class RememberedKeys: Sendable {
    private struct State {
        var responses: [String: Task<LocalBackend.Response, Never>] = [:]
        /// The keys, the oldest first.
        var order: [String] = []
        /// The number of bytes of each answer. A key whose work is under way has none.
        var sizes: [String: Int] = [:]
        var bytes = 0

        mutating func forget(_ key: String) {
            responses[key] = nil
            bytes -= sizes.removeValue(forKey: key) ?? 0
        }

        /// Forgets the oldest of a number of keys, until there is enough room. A key whose work is under way stays: its
        /// repetition would do the work twice.
        mutating func forget(first count: Int, until hasRoom: (State) -> Bool = { _ in false }) {
            var kept: [String] = []
            var end = 0
            while end < min(count, order.count), !hasRoom(self) {
                if sizes[order[end]] == nil { kept.append(order[end]) } else { forget(order[end]) }
                end += 1
            }
            order.replaceSubrange(..<end, with: kept)
        }
    }

    private let limit: Int
    private let maximumBytes: Int
    private let state = Locked(State())

    /// - Parameters:
    ///   - limit: The number of keys that are remembered at least; twice as many are remembered at most.
    ///   - maximumBytes: The number of bytes that all answers may have. The newest one is kept even if it has more.
    init(limit: Int = 10_000, maximumBytes: Int = 100_000_000) {
        self.limit = limit
        self.maximumBytes = maximumBytes
    }

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
                if response.status >= 500 { forget(key) } else { keep(key, response) }
                return response
            }
            state.responses[key] = task
            state.order.append(key)
            if state.order.count > 2 * limit { state.forget(first: limit) }
            return task
        }
        return await task.value
    }

    private func forget(_ key: String) {
        state.withLock { state in
            state.forget(key)
            if let index = state.order.lastIndex(of: key) { state.order.remove(at: index) }
        }
    }

    /// Makes room for an answer.
    private func keep(_ key: String, _ response: LocalBackend.Response) {
        var size = 0
        if case let .data(data) = response.body { size = data.count }
        state.withLock { state in
            state.bytes += size
            // Without its size, the key itself is not forgotten.
            state.forget(first: .max) { $0.bytes <= maximumBytes }
            state.sizes[key] = size
        }
    }
}
