import Foundation
import Persistence

/// An object that was changed both locally and on the server.
public struct WriteConflict<Object: Identifiable & Sendable>: Sendable where Object.ID: Primitive {
    /// The id of the object.
    public let id: Object.ID
    /// The object with the local write; nil if it was deleted locally.
    public let mine: Object?
    /// The server's object; nil if it was deleted there.
    public let theirs: Object?
    /// The columns that both sides have changed, to different values.
    public let columns: [String]
    /// `true` if the write adds an object, and the server has one with the same id.
    public let isInsertion: Bool
    /// `true` if an earlier request of this write may have been done already, and then overwritten by another client.
    public let isUncertain: Bool

    /// The resolution of a conflict.
    public enum Resolution: Sendable {
        /// Sends the write again, applied to the server's object: the last write of each column wins.
        case keepMine
        /// Drops the write.
        case keepTheirs
        /// Changes the object to this one, which must have its id.
        case merge(Object)
        /// Parks the write, for a person to decide.
        case ask
    }

    /// The default resolution: the last write of each column wins. A person is asked if one side has deleted the
    /// object, if its id was taken, or if the write may have been done already and there are contested columns.
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
        /// The object was changed to a merged one.
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
    /// The outcome of the conflict.
    public let outcome: Outcome
}
