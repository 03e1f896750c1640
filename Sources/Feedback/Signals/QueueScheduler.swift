import Dispatch
import Foundation

/// A scheduler that runs actions one after the other on a dispatch queue.
///
/// An action with a date runs when the system's clock has reached it, also if the machine has slept meanwhile. If the
/// clock is set back, the action waits for so much longer.
public final class QueueScheduler: DateScheduler {
    /// The scheduler of the main queue. An action never runs inside the call that schedules it.
    public static let main = QueueScheduler(targeting: .main, name: "Feedback.QueueScheduler.main")

    /// The queue on which the work runs: a serial one, even if its target is concurrent.
    public let queue: DispatchQueue

    /// Makes a scheduler with a queue of its own.
    public init(qos: DispatchQoS = .default, name: String = "Feedback.QueueScheduler") {
        queue = DispatchQueue(label: name, qos: qos)
    }

    /// Makes a scheduler whose work runs on `target`, and serially even if `target` is concurrent.
    public init(targeting target: DispatchQueue, name: String = "Feedback.QueueScheduler") {
        queue = DispatchQueue(label: name, target: target)
    }

    public var currentDate: Date { Date() }

    @discardableResult
    public func schedule(_ action: @escaping @Sendable () -> Void) -> (any Disposable)? {
        let pending = PendingAction(action)
        queue.async { pending.run() }
        return pending
    }

    @discardableResult
    public func schedule(after date: Date, action: @escaping @Sendable () -> Void) -> (any Disposable)? {
        // A timer could be overtaken by what is scheduled after it.
        guard date.timeIntervalSinceNow > 0 else { return schedule(action) }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(wallDeadline: Self.time(of: date), leeway: .milliseconds(1))
        return start(timer, TimedAction(timer, isRepeated: false, action))
    }

    @discardableResult
    public func schedule(
        after date: Date, interval: Duration, leeway: Duration,
        action: @escaping @Sendable () -> Void
    ) -> (any Disposable)? {
        precondition(interval > .zero, "A repeated action needs an interval greater than zero.")
        // The second run would be in thirty years.
        guard !interval.isForever else { return schedule(after: date, action: action) }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(wallDeadline: Self.time(of: date), repeating: interval.dispatched, leeway: leeway.dispatched)
        return start(timer, TimedAction(timer, isRepeated: true, action))
    }

    private func start(_ timer: any DispatchSourceTimer, _ action: TimedAction) -> any Disposable {
        timer.setEventHandler { action.run() }
        timer.activate()
        return action
    }

    private static func time(of date: Date) -> DispatchWallTime {
        let seconds = date.timeIntervalSinceNow
        guard seconds > 0 else { return .now() }
        // The far future of `Date` is out of the range of a wall time.
        return seconds < 1e9 ? .now() + seconds : .distantFuture
    }
}

/// An action that runs once, unless it is disposed before.
private final class PendingAction: Disposable {
    private let action: Locked<(@Sendable () -> Void)?>

    init(_ action: @escaping @Sendable () -> Void) {
        self.action = Locked(action)
    }

    var isDisposed: Bool { action.withLock { $0 == nil } }

    func run() { action.withLock { $0.take() }?() }

    func dispose() {
        // Let go of outside the lock.
        _ = action.withLock { $0.take() }
    }
}

/// An action that a timer runs, once or until it is disposed. The timer's handler keeps it alive until then.
private final class TimedAction: Disposable {
    // Dispatch lets any thread cancel a timer.
    nonisolated(unsafe) private let timer: any DispatchSourceTimer
    private let isRepeated: Bool
    private let action: Locked<(@Sendable () -> Void)?>

    init(_ timer: any DispatchSourceTimer, isRepeated: Bool, _ action: @escaping @Sendable () -> Void) {
        self.timer = timer
        self.isRepeated = isRepeated
        self.action = Locked(action)
    }

    var isDisposed: Bool { action.withLock { $0 == nil } }

    func run() {
        guard let action = isRepeated ? action.withLock({ $0 }) : take() else { return }
        action()
    }

    func dispose() { _ = take() }

    /// Ends the timer, which lets go of this object then.
    private func take() -> (@Sendable () -> Void)? {
        guard let action = action.withLock({ $0.take() }) else { return nil }
        timer.cancel()
        return action
    }
}
