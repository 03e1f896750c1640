import Foundation

/// The state of an outbox, for people.
public struct SyncStatus: Equatable, Sendable {
    /// The time since which nothing can be sent: there is no network, or the server fails; nil while writes are sent.
    public var offlineSince: Date?
    /// The number of writes that are still to be sent.
    public var waiting = 0
    /// The number of writes that are parked, and that a person must retry or drop.
    public var parked = 0
    /// The time at which the server last answered.
    public var lastSuccess: Date?
    /// The reason why the last request failed; nil after a success.
    public var problem: String?
    /// `true` if the server was reached at the last request, and has failed or refused the credentials.
    public var isServerReached: Bool

    /// Makes a status, for previews and tests.
    public init(
        offlineSince: Date? = nil, waiting: Int = 0, parked: Int = 0, lastSuccess: Date? = nil, problem: String? = nil,
        isServerReached: Bool = false
    ) {
        self.offlineSince = offlineSince
        self.waiting = waiting
        self.parked = parked
        self.lastSuccess = lastSuccess
        self.problem = problem
        self.isServerReached = isServerReached
    }

    /// `true` if all writes are on the server.
    public var isInStep: Bool { waiting == 0 && parked == 0 }
}

/// A write that is not sent until a person decides, mostly since the server has refused it. Later writes to the same object
/// wait behind it.
public struct ParkedWrite: Equatable, Identifiable, Sendable {
    /// The reasons to park a write.
    public enum Cause: Equatable, Sendable {
        /// The server refuses the write, or its answer cannot be stored.
        case refused
        /// The server has answered without an error, and this version of the program cannot read the answer, so the write
        /// may be done. If it is sent again, it keeps its key and its expectations of the server's object.
        case unconfirmed
        /// The object has changed on the server, and a person must decide.
        case conflict
        /// Another version of the program has stored the write, and this one cannot read it. A version that can sends
        /// it. It can also be given up.
        case unreadable
        /// The file is damaged, and a value is lost without which it is not certain that sending the write does no harm:
        /// the server may do it twice, or after later ones. A person decides if it is sent again.
        case damaged

        init(_ parking: OutboxRow.Parking) {
            self =
                switch parking {
                case .none, .refused: .refused
                case .unconfirmed: .unconfirmed
                case .conflict: .conflict
                case .unreadable: .unreadable
                case .damaged: .damaged
                }
        }
    }

    public let id: Int
    /// The name of the table, or of the kind of request.
    public let table: String
    /// The object that the write concerns, as the outbox names it: the table and the id.
    public let entity: String
    /// The write in words, such as `update title: "Heat"`.
    public let summary: String
    /// The kind of the reason.
    public let cause: Cause
    /// The reason in words.
    public let reason: String
    /// The time at which the write was made.
    public let date: Date

    /// Makes a parked write, for previews and tests.
    public init(
        id: Int, table: String, entity: String, summary: String, cause: Cause, reason: String, date: Date
    ) {
        self.id = id
        self.table = table
        self.entity = entity
        self.summary = summary
        self.cause = cause
        self.reason = reason
        self.date = date
    }
}
