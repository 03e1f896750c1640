import Foundation
import Persistence

/// The part of a condition that can be sent to the server.
///
/// ``condition`` is true of all objects of which the original is true. If it is also true of others, ``isExact`` is
/// false, and the store has to filter the answer.
struct PostgRESTTranslation: Equatable, Sendable {
    var condition: PostgRESTCondition
    var isExact: Bool

    /// Throws if a property has no column.
    init<Object>(
        _ condition: Condition<Object>, in schema: Schema<Object>, textOrder: TextOrder
    ) throws(StoreError) {
        self = try Translator(schema: schema, textOrder: textOrder).translate(condition.optimized, negated: false)
    }

    /// Returns the part that fits into this number of bytes of a URL.
    func fitting(_ length: Int, key: String) -> PostgRESTTranslation {
        guard condition.length(key: key) > length else { return self }
        guard case let .all(parts) = condition else { return .unknown }
        var kept: [PostgRESTCondition] = []
        var rest = length
        for part in parts {
            let length = part.length(key: key)
            guard length <= rest else { continue }
            kept.append(part)
            rest -= length
        }
        return PostgRESTTranslation(.joined(all: kept), isExact: false)
    }

    init(_ condition: PostgRESTCondition, isExact: Bool = true) {
        self.condition = condition
        self.isExact = isExact
    }

    /// The translation of a condition that cannot be sent: all objects have to be fetched.
    fileprivate static let unknown = PostgRESTTranslation(.always, isExact: false)

    fileprivate static func all(_ parts: [PostgRESTTranslation]) -> PostgRESTTranslation {
        PostgRESTTranslation(.joined(all: parts.map(\.condition)), isExact: parts.allSatisfy(\.isExact))
    }

    fileprivate static func any(_ parts: [PostgRESTTranslation]) -> PostgRESTTranslation {
        PostgRESTTranslation(.joined(any: parts.map(\.condition)), isExact: parts.allSatisfy(\.isExact))
    }
}

// MARK: - Translating

// On the server, a comparison with NULL is neither true nor false, and neither is its negation. So negations are moved
// to the single tests, which then also accept NULL.
private struct Translator<Object: Identifiable & Sendable> where Object.ID: Primitive {
    let schema: Schema<Object>
    let textOrder: TextOrder

    func translate(_ condition: Condition<Object>, negated: Bool) throws(StoreError) -> PostgRESTTranslation {
        switch condition.form {
        case let .constant(value): return PostgRESTTranslation(value != negated ? .always : .never)
        case let .not(condition): return try translate(condition, negated: !negated)
        case let .and(conditions): return try joined(conditions, isAnd: !negated, negated: negated)
        case let .or(conditions): return try joined(conditions, isAnd: negated, negated: negated)
        case let .comparison(attribute, comparison, value):
            return try compared(attribute, comparison, value, negated: negated)
        case let .between(attribute, lower, upper):
            let parts = [
                try compared(attribute, .greaterOrEqual, lower, negated: negated),
                try compared(attribute, .lessOrEqual, upper, negated: negated),
            ]
            return negated ? .any(parts) : .all(parts)
        case let .membership(attribute, values): return try member(attribute, values, negated: negated)
        case let .text(attribute, match):
            let column = try schema.name(of: attribute)
            // The server may find too many rows, and with a negation too few.
            guard !negated, let pattern = PostgRESTPattern(match) else { return .unknown }
            let test = PostgRESTCondition.test(column, pattern.operation.rawValue, .value(pattern.text))
            if pattern.operation == .equal { return PostgRESTTranslation(test) }
            guard pattern.fitsAll else { return PostgRESTTranslation(test, isExact: false) }
            return attribute.isOptional ? PostgRESTTranslation(isNotNull(column), isExact: false) : .unknown
        }
    }

    private func joined(
        _ conditions: [Condition<Object>], isAnd: Bool, negated: Bool
    ) throws(StoreError) -> PostgRESTTranslation {
        var parts: [PostgRESTTranslation] = []
        for condition in conditions { parts.append(try translate(condition, negated: negated)) }
        return isAnd ? .all(parts) : .any(parts)
    }

    private func compared(
        _ attribute: Attribute<Object>, _ comparison: Comparison, _ value: PrimitiveValue, negated: Bool
    ) throws(StoreError) -> PostgRESTTranslation {
        let column = try schema.name(of: attribute)
        switch comparison {
        case .equal, .notEqual:
            let isEqual = (comparison == .equal) != negated
            if value == .null { return PostgRESTTranslation(isEqual ? isNull(column) : isNotNull(column)) }
            if value.isNaN { return PostgRESTTranslation(isEqual ? .never : .always) }
            guard let text = text(of: value) else { return .unknown }
            let test = PostgRESTCondition.test(column, isEqual ? "eq" : "neq", .value(text))
            return PostgRESTTranslation(
                attribute.isOptional && !isEqual ? .joined(any: [test, isNull(column)]) : test)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            if value == .null || value.isNaN { return PostgRESTTranslation(negated ? .always : .never) }
            guard attribute.kind != .text || textOrder == .codePoints, let text = text(of: value) else {
                return .unknown
            }
            let not = negated ? "not." : ""
            var parts = [PostgRESTCondition.test(column, not + comparison.operation, .value(text))]
            // In PostgreSQL, NaN is greater than every number.
            if attribute.kind == .real, comparison == .greater || comparison == .greaterOrEqual {
                parts.append(.test(column, not + "lte", .value("Infinity")))
            }
            if !negated { return PostgRESTTranslation(.joined(all: parts)) }
            return PostgRESTTranslation(.joined(any: parts + (attribute.isOptional ? [isNull(column)] : [])))
        }
    }

    private func member(
        _ attribute: Attribute<Object>, _ values: [PrimitiveValue], negated: Bool
    ) throws(StoreError) -> PostgRESTTranslation {
        let column = try schema.name(of: attribute)
        let members = values.filter { $0 != .null && !$0.isNaN }
        let hasNull = values.contains(.null)
        let texts = members.compactMap(text)
        guard texts.count == members.count else { return .unknown }
        let test: PostgRESTCondition =
            switch texts.count {
            case 0: negated ? .always : .never
            case 1: .test(column, negated ? "neq" : "eq", .value(texts[0]))
            default: .test(column, negated ? "not.in" : "in", .list(texts))
            }
        guard attribute.isOptional else { return PostgRESTTranslation(test) }
        switch (negated, hasNull) {
        case (false, false): return PostgRESTTranslation(test)
        case (false, true), (true, false): return PostgRESTTranslation(.joined(any: [test, isNull(column)]))
        case (true, true): return PostgRESTTranslation(.joined(all: [test, isNotNull(column)]))
        }
    }

    private func isNull(_ column: String) -> PostgRESTCondition { .test(column, "is", .word("null")) }

    private func isNotNull(_ column: String) -> PostgRESTCondition { .test(column, "not.is", .word("null")) }

    /// Returns the value as text for a URL; nil if a URL cannot hold it, or if the server cannot compare it exactly.
    private func text(of value: PrimitiveValue) -> String? {
        guard value.isExactInText, let text = value.postgresText, text.isSendable else { return nil }
        return text
    }
}

extension Comparison {
    fileprivate var operation: String {
        switch self {
        case .equal: "eq"
        case .notEqual: "neq"
        case .less: "lt"
        case .lessOrEqual: "lte"
        case .greater: "gt"
        case .greaterOrEqual: "gte"
        }
    }
}
