import Foundation
import Persistence

/// A value with the store that it came from.
public struct Sourced<Value: Sendable>: Sendable {
    /// The value.
    public var value: Value
    /// The store that it came from.
    public var source: AnswerSource
    /// The state of the local store: complete, or behind the changes that were made through the mirrored one.
    public var mirror: MirrorStatus

    /// Makes a value that came from a store; the remote one unless told otherwise.
    public init(_ value: Value, source: AnswerSource = .remote, mirror: MirrorStatus = .complete) {
        self.value = value
        self.source = source
        self.mirror = mirror
    }

    /// Returns another value that came from the same store.
    public func map<Other>(_ transform: (Value) -> Other) -> Sourced<Other> {
        Sourced<Other>(transform(value), source: source, mirror: mirror)
    }
}

extension Sourced: Equatable where Value: Equatable {}

/// The store that answered.
public enum AnswerSource: Equatable, Sendable {
    /// The remote store.
    case remote
    /// The local store, since the remote one failed.
    ///
    /// - Parameters:
    ///   - staleSince: When the remote store last answered the same question; nil if it never has. The local store also holds
    ///     what was heard of the same objects later.
    ///   - because: The remote store's error.
    case local(staleSince: Date?, because: StoreError)
}

/// The state of a local store, compared with the changes that the remote one has taken.
public enum MirrorStatus: Equatable, Sendable {
    /// The local store has all of them.
    case complete
    /// The local store failed, and lacks so many changes. They are tried again whenever the mirrored store is used.
    case behind(changes: Int, because: StoreError)
}

extension AnswerSource {
    /// The source of a value that is made of both: the one that is less up to date.
    public func joined(with other: AnswerSource) -> AnswerSource {
        switch (self, other) {
        case (.remote, _): other
        case (_, .remote): self
        case let (.local(mine, _), .local(others, error)):
            .local(staleSince: mine.flatMap { mine in others.map { min(mine, $0) } }, because: error)
        }
    }
}
