import Foundation
import JSON
import LocalBackend
import Persistence
import Sync

/// An answer before it is written in the media type that the client accepts.
struct TableAnswer: Sendable {
    struct Rows: Equatable, Sendable {
        let names: [String]
        let values: [[PrimitiveValue]]
    }

    var status = 200
    /// The rows; nil for an answer without a body.
    var rows: Rows?
    var contentRange: String?
    /// The preferences that were followed.
    var applied: String?
    var location: String?

    mutating func setRange(from offset: Int, count: Int, total: Int?) {
        let range = count == 0 || total == 0 ? "*" : "\(offset)-\(offset + count - 1)"
        contentRange = "\(range)/\(total.map(String.init) ?? "*")"
    }

    /// Returns the response in a media type; throws if a value has no form in it.
    func response(as media: MediaType) throws(TableRejection) -> LocalBackend.Response {
        var headers: LocalBackend.Headers = [:]
        for (name, value) in [
            ("Content-Range", contentRange), ("Preference-Applied", applied), ("Location", location),
        ] {
            if let value { headers.add(name, value) }
        }
        guard let rows else { return .status(status, headers: headers) }
        return .data(try rows.data(as: media), contentType: media.contentType, status: status, headers: headers)
    }
}

extension TableAnswer.Rows {
    func data(as media: MediaType) throws(TableRejection) -> Data {
        if media == .csv { return try csv() }
        let keys = names.map(JSONWriter.Key.init)
        var writer = JSONWriter()
        if !media.isObject { writer.beginArray() }
        for row in values {
            writer.beginObject()
            for (column, value) in row.enumerated() where !(media.isStripped && value == .null) {
                writer.key(keys[column])
                if !value.write(to: &writer) { throw .unwritable(value, of: names[column]) }
            }
            writer.endObject()
        }
        if !media.isObject { writer.endArray() }
        return writer.finish()
    }

    /// The rows as CSV, with values as PostgreSQL writes them; empty if there are no rows.
    private func csv() throws(TableRejection) -> Data {
        if values.isEmpty { return Data() }
        var lines = [names.joined(separator: ",")]
        for row in values {
            let fields = try zip(names, row).map { (name, value) throws(TableRejection) in
                guard let text = Self.csv(value) else { throw .unwritable(value, of: name) }
                return text
            }
            lines.append(fields.joined(separator: ","))
        }
        return Data(lines.joined(separator: "\n").utf8)
    }

    /// Returns the field with a value; nil if it has none.
    private static func csv(_ value: PrimitiveValue) -> String? {
        switch value {
        case .null: return ""
        case let .bool(value): return value ? "t" : "f"
        default:
            guard var text = value.postgresText else { return nil }
            if case .date = value {
                text = text.replacing("T", with: " ", maxReplacements: 1).replacing("+00:00", with: "+00")
            }
            guard text.isEmpty || text.contains(where: { "\",()\\".contains($0) || $0.isWhitespace }) else {
                return text
            }
            return "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\"\""))\""
        }
    }
}
