extension Predicate {
    /// A simpler predicate that is true of the same objects.
    ///
    /// Nested `and`s and `or`s are one, negations stand only before single tests (and not twice), constants are gone unless
    /// nothing else is left, repetitions too, and `a == 1 || a == 2 || b` asks whether `a` is `in [1, 2]`.
    public var optimized: Predicate { simplified(negated: false) }

    private func simplified(negated: Bool) -> Predicate {
        switch form {
        case .constant(let value): return Predicate(.constant(value != negated))
        case .not(let predicate): return predicate.simplified(negated: !negated)
        case .and(let predicates): return Self.joined(predicates, negated: negated, isAnd: !negated)
        case .or(let predicates): return Self.joined(predicates, negated: negated, isAnd: negated)
        case .comparison(let attribute, let comparison, let value):
            return Self.compared(attribute, comparison, value, negated: negated)
        case .membership(let attribute, let values):
            var seen: Set<PrimitiveValue> = []
            let members = values.filter { !$0.isNaN && seen.insert($0).inserted }
            if members.isEmpty { return Predicate(.constant(negated)) }
            if members.count == 1 { return Self.compared(attribute, .equal, members[0], negated: negated) }
            return Predicate(.membership(attribute, members)).complemented(if: negated)
        case .between(_, let lower, let upper):
            if lower == .null || upper == .null || lower.isNaN || upper.isNaN { return Predicate(.constant(negated)) }
            return complemented(if: negated)
        case .text: return complemented(if: negated)
        }
    }

    private func complemented(if isNegated: Bool) -> Predicate { isNegated ? Predicate(.not(self)) : self }

    private static func compared(
        _ attribute: Attribute<Object>, _ comparison: Comparison, _ value: PrimitiveValue, negated: Bool
    ) -> Predicate {
        switch comparison {
        case .equal, .notEqual:
            let isEqual = (comparison == .equal) != negated
            if value.isNaN || (value == .null && !attribute.isOptional) { return Predicate(.constant(!isEqual)) }
            return Predicate(.comparison(attribute, isEqual ? .equal : .notEqual, value))
        default:
            if value.isNaN || value == .null { return Predicate(.constant(negated)) }
            guard negated else { return Predicate(.comparison(attribute, comparison, value)) }
            // Of nil and NaN both a comparison and its opposite are false, so only without them may one stand for the other.
            guard !attribute.isOptional, attribute.kind != .real, attribute.kind != .date else {
                return Predicate(.not(Predicate(.comparison(attribute, comparison, value))))
            }
            return Predicate(.comparison(attribute, comparison.opposite, value))
        }
    }

    private static func joined(_ predicates: [Predicate], negated: Bool, isAnd: Bool) -> Predicate {
        var parts: [Predicate] = []
        var seen: Set<Predicate> = []
        for predicate in predicates {
            let part = predicate.simplified(negated: negated)
            switch part.form {
            case .constant(isAnd): continue
            case .constant: return part
            case .and(let inner) where isAnd: parts += inner.filter { seen.insert($0).inserted }
            case .or(let inner) where !isAnd: parts += inner.filter { seen.insert($0).inserted }
            default: if seen.insert(part).inserted { parts.append(part) }
            }
        }
        if !isAnd { parts = gatheringMembers(parts) }
        switch parts.count {
        case 0: return Predicate(.constant(isAnd))
        case 1: return parts[0]
        default: return Predicate(isAnd ? .and(parts) : .or(parts))
        }
    }

    /// The parts of an `or`, with all the values that one attribute may equal brought together where the first stood.
    private static func gatheringMembers(_ parts: [Predicate]) -> [Predicate] {
        var members: [Attribute<Object>: [PrimitiveValue]] = [:]
        for part in parts {
            if let (attribute, values) = part.members { members[attribute, default: []] += values }
        }
        return parts.compactMap { part in
            guard let (attribute, _) = part.members else { return part }
            guard let values = members.removeValue(forKey: attribute) else { return nil }
            return Predicate(.membership(attribute, values)).simplified(negated: false)
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
