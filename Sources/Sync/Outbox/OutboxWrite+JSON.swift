import Foundation
import JSON
import Persistence

// Writes as JSON, in which the outbox stores them.

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
            for index in values.indices {
                guard let value = values[index] else { continue }
                writer.key(schema.columns[index].name)
                isWhole = value.write(to: &writer) && isWhole
            }
            writer.endObject()
        }
        for (name, value) in [("version", version), ("first", firstVersion)] {
            guard let value else { continue }
            writer.key(name)
            isWhole = value.write(to: &writer) && isWhole
        }
        if !unseen.isEmpty {
            writer.key("unseen")
            writer.beginArray()
            for index in unseen.sorted() { writer.string(schema.columns[index].name) }
            writer.endArray()
        }
        writer.endObject()
        guard isWhole else {
            throw .refused(reason: "\(schema.name) \(id.printed) has a value that no server can keep")
        }
        return writer.finish()
    }

    /// Reads a write that ``encoded()`` has written, perhaps in an earlier version of the program.
    ///
    /// Throws if a value that the write sets would be lost: if its column is unknown, or its property cannot hold it.
    init(_ body: Data, _ columns: OutboxColumns<Object>) throws(StoreError) {
        do {
            self = try JSONIndex.read(body) { root in
                guard let kind = root["kind"]?.string.flatMap(Kind.init), let id = Self.id(in: root, columns.schema)
                else { throw StoreError.unreadableRow("body", body) }
                var write = OutboxWrite(kind, id, columns.schema, columns.version)
                for (key, node) in root.members {
                    switch key {
                    case "new":
                        var next = 0
                        for (name, value) in node.members { try write.setNew(name, value, columns, &next) }
                    case "old":
                        var next = 0
                        for (name, value) in node.members { write.setOld(name, value, columns, &next) }
                    case "version": write.version = columns.version.flatMap { columns.value($0, node) }
                    case "first": write.firstVersion = columns.version.flatMap { columns.value($0, node) }
                    case "unseen":
                        let names = node.elements.compactMap(\.string)
                        write.unseen = Set(names.compactMap { (try? columns.position(of: $0)) ?? nil })
                    default: break
                    }
                }
                return write
            }
        } catch let error as StoreError {
            throw error
        } catch {
            throw .unreadableRow("body", body)
        }
    }

    /// Returns the id of the object of an encoded write, also if the rest of it cannot be read; nil if not even that
    /// can be.
    static func id(in body: Data, _ schema: Schema<Object>) -> Object.ID? {
        try? JSONIndex.read(body) { root in id(in: root, schema) }
    }

    private static func id(in root: JSONNode, _ schema: Schema<Object>) -> Object.ID? {
        root["id"].flatMap { schema.value(0, $0) }.flatMap(Object.ID.init(primitiveValue:))
    }

    private mutating func setNew(
        _ name: String, _ node: JSONNode, _ columns: OutboxColumns<Object>, _ next: inout Int
    ) throws(StoreError) {
        guard let position = try columns.position(of: name, near: next) else { return }
        next = position + 1
        guard let value = columns.fittingValue(position, node) else {
            throw .unreadable(
                table: schema.name, id: nil, column: schema.columns[position].name, found: node.words)
        }
        new[position] = value
    }

    /// A value that cannot be read is left out: the server's object is then not compared with it.
    private mutating func setOld(
        _ name: String, _ node: JSONNode, _ columns: OutboxColumns<Object>, _ next: inout Int
    ) {
        guard let position = try? columns.position(of: name, near: next) else { return }
        next = position + 1
        old[position] = columns.value(position, node)
    }
}

extension OutboxColumns {
    /// Returns the values of a row of JSON; nil for columns that it does not have.
    func values(ofRow row: Data) -> [PrimitiveValue?] {
        var values = [PrimitiveValue?](repeating: nil, count: schema.columns.count)
        try? JSONIndex.read(row) { root in
            for (name, node) in root.members {
                guard let position = try? position(of: name) else { continue }
                values[position] = value(position, node)
            }
        }
        return values
    }
}

extension Schema {
    /// Returns the value of a column; nil if the JSON is of another type.
    fileprivate func value(_ column: Int, _ node: JSONNode) -> PrimitiveValue? {
        PrimitiveValue(node.scalar, kind: columns[column].attribute.kind)
    }
}

extension JSONNode {
    /// The value in words, for an error.
    var words: String {
        switch kind {
        case .null: "null"
        case .bool: bool == true ? "true" : "false"
        case .number: numberText ?? "a number"
        case .string: "\"\((string ?? "").prefix(100))\""
        case .array: "a list"
        case .object: "an object"
        }
    }
}

extension StoreError {
    /// The error of a row of the outbox that cannot be read.
    static func unreadableRow(_ column: String, _ found: Data) -> StoreError {
        .unreadable(
            table: OutboxRow.schema.name, id: nil, column: column,
            found: String(decoding: found.prefix(200), as: UTF8.self))
    }

    /// `true` if nothing can be stored in the database now. Any other error concerns a single row.
    var isOfDatabase: Bool {
        switch self {
        case .corrupt, .locked, .readOnly, .full, .cannotOpen, .rolledBack: true
        // A statement that the table does not allow, a value that is too large, and one of another type.
        case let .sqlite(code, _): ![1, 18, 20].contains(code & 0xFF)
        default: false
        }
    }

    /// `true` if a stored write, or the object below it, cannot be read by this version of the program.
    var isUnreadable: Bool {
        switch self {
        case .unreadable, .unknownProperty: true
        default: false
        }
    }
}
