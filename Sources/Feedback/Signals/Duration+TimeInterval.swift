import Dispatch
import Foundation

// The public interface counts time in `Duration`. It is converted here for Foundation's dates and Dispatch's timers.

extension Duration {
    /// The duration in seconds, to add to a `Date`.
    public var timeInterval: TimeInterval { self / .seconds(1) }

    /// True for thirty years and more, which Dispatch's timers cannot count in nanoseconds.
    var isForever: Bool { self >= .seconds(1_000_000_000) }

    /// The same interval for Dispatch: `.never` for thirty years and more, and zero if it is negative.
    var dispatched: DispatchTimeInterval {
        if isForever { return .never }
        let (seconds, attoseconds) = max(self, .zero).components
        return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }
}
