import Dispatch
import Foundation
import Synchronization

/// Runs work on the main thread: at once if the caller is there and nothing waits before it, else after what waits.
///
/// For what changes the user interface: a value that arrives on the main thread is shown in the same turn, and values
/// never overtake each other.
public final class UIScheduler: Scheduler {
    private let waiting = Atomic(0)

    /// Makes a scheduler of the main thread, with an order of its own.
    public init() {}

    @discardableResult
    public func schedule(_ action: @escaping @Sendable () -> Void) -> (any Disposable)? {
        let place = waiting.add(1, ordering: .acquiringAndReleasing).oldValue
        if Thread.isMainThread, place == 0 {
            action()
            waiting.subtract(1, ordering: .acquiringAndReleasing)
            return nil
        }
        let disposable = AnyDisposable()
        DispatchQueue.main.async { [self] in
            if !disposable.isDisposed { action() }
            waiting.subtract(1, ordering: .acquiringAndReleasing)
        }
        return disposable
    }
}
