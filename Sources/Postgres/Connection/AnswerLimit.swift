import Dispatch
import Feedback
import Foundation
import Synchronization

/// The longest time to wait for an answer of the server, and the connections that may wait for one.
///
/// The connection of a wait that takes longer is shut down, which ends the wait wherever it is: in libpq, or in the kernel on
/// behalf of a suspended task.
final class AnswerLimit: Sendable {
    /// The wait of one connection.
    final class Wait: Sendable {
        private static let none = UInt64.max
        private static let over: UInt64 = 0

        let limit: Duration
        /// The connection's socket under a number of its own: libpq may close the other one at any time, and then that number may
        /// stand for something else.
        private let socket: Int32
        /// The time at which the wait has taken too long.
        private let deadline = Atomic(none)

        init(_ socket: Int32, _ limit: Duration) {
            self.limit = limit
            // If the process has no descriptors left, there is no limit.
            self.socket = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        }

        deinit { close(socket) }

        /// `true` if a wait has taken too long.
        var isOver: Bool { deadline.load(ordering: .acquiring) == Self.over }

        func begin() {
            let nanoseconds = limit / .nanoseconds(1)
            let now = DispatchTime.now().uptimeNanoseconds
            let end = now.addingReportingOverflow(UInt64(min(max(0, nanoseconds), 1e18))).partialValue
            _ = deadline.compareExchange(expected: Self.none, desired: end, ordering: .acquiringAndReleasing)
        }

        func end() {
            let time = deadline.load(ordering: .acquiring)
            if time == Self.over { return }
            _ = deadline.compareExchange(expected: time, desired: Self.none, ordering: .acquiringAndReleasing)
        }

        fileprivate func endIfLate(_ now: UInt64) {
            let time = deadline.load(ordering: .acquiring)
            guard time != Self.over, time <= now else { return }
            // An answer that comes at this moment ends the wait, and counts.
            let isStillWaiting = deadline.compareExchange(
                expected: time, desired: Self.over, ordering: .acquiringAndReleasing
            ).exchanged
            if isStillWaiting { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    private struct WeakWait: Sendable {
        weak let wait: Wait?
    }

    private struct State: Sendable {
        var waits: [WeakWait] = []
        var isLooking = false
    }

    private let limit: Duration
    private let state = Locked(State())
    // Threads of the global queue may be waiting for the server.
    private let queue = DispatchQueue(label: "PostgreSQL answers")

    init(_ limit: Duration) { self.limit = limit }

    /// Returns the wait of a connection.
    func wait(of socket: Int32) -> Wait {
        let wait = Wait(socket, limit)
        let isFirst = state.withLock { state in
            state.waits.append(WeakWait(wait: wait))
            defer { state.isLooking = true }
            return !state.isLooking
        }
        if isFirst { lookLater() }
        return wait
    }

    /// Looks for waits that have taken too long, again and again while there are connections.
    private func lookLater() {
        let pause = min(max(limit / 8, .milliseconds(10)), .seconds(60))
        queue.asyncAfter(deadline: .now() + pause.timeInterval) { [weak self] in
            guard let self else { return }
            let (waits, goesOn) = state.withLock { state -> ([WeakWait], Bool) in
                state.waits.removeAll { $0.wait == nil }
                state.isLooking = !state.waits.isEmpty
                return (state.waits, state.isLooking)
            }
            let now = DispatchTime.now().uptimeNanoseconds
            for each in waits { each.wait?.endIfLate(now) }
            if goesOn { lookLater() }
        }
    }
}
