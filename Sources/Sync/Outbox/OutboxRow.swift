import Foundation
import JSON
import Persistence

/// A row in the table of an outbox, which holds one write.
struct OutboxRow: Identifiable, Equatable, Sendable {
    enum Parking: String, Primitive {
        case none
        case refused
        case conflict
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
    /// The reason why the server refused the write.
    var reason: String?
    let date: Date

    var id: Int { number }

    static let schema = Schema(
        "outbox",
        {
            OutboxRow(
                number: $0, entity: $1, channel: $2, body: $3, truth: $4, key: $5, isUncertain: $6, parking: $7,
                reason: $8, date: $9)
        },
        Column("number", \.number), Column("entity", \.entity, isIndexed: true), Column("channel", \.channel),
        Column("body", \.body), Column("truth", \.truth), Column("key", \.key), Column("uncertain", \.isUncertain),
        Column("parking", \.parking), Column("reason", \.reason), Column("date", \.date))
}

/// The tables of an outbox and of its objects in one transaction.
protocol OutboxRows<Object> {
    associatedtype Object: Identifiable & Sendable

    /// Returns the writes of an entity, the oldest first, at most `limit`.
    func writes(of entity: String, limit: Int) throws(StoreError) -> [OutboxRow]
    /// Returns whether a write is the only one of its entity.
    func isOnly(_ number: Int, of entity: String) throws(StoreError) -> Bool
    func put(_ row: OutboxRow) throws(StoreError)
    func remove(_ number: Int) throws(StoreError)

    /// Makes the next pull begin after this number, if it would begin later.
    func pullAgain(after number: Int) throws(StoreError)

    /// Returns the object that screens show.
    func shown(_ id: Object.ID) throws(StoreError) -> Object?
    func show(_ object: Object?, id: Object.ID) throws(StoreError)
}

extension OutboxRows {
    func writes(of entity: String) throws(StoreError) -> [OutboxRow] { try writes(of: entity, limit: .max) }
}

// MARK: - Writes as bytes

extension OutboxWrite {
    /// Returns the write as JSON. Throws if a value cannot be sent to a server.
    func encoded() throws(StoreError) -> Data {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("kind")
        writer.string(kind.rawValue)
        writer.key("id")
        var isWhole = id.primitiveValue.write(to: &writer)
        for (name, values) in [("new", new), ("old", old)] where values.contains(where: { $0 != nil }) {
            writer.key(name)
            writer.beginObject()
            for (column, value) in zip(schema.columns, values) {
                guard let value else { continue }
                writer.key(column.name)
                isWhole = value.write(to: &writer) && isWhole
            }
            writer.endObject()
        }
        if let version {
            writer.key("version")
            isWhole = version.write(to: &writer) && isWhole
        }
        writer.endObject()
        guard isWhole else { throw .refused(reason: "\(schema.name) \(id) has a value that no server can keep") }
        return writer.finish()
    }

    /// Reads a write that ``encoded()`` has written.
    init(_ body: Data, _ schema: Schema<Object>, versionColumn: Int?) throws(StoreError) {
        let read: OutboxWrite?
        do {
            read = try JSONIndex.read(body) { root in
                guard let kind = root["kind"]?.string.flatMap(Kind.init),
                    let id = root["id"].flatMap({ PrimitiveValue($0.scalar, kind: schema.id.attribute.kind) })
                        .flatMap(Object.ID.init(primitiveValue:))
                else { return nil }
                var write = OutboxWrite(kind, id, schema, versionColumn)
                for (index, column) in schema.columns.enumerated() {
                    let kind = column.attribute.kind
                    write.new[index] = root["new"]?[column.name].flatMap { PrimitiveValue($0.scalar, kind: kind) }
                    write.old[index] = root["old"]?[column.name].flatMap { PrimitiveValue($0.scalar, kind: kind) }
                }
                write.version = versionColumn.flatMap { column in
                    root["version"].flatMap { PrimitiveValue($0.scalar, kind: schema.columns[column].attribute.kind) }
                }
                return write
            }
        } catch {
            read = nil
        }
        guard let read else {
            throw .unreadable(
                table: OutboxRow.schema.name, column: "body", found: String(decoding: body.prefix(200), as: UTF8.self))
        }
        self = read
    }
}

extension Data {
    /// The encoded truth of an entity that the server does not have.
    static let noObject = Data("null".utf8)
}

extension Schema {
    /// Returns the object as a row of JSON; `null` if there is none.
    func truth(_ object: Object?) throws(StoreError) -> Data {
        guard let object else { return .noObject }
        switch json(of: object) {
        case let .success(data): return data
        case let .failure(error): throw .refused(reason: "\(error)")
        }
    }

    func object(fromTruth truth: Data?) throws(StoreError) -> Object? {
        guard let truth, truth != .noObject else { return nil }
        switch objects(fromJSON: Data("[".utf8) + truth + Data("]".utf8)) {
        case let .success(objects): return objects.first
        case .failure:
            throw .unreadable(
                table: OutboxRow.schema.name, column: "truth", found: String(decoding: truth.prefix(200), as: UTF8.self)
            )
        }
    }
}
