/// Why a request was not carried out: a status, and the body that PostgREST answers with.
struct TableRejection: Error, Equatable, Sendable, Encodable {
    let status: Int
    let code: String
    let message: String
    var details: String?
    var hint: String?

    private enum CodingKeys: String, CodingKey {
        case code, message, details, hint
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(code, forKey: .code)
        try container.encode(message, forKey: .message)
        try container.encode(details, forKey: .details)
        try container.encode(hint, forKey: .hint)
    }
}

extension TableRejection {
    /// A query that cannot be read.
    static func unreadable(_ item: String, _ reason: String) -> TableRejection {
        TableRejection(status: 400, code: "PGRST100", message: "\"failed to parse \(item)\"", details: reason)
    }

    static func unknownColumn(_ name: String, of table: String) -> TableRejection {
        TableRejection(status: 400, code: "42703", message: "column \(table).\(name) does not exist")
    }

    static func badValue(_ text: String, of type: String) -> TableRejection {
        TableRejection(status: 400, code: "22P02", message: "invalid input syntax for type \(type): \"\(text)\"")
    }

    static func unknownKey(_ name: String, of table: String) -> TableRejection {
        TableRejection(
            status: 400, code: "PGRST204",
            message: "Could not find the '\(name)' column of '\(table)' in the schema cache")
    }

    static func badBody(_ reason: String) -> TableRejection {
        TableRejection(status: 400, code: "PGRST102", message: "Empty or invalid json", details: reason)
    }

    static func badRow(_ reason: String) -> TableRejection {
        TableRejection(status: 400, code: "23502", message: "The row is none of the table.", details: reason)
    }

    static func offsetBeyond(_ offset: Int, of total: Int) -> TableRejection {
        TableRejection(
            status: 416, code: "PGRST103", message: "Requested range not satisfiable",
            details: "An offset of \(offset) was requested, but there are only \(total) rows.")
    }
}
