import Foundation
import Persistence
import Sync

extension FilterTree {
    /// Returns a condition that is true of a row if the filter is true in SQL, and neither false nor unknown.
    func condition<Object>(in schema: Schema<Object>) throws(TableRejection) -> Condition<Object> {
        try condition(in: schema, negated: false)
    }

    private func condition<Object>(
        in schema: Schema<Object>, negated: Bool
    ) throws(TableRejection) -> Condition<Object> {
        switch self {
        case let .test(test):
            guard let attribute = schema.attribute(named: test.column) else {
                throw .unknownColumn(test.column, of: schema.name)
            }
            return try Reader(attribute: attribute).condition(test.operation, negated: negated != test.isNegated)
        case let .join(isAnd, isNegated, trees):
            let negated = negated != isNegated
            var parts: [Condition<Object>] = []
            for tree in trees { parts.append(try tree.condition(in: schema, negated: negated)) }
            return isAnd != negated ? .all(of: parts) : .any(of: parts)
        }
    }
}

extension FilterTree {
    /// The cost of all regular expressions in it.
    var patternCost: Int {
        switch self {
        case let .test(test): test.operation.patterns.reduce(0) { $0 + (PatternCost.cost(of: $1) ?? 0) }
        case let .join(_, _, trees): trees.reduce(0) { $0 + $1.patternCost }
        }
    }
}

extension FilterTest.Operation {
    fileprivate var patterns: [String] {
        switch self {
        case let .compare(.match, text), let .compare(.imatch, text): [text]
        case let .quantified(.match, _, texts), let .quantified(.imatch, _, texts): texts
        default: []
        }
    }
}

/// A translator of the tests of one column.
private struct Reader<Object> {
    let attribute: Attribute<Object>

    private var isNull: Condition<Object> { Condition(attribute, .equal, .null) ?? .never }

    func condition(_ operation: FilterTest.Operation, negated: Bool) throws(TableRejection) -> Condition<Object> {
        switch operation {
        case let .compare(comparison, text):
            return negation(of: try compared(comparison, text), if: negated)
        // No value is in an empty list, and NULL is not looked at then.
        case .member([]), .quantified(_, .any, []): return negated ? .always : .never
        case let .quantified(comparison, quantifier, texts):
            var parts: [Condition<Object>] = []
            for text in texts { parts.append(try compared(comparison, text)) }
            return negation(of: quantifier == .any ? .any(of: parts) : .all(of: parts), if: negated)
        case let .member(texts):
            var parts: [Condition<Object>] = []
            for text in texts { parts.append(try compared(.equal, text)) }
            return negation(of: .any(of: parts), if: negated)
        case let .isDistinct(text):
            let isEqual = try compared(.equal, text)
            return negated ? isEqual : !isEqual
        case .isNull, .isUnknown: return negated ? !isNull : isNull
        case .isNotNull: return negated ? isNull : !isNull
        case let .isBool(value):
            guard let isEqual = Condition(attribute, .equal, .bool(value)) else {
                throw TableRejection(
                    status: 400, code: "42804",
                    message: "argument of IS \(value ? "TRUE" : "FALSE") must be type boolean, "
                        + "not type \(attribute.kind.typeName)")
            }
            return negated ? !isEqual : isEqual
        case let .other(sign): throw .noOperator(attribute.kind.typeName, sign)
        }
    }

    /// Returns the negation by SQL's rules, by which neither a comparison with NULL nor its negation is true.
    private func negation(of condition: Condition<Object>, if isNegated: Bool) -> Condition<Object> {
        isNegated ? !condition && !isNull : condition
    }

    private func compared(_ comparison: FilterTest.Comparison, _ text: String) throws(TableRejection) -> Condition<
        Object
    > {
        switch comparison {
        case .like, .ilike:
            let options: TextOptions = comparison == .ilike ? .caseInsensitive : []
            guard let condition = Condition(attribute, .like, try likePattern(text), options) else {
                throw .noOperator(attribute.kind.typeName, comparison == .like ? "~~" : "~~*")
            }
            return condition
        case .match, .imatch:
            guard PatternCost.cost(of: text) != nil else { throw .slowPattern(text) }
            guard let condition = Condition(attribute, .matches, (comparison == .imatch ? "(?i)" : "") + text) else {
                throw .noOperator(attribute.kind.typeName, comparison == .match ? "~" : "~*")
            }
            return condition
        case .equal: return try ordered(.equal, text)
        case .notEqual: return try !ordered(.equal, text) && !isNull
        case .less: return try ordered(.less, text)
        case .lessOrEqual: return try ordered(.lessOrEqual, text)
        case .greater: return try ordered(.greater, text)
        case .greaterOrEqual: return try ordered(.greaterOrEqual, text)
        }
    }

    private func ordered(_ comparison: Comparison, _ text: String) throws(TableRejection) -> Condition<Object> {
        let trimmed = attribute.kind == .text ? text : text.trimmingCharacters(in: .whitespaces)
        guard let value = PrimitiveValue(postgresText: trimmed, kind: attribute.kind) else {
            throw .badValue(text, of: attribute.kind)
        }
        guard attribute.kind == .real else {
            // No row has a value that the property cannot have, such as text that names no case of an enum.
            if let condition = Condition(attribute, comparison, value) { return condition }
            guard comparison == .equal else { throw .badValue(text, of: attribute.kind) }
            return .never
        }
        // In PostgreSQL, NaN equals itself and is greater than every number.
        let isNumber = Condition(attribute, .lessOrEqual, .real(.infinity)) ?? .never
        let isNaN = !isNumber && !isNull
        if value.isNaN {
            switch comparison {
            case .equal, .greaterOrEqual: return isNaN
            case .notEqual, .less: return isNumber
            case .lessOrEqual: return !isNull
            case .greater: return .never
            }
        }
        let condition = Condition(attribute, comparison, value) ?? rounded(comparison, value) ?? .never
        return comparison == .greater || comparison == .greaterOrEqual ? condition || isNaN : condition
    }

    /// Returns the comparison of a `Float` with a number of more digits, which PostgreSQL rounds to the type of the column.
    private func rounded(_ comparison: Comparison, _ value: PrimitiveValue) -> Condition<Object>? {
        Float(primitiveValue: value).flatMap { Condition(attribute, comparison, $0.primitiveValue) }
    }

    /// Returns the pattern in Persistence's syntax, in which a `\` stands for itself unless `%`, `_` or `\` follows it.
    ///
    /// PostgreSQL refuses a pattern that ends within an escape once it compares a text that begins with the rest.
    private func likePattern(_ pattern: String) throws(TableRejection) -> String {
        var result = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            switch (scalar, isEscaped) {
            case ("\\", false):
                isEscaped = true
                continue
            case ("*", false): result.append("%")
            // PostgREST replaces every asterisk by a percent sign before PostgreSQL reads escapes.
            case ("*", true): result.append(contentsOf: "\\%".unicodeScalars)
            case ("%", true), ("_", true), ("\\", true): result.append(contentsOf: ["\\", scalar])
            default: result.append(scalar)
            }
            isEscaped = false
        }
        if isEscaped {
            throw TableRejection(status: 400, code: "22025", message: "LIKE pattern must not end with escape character")
        }
        return String(result)
    }
}
