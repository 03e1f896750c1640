import Dispatch
import Foundation

/// A scheduler that runs actions one after the other on a dispatch queue.
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
        let pending = PendingAction(action)
        queue.asyncAfter(wallDeadline: Self.wallTime(date)) { pending.run() }
        return pending
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
        timer.schedule(wallDeadline: Self.wallTime(date), repeating: interval.dispatched, leeway: leeway.dispatched)
        let repeated = RepeatedAction(timer, action)
        timer.setEventHandler { repeated.run() }
        timer.activate()
        return repeated
    }

    private static func wallTime(_ date: Date) -> DispatchWallTime {
        let seconds = date.timeIntervalSince1970
        // The far past and the far future of `Date` are out of the range of a wall time.
        guard seconds > 1 else { return .now() }
        guard seconds < 1e10 else { return .distantFuture }
        let whole = seconds.rounded(.down)
        return DispatchWallTime(timespec: timespec(tv_sec: Int(whole), tv_nsec: Int((seconds - whole) * 1e9)))
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

/// An action that a timer runs until it is disposed. The timer's handler keeps it alive until then.
private final class RepeatedAction: Disposable {
    // Dispatch lets any thread cancel a timer.
    nonisolated(unsafe) private let timer: any DispatchSourceTimer
    private let action: Locked<(@Sendable () -> Void)?>

    init(_ timer: any DispatchSourceTimer, _ action: @escaping @Sendable () -> Void) {
        self.timer = timer
        self.action = Locked(action)
    }

    var isDisposed: Bool { action.withLock { $0 == nil } }

    func run() { action.withLock { $0 }?() }

    func dispose() {
        guard action.withLock({ $0.take() }) != nil else { return }
        timer.cancel()
        timer.setEventHandler(handler: nil)
    }
}
