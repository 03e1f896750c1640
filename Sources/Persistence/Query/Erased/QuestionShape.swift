/// All of a question except its ordinary values. Questions of one shape have the same SQL, in which only values differ.
///
/// A value that is nil is part of the shape, because its SQL is `IS NULL`. There is no shape if the SQL depends on more than that:
/// if a condition has a list or searches in a text, or if a value is NaN.
struct QuestionShape: Hashable, Sendable {
    /// A number for each part of the question, so that no two shapes have the same ones.
    private var parts: [Int32]

    /// Long conditions take more time to compare than to write.
    private static var maximumParts: Int { 128 }

    /// Returns nil if the question has no shape, or if a property has no column.
    ///
    /// - Parameters:
    ///   - positions: The positions of the attributes' columns.
    ///   - values: Gets the ordinary values, in the order of ``AnyQuestion/numbered``.
    init?(_ question: AnyQuestion, _ positions: [AnyAttribute: Int], values: inout [PrimitiveValue]) {
        guard !question.condition.isTooDeep else { return nil }
        parts = [question.isPage ? 1 : 0, question.place == nil ? 0 : 1]
        parts.reserveCapacity(24)
        guard append(question.condition, positions, &values) else { return nil }
        for criterion in question.criteria {
            guard let position = positions[criterion.attribute] else { return nil }
            parts.append(Int32(position) << 2 | (criterion.isAscending ? 2 : 0) | (criterion.isNilFirst ? 1 : 0))
        }
        for value in question.place ?? [] { guard append(value, &values) else { return nil } }
        if parts.count > Self.maximumParts { return nil }
    }

    private mutating func append(
        _ condition: AnyCondition, _ positions: [AnyAttribute: Int], _ values: inout [PrimitiveValue]
    ) -> Bool {
        switch condition.form {
        case .constant(let value): parts.append(value ? 1 : 0)
        case .comparison(let attribute, let comparison, let value):
            guard let position = positions[attribute] else { return false }
            parts.append(2 + comparison.number)
            parts.append(Int32(position))
            return append(value, &values)
        case .between(let attribute, let lower, let upper):
            guard let position = positions[attribute] else { return false }
            parts.append(8)
            parts.append(Int32(position))
            return append(lower, &values) && append(upper, &values)
        case .not(let condition):
            parts.append(9)
            return append(condition, positions, &values)
        case .and(let conditions):
            parts.append(10)
            return append(conditions, positions, &values)
        case .or(let conditions):
            parts.append(11)
            return append(conditions, positions, &values)
        case .membership, .text: return false
        }
        return true
    }

    private mutating func append(
        _ conditions: [AnyCondition], _ positions: [AnyAttribute: Int], _ values: inout [PrimitiveValue]
    ) -> Bool {
        parts.append(Int32(truncatingIfNeeded: conditions.count))
        for condition in conditions { guard append(condition, positions, &values) else { return false } }
        return true
    }

    private mutating func append(_ value: PrimitiveValue, _ values: inout [PrimitiveValue]) -> Bool {
        if value.isNaN { return false }
        if case .null = value {
            parts.append(1)
        } else {
            parts.append(0)
            values.append(value)
        }
        return true
    }
}

extension Comparison {
    /// A number below 6.
    fileprivate var number: Int32 {
        switch self {
        case .equal: 0
        case .notEqual: 1
        case .less: 2
        case .lessOrEqual: 3
        case .greater: 4
        case .greaterOrEqual: 5
        }
    }
}

// MARK: - Numbers instead of values

extension AnyQuestion {
    /// The same question with its ordinary values replaced by their numbers, from 0: those of the condition, and those of the
    /// place. SQL is made of it once for all questions of its shape, and says with its numbers where each value belongs.
    ///
    /// No two values are equal then. So nothing is simplified that has to stay for other values.
    var numbered: AnyQuestion {
        var count: Int64 = 0
        func next(_ value: PrimitiveValue) -> PrimitiveValue {
            if value == .null { return .null }
            defer { count += 1 }
            return .integer(count)
        }
        var question = self
        question.condition = condition.replacingValues(next)
        question.place = place?.map(next)
        return question
    }
}

extension AnyCondition {
    /// Replaces the values, in the order of ``QuestionShape``.
    fileprivate func replacingValues(_ replacement: (PrimitiveValue) -> PrimitiveValue) -> AnyCondition {
        switch form {
        case .comparison(let attribute, let comparison, let value):
            AnyCondition(.comparison(attribute, comparison, replacement(value)))
        case .between(let attribute, let lower, let upper):
            AnyCondition(.between(attribute, replacement(lower), replacement(upper)))
        case .not(let condition): AnyCondition(.not(condition.replacingValues(replacement)))
        case .and(let conditions): AnyCondition(.and(conditions.map { $0.replacingValues(replacement) }))
        case .or(let conditions): AnyCondition(.or(conditions.map { $0.replacingValues(replacement) }))
        case .constant, .membership, .text: self
        }
    }
}
