import Foundation

/// A condition in PostgREST's dialect, written as the query items of a URL.
///
///     rating=eq.PG-13&or=(budget.gte.10000000,year.is.null)
indirect enum PostgRESTCondition: Equatable, Sendable {
    case always
    case never
    /// A column, an operator such as `eq` or `not.in`, and the operand.
    case test(String, String, Operand)
    case all([PostgRESTCondition])
    case any([PostgRESTCondition])

    enum Operand: Equatable, Sendable {
        case value(String)
        case list([String])
        /// A keyword of the dialect: `null`.
        case word(String)
    }
}

// MARK: - Joining

extension PostgRESTCondition {
    /// Returns a condition that is true if all are, without nested parts and parts that follow from others.
    static func joined(all conditions: [PostgRESTCondition]) -> PostgRESTCondition {
        var parts: [PostgRESTCondition] = []
        for condition in conditions {
            switch condition {
            case .always: continue
            case .never: return .never
            case let .all(inner): parts += inner
            default: parts.append(condition)
            }
        }
        let necessary = parts.filter { part in
            guard case let .test(column, operation, operand) = part, operation == "gte" || operation == "lte" else {
                return true
            }
            return !parts.contains(.test(column, String(operation.dropLast()), operand))
        }
        return necessary.isEmpty ? .always : necessary.count == 1 ? necessary[0] : .all(necessary)
    }

    /// Returns a condition that is true if at least one is.
    static func joined(any conditions: [PostgRESTCondition]) -> PostgRESTCondition {
        var parts: [PostgRESTCondition] = []
        for condition in conditions {
            switch condition {
            case .always: return .always
            case .never: continue
            case let .any(inner): parts += inner
            default: parts.append(condition)
            }
        }
        return parts.isEmpty ? .never : parts.count == 1 ? parts[0] : .any(parts)
    }
}

// MARK: - Writing

extension PostgRESTCondition {
    /// Returns the items of a query; none for a condition that is always true.
    ///
    /// - Parameter key: The column of the key, which is never NULL.
    func items(key: String) -> [URLQueryItem] {
        switch self {
        case .always: return []
        case .never: return Self.test(key, "is", .word("null")).items(key: key)
        case let .all(parts): return parts.flatMap { $0.items(key: key) }
        case let .any(parts): return [URLQueryItem(name: "or", value: Self.list(parts, key))]
        case let .test(column, _, _) where !column.isPlainColumn || column.isReserved:
            return [URLQueryItem(name: "and", value: "(\(nested(key)))")]
        // Outside parentheses, everything after the operator is the value, including quotation marks.
        case let .test(column, operation, .value(value)):
            return [URLQueryItem(name: column, value: "\(operation).\(value)")]
        case let .test(column, operation, operand):
            return [URLQueryItem(name: column, value: "\(operation).\(Self.nested(operand))")]
        }
    }

    /// Returns the length of the items when they are percent-encoded.
    func length(key: String) -> Int {
        items(key: key).reduce(0) { $0 + $1.name.encodedLength + ($1.value ?? "").encodedLength + 2 }
    }

    private func nested(_ key: String) -> String {
        switch self {
        case .always: "\(key.quotedColumn).not.is.null"
        case .never: "\(key.quotedColumn).is.null"
        case let .all(parts): "and\(Self.list(parts, key))"
        case let .any(parts): "or\(Self.list(parts, key))"
        case let .test(column, operation, operand): "\(column.quotedColumn).\(operation).\(Self.nested(operand))"
        }
    }

    private static func list(_ parts: [PostgRESTCondition], _ key: String) -> String {
        "(\(parts.map { $0.nested(key) }.joined(separator: ",")))"
    }

    private static func nested(_ operand: Operand) -> String {
        switch operand {
        case let .value(value): value.isPlainValue ? value : value.quoted
        case let .list(values): "(\(values.map { $0.isPlainValue ? $0 : $0.quoted }.joined(separator: ",")))"
        case let .word(word): word
        }
    }
}

extension String {
    /// The name of a column, in quotation marks if it holds a character that the dialect reserves.
    var quotedColumn: String { isPlainColumn ? self : quoted }

    fileprivate var isPlainColumn: Bool {
        !isEmpty && utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "_") }
    }

    /// `true` if an item of this name is not a test of a column.
    fileprivate var isReserved: Bool {
        ["select", "order", "limit", "offset", "and", "or", "columns", "on_conflict"].contains(self)
    }

    /// `true` if the text has none of the characters that the dialect reserves.
    fileprivate var isPlainValue: Bool {
        !isEmpty && utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }

    fileprivate var quoted: String {
        var quoted = "\""
        for scalar in unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
            quoted.unicodeScalars.append(scalar)
        }
        quoted.unicodeScalars.append("\"")
        return quoted
    }

    /// The number of bytes that the text has in a URL's query.
    fileprivate var encodedLength: Int {
        utf8.reduce(0) { $0 + ($1.isLetterOrDigit || "-._~".utf8.contains($1) ? 1 : 3) }
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
