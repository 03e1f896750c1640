import Foundation
import Persistence

/// An object that was changed here and, meanwhile, on the server.
public struct WriteConflict<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    /// The id of the object.
    public let id: Object.ID
    /// The object as it was meant to be; nil if it was deleted here.
    public let mine: Object?
    /// The object as the server has it; nil if it was deleted there.
    public let theirs: Object?
    /// The columns that both have changed, to different values.
    public let columns: [String]
    /// `true` if the write adds an object, and the server has one with the same id.
    public let isInsertion: Bool
    /// `true` if an earlier request of this write may have been done already, and then overwritten by somebody else.
    public let isUncertain: Bool

    /// The end of a conflict.
    public enum Resolution: Sendable {
        /// Sends the write again, on top of the server's object: the last write of each column wins.
        case keepMine
        /// Drops the write.
        case keepTheirs
        /// Makes the object be this one.
        case merge(Object)
        /// Parks the write, for a person to decide.
        case ask
    }

    /// The resolution of an outbox that was told of no other: the last write of each column wins. A person is asked if the
    /// object is gone on one of the sides, if its id was taken, or if the write may have been done already.
    public var usualResolution: Resolution {
        if isInsertion || mine == nil || theirs == nil { return .ask }
        return isUncertain && !columns.isEmpty ? .ask : .keepMine
    }
}

extension WriteConflict: Equatable where Object: Equatable {}

/// A conflict and how it was resolved, as a screen can show it.
public struct ConflictEvent: Equatable, Sendable {
    /// The ways in which a conflict ends.
    public enum Outcome: Equatable, Sendable {
        /// The write was sent again.
        case keptMine
        /// The write was dropped.
        case keptTheirs
        /// The object was made another one.
        case merged
        /// A parked write waits for a person.
        case asked
    }

    /// The name of the table.
    public let table: String
    /// The id of the object, in words.
    public let id: String
    /// The columns that both sides have changed, to different values; empty if one side has deleted the object.
    public let columns: [String]
    /// The end of the conflict.
    public let outcome: Outcome
}
