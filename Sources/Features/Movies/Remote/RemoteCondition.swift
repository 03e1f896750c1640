import Foundation

/// A condition as PostgREST's dialect has it: a value, and in a URL the items of its query.
///
///     rating=eq.PG-13&or=(budget.gte.10000000,year.is.null)
indirect enum RemoteCondition: Equatable, Sendable {
    case always
    case never
    /// A column, an operator such as `eq` or `not.in`, and what it compares with.
    case test(String, String, Operand)
    case all([RemoteCondition])
    case any([RemoteCondition])

    enum Operand: Equatable, Sendable {
        case value(String)
        case list([String])
        /// A word of the dialect, `null`.
        case word(String)
    }
}

// MARK: - Joining

extension RemoteCondition {
    /// Whether all are true, without nesting, or parts that say nothing that others do not.
    static func joined(all conditions: [RemoteCondition]) -> RemoteCondition {
        var parts: [RemoteCondition] = []
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

    /// Whether one is true.
    static func joined(any conditions: [RemoteCondition]) -> RemoteCondition {
        var parts: [RemoteCondition] = []
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

extension RemoteCondition {
    /// The items of the query; none for what is always true.
    var items: [URLQueryItem] {
        switch self {
        case .always: []
        // The key is never NULL.
        case .never: [URLQueryItem(name: "id", value: "is.null")]
        case let .all(parts): parts.flatMap(\.items)
        case let .any(parts): [URLQueryItem(name: "or", value: Self.list(parts))]
        // Outside of parentheses a value is what stands behind the operator, up to its end, quotation marks too.
        case let .test(column, operation, .value(value)):
            [URLQueryItem(name: column, value: "\(operation).\(value)")]
        case let .test(column, operation, operand):
            [URLQueryItem(name: column, value: "\(operation).\(Self.nested(operand))")]
        }
    }

    /// How long the items are when they are percent-encoded.
    var length: Int {
        items.reduce(0) { $0 + $1.name.encodedLength + ($1.value ?? "").encodedLength + 2 }
    }

    private var nested: String {
        switch self {
        case .always: "id.not.is.null"
        case .never: "id.is.null"
        case let .all(parts): "and\(Self.list(parts))"
        case let .any(parts): "or\(Self.list(parts))"
        case let .test(column, operation, operand): "\(column).\(operation).\(Self.nested(operand))"
        }
    }

    private static func list(_ parts: [RemoteCondition]) -> String {
        "(\(parts.map(\.nested).joined(separator: ",")))"
    }

    private static func nested(_ operand: Operand) -> String {
        switch operand {
        case let .value(value): quoted(value)
        case let .list(values): "(\(values.map(quoted).joined(separator: ",")))"
        case let .word(word): word
        }
    }

    /// A value in quotation marks, unless it is plainly none of what the dialect reserves.
    private static func quoted(_ value: String) -> String {
        let isPlain = value.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        if isPlain, !value.isEmpty { return value }
        var quoted = "\""
        for scalar in value.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
            quoted.unicodeScalars.append(scalar)
        }
        quoted.unicodeScalars.append("\"")
        return quoted
    }
}

extension String {
    /// How many bytes the text has in a URL's query.
    fileprivate var encodedLength: Int {
        utf8.reduce(0) { length, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                length + 1
            default: length + 3
            }
        }
    }
}
