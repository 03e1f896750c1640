import Foundation
import Persistence

/// A value, and where it came from.
public struct Sourced<Value: Sendable>: Sendable {
    public var value: Value
    public var origin: Origin
    /// What the local store lacks of what the repository has written.
    public var mirror: MirrorStatus

    public init(_ value: Value, origin: Origin = .remote, mirror: MirrorStatus = .complete) {
        self.value = value
        self.origin = origin
        self.mirror = mirror
    }

    public func map<Other>(_ transform: (Value) -> Other) -> Sourced<Other> {
        Sourced<Other>(transform(value), origin: origin, mirror: mirror)
    }
}

extension Sourced: Equatable where Value: Equatable {}

/// Which store gave an answer.
public enum Origin: Equatable, Sendable {
    case remote
    /// The local one, as the remote one failed for a reason. It holds what the remote one said to the same question at some
    /// time, and what was heard of the same movies later; `nil` where it was never asked this one.
    case local(staleSince: Date?, because: StoreError)
}

/// Whether the local store has all that was written to the remote one.
public enum MirrorStatus: Equatable, Sendable {
    case complete
    /// So many changes are still to be mirrored, as the local store failed the last time. They are tried again whenever the
    /// repository is used.
    case behind(changes: Int, because: StoreError)
}
