import Dispatch
import Feedback

/// The link between a caller, which may cancel, and the connection that works for it.
final class PostgresCancellation: Sendable {
    private struct State: Sendable {
        var isCancelled = false
        var connection: PostgresConnection?
        /// `true` if the server has taken notice of the cancellation, `false` if it could not be told; nil until then.
        var isNoticed: Bool?
        /// Called with the same.
        var afterNotice: (@Sendable (Bool) -> Void)?
    }

    private let state = Locked(State())

    /// Records that the work begins; returns false if it was cancelled already.
    func begin(_ connection: PostgresConnection) -> Bool {
        state.withLock { state in
            if !state.isCancelled { state.connection = connection }
            return !state.isCancelled
        }
    }

    /// Records that the work has ended; returns true if it was cancelled. The connection is then returned to the pool.
    ///
    /// A late request to stop must not stop the connection's next work. So the connection is not used before the server
    /// has taken notice of the request. It keeps its place until then, so that there are never too many.
    func end(_ connection: PostgresConnection, in pool: PostgresPool) -> Bool {
        let (isCancelled, isNoticed) = state.withLock { state in
            state.connection = nil
            // The connection is not used again, so there is nothing that a late request could stop.
            if state.isCancelled, connection.hasTimedOut { state.isNoticed = false }
            if state.isCancelled, state.isNoticed == nil { state.afterNotice = { pool.end(connection, isUsable: $0) } }
            return (state.isCancelled, state.isNoticed)
        }
        if isCancelled, let isNoticed { pool.end(connection, isUsable: isNoticed) }
        return isCancelled
    }

    /// Cancels the work, without waiting for the server.
    func cancel() {
        let connection = state.withLock { state in
            state.isCancelled = true
            return state.connection
        }
        guard let connection else { return }
        DispatchQueue.global().async { [self] in
            let isNoticed = connection.cancel()
            let next = state.withLock { state in
                state.isNoticed = isNoticed
                return state.afterNotice
            }
            next?(isNoticed)
        }
    }
}
