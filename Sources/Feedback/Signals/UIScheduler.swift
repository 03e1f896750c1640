import Dispatch
import Foundation
import Synchronization

/// A scheduler of the main thread; on Linux, of the main queue. It runs an action at once if the caller is there and no
/// other action waits, and otherwise after those that wait.
///
/// Use it for changes of the user interface: a value that arrives on the main thread is shown in the same turn, and
/// values never overtake each other.
public final class UIScheduler: Scheduler {
    private let waiting = Atomic(0)

    /// Makes a scheduler of the main thread, with an order of its own.
    public init() { _ = Self.mark }

    /// True on the main queue, where code of the main actor runs. On Linux another thread than the first one may serve
    /// it.
    static var isOnMain: Bool {
        Thread.isMainThread || DispatchQueue.getSpecific(key: mark) != nil
    }

    private static let mark: DispatchSpecificKey<Void> = {
        let mark = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: mark, value: ())
        return mark
    }()

    @discardableResult
    public func schedule(_ action: @escaping @Sendable () -> Void) -> (any Disposable)? {
        let place = waiting.add(1, ordering: .acquiringAndReleasing).oldValue
        if Self.isOnMain, place == 0 {
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
