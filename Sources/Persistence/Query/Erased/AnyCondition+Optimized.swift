extension AnyCondition {
    /// See ``Condition/optimized``.
    var optimized: AnyCondition { simplified(negated: false) }

    private func simplified(negated: Bool) -> AnyCondition {
        switch form {
        case .constant(let value): return AnyCondition(.constant(value != negated))
        case .not(let condition): return condition.simplified(negated: !negated)
        case .and(let conditions): return Self.joined(conditions, negated: negated, isAnd: !negated)
        case .or(let conditions): return Self.joined(conditions, negated: negated, isAnd: negated)
        case .comparison(let attribute, let comparison, let value):
            return Self.compared(attribute, comparison, value, negated: negated)
        case .membership(let attribute, let values):
            var seen: Set<PrimitiveValue> = []
            let members = values.filter { !$0.isNaN && seen.insert($0).inserted }
            if members.isEmpty { return AnyCondition(.constant(negated)) }
            if members.count == 1 { return Self.compared(attribute, .equal, members[0], negated: negated) }
            return AnyCondition(.membership(attribute, members)).complemented(if: negated)
        case .between(_, let lower, let upper):
            if lower == .null || upper == .null || lower.isNaN || upper.isNaN {
                return AnyCondition(.constant(negated))
            }
            return complemented(if: negated)
        case .text: return complemented(if: negated)
        }
    }

    private func complemented(if isNegated: Bool) -> AnyCondition { isNegated ? AnyCondition(.not(self)) : self }

    private static func compared(
        _ attribute: AnyAttribute, _ comparison: Comparison, _ value: PrimitiveValue, negated: Bool
    ) -> AnyCondition {
        switch comparison {
        case .equal, .notEqual:
            let isEqual = (comparison == .equal) != negated
            if value.isNaN || (value == .null && !attribute.isOptional) { return AnyCondition(.constant(!isEqual)) }
            return AnyCondition(.comparison(attribute, isEqual ? .equal : .notEqual, value))
        default:
            if value.isNaN || value == .null { return AnyCondition(.constant(negated)) }
            guard negated else { return AnyCondition(.comparison(attribute, comparison, value)) }
            // For nil and NaN both a comparison and its opposite are false, so the opposite may be used only if the
            // property can be neither.
            guard !attribute.isOptional, attribute.kind != .real, attribute.kind != .date else {
                return AnyCondition(.not(AnyCondition(.comparison(attribute, comparison, value))))
            }
            return AnyCondition(.comparison(attribute, comparison.opposite, value))
        }
    }

    private static func joined(_ conditions: [AnyCondition], negated: Bool, isAnd: Bool) -> AnyCondition {
        var parts: [AnyCondition] = []
        for condition in conditions {
            let part = condition.simplified(negated: negated)
            switch part.form {
            case .constant(isAnd): continue
            case .constant: return part
            case .and(let inner) where isAnd: parts += inner
            case .or(let inner) where !isAnd: parts += inner
            default: parts.append(part)
            }
        }
        parts = withoutRepetitions(parts)
        if !isAnd { parts = gatheringMembers(parts) }
        switch parts.count {
        case 0: return AnyCondition(.constant(isAnd))
        case 1: return parts[0]
        default: return AnyCondition(isAnd ? .and(parts) : .or(parts))
        }
    }

    private static func withoutRepetitions(_ parts: [AnyCondition]) -> [AnyCondition] {
        // Most conditions have few parts, and comparing a few is faster than hashing them.
        if parts.count <= 8 {
            var kept: [AnyCondition] = []
            kept.reserveCapacity(parts.count)
            for part in parts where !kept.contains(part) { kept.append(part) }
            return kept
        }
        var seen: Set<AnyCondition> = []
        return parts.filter { seen.insert($0).inserted }
    }

    /// Returns the parts of an `or` with all values that one attribute may equal combined, in the place of the first.
    private static func gatheringMembers(_ parts: [AnyCondition]) -> [AnyCondition] {
        var members: [AnyAttribute: [PrimitiveValue]] = [:]
        for part in parts {
            if let (attribute, values) = part.members { members[attribute, default: []] += values }
        }
        return parts.compactMap { part in
            guard let (attribute, _) = part.members else { return part }
            guard let values = members.removeValue(forKey: attribute) else { return nil }
            return AnyCondition(.membership(attribute, values)).simplified(negated: false)
        }
    }

    private var members: (AnyAttribute, [PrimitiveValue])? {
        switch form {
        case .comparison(let attribute, .equal, let value): (attribute, [value])
        case .membership(let attribute, let values): (attribute, values)
        default: nil
        }
    }
}

extension Comparison {
    var opposite: Comparison {
        switch self {
        case .equal: .notEqual
        case .notEqual: .equal
        case .less: .greaterOrEqual
        case .lessOrEqual: .greater
        case .greater: .lessOrEqual
        case .greaterOrEqual: .less
        }
    }
}
