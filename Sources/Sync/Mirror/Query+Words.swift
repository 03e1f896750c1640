import Foundation
import Persistence

extension Query {
    /// Returns the query in words, the key of its last answer in an ``AnswerLog``.
    ///
    /// No two questions have the same words, and a question has the same ones whenever the program runs. So they are not the
    /// description, in which dates have no fractions, data are only counted, and computed properties are addresses in memory.
    func words(in schema: Schema<S.Object>) -> String {
        var parts = ["\(schema.name) where \(condition.words(in: schema))"]
        for criterion in sortCriteria {
            parts.append("by \(schema.words(criterion.attribute)) \(criterion.order), nil \(criterion.nilPlace)")
        }
        // With the values by which it is sorted: if one has changed, another page begins after the object.
        if let after {
            let place = sortCriteria.map { $0.attribute.value(in: after) } + [after.id.primitiveValue]
            parts.append("after \(place.map(\.words).joined(separator: ", "))")
        }
        if let limit { parts.append("at most \(limit)") }
        if offset > 0 { parts.append("from \(offset) on") }
        return parts.joined(separator: ", ")
    }
}

extension Schema {
    fileprivate func words(_ attribute: Attribute<Object>) -> String {
        column(for: attribute)?.name ?? attribute.description
    }
}

extension Condition where Object: Identifiable & Sendable, Object.ID: Primitive {
    fileprivate func words(in schema: Schema<Object>) -> String {
        switch form {
        case let .constant(value): "\(value)"
        case let .comparison(attribute, comparison, value):
            "\(schema.words(attribute)) \(comparison.rawValue) \(value.words)"
        case let .membership(attribute, values):
            "\(schema.words(attribute)) in [\(values.map(\.words).joined(separator: ", "))]"
        case let .between(attribute, lower, upper): "\(schema.words(attribute)) in \(lower.words)...\(upper.words)"
        case let .text(attribute, match):
            "\(schema.words(attribute)) \(match.kind) \(match.pattern.debugDescription) \(match.options.rawValue)"
        case let .not(condition): "!(\(condition.words(in: schema)))"
        case let .and(conditions): "(\(conditions.map { $0.words(in: schema) }.joined(separator: " && ")))"
        case let .or(conditions): "(\(conditions.map { $0.words(in: schema) }.joined(separator: " || ")))"
        }
    }
}

extension PrimitiveValue {
    fileprivate var words: String {
        switch self {
        case let .text(text): text.debugDescription
        case let .date(date): "\(date.timeIntervalSinceReferenceDate)"
        case let .data(data): data.base64EncodedString()
        default: description
        }
    }
}
