import Synchronization

/// What is made at most once, by whoever comes first.
final class Decision: Sendable {
    private let made = Atomic(false)

    var isMade: Bool { made.load(ordering: .acquiring) }

    /// - Returns: Whether the caller is the one who makes it.
    func make() -> Bool { !made.exchange(true, ordering: .acquiringAndReleasing) }
}
