/// The handle of the alarm that was set last on a scheduler. Disposing it withdraws that alarm.
///
/// An alarm may ring on another thread before the call that sets it returns, and the next one may be set there. Its handle
/// then comes first, and the older one must not take its place, which would withdraw it. So alarms are numbered:
///
///     thread A                                     thread B, of the scheduler
///     schedules alarm 1
///                                                  rings; schedules alarm 2; keeps its handle
///     has the handle of alarm 1, and drops it
final class LatestAlarm: Disposable {
    private struct State {
        var number: UInt = 0
        var handle: (any Disposable)?
        var isDisposed = false
    }

    private let state = Locked(State())

    var isDisposed: Bool { state.withLock { $0.isDisposed } }

    func dispose() {
        let handle: (any Disposable)? = state.withLock { state in
            state.isDisposed = true
            return state.handle.take()
        }
        handle?.dispose()
    }

    /// Keeps what withdraws an alarm, in place of the one before.
    ///
    /// - Parameter number: The number of the alarm, from 1 on, in the order in which they are set.
    func keep(_ handle: (any Disposable)?, of number: UInt) {
        let obsolete: (any Disposable)? = state.withLock { state in
            guard !state.isDisposed, state.number < number else { return handle }
            defer { (state.number, state.handle) = (number, handle) }
            return state.handle
        }
        obsolete?.dispose()
    }
}
