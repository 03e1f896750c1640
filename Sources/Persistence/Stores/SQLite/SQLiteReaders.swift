import Dispatch
import Feedback
import Foundation

/// The pool of reading connections of a database, and the order in which threads get one.
///
/// During a write, fewer threads may read at once than there are processors, so that the writer gets its share. A turn
/// lasts 2 ms. During it, threads that read again do not wait, since switching threads after each short read would cost
/// more than the read. After it, a connection is passed to the thread that has waited longest.
final class SQLiteReaders: Sendable {
    private struct State: Sendable {
        var idle: [SQLiteConnection] = []
        var busy = 0
        var writers = 0
        var waiting: [Waiter] = []
        var turnBegan = ContinuousClock.now

        var limit: Int {
            writers > 0 ? max(1, SQLiteReaders.processors - 1) : max(8, SQLiteReaders.processors * 2)
        }
    }

    /// A thread that waits.
    private final class Waiter: Sendable {
        let isServed = DispatchSemaphore(value: 0)
        /// The place that was passed to the thread, with a connection if there is one.
        let place = Locked<SQLiteConnection??>(nil)
    }

    private static let processors = ProcessInfo.processInfo.activeProcessorCount
    private static var turn: Duration { .milliseconds(2) }

    private let state = Locked(State())
    private let open: @Sendable () throws(StoreError) -> SQLiteConnection

    init(_ open: @escaping @Sendable () throws(StoreError) -> SQLiteConnection) { self.open = open }

    /// Takes a connection, which ``giveBack(_:)`` returns.
    func take() throws(StoreError) -> SQLiteConnection {
        let taken = state.withLock { state -> SQLiteConnection?? in
            guard state.busy < state.limit, state.waiting.isEmpty || state.turnBegan.duration(to: .now) < Self.turn
            else { return .none }
            state.busy += 1
            return .some(state.idle.popLast())
        }
        if let connection = taken ?? wait() { return connection }
        do {
            return try open()
        } catch {
            giveBack(nil)
            throw error
        }
    }

    /// Returns a connection, or just a place if it is nil.
    func giveBack(_ connection: SQLiteConnection?) {
        let served = state.withLock { state -> Waiter? in
            if let first = state.waiting.first, state.busy <= state.limit {
                if state.turnBegan.duration(to: .now) >= Self.turn {
                    state.turnBegan = .now
                    state.waiting.removeFirst()
                    first.place.withLock { $0 = .some(connection) }
                    return first
                }
            }
            state.busy -= 1
            if let connection, state.idle.count < 16 { state.idle.append(connection) }
            return nil
        }
        served?.isServed.signal()
    }

    /// Waits for a place; returns its connection, or nil if there is none yet.
    private func wait() -> SQLiteConnection? {
        let waiter = Waiter()
        state.withLock { $0.waiting.append(waiter) }
        while true {
            // A place may also become free without being passed on, so the thread checks from time to time.
            _ = waiter.isServed.wait(timeout: .now() + .milliseconds(2))
            if let place = waiter.place.withLock({ $0 }) { return place }
            let taken = state.withLock { state -> SQLiteConnection?? in
                if let place = waiter.place.withLock({ $0 }) { return .some(place) }
                guard state.busy < state.limit else { return .none }
                state.waiting.removeAll { $0 === waiter }
                state.busy += 1
                state.turnBegan = .now
                return .some(state.idle.popLast())
            }
            if let taken { return taken }
        }
    }

    /// Lets fewer threads read while `body` writes, or waits to write.
    func whileWriting<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        state.withLock { $0.writers += 1 }
        defer { state.withLock { $0.writers -= 1 } }
        return try body()
    }

    /// Closes the connections that are not in use.
    func close() {
        let idle = state.withLock { state in
            defer { state.idle = [] }
            return state.idle
        }
        _ = idle
    }
}
