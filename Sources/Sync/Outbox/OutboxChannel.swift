import Feedback
import Foundation
import Persistence

/// One kind of writes of an outbox: those of a table, or a kind of request.
protocol OutboxChannel: Sendable {
    var name: String { get }
    var gate: OutboxGate { get }
    /// `true` if a write is marked on the disk before it is sent, since it matters later if it may have been done.
    var marksSentWrites: Bool { get }

    /// Adapts the rows of an earlier run of the program to the present form of the writes.
    func upgrade(_ outbox: SQLiteStore<OutboxRow>) throws(StoreError)
    /// Returns the entity of a row of this channel as its other values say it; nil if they do not.
    func entity(of row: OutboxRow) -> String?
    /// Sends a write, and returns the changes to store for its answer.
    func send(_ row: OutboxRow) async -> OutboxResult
    func summary(of row: OutboxRow) -> String
    /// Returns the numbers of the writes that are gone.
    func retry(_ row: OutboxRow, in transaction: SQLiteTransaction<OutboxRow>) throws(StoreError) -> [Int]
    /// Returns the numbers of the writes that are gone.
    func giveUp(_ row: OutboxRow, in transaction: SQLiteTransaction<OutboxRow>) throws(StoreError) -> [Int]
    /// Called after writes of this kind were settled, retried or given up.
    func didSettle()
}

extension OutboxChannel {
    var isOpen: Bool { gate.phase.withLock { $0 == .open } }
}

/// The gate of a channel, which closes when the store of the channel is closed.
final class OutboxGate: Sendable {
    enum Phase: Sendable {
        case open
        /// New writes and pulls are refused, and no other writes are made ready to be sent. The answers to those that
        /// are under way are stored.
        case closing
        case closed
    }

    let phase = Locked(Phase.open)
}

/// The end of one request of an outbox.
struct OutboxResult: Sendable {
    /// The result of the request on the network.
    enum Reach: Sendable {
        case answered
        /// There was no request, so nothing was learned about the network.
        case notSent
        /// The server was reached, and asks to try again, perhaps after a given time.
        case busy(reason: String, after: Duration? = nil)
        case unreachable(reason: String)
    }

    let reach: Reach
    var conflict: ConflictEvent?
    /// Applies the answer to the rows.
    let settle: @Sendable (SQLiteTransaction<OutboxRow>) throws(StoreError) -> OutboxSettlement

    init(
        _ reach: Reach, conflict: ConflictEvent? = nil,
        settle: @escaping @Sendable (SQLiteTransaction<OutboxRow>) throws(StoreError) -> OutboxSettlement
    ) {
        self.reach = reach
        self.conflict = conflict
        self.settle = settle
    }

    /// The end of a write that is parked, if it still exists.
    static func parking(
        _ row: OutboxRow, _ parking: OutboxRow.Parking, because reason: String, reach: Reach
    ) -> OutboxResult {
        OutboxResult(reach) { transaction throws(StoreError) in
            try transaction.park(row, parking, because: reason)
        }
    }
}

extension SQLiteTransaction<OutboxRow> {
    func park(
        _ sent: OutboxRow, _ parking: OutboxRow.Parking, because reason: String
    ) throws(StoreError) -> OutboxSettlement {
        guard var row = try readableRow(sent.number, of: sent.subject) else { return .done }
        if row.parking == .damaged { return .parked }
        (row.parking, row.reason) = (parking, reason)
        try update([row])
        return .parked
    }
}

extension OutboxAnswer {
    var reach: OutboxResult.Reach {
        switch self {
        case .accepted, .acceptedUnreadable, .unconfirmed, .conflict, .refused(_, wasSent: true, _): .answered
        case .refused(_, wasSent: false, _): .notSent
        case let .busy(reason, after, _): .busy(reason: reason, after: after)
        case let .unreachable(reason, _): .unreachable(reason: reason)
        }
    }
}
