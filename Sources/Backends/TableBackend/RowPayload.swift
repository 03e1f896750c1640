import Foundation
import JSON
import Persistence
import Sync

/// The rows of a body: an object, or a list of objects that all have the same keys.
struct RowPayload: Sendable {
    /// The columns that are written, by their positions in the schema.
    let positions: [Int]
    /// The values of these columns; nil for one without a key.
    let rows: [[PrimitiveValue?]]

    /// - Parameter keys: The columns to write, for rows that may have different keys; nil if all rows have the same
    ///   keys.
    init<Object>(_ body: Data, of schema: Schema<Object>, keys: [Int]?) throws(TableRejection) {
        do {
            self = try JSONIndex.read(body) { root in try RowPayload(root, of: schema, keys) }
        } catch let rejection as TableRejection {
            throw rejection
        } catch {
            throw .invalidBody
        }
    }

    private init<Object>(_ root: JSONNode, of schema: Schema<Object>, _ keys: [Int]?) throws(TableRejection) {
        let objects = root.kind == .array ? Array(root.elements) : [root]
        guard objects.allSatisfy({ $0.kind == .object }) else { throw .differentKeys }
        if let keys {
            positions = keys
        } else {
            let names = objects.first.map { $0.members.map(\.key) } ?? []
            let known = Set(names)
            guard objects.allSatisfy({ $0.count == known.count && Set($0.members.map(\.key)) == known }) else {
                throw .differentKeys
            }
            positions = try schema.positions(ofKeys: names)
        }
        var locations = JSONColumns(positions.map { schema.columns[$0].name })
        var rows: [[PrimitiveValue?]] = []
        for object in objects {
            _ = locations.locate(in: object)
            var row: [PrimitiveValue?] = []
            for (column, position) in positions.enumerated() {
                guard let node = locations[column] else {
                    row.append(nil)
                    continue
                }
                row.append(try Self.value(of: node, kind: schema.columns[position].attribute.kind))
            }
            rows.append(row)
        }
        self.rows = rows
    }

    /// Returns the values of all columns: those of the row, and the others from an existing object, or NULL.
    func values<Object>(
        of row: [PrimitiveValue?], onto object: Object?, in schema: Schema<Object>
    ) -> [PrimitiveValue] {
        var values = object.map(schema.values) ?? Array(repeating: .null, count: schema.columns.count)
        for (value, position) in zip(row, positions) { values[position] = value ?? .null }
        return values
    }

    /// Reads a value as PostgreSQL does: the JSON value is converted to text, which is read as the column's type.
    private static func value(of node: JSONNode, kind: PrimitiveKind) throws(TableRejection) -> PrimitiveValue {
        let text: String
        switch node.kind {
        case .null: return .null
        case .bool: text = node.bool == true ? "true" : "false"
        case .number: text = node.numberText ?? ""
        case .string:
            guard let string = node.string else { throw .invalidBody }
            text = kind == .text ? string : string.trimmingCharacters(in: .whitespaces)
        case .array, .object:
            var writer = JSONWriter()
            writer.value(node)
            text = String(decoding: writer.finish(), as: UTF8.self)
        }
        guard let value = PrimitiveValue(postgresText: text, kind: kind) else { throw .badValue(text, of: kind) }
        return value
    }
}
