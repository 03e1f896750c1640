import Foundation
import Persistence

/// A row in the table of an outbox, which holds one write.
struct OutboxRow: Identifiable, Equatable, Sendable {
    enum Parking: String, Primitive {
        case none
        case refused
        case unconfirmed
        case conflict
        case unreadable
        /// A value is lost without which only a person can say if the write may be sent again.
        case damaged
    }

    /// The number of the write in the order of all writes.
    let number: Int
    /// The table and the id of the object that the write concerns.
    let entity: String
    /// The name of the table or of the kind of request.
    let channel: String
    var body: Data
    /// The server's object as JSON, or `null`, if this is the first write of the object; nil for later writes.
    var truth: Data?
    /// The key by which the server recognizes the write.
    var key: UUID
    /// `true` if a request may have reached the server without an answer reaching this device.
    var isUncertain = false
    var parking = Parking.none
    /// The reason why the write is parked.
    var reason: String?
    let date: Date

    var id: Int { number }
    var subject: OutboxEntity { OutboxEntity(channel: channel, name: entity) }
    /// The number of bytes that the row takes, approximately.
    var size: Int { body.count + (truth?.count ?? 0) }

    /// The row, not parked.
    var unparked: OutboxRow {
        var row = self
        (row.parking, row.reason) = (.none, nil)
        return row
    }

    static let schema = Schema(
        "outbox",
        {
            OutboxRow(
                number: $0, entity: $1, channel: $2, body: $3, truth: $4, key: $5, isUncertain: $6, parking: $7,
                reason: $8, date: $9)
        },
        Column("number", \.number), Column("entity", \.entity), Column("channel", \.channel),
        Column("body", \.body), Column("truth", \.truth), Column("key", \.key), Column("uncertain", \.isUncertain),
        Column("parking", \.parking), Column("reason", \.reason), Column("date", \.date))
}

extension SQLiteTransaction<OutboxRow> {
    /// Returns the row of a write. If the database cannot read one of its values, the value is replaced and the write is
    /// parked, so that it holds up no other, and a person can see it and give it up.
    ///
    /// - Parameter subject: The thing that the write concerns, if that is known from the queue. A row that does not say
    ///   it any more gets it back.
    func readableRow(_ number: Int, of subject: OutboxEntity? = nil) throws(StoreError) -> OutboxRow? {
        // Each turn mends or replaces the first value that cannot be read; the key may need both.
        for _ in 0...OutboxRow.schema.columns.count {
            do throws(StoreError) {
                let row = try object(withId: number)
                // A row of another subject is that of another process, which has written to the file by mistake.
                guard let row, let subject, row.subject != subject, !row.subject.isWhole else { return row }
                try name(subject, in: number)
            } catch {
                guard case let .unreadable(_, _, column, _) = error else { throw error }
                if let subject, column == "entity" || column == "channel" {
                    try name(subject, in: number)
                } else {
                    try replace(column, of: number, because: error)
                }
            }
        }
        return try object(withId: number)
    }

    private func name(_ subject: OutboxEntity, in number: Int) throws(StoreError) {
        try execute(
            "UPDATE outbox SET entity = \(subject.name), channel = \(subject.channel) WHERE number = \(number)")
    }

    /// - Parameter numbers: Rows of the database whose first value is the number of a write.
    func readableRows(_ numbers: [[PrimitiveValue]]) throws(StoreError) -> [OutboxRow] {
        var rows: [OutboxRow] = []
        for number in numbers {
            if let number = Int(primitiveValue: number[0]), let row = try readableRow(number) { rows.append(row) }
        }
        return rows
    }

    private func replace(_ column: String, of number: Int, because error: StoreError) throws(StoreError) {
        var (parking, reason) = (OutboxRow.Parking.unreadable, "\(error)")
        switch column {
        case "body", "truth":
            try execute(
                """
                UPDATE outbox SET \(name: column) = CAST(ifnull(\(name: column), '') AS BLOB) WHERE number = \(number)
                """)
        case "key":
            // UUIDs are stored in capitals.
            if try execute("UPDATE outbox SET key = upper(key) WHERE number = \(number) AND key <> upper(key)") > 0 {
                return
            }
            try execute("UPDATE outbox SET key = \(UUID()) WHERE number = \(number)")
            parking = .damaged
            reason = "The write's key is lost. If it was sent before, and is sent again, the server may do it twice."
        case "date":
            try execute("UPDATE outbox SET date = \(Date(timeIntervalSince1970: 0)) WHERE number = \(number)")
        // It may have been sent.
        case "uncertain": try execute("UPDATE outbox SET uncertain = \(true) WHERE number = \(number)")
        case "parking": break
        case "reason": try execute("UPDATE outbox SET reason = \(reason) WHERE number = \(number)")
        default: throw error
        }
        try execute(
            """
            UPDATE outbox SET parking = \(parking), reason = \(reason)
            WHERE number = \(number) AND parking IS NOT \(OutboxRow.Parking.damaged)
            """)
    }
}

/// The thing that writes concern: an object of a table, or the subject of requests.
struct OutboxEntity: Hashable, Sendable {
    /// The name of the table or of the kind of request.
    let channel: String
    /// The name in ``OutboxRow/entity``. Two channels may have the same one: `likes/5` may be an object of the table
    /// `films`, and `5` one of the table `films/likes`.
    let name: String

    /// `true` if the name begins with the channel, as that of each write does.
    var isWhole: Bool { name.utf8.starts(with: "\(channel)/".utf8) }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// The tables of an outbox and of its objects in one transaction.
protocol OutboxRows<Object> {
    associatedtype Object: Identifiable & Sendable

    /// Returns the writes of an entity, the oldest first, at most `limit`.
    func writes(of entity: String, limit: Int) throws(StoreError) -> [OutboxRow]
    /// Returns the writes of an entity with greater numbers than this one, the oldest first.
    func writes(of entity: String, after number: Int) throws(StoreError) -> [OutboxRow]
    /// Returns true if a write is the only one of its entity.
    func isOnly(_ number: Int, of entity: String) throws(StoreError) -> Bool
    func put(_ row: OutboxRow) throws(StoreError)
    func remove(_ number: Int) throws(StoreError)

    /// Returns the columns that the writes of an entity set, as they were noted last.
    func setters(of entity: String) -> ColumnSetters?
    /// Keeps them in memory; nil to forget them.
    func note(_ setters: ColumnSetters?, of entity: String)

    /// Makes the next pull begin after this number, if it would begin later.
    func pullAgain(after number: Int) throws(StoreError)

    /// Returns the object that screens show.
    func shown(_ id: Object.ID) throws(StoreError) -> Object?
    func show(_ object: Object?, id: Object.ID) throws(StoreError)
}

extension OutboxRows {
    func writes(of entity: String) throws(StoreError) -> [OutboxRow] { try writes(of: entity, limit: .max) }
}

// MARK: - The truth as bytes

extension Data {
    /// The encoded truth of an entity that the server does not have.
    static let noObject = Data("null".utf8)
    /// The truth if the server's object has no form as JSON. It cannot be read, so the write is sent, but its object cannot
    /// return to the server's state before the next pull.
    static let unknownObject = Data("unknown".utf8)
}

extension Schema {
    /// Returns the object as a row of JSON; `null` if there is none.
    func truth(_ object: Object?) -> Data {
        guard let object else { return .noObject }
        return (try? json(of: object).get()) ?? .unknownObject
    }

    func object(fromTruth truth: Data?) throws(StoreError) -> Object? {
        guard let truth, truth != .noObject else { return nil }
        switch objects(fromJSON: Data("[".utf8) + truth + Data("]".utf8)) {
        case let .success(objects): return objects.first
        case .failure: throw .unreadableRow("truth", truth)
        }
    }
}
