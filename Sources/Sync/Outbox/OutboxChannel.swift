import Foundation
import Persistence

/// One kind of writes of an outbox: those of a table, or a kind of request.
protocol OutboxChannel: Sendable {
    var name: String { get }
    /// `true` if the server does the writes with the same key once.
    var remembersKeys: Bool { get }

    /// Sends a write, and returns what is to be kept of the answer.
    func send(_ row: OutboxRow) async -> OutboxResult
    func summary(of row: OutboxRow) -> String
    /// Returns the numbers of the writes that are gone.
    func retry(_ row: OutboxRow, in transaction: SQLiteTransaction<OutboxRow>) throws(StoreError) -> [Int]
    /// Returns the numbers of the writes that are gone.
    func giveUp(_ row: OutboxRow, in transaction: SQLiteTransaction<OutboxRow>) throws(StoreError) -> [Int]
    /// Called after writes of this kind were settled, retried or given up.
    func didSettle()
}

/// The end of one request of an outbox.
struct OutboxResult: Sendable {
    /// The point that the request got to.
    enum Reach: Sendable {
        case answered
        /// The server was reached, and wants to be asked again, after some time if it says so.
        case busy(reason: String, after: Duration? = nil)
        case unreachable(reason: String)
    }

    let reach: Reach
    var conflict: ConflictEvent?
    /// Brings the rows up to date.
    let settle: @Sendable (SQLiteTransaction<OutboxRow>) throws(StoreError) -> OutboxSettlement

    init(
        _ reach: Reach, conflict: ConflictEvent? = nil,
        settle: @escaping @Sendable (SQLiteTransaction<OutboxRow>) throws(StoreError) -> OutboxSettlement
    ) {
        self.reach = reach
        self.conflict = conflict
        self.settle = settle
    }
}

extension OutboxAnswer {
    var reach: OutboxResult.Reach {
        switch self {
        case .accepted, .conflict, .refused: .answered
        case let .busy(reason, after): .busy(reason: reason, after: after)
        case let .unreachable(reason, _): .unreachable(reason: reason)
        }
    }
}
