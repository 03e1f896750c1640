import Foundation
import Networking
import Persistence

/// An object as a row of JSON, with one key a column; its ``Schema`` says which.
struct Row<Object: Identifiable & Sendable> where Object.ID: Primitive {
    let object: Object
    /// Known when a row is written; a row that is read finds it in the decoder.
    private let schema: Schema<Object>?

    fileprivate init(_ object: Object, _ schema: Schema<Object>) {
        self.object = object
        self.schema = schema
    }
}

// MARK: - Reading and writing lists

extension Schema {
    /// Reads a JSON list of rows. Columns that the schema does not have do no harm; one that is left out is nil.
    func objects(from json: Data) -> Result<[Object], CoreError> {
        let decoder = JSONDecoder()
        decoder.userInfo[.schema] = self
        return (Parser.parse(json, decoder: decoder) as Result<[Row<Object>], CoreError>).map { $0.map(\.object) }
    }

    /// Writes a JSON list of rows, with all columns, also those that are nil.
    ///
    /// Text is composed (NFC), since servers compare bytes, and Swift characters.
    func json(of objects: [Object]) -> Result<Data, CoreError> {
        Parser.encode(objects.map { Row($0, self) })
    }

    /// Writes one row as a JSON object.
    func json(of object: Object) -> Result<Data, CoreError> {
        Parser.encode(Row(object, self))
    }
}

extension CodingUserInfoKey {
    fileprivate static let schema = CodingUserInfoKey(rawValue: "Sync.schema").unsafelyUnwrapped
}

private struct ColumnName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

// MARK: - Reading

extension Row: Decodable {
    init(from decoder: any Decoder) throws {
        guard let schema = decoder.userInfo[.schema] as? Schema<Object> else {
            throw DecodingError.valueNotFound(
                Schema<Object>.self,
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "The decoder has no schema."))
        }
        let container = try decoder.container(keyedBy: ColumnName.self)
        var values: [PrimitiveValue] = []
        values.reserveCapacity(schema.columns.count)
        for column in schema.columns {
            values.append(try container.value(ofKind: column.attribute.kind, in: ColumnName(stringValue: column.name)))
        }
        do throws(RowMismatch) {
            self.init(try schema.object(from: values), schema)
        } catch {
            let column = ColumnName(stringValue: schema.columns[error.column].name)
            throw DecodingError.dataCorruptedError(
                forKey: column, in: container,
                debugDescription: "\(values[error.column]) is not a value of this column.")
        }
    }
}

extension KeyedDecodingContainer<ColumnName> {
    fileprivate func value(ofKind kind: PrimitiveKind, in column: ColumnName) throws -> PrimitiveValue {
        guard contains(column), try !decodeNil(forKey: column) else { return .null }
        switch kind {
        case .bool: return .bool(try decode(Bool.self, forKey: column))
        case .integer: return .integer(try decode(Int64.self, forKey: column))
        case .unsigned:
            let integer = try decode(UInt64.self, forKey: column)
            return Int64(exactly: integer).map { .integer($0) } ?? .unsigned(integer)
        case .real:
            // JSON has no number that is infinite, or not a number; the server sends text.
            if let text = try? decode(String.self, forKey: column), let value = Double(postgresText: text) {
                return .real(value)
            }
            return .real(try decode(Double.self, forKey: column))
        case .text: return .text(try decode(String.self, forKey: column))
        case .uuid, .date, .data:
            let text = try decode(String.self, forKey: column)
            guard let value = PrimitiveValue(postgresText: text, kind: kind) else {
                throw DecodingError.dataCorruptedError(
                    forKey: column, in: self, debugDescription: "\"\(text)\" is not a \(kind).")
            }
            return value
        }
    }
}

// MARK: - Writing

extension Row: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ColumnName.self)
        for column in schema?.columns ?? [] {
            let name = ColumnName(stringValue: column.name)
            let value = column.attribute.value(in: object)
            switch value {
            case .null: try container.encodeNil(forKey: name)
            case let .bool(value): try container.encode(value, forKey: name)
            case let .integer(value): try container.encode(value, forKey: name)
            case let .unsigned(value): try container.encode(value, forKey: name)
            case let .real(value) where value.isFinite: try container.encode(value, forKey: name)
            case .real, .text, .uuid, .date, .data:
                guard let text = value.postgresText else {
                    throw EncodingError.invalidValue(
                        value,
                        EncodingError.Context(
                            codingPath: container.codingPath + [name],
                            debugDescription: "PostgreSQL has no such \(column.attribute.kind)."))
                }
                try container.encode(text, forKey: name)
            }
        }
    }
}
