import Feedback
import Foundation

/// Limits of what a ``NormalizedCache`` keeps without need.
///
/// An entity is needed while a watch shows it, a list holds it, another entity links to it, or an optimistic change of it is
/// pending. It is then never evicted, whatever the limits. The others are evicted oldest first: the one that was stored, or was
/// last needed, the longest time ago.
public struct CacheLimits: Sendable {
    /// The most entities that are kept; no limit if `nil`.
    public var count: Int?
    /// The most memory that entities take, see ``Entity/byteCount``; no limit if `nil`.
    public var bytes: Int?
    /// The most lists that are kept without being watched; no limit if `nil`. The one unwatched the longest goes first.
    public var unwatchedLists: Int?

    private var timesToLive: [ObjectIdentifier: TimeInterval] = [:]

    /// Makes limits; without arguments there are none.
    public init(count: Int? = nil, bytes: Int? = nil, unwatchedLists: Int? = nil) {
        self.count = count
        self.bytes = bytes
        self.unwatchedLists = unwatchedLists
    }

    /// Lets entities of a type live for a time after they were stored last. Later they are not found any more, unless they
    /// are needed.
    public mutating func setTimeToLive<Target: Entity>(_ duration: Duration, of type: Target.Type) {
        timesToLive[ObjectIdentifier(type)] = duration.timeInterval
    }

    @usableFromInline
    func timeToLive<Target: Entity>(of type: Target.Type) -> TimeInterval? { timesToLive[ObjectIdentifier(type)] }
}
