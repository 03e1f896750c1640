import Foundation
import Persistence

// MARK: - The changed values

extension OutboxWrite {
    /// The new value of a property; nil if the write does not change it.
    ///
    ///     let patch = BookPatch(title: write[\.title], year: write[\.year])
    public subscript<Value: Primitive>(property: KeyPath<Object, Value> & Sendable) -> Value? {
        guard let column = schema.position(of: Attribute(property)) else { return nil }
        return new[column].flatMap { Value(primitiveValue: $0) }
    }
}

extension OutboxWrite: Encodable {
    /// Encodes the changed columns as an object, by their names in the schema: `{"title": "Alien", "budget": 11}`.
    ///
    /// A property that is `Encodable` is encoded as such, so that the encoder decides how dates look.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ColumnName.self)
        for (column, value) in zip(schema.columns, new) {
            guard let value else { continue }
            let key = ColumnName(stringValue: column.name)
            if value == .null {
                try container.encodeNil(forKey: key)
            } else if let property = column.valueType.init(primitiveValue: value) as? any Encodable {
                try container.encode(property, forKey: key)
            } else {
                try value.encode(to: &container, forKey: key)
            }
        }
    }
}

private struct ColumnName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension PrimitiveValue {
    fileprivate func encode(to container: inout KeyedEncodingContainer<ColumnName>, forKey key: ColumnName) throws {
        switch self {
        case .null: try container.encodeNil(forKey: key)
        case let .bool(value): try container.encode(value, forKey: key)
        case let .integer(value): try container.encode(value, forKey: key)
        case let .unsigned(value): try container.encode(value, forKey: key)
        case let .real(value): try container.encode(value, forKey: key)
        case let .text(value): try container.encode(value, forKey: key)
        case let .data(value): try container.encode(value, forKey: key)
        case let .date(value): try container.encode(value, forKey: key)
        case let .uuid(value): try container.encode(value, forKey: key)
        case let .unencodable(reason):
            throw EncodingError.invalidValue(
                self, EncodingError.Context(codingPath: container.codingPath + [key], debugDescription: reason))
        }
    }
}

// MARK: - Writes for tests

extension OutboxWrite {
    /// Makes the write that adds an object.
    public init(inserting object: Object, in schema: Schema<Object>) {
        self = .insert(object, schema, versionColumn: nil, replaces: false)
    }

    /// Makes the write that changes one object to another, with the columns in which they differ.
    ///
    /// - Parameter version: The property that the server changes with each write of an object; nil if there is none.
    public init(
        changing before: Object, to after: Object, in schema: Schema<Object>, version: Attribute<Object>? = nil
    ) {
        let column = version.flatMap(schema.position)
        self =
            .update(from: before, to: after, schema, versionColumn: column)
            ?? Self(.update, after.id, schema, column)
    }

    /// Makes the write that removes an object.
    ///
    /// - Parameter version: The property that the server changes with each write of an object; nil if there is none.
    public init(deleting object: Object, in schema: Schema<Object>, version: Attribute<Object>? = nil) {
        self = .delete(object, schema, versionColumn: version.flatMap(schema.position))
    }
}
