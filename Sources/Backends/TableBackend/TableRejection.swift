import Foundation
import JSON
import LocalBackend
import Persistence

/// The reason why a request was refused: a status, and the body with which PostgREST explains it.
struct TableRejection: Error, Equatable, Sendable {
    let status: Int
    let code: String
    let message: String
    var details: String?
    var hint: String?

    var response: LocalBackend.Response {
        var writer = JSONWriter()
        writer.beginObject()
        for (key, value) in [("code", code), ("details", details), ("hint", hint), ("message", message)] {
            writer.key(key)
            if let value { writer.string(value) } else { writer.null() }
        }
        writer.endObject()
        return .data(
            writer.finish(), contentType: "application/json; charset=utf-8", status: status,
            headers: ["Proxy-Status": "PostgREST; error=\(code)"])
    }
}

// MARK: - Requests

extension TableRejection {
    /// Returns the rejection of a query that cannot be parsed.
    static func unreadable(_ item: String, _ reason: String) -> TableRejection {
        TableRejection(status: 400, code: "PGRST100", message: "\"failed to parse \(item)\"", details: reason)
    }

    /// Returns the rejection of a feature that PostgREST has and this server does not.
    static func notServed(_ feature: String) -> TableRejection {
        TableRejection(
            status: 400, code: "PGRST127", message: "Feature not implemented",
            details: "This server does not know \(feature).")
    }

    static func unsupportedMethod(_ method: LocalBackend.Method) -> TableRejection {
        TableRejection(status: 405, code: "PGRST117", message: "Unsupported HTTP method: \(method)")
    }

    static func unknownFunction(_ name: String) -> TableRejection {
        TableRejection(
            status: 404, code: "PGRST202",
            message: "Could not find the function public.\(name) without parameters in the schema cache")
    }

    static func unsatisfiable(_ details: String) -> TableRejection {
        TableRejection(
            status: 416, code: "PGRST103", message: "Requested range not satisfiable", details: details)
    }

    static func offsetBeyond(_ offset: Int, of total: Int) -> TableRejection {
        .unsatisfiable("An offset of \(offset) was requested, but there are only \(total) rows.")
    }

    static func notSingular(_ count: Int) -> TableRejection {
        TableRejection(
            status: 406, code: "PGRST116", message: "Cannot coerce the result to a single JSON object",
            details: "The result contains \(count) rows")
    }

    static let invalidBody = TableRejection(status: 400, code: "PGRST102", message: "Empty or invalid json")

    static let differentKeys = TableRejection(status: 400, code: "PGRST102", message: "All object keys must match")
}

// MARK: - Columns and values

extension TableRejection {
    static func unknownColumn(_ name: String, of table: String) -> TableRejection {
        TableRejection(status: 400, code: "42703", message: "column \(table).\(name) does not exist")
    }

    /// A key of a row that is not a column.
    static func unknownKey(_ name: String, of table: String) -> TableRejection {
        TableRejection(
            status: 400, code: "PGRST204",
            message: "Could not find the '\(name)' column of '\(table)' in the schema cache")
    }

    static func noOperator(_ type: String, _ name: String) -> TableRejection {
        TableRejection(
            status: 404, code: "42883", message: "operator does not exist: \(type) \(name) unknown",
            hint: "No operator matches the given name and argument types. You might need to add explicit type casts.")
    }

    static func badValue(_ text: String, of kind: PrimitiveKind) -> TableRejection {
        let digits = text.first == "-" || text.first == "+" ? text.dropFirst() : text[...]
        if kind == .integer || kind == .unsigned, !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }) {
            return .outOfRange(text, of: kind)
        }
        let code = kind == .date ? "22007" : "22P02"
        return TableRejection(
            status: 400, code: code, message: "invalid input syntax for type \(kind.typeName): \"\(text)\"")
    }

    static func outOfRange(_ text: String, of kind: PrimitiveKind) -> TableRejection {
        TableRejection(
            status: 400, code: "22003", message: "value \"\(text)\" is out of range for type \(kind.typeName)")
    }

    /// The rejection of a row with a date that has no form as text. Only the program of the server can have stored it.
    static func unwritable(_ value: PrimitiveValue, of column: String) -> TableRejection {
        TableRejection(
            status: 400, code: "22008", message: "timestamp out of range",
            details: "The column \(column) holds \(value), which is not a date of the years 1 to 9999.",
            hint: "Select the other columns or rows, or correct the row.")
    }

    static func slowPattern(_ text: String) -> TableRejection {
        TableRejection(
            status: 400, code: "2201B", message: "invalid regular expression: \"\(text)\" could take too long",
            hint: "Use at most two repetitions and, beside them, two choices or optional parts; no repetition inside "
                + "of another one or over a choice, no look-ahead and no reference to a group.")
    }

    static let slowPatterns = TableRejection(
        status: 400, code: "2201B", message: "the regular expressions of the request together could take too long",
        hint: "Use fewer of them, or fewer repetitions in them.")

    static func longKey(_ count: Int) -> TableRejection {
        TableRejection(
            status: 400, code: "22001", message: "an idempotency key of \(count) bytes is too long",
            hint: "Use a key of up to \(KeptAnswer.longestKey) bytes, such as a UUID.")
    }

    static func malformedArray(_ text: String) -> TableRejection {
        TableRejection(
            status: 400, code: "22P02", message: "malformed array literal: \"\(text)\"",
            details: "Array value must start with \"{\" or dimension information.")
    }

    static func nullValue(in column: String, of table: String, row: String) -> TableRejection {
        TableRejection(
            status: 400, code: "23502",
            message: "null value in column \"\(column)\" of relation \"\(table)\" violates not-null constraint",
            details: "Failing row contains (\(row)).")
    }

    static let duplicateCode = "23505"

    static func duplicateKey(_ text: String, _ column: String, of table: String) -> TableRejection {
        TableRejection(
            status: 409, code: duplicateCode,
            message: "duplicate key value violates unique constraint \"\(table)_pkey\"",
            details: "Key (\(column))=(\(text)) already exists.")
    }

    /// The rejection of an upsert that changes a row twice; PostgREST answers with 500.
    static let affectedTwice = TableRejection(
        status: 500, code: "21000", message: "ON CONFLICT DO UPDATE command cannot affect row a second time",
        hint: "Ensure that no rows proposed for insertion within the same command have duplicate constrained values.")
}

extension PrimitiveKind {
    /// The name of the type in PostgreSQL.
    var typeName: String {
        switch self {
        case .bool: "boolean"
        case .integer: "bigint"
        case .unsigned: "numeric"
        case .real: "double precision"
        case .text: "text"
        case .data: "bytea"
        case .date: "timestamp with time zone"
        case .uuid: "uuid"
        }
    }
}
