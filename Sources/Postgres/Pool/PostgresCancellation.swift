import Dispatch
import Feedback

/// The link between a caller, which may cancel, and the connection that works for it.
final class PostgresCancellation: Sendable {
    private struct State: Sendable {
        var isCancelled = false
        var connection: PostgresConnection?
    }

    private let state = Locked(State())

    /// Records that the work begins; returns false if it was cancelled already.
    func begin(_ connection: PostgresConnection) -> Bool {
        state.withLock { state in
            if !state.isCancelled { state.connection = connection }
            return !state.isCancelled
        }
    }

    /// Records that the work has ended; returns true if it was cancelled.
    func end() -> Bool {
        state.withLock { state in
            state.connection = nil
            return state.isCancelled
        }
    }

    /// Cancels the work, without waiting for the server.
    func cancel() {
        let connection = state.withLock { state in
            state.isCancelled = true
            return state.connection
        }
        if let connection { DispatchQueue.global().async { connection.cancel() } }
    }
}
