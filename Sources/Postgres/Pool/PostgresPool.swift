import Dispatch
import Feedback
import Persistence

/// The connections of a database: a bounded number, opened when they are needed first.
///
/// A thread that finds none free waits, in the order in which threads came.
final class PostgresPool: Sendable {
    private struct State: Sendable {
        var idle: [PostgresConnection] = []
        var busy = 0
        var waiting: [Waiter] = []
        var isClosed = false
    }

    /// A thread that waits.
    private final class Waiter: Sendable {
        let isServed = DispatchSemaphore(value: 0)
        /// The place that was passed on to it, with a connection if there is one.
        let place = Locked<PostgresConnection??>(nil)
    }

    let address: PostgresAddress
    let patience: Duration
    private let maximum: Int
    private let state = Locked(State())

    init(_ address: PostgresAddress, maximum: Int, patience: Duration) {
        self.address = address
        self.maximum = max(1, maximum)
        self.patience = patience
    }

    /// Takes a connection, which ``giveBack(_:)`` or ``discard(_:)`` returns.
    func take() throws(StoreError) -> PostgresConnection {
        var place = try takePlace()
        while let connection = place {
            if connection.isAlive { return connection }
            // Its place is kept, and an idle one taken instead.
            place = state.withLock { $0.idle.popLast() }
        }
        do throws(StoreError) {
            return try PostgresConnection(address, patience: patience)
        } catch {
            leave(nil)
            throw error
        }
    }

    /// Returns a connection that can be used again.
    func giveBack(_ connection: PostgresConnection) { leave(connection.isLost ? nil : connection) }

    /// Returns a connection that cannot be used again. It is closed with its last reference.
    func discard(_ connection: PostgresConnection) { leave(nil) }

    /// Closes the connections that nobody uses, and from now on each one that is returned.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        _ = idle
    }

    private func leave(_ connection: PostgresConnection?) {
        let served = state.withLock { state -> Waiter? in
            if !state.waiting.isEmpty {
                let first = state.waiting.removeFirst()
                first.place.withLock { $0 = .some(connection) }
                return first
            }
            state.busy -= 1
            if let connection, !state.isClosed { state.idle.append(connection) }
            return nil
        }
        served?.isServed.signal()
    }

    /// Takes a place among the busy ones, with a connection if there is an idle one.
    private func takePlace() throws(StoreError) -> PostgresConnection? {
        let (connection, waiter) = state.withLock { state -> (PostgresConnection?, Waiter?) in
            if state.busy < maximum {
                state.busy += 1
                return (state.idle.popLast(), nil)
            }
            let waiter = Waiter()
            state.waiting.append(waiter)
            return (nil, waiter)
        }
        guard let waiter else { return connection }
        if waiter.isServed.wait(timeout: .now() + patience.timeInterval) == .timedOut {
            // It may have been served just now.
            let isServed = state.withLock { state in
                state.waiting.removeAll { $0 === waiter }
                return waiter.place.withLock { $0 != nil }
            }
            if !isServed {
                throw .unreachable(
                    reason: "none of the \(maximum) connections to \(address) became free in \(patience)")
            }
        }
        return waiter.place.withLock { $0.take() } ?? nil
    }
}
