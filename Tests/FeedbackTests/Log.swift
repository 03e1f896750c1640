import Feedback
import Foundation
import Synchronization

/// A list of entries, in order, which any thread can add to.
final class Log<Entry: Sendable>: Sendable {
    private let storage = Locked<[Entry]>([])

    var entries: [Entry] { storage.withLock { $0 } }

    func add(_ entry: Entry) { storage.withLock { $0.append(entry) } }
}

/// Counts its living instances, to show that their owners were released.
final class Tracked: Sendable {
    final class Census: Sendable {
        private let count = Atomic(0)

        var living: Int { count.load(ordering: .acquiring) }

        func make() -> Tracked { Tracked(self) }

        fileprivate func add(_ change: Int) { count.add(change, ordering: .acquiringAndReleasing) }
    }

    private let census: Census

    private init(_ census: Census) {
        self.census = census
        census.add(1)
    }

    deinit { census.add(-1) }

    func touch() {}
}

/// Runs an action when its last reference is released.
final class AtRelease: Sendable {
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) { self.action = action }

    deinit { action() }

    func touch() {}
}
