import Dispatch
import Feedback

/// The link between a caller, who may give up, and the connection that works for it meanwhile.
final class PostgresCancellation: Sendable {
    private struct State: Sendable {
        var isCancelled = false
        var connection: PostgresConnection?
    }

    private let state = Locked(State())

    /// Notes that the work begins; false if it was given up already.
    func begin(_ connection: PostgresConnection) -> Bool {
        state.withLock { state in
            if !state.isCancelled { state.connection = connection }
            return !state.isCancelled
        }
    }

    /// Notes that the work has ended; returns whether it was given up.
    func end() -> Bool {
        state.withLock { state in
            state.connection = nil
            return state.isCancelled
        }
    }

    /// Gives up, without waiting for the server.
    func cancel() {
        let connection = state.withLock { state in
            state.isCancelled = true
            return state.connection
        }
        if let connection { DispatchQueue.global().async { connection.cancel() } }
    }
}
