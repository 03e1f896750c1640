extension Condition {
    /// A simpler condition that is true of the same objects.
    ///
    /// Nested `and`s and `or`s are merged. Negations are only before single tests, and never double. Constants are
    /// removed unless nothing else is left, and so are repetitions. `a == 1 || a == 2` becomes `a in [1, 2]`.
    public var optimized: Condition { simplified(negated: false) }

    private func simplified(negated: Bool) -> Condition {
        switch form {
        case .constant(let value): return Condition(.constant(value != negated))
        case .not(let condition): return condition.simplified(negated: !negated)
        case .and(let conditions): return Self.joined(conditions, negated: negated, isAnd: !negated)
        case .or(let conditions): return Self.joined(conditions, negated: negated, isAnd: negated)
        case .comparison(let attribute, let comparison, let value):
            return Self.compared(attribute, comparison, value, negated: negated)
        case .membership(let attribute, let values):
            var seen: Set<PrimitiveValue> = []
            let members = values.filter { !$0.isNaN && seen.insert($0).inserted }
            if members.isEmpty { return Condition(.constant(negated)) }
            if members.count == 1 { return Self.compared(attribute, .equal, members[0], negated: negated) }
            return Condition(.membership(attribute, members)).complemented(if: negated)
        case .between(_, let lower, let upper):
            if lower == .null || upper == .null || lower.isNaN || upper.isNaN { return Condition(.constant(negated)) }
            return complemented(if: negated)
        case .text: return complemented(if: negated)
        }
    }

    private func complemented(if isNegated: Bool) -> Condition { isNegated ? Condition(.not(self)) : self }

    private static func compared(
        _ attribute: Attribute<Object>, _ comparison: Comparison, _ value: PrimitiveValue, negated: Bool
    ) -> Condition {
        switch comparison {
        case .equal, .notEqual:
            let isEqual = (comparison == .equal) != negated
            if value.isNaN || (value == .null && !attribute.isOptional) { return Condition(.constant(!isEqual)) }
            return Condition(.comparison(attribute, isEqual ? .equal : .notEqual, value))
        default:
            if value.isNaN || value == .null { return Condition(.constant(negated)) }
            guard negated else { return Condition(.comparison(attribute, comparison, value)) }
            // For nil and NaN both a comparison and its opposite are false, so the opposite may be used only if the
            // property can be neither.
            guard !attribute.isOptional, attribute.kind != .real, attribute.kind != .date else {
                return Condition(.not(Condition(.comparison(attribute, comparison, value))))
            }
            return Condition(.comparison(attribute, comparison.opposite, value))
        }
    }

    private static func joined(_ conditions: [Condition], negated: Bool, isAnd: Bool) -> Condition {
        var parts: [Condition] = []
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
        case 0: return Condition(.constant(isAnd))
        case 1: return parts[0]
        default: return Condition(isAnd ? .and(parts) : .or(parts))
        }
    }

    private static func withoutRepetitions(_ parts: [Condition]) -> [Condition] {
        // Most conditions have few parts, and comparing a few is faster than hashing them.
        if parts.count <= 8 {
            var kept: [Condition] = []
            kept.reserveCapacity(parts.count)
            for part in parts where !kept.contains(part) { kept.append(part) }
            return kept
        }
        var seen: Set<Condition> = []
        return parts.filter { seen.insert($0).inserted }
    }

    /// Returns the parts of an `or` with all values that one attribute may equal combined, in the place of the first.
    private static func gatheringMembers(_ parts: [Condition]) -> [Condition] {
        var members: [Attribute<Object>: [PrimitiveValue]] = [:]
        for part in parts {
            if let (attribute, values) = part.members { members[attribute, default: []] += values }
        }
        return parts.compactMap { part in
            guard let (attribute, _) = part.members else { return part }
            guard let values = members.removeValue(forKey: attribute) else { return nil }
            return Condition(.membership(attribute, values)).simplified(negated: false)
        }
    }

    private var members: (Attribute<Object>, [PrimitiveValue])? {
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
