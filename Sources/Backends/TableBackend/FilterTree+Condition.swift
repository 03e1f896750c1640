import Foundation
import Persistence

extension FilterTree {
    /// A condition that is true of the rows of which SQL says that this is true, and not false or unknown.
    func condition<Object>(in schema: Schema<Object>) throws(TableRejection) -> Condition<Object> {
        try condition(in: schema, negated: false)
    }

    private func condition<Object>(
        in schema: Schema<Object>, negated: Bool
    ) throws(TableRejection) -> Condition<Object> {
        switch self {
        case let .test(test): return try test.condition(in: schema, negated: negated)
        case let .join(isAnd, isNegated, trees):
            let negated = negated != isNegated
            var parts: [Condition<Object>] = []
            for tree in trees { parts.append(try tree.condition(in: schema, negated: negated)) }
            return isAnd != negated ? .all(of: parts) : .any(of: parts)
        }
    }
}

extension FilterTest {
    fileprivate func condition<Object>(
        in schema: Schema<Object>, negated: Bool
    ) throws(TableRejection) -> Condition<Object> {
        guard let attribute = schema.attribute(named: column) else {
            throw .unknownColumn(column, of: schema.name)
        }
        let isNull = Condition(attribute, .equal, .null) ?? .never
        let condition: Condition<Object>
        var isUnknownOfNull = true
        switch operation {
        case let .compare(.equal, text): condition = try equal(attribute, text)
        case let .compare(.notEqual, text): condition = try !equal(attribute, text) && !isNull
        case let .compare(comparison, text):
            let value = try attribute.value(of: text)
            guard let compared = Condition(attribute, comparison, value) else {
                throw .badValue(text, of: attribute.kind.typeName)
            }
            condition = compared
        case let .isDistinct(text):
            condition = try !equal(attribute, text)
            isUnknownOfNull = false
        case let .like(pattern, ignoresCase):
            let options: TextOptions = ignoresCase ? .caseInsensitive : []
            guard let matching = Condition(attribute, .like, Self.likePattern(pattern), options) else {
                throw noText(attribute)
            }
            condition = matching
        case let .match(pattern, ignoresCase):
            guard let matching = Condition(attribute, .matches, (ignoresCase ? "(?i)" : "") + pattern) else {
                throw noText(attribute)
            }
            condition = matching
        case let .member(texts):
            var parts: [Condition<Object>] = []
            for text in texts { parts.append(try equal(attribute, text)) }
            condition = .any(of: parts)
        case .isNull, .isUnknown:
            condition = isNull
            isUnknownOfNull = false
        case let .isBool(value):
            guard let isEqual = Condition(attribute, .equal, .bool(value)) else {
                throw TableRejection(
                    status: 400, code: "42804",
                    message: "argument of IS \(value ? "TRUE" : "FALSE") must be type boolean")
            }
            condition = isEqual
            isUnknownOfNull = false
        }
        guard negated != isNegated else { return condition }
        return isUnknownOfNull ? !condition && !isNull : !condition
    }

    private func equal<Object>(
        _ attribute: Attribute<Object>, _ text: String
    ) throws(TableRejection) -> Condition<Object> {
        let value = try attribute.value(of: text)
        // A text that is no value of the property is still a text, which just is in no row.
        return Condition(attribute, .equal, value) ?? .never
    }

    private func noText<Object>(_ attribute: Attribute<Object>) -> TableRejection {
        TableRejection(
            status: 404, code: "42883", message: "operator does not exist: \(attribute.kind.typeName) ~~ unknown")
    }

    /// The pattern as Persistence has it: there a `\` stands for itself unless it comes before one of `%`, `_` and `\`.
    private static func likePattern(_ pattern: String) -> String {
        var result = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            switch (scalar, isEscaped) {
            case ("\\", false):
                isEscaped = true
                continue
            case ("*", false): result.append("%")
            // PostgREST has made a percent sign of every asterisk before PostgreSQL looks for escapes.
            case ("*", true): result.append(contentsOf: "\\%".unicodeScalars)
            case ("%", true), ("_", true), ("\\", true): result.append(contentsOf: ["\\", scalar])
            default: result.append(scalar)
            }
            isEscaped = false
        }
        return String(result)
    }
}

extension Attribute {
    /// The value that a text in a URL stands for.
    func value(of text: String) throws(TableRejection) -> PrimitiveValue {
        let value: PrimitiveValue? =
            switch kind {
            case .bool: ["true": true, "t": true, "false": false, "f": false][text.lowercased()].map { .bool($0) }
            case .integer: Int64(text).map { .integer($0) }
            case .unsigned: Int64(text).map { .integer($0) } ?? UInt64(text).map { .unsigned($0) }
            case .real: Double(text).map { .real($0) }
            case .text: .text(text)
            case .uuid: UUID(uuidString: text).map { .uuid($0) }
            case .date, .data: nil
            }
        guard let value else { throw .badValue(text, of: kind.typeName) }
        return value
    }
}

extension PrimitiveKind {
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
