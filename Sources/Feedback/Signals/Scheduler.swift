import Foundation

/// A place where work runs.
public protocol Scheduler: Sendable {
    /// Runs `action` as soon as this scheduler gets to it.
    ///
    /// - Returns: A disposable that withdraws the action if it has not begun; `nil` if it can't be withdrawn.
    @discardableResult
    func schedule(_ action: @escaping @Sendable () -> Void) -> (any Disposable)?
}

/// A place where work runs, with a clock.
public protocol DateScheduler: Scheduler {
    /// The time by this scheduler's clock.
    var currentDate: Date { get }

    /// Runs `action` at `date`, or soon after.
    ///
    /// - Returns: A disposable that withdraws the action if it has not begun.
    @discardableResult
    func schedule(after date: Date, action: @escaping @Sendable () -> Void) -> (any Disposable)?

    /// Runs `action` at `date`, and every `interval` after it, until what is returned is disposed.
    ///
    /// - Parameter leeway: The time that each run may be late, so that the system can save energy.
    @discardableResult
    func schedule(
        after date: Date, interval: Duration, leeway: Duration,
        action: @escaping @Sendable () -> Void
    ) -> (any Disposable)?
}

extension DateScheduler {
    /// Runs `action` at `date`, and every `interval` after it, with a tenth of the interval as leeway.
    @discardableResult
    public func schedule(
        after date: Date, interval: Duration, action: @escaping @Sendable () -> Void
    ) -> (any Disposable)? {
        schedule(after: date, interval: interval, leeway: interval / 10, action: action)
    }
}

/// A scheduler that runs each action at once, on the caller's thread.
public struct ImmediateScheduler: Scheduler {
    /// Makes a scheduler that calls each action at once.
    public init() {}

    @discardableResult
    public func schedule(_ action: @escaping @Sendable () -> Void) -> (any Disposable)? {
        action()
        return nil
    }
}
