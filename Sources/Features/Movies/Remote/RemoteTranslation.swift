import Foundation
import Persistence

/// A predicate, as far as the server can be told of it.
///
/// The condition is true of all objects that the predicate is true of. Where the two are not the same it is true of others
/// too, and ``isExact`` is false: then the answer has to be filtered here.
struct RemoteTranslation: Equatable, Sendable {
    var condition: RemoteCondition
    var isExact: Bool

    /// Fails where a property has no column.
    init(_ predicate: Condition<Movie>, textOrder: TextOrder) throws(StoreError) {
        self = try Self.translate(predicate.optimized, negated: false, textOrder)
    }

    /// What fits into so many bytes of a URL.
    func fitting(_ length: Int) -> RemoteTranslation {
        guard condition.length > length else { return self }
        guard case let .all(parts) = condition else { return RemoteTranslation(.always, isExact: false) }
        var kept: [RemoteCondition] = []
        var rest = length
        for part in parts where part.length <= rest {
            kept.append(part)
            rest -= part.length
        }
        return RemoteTranslation(.joined(all: kept), isExact: false)
    }

    private init(_ condition: RemoteCondition, isExact: Bool = true) {
        self.condition = condition
        self.isExact = isExact
    }

    /// Nothing that the server can be told; of a negation, as of what it negates, all objects have to be looked at.
    private static let unknown = RemoteTranslation(.always, isExact: false)

    // MARK: - Translating

    // A comparison with NULL is neither true nor false on the server, and so is its negation. A negation is therefore moved
    // to the single tests, and asks there for NULL too.
    private static func translate(
        _ predicate: Condition<Movie>, negated: Bool, _ textOrder: TextOrder
    ) throws(StoreError) -> RemoteTranslation {
        switch predicate.form {
        case let .constant(value): return RemoteTranslation(value != negated ? .always : .never)
        case let .not(predicate): return try translate(predicate, negated: !negated, textOrder)
        case let .and(predicates): return try joined(predicates, isAnd: !negated, negated: negated, textOrder)
        case let .or(predicates): return try joined(predicates, isAnd: negated, negated: negated, textOrder)
        case let .comparison(attribute, comparison, value):
            return try compared(attribute, comparison, value, negated: negated, textOrder)
        case let .between(attribute, lower, upper):
            let bounds: [(Comparison, PrimitiveValue)] = [(.greaterOrEqual, lower), (.lessOrEqual, upper)]
            var parts: [RemoteTranslation] = []
            for (comparison, bound) in bounds {
                parts.append(try compared(attribute, comparison, bound, negated: negated, textOrder))
            }
            return negated ? any(parts) : all(parts)
        case let .membership(attribute, values): return try member(attribute, values, negated: negated)
        case let .text(attribute, match):
            let column = try column(attribute)
            // What the server finds may be too much, and what it does not find then too little.
            guard !negated, let pattern = RemotePattern(match) else { return unknown }
            if pattern.operation == .equal {
                return RemoteTranslation(.test(column, pattern.operation.rawValue, .value(pattern.text)))
            }
            guard !pattern.fitsAll else {
                return attribute.isOptional
                    ? RemoteTranslation(.test(column, "not.is", .word("null")), isExact: false) : unknown
            }
            return RemoteTranslation(.test(column, pattern.operation.rawValue, .value(pattern.text)), isExact: false)
        }
    }

    private static func joined(
        _ predicates: [Condition<Movie>], isAnd: Bool, negated: Bool, _ textOrder: TextOrder
    ) throws(StoreError) -> RemoteTranslation {
        var parts: [RemoteTranslation] = []
        for predicate in predicates { parts.append(try translate(predicate, negated: negated, textOrder)) }
        return isAnd ? all(parts) : any(parts)
    }

    private static func all(_ parts: [RemoteTranslation]) -> RemoteTranslation {
        RemoteTranslation(.joined(all: parts.map(\.condition)), isExact: parts.allSatisfy(\.isExact))
    }

    private static func any(_ parts: [RemoteTranslation]) -> RemoteTranslation {
        RemoteTranslation(.joined(any: parts.map(\.condition)), isExact: parts.allSatisfy(\.isExact))
    }

    private static func compared(
        _ attribute: Attribute<Movie>, _ comparison: Comparison, _ value: PrimitiveValue, negated: Bool,
        _ textOrder: TextOrder
    ) throws(StoreError) -> RemoteTranslation {
        let column = try column(attribute)
        let isNull = RemoteCondition.test(column, "is", .word("null"))
        switch comparison {
        case .equal, .notEqual:
            let isEqual = (comparison == .equal) != negated
            if value == .null {
                return RemoteTranslation(isEqual ? isNull : .test(column, "not.is", .word("null")))
            }
            if value.isNaN { return RemoteTranslation(isEqual ? .never : .always) }
            guard let text = value.remoteText else { return unknown }
            let test = RemoteCondition.test(column, isEqual ? "eq" : "neq", .value(text))
            return RemoteTranslation(attribute.isOptional && !isEqual ? .joined(any: [test, isNull]) : test)
        default:
            if value == .null || value.isNaN { return RemoteTranslation(negated ? .always : .never) }
            guard attribute.kind != .text || textOrder == .codePoints, let text = value.remoteText else {
                return unknown
            }
            let test = RemoteCondition.test(
                column, (negated ? "not." : "") + comparison.remoteOperator, .value(text))
            return RemoteTranslation(attribute.isOptional && negated ? .joined(any: [test, isNull]) : test)
        }
    }

    private static func member(
        _ attribute: Attribute<Movie>, _ values: [PrimitiveValue], negated: Bool
    ) throws(StoreError) -> RemoteTranslation {
        let column = try column(attribute)
        let members = values.filter { $0 != .null && !$0.isNaN }
        let hasNull = values.contains(.null)
        let isNull = RemoteCondition.test(column, "is", .word("null"))
        let texts = members.compactMap(\.remoteText)
        guard texts.count == members.count else { return unknown }
        // A list of one empty text the server reads as an empty list.
        let test: RemoteCondition =
            switch texts.count {
            case 0: negated ? .always : .never
            case 1: .test(column, negated ? "neq" : "eq", .value(texts[0]))
            default: .test(column, negated ? "not.in" : "in", .list(texts))
            }
        guard attribute.isOptional else { return RemoteTranslation(test) }
        if !negated { return RemoteTranslation(hasNull ? .joined(any: [test, isNull]) : test) }
        return RemoteTranslation(
            hasNull
                ? .joined(all: [test, .test(column, "not.is", .word("null"))]) : .joined(any: [test, isNull]))
    }

    private static func column(_ attribute: Attribute<Movie>) throws(StoreError) -> String {
        guard let column = Movie.schema.column(for: attribute) else {
            throw .unknownProperty("\(attribute)", table: Movie.schema.name)
        }
        return column.name
    }
}

extension Comparison {
    fileprivate var remoteOperator: String {
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

extension PrimitiveValue {
    /// The value as PostgreSQL reads it; `nil` where a URL cannot hold it, or the server not to the last bit.
    fileprivate var remoteText: String? {
        switch self {
        case let .bool(value): value ? "true" : "false"
        case let .integer(value): "\(value)"
        case let .unsigned(value): "\(value)"
        case let .real(value):
            value.isInfinite ? (value < 0 ? "-Infinity" : "Infinity") : "\(value)"
        case let .text(value):
            value.isSendable ? value.precomposedStringWithCanonicalMapping : nil
        case let .uuid(value): value.uuidString
        case .null, .data, .date: nil
        }
    }
}
