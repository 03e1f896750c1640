import Dispatch
import Feedback

/// The link between a caller, which may cancel, and the connection that works for it.
final class PostgresCancellation: Sendable {
    private struct State: Sendable {
        var isCancelled = false
        var connection: PostgresConnection?
        /// `true` if the server has taken notice of the cancellation.
        var isNoticed = false
        /// Called when the server has taken notice.
        var afterNotice: (@Sendable () -> Void)?
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
    /// has taken notice of the request.
    func end(_ connection: PostgresConnection, in pool: PostgresPool) -> Bool {
        let (isCancelled, isNoticed) = state.withLock { state in
            state.connection = nil
            return (state.isCancelled, state.isNoticed)
        }
        guard isCancelled else { return false }
        if isNoticed {
            pool.giveBack(connection)
            return true
        }
        // Its place must be free before it can come back.
        pool.discard(connection)
        let isNoticedMeanwhile = state.withLock { state in
            if !state.isNoticed { state.afterNotice = { pool.readmit(connection) } }
            return state.isNoticed
        }
        if isNoticedMeanwhile { pool.readmit(connection) }
        return true
    }

    /// Cancels the work, without waiting for the server.
    func cancel() {
        let connection = state.withLock { state in
            state.isCancelled = true
            return state.connection
        }
        guard let connection else { return }
        DispatchQueue.global().async { [self] in
            guard connection.cancel() else { return }
            let next = state.withLock { state in
                state.isNoticed = true
                return state.afterNotice
            }
            next?()
        }
    }
}
