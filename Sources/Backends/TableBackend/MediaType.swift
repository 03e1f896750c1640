/// The form in which rows are sent, according to the header field `Accept`.
enum MediaType: Equatable, Sendable {
    case json
    /// A list of rows without the keys of columns that are null.
    case strippedJSON
    /// One row, not in a list.
    case object(isStripped: Bool)
    case csv

    /// Chooses, of several acceptable types, the one with the highest quality; of these, as PostgREST does, the one with the
    /// most parameters and no asterisks; of these, the first one.
    init(accept: String?) throws(TableRejection) {
        guard let accept, !accept.isEmpty else {
            self = .json
            return
        }
        let ranges = accept.split(separator: ",").map(Range.init).enumerated()
            .sorted {
                ($1.element.quality, $1.element.precision, $0.offset)
                    < ($0.element.quality, $0.element.precision, $1.offset)
            }.map(\.element)
        for range in ranges where range.quality > 0 {
            guard let type = MediaType(range) else { continue }
            self = type
            return
        }
        throw TableRejection(
            status: 406, code: "PGRST107", message: "None of these media types are available: \(accept)")
    }

    var isObject: Bool { if case .object = self { true } else { false } }

    var isStripped: Bool { self == .strippedJSON || self == .object(isStripped: true) }

    var contentType: String {
        switch self {
        case .json: "application/json; charset=utf-8"
        case .strippedJSON: "application/vnd.pgrst.array+json;nulls=stripped; charset=utf-8"
        case .object(isStripped: false): "application/vnd.pgrst.object+json; charset=utf-8"
        case .object(isStripped: true): "application/vnd.pgrst.object+json;nulls=stripped; charset=utf-8"
        case .csv: "text/csv; charset=utf-8"
        }
    }

    // MARK: - Machinery

    private struct Range {
        var type: String
        var parameters: [String]
        var quality = 1.0
        /// The number of parameters, less that of asterisks.
        var precision = 0

        init(_ text: Substring) {
            var parts = text.lowercased().split(separator: ";").map { $0.filter { $0 != " " } }
            type = parts.isEmpty ? "" : parts.removeFirst()
            let number = parts.first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            quality = number.isNaN ? 1 : number
            parameters = parts.filter { !$0.hasPrefix("q=") }
            precision = parameters.count - type.count { $0 == "*" }
        }
    }

    private init?(_ range: Range) {
        let isStripped = range.parameters.contains("nulls=stripped")
        switch range.type {
        case "*/*", "application/*", "application/json": self = .json
        case "application/vnd.pgrst.array", "application/vnd.pgrst.array+json":
            self = isStripped ? .strippedJSON : .json
        case "application/vnd.pgrst.object", "application/vnd.pgrst.object+json":
            self = .object(isStripped: isStripped)
        case "text/csv": self = .csv
        default: return nil
        }
    }
}
