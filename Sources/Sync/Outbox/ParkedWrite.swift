import Foundation

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
