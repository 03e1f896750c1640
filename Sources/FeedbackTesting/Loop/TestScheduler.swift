import Feedback
import Foundation

/// A scheduler whose time stands still until a test moves it.
///
/// ```swift
/// let scheduler = TestScheduler()
/// search.debounce(.milliseconds(300), on: scheduler).observeValues { print($0) }
/// scheduler.advance(by: .milliseconds(300))
/// ```
///
/// Actions run on the thread that moves the time, in the order of their dates; those of the same date in the order in
/// which they were scheduled. Dates are compared in whole microseconds, as sums of fractions of a second are not exact: 0.7
/// and 0.1 seconds are the same time as 0.8. Any thread may use it; actions never run at the same time.
public final class TestScheduler: DateScheduler {
    private let state: Locked<State>
    // Held while actions run; recursive, as an action may move the time itself.
    private let running = NSRecursiveLock()

    private struct State {
        var date: Date
        var count: UInt64 = 0
        /// Sorted by date, then by the order of scheduling.
        var actions: [Scheduled] = []
        /// The dates of the actions that `rewind(by:)` has moved.
        var rewound: [UInt64: Date] = [:]

        /// The place among the sorted actions at which one is, or belongs.
        func index(of due: Date, _ place: UInt64) -> Int {
            var (low, high) = (0, actions.count)
            while low < high {
                let middle = low + (high - low) / 2
                let isBefore = (actions[middle].due, actions[middle].place) < (due, place)
                if isBefore { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    private struct Scheduled {
        /// The date that the action sees, as it may wait for just that.
        var date: Date
        /// The same in whole microseconds.
        var due: Date
        /// True for an action without a date of its own.
        let isImmediate: Bool
        let place: UInt64
        let action: @Sendable () -> Void
    }

    /// Makes a scheduler.
    ///
    /// - Parameter startDate: The first `currentDate`.
    public init(startDate: Date = Date(timeIntervalSinceReferenceDate: 0)) {
        state = Locked(State(date: startDate))
    }

    public var currentDate: Date { state.withLock { $0.date } }

    /// True if no action waits.
    public var isIdle: Bool { state.withLock { $0.actions.isEmpty } }

    // MARK: - Scheduling

    /// Runs `action` at the next call that moves the time, also `advance()`, which moves it by nothing.
    @discardableResult
    public func schedule(_ action: @escaping @Sendable () -> Void) -> (any Disposable)? {
        state.withLock { insert(action, after: nil, into: &$0) }
    }

    @discardableResult
    public func schedule(after date: Date, action: @escaping @Sendable () -> Void) -> (any Disposable)? {
        state.withLock { insert(action, after: date, into: &$0) }
    }

    @discardableResult
    public func schedule(
        after date: Date, interval: Duration, leeway: Duration = .zero,
        action: @escaping @Sendable () -> Void
    ) -> (any Disposable)? {
        precondition(interval > .zero, "A repeated action needs an interval greater than zero.")
        let next = SerialDisposable()
        repeatAction(action, at: date, every: interval.timeInterval, next)
        return next
    }

    private func repeatAction(
        _ action: @escaping @Sendable () -> Void, at date: Date, every interval: TimeInterval,
        _ next: SerialDisposable
    ) {
        next.inner = schedule(after: date) { [unowned self] in
            // Scheduled before the action runs, so that the action can dispose it.
            repeatAction(action, at: date.addingTimeInterval(interval), every: interval, next)
            action()
        }
    }

    private func insert(
        _ action: @escaping @Sendable () -> Void, after given: Date?, into state: inout State
    ) -> any Disposable {
        let date = given ?? state.date
        let place = state.count
        state.count += 1
        let due = date.inMicroseconds
        state.actions.insert(
            Scheduled(date: date, due: due, isImmediate: given == nil, place: place, action: action),
            at: state.index(of: due, place))
        return AnyDisposable { [weak self] in self?.withdraw(due, place) }
    }

    private func withdraw(_ due: Date, _ place: UInt64) {
        let withdrawn = state.withLock { state -> Scheduled? in
            let index = state.index(of: state.rewound.removeValue(forKey: place) ?? due, place)
            guard index < state.actions.count, state.actions[index].place == place else { return nil }
            return state.actions.remove(at: index)
        }
        // Released outside the lock.
        _ = withdrawn
    }

    // MARK: - Moving the time

    /// Runs the actions that are due now, without moving the time.
    public func advance() {
        advance(by: .zero)
    }

    /// Moves the time by `interval`, and runs the actions that become due on the way, each at its date.
    public func advance(by interval: Duration) {
        running.withLock { advance(to: currentDate.addingTimeInterval(interval.timeInterval)) }
    }

    /// Moves the time to `date`, and runs the actions that become due on the way, each at its date, also those that are
    /// scheduled meanwhile.
    public func advance(to date: Date) {
        running.withLock {
            precondition(currentDate <= date, "The time of a scheduler advances; rewind(by:) takes it back.")
            let date = date.inMicroseconds
            while let action = nextAction(until: date) { action() }
            state.withLock { $0.date = max($0.date, date) }
        }
    }

    /// Moves the time to `Date.distantFuture`, and runs the actions that become due on the way. It does not return if
    /// an action is repeated and never disposed.
    public func run() {
        advance(to: .distantFuture)
    }

    /// Takes the time back by `interval`, as if the clock were set. Actions that were scheduled for a date keep it; the
    /// others are still due.
    public func rewind(by interval: Duration) {
        running.withLock {
            state.withLock { state in
                state.date = state.date.addingTimeInterval(-interval.timeInterval)
                let due = state.date.inMicroseconds
                for index in state.actions.indices
                where state.actions[index].isImmediate && due < state.actions[index].due {
                    state.actions[index].date = state.date
                    state.actions[index].due = due
                    state.rewound[state.actions[index].place] = due
                }
                state.actions.sort { ($0.due, $0.place) < ($1.due, $1.place) }
            }
        }
    }

    private func nextAction(until date: Date) -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard let first = state.actions.first, first.due <= date else { return nil }
            state.actions.removeFirst()
            state.date = max(state.date, first.date)
            return first.action
        }
    }
}

extension Date {
    /// The nearest date with a whole number of microseconds.
    fileprivate var inMicroseconds: Date {
        Date(timeIntervalSinceReferenceDate: (timeIntervalSinceReferenceDate * 1e6).rounded() / 1e6)
    }
}
