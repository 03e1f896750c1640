import Foundation
import JSON
import Networking
import Persistence

// Rows of JSON: one object a row, one key a column. They are read and written without Codable.

extension Schema {
    /// Reads a JSON list of rows.
    ///
    /// Keys that are not columns are ignored, and a column without a key is nil. An error names the row and the column, as in
    /// `[1].rating`.
    public func objects(fromJSON body: Data) -> Result<[Object], CoreError> {
        let kinds = columns.map(\.attribute.kind)
        var locations = JSONColumns(columns.map(\.name))
        do {
            return .success(
                try JSONIndex.read(body) { root in
                    guard root.kind == .array else { throw CoreError.expected("a list of rows", at: "") }
                    var objects: [Object] = []
                    objects.reserveCapacity(root.count)
                    var values = [PrimitiveValue](repeating: .null, count: kinds.count)
                    for row in root.elements {
                        guard locations.locate(in: row) else {
                            throw CoreError.expected("a row", at: "[\(objects.count)]")
                        }
                        for (column, kind) in kinds.enumerated() {
                            guard let value = locations[column].map({ PrimitiveValue($0, kind: kind) }) ?? .null else {
                                throw mismatch(column, in: objects.count)
                            }
                            values[column] = value
                        }
                        do throws(RowMismatch) {
                            objects.append(try object(from: values))
                        } catch {
                            throw mismatch(error.column, in: objects.count)
                        }
                    }
                    return objects
                })
        } catch let error as CoreError {
            return .failure(error)
        } catch {
            return .failure(.parsing(ParsingFailure(reason: "\(error)")))
        }
    }

    private func mismatch(_ column: Int, in row: Int) -> CoreError {
        let column = columns[column]
        let kind = column.attribute.isOptional ? "\(column.attribute.kind) or null" : "\(column.attribute.kind)"
        return .expected("\(kind) that the property can hold", at: "[\(row)].\(column.name)")
    }

    /// Writes a JSON list of rows, with all columns, also those that are nil.
    ///
    /// Text is written in composed form (NFC), since servers compare bytes, and Swift characters.
    public func json(of objects: [Object]) -> Result<Data, CoreError> {
        var writer = JSONWriter()
        writer.beginArray()
        for object in objects {
            if let fault = write(object, to: &writer) { return .failure(fault) }
        }
        writer.endArray()
        return .success(writer.finish())
    }

    /// Writes one row.
    public func json(of object: Object) -> Result<Data, CoreError> {
        var writer = JSONWriter()
        if let fault = write(object, to: &writer) { return .failure(fault) }
        return .success(writer.finish())
    }

    private func write(_ object: Object, to writer: inout JSONWriter) -> CoreError? {
        writer.beginObject()
        for column in columns {
            writer.key(column.name)
            let value = column.attribute.value(in: object)
            if !value.write(to: &writer) {
                let reason = "PostgreSQL has no such \(column.attribute.kind): \(value)"
                return .encoding(EncodingFailure(path: column.name, reason: reason))
            }
        }
        writer.endObject()
        return nil
    }
}

extension CoreError {
    fileprivate static func expected(_ expected: String, at path: String) -> CoreError {
        .parsing(ParsingFailure(path: path, reason: "Expected \(expected)."))
    }
}

// MARK: - Values

extension PrimitiveValue {
    /// The value of a column; nil if the JSON is of another type.
    init?(_ json: JSONNode, kind: PrimitiveKind) {
        if json.kind == .null {
            self = .null
            return
        }
        let value: PrimitiveValue? =
            switch kind {
            case .bool: json.bool.map { .bool($0) }
            case .integer: json.integer(Int64.self).map { .integer($0) }
            case .unsigned:
                json.integer(Int64.self).map { .integer($0) } ?? json.integer(UInt64.self).map { .unsigned($0) }
            // JSON has no number that is infinite, or not a number: these are strings.
            case .real: (json.double ?? json.string.flatMap(Double.init(postgresText:))).map { .real($0) }
            case .text: json.string.map { .text($0) }
            case .uuid, .date, .data: json.string.flatMap { PrimitiveValue(postgresText: $0, kind: kind) }
            }
        guard let value else { return nil }
        self = value
    }

    /// Writes the value as PostgREST does; returns false if PostgreSQL has no such value.
    public func write(to writer: inout JSONWriter) -> Bool {
        switch self {
        case .null: writer.null()
        case let .bool(value): writer.bool(value)
        case let .integer(value): writer.integer(value)
        case let .unsigned(value): writer.integer(value)
        case let .real(value) where value.isFinite: writer.double(value)
        case .real, .text, .uuid, .date, .data:
            guard let text = postgresText else { return false }
            writer.string(text)
        }
        return true
    }
}
