import Feedback
import Foundation

/// Limits of the entities and lists that a ``NormalizedCache`` keeps although nothing needs them.
///
/// An entity is needed while a watch shows it, a list holds it, another entity links to it, or an optimistic change of
/// it is pending. It is then never evicted, whatever the limits. The others are evicted oldest first: the one whose
/// last storing or last need is the longest ago.
public struct CacheLimits: Sendable {
    /// The greatest number of entities; no limit if `nil`.
    public var count: Int?
    /// The greatest number of bytes that the entities take, see ``Entity/byteCount``; no limit if `nil`.
    public var bytes: Int?
    /// The greatest number of lists that are kept without being watched; no limit if `nil`. The least recently used
    /// list is removed first.
    public var unwatchedLists: Int?

    private var timesToLive: [ObjectIdentifier: TimeInterval] = [:]

    /// Makes limits; without arguments there are none.
    public init(count: Int? = nil, bytes: Int? = nil, unwatchedLists: Int? = nil) {
        self.count = count
        self.bytes = bytes
        self.unwatchedLists = unwatchedLists
    }

    /// Sets the time after which an entity of a type expires, counted from its last storing. An expired entity is no
    /// longer found, unless something needs it.
    public mutating func setTimeToLive<Target: Entity>(_ duration: Duration, of type: Target.Type) {
        timesToLive[ObjectIdentifier(type)] = duration.timeInterval
    }

    @usableFromInline
    func timeToLive<Target: Entity>(of type: Target.Type) -> TimeInterval? { timesToLive[ObjectIdentifier(type)] }
}
