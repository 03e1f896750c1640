import Foundation
import Persistence

/// A value with the store that it came from.
public struct Sourced<Value: Sendable>: Sendable {
    /// The value.
    public var value: Value
    /// The store that it came from.
    public var source: AnswerSource
    /// The state of the local store: complete, or behind the changes that were made through the mirrored store.
    public var mirror: MirrorStatus

    /// Makes a value that came from a store, by default the remote one.
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
    /// The local store, because the remote one failed.
    ///
    /// - Parameters:
    ///   - staleSince: The time at which the remote store last answered the same question; nil if it never has. Some of
    ///     the objects may be newer, from answers to other questions.
    ///   - because: The remote store's error.
    case local(staleSince: Date?, because: StoreError)
}

/// The state of a local store, compared with the changes that the remote one has accepted.
public enum MirrorStatus: Equatable, Sendable {
    /// The local store has all changes.
    case complete
    /// The local store failed, and does not have this number of changes. They are tried again whenever the mirrored
    /// store is used.
    case behind(changes: Int, because: StoreError)
}

extension AnswerSource {
    /// Returns the source of a value that is made from values of both sources: the one that is less up to date.
    public func joined(with other: AnswerSource) -> AnswerSource {
        switch (self, other) {
        case (.remote, _): other
        case (_, .remote): self
        case let (.local(mine, _), .local(others, error)):
            .local(staleSince: mine.flatMap { mine in others.map { min(mine, $0) } }, because: error)
        }
    }
}
