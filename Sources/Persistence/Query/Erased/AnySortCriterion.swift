/// A sort criterion without the type of its objects; see ``AnyAttribute``.
@usableFromInline
package struct AnySortCriterion: Sendable, Hashable {
    package let attribute: AnyAttribute
    package let isAscending: Bool
    package var isNilFirst: Bool

    /// Sorts as an index does, by default ascending with nil first.
    package init(_ attribute: AnyAttribute, isAscending: Bool = true, isNilFirst: Bool = true) {
        self.attribute = attribute
        self.isAscending = isAscending
        self.isNilFirst = isNilFirst
    }
}

/// A part of the values that a criterion sorts.
package enum SortStretch: Sendable {
    case value
    case notANumber
    case null
}

// MARK: - The order of one criterion, as conditions

extension AnySortCriterion {
    /// The parts that the values can be in, in sort order.
    var stretches: [SortStretch] {
        var stretches: [SortStretch] = [.value]
        // NaN comes after every number.
        if infinity != nil { stretches.insert(.notANumber, at: isAscending ? 1 : 0) }
        if attribute.isOptional { stretches.insert(.null, at: isNilFirst ? 0 : stretches.count) }
        return stretches
    }

    /// Returns a condition that is true if the value is in a part.
    func isIn(_ stretch: SortStretch) -> AnyCondition {
        switch stretch {
        case .value:
            infinity.map { compare(.lessOrEqual, $0) } ?? (attribute.isOptional ? !compare(.equal, .null) : .always)
        case .notANumber: isNaN
        case .null: compare(.equal, .null)
        }
    }

    /// Returns a condition that is true if an object is sorted after those that have `value`.
    func comesAfter(_ value: PrimitiveValue) -> AnyCondition {
        if value == .null { return isNilFirst ? !compare(.equal, .null) : .never }
        let rest =
            switch (isAscending, value.isNaN) {
            case (true, false): infinity == nil ? isBeyond(value) : isBeyond(value) || isNaN
            case (true, true): AnyCondition.never
            case (false, false): isBeyond(value)
            case (false, true): compare(.lessOrEqual, infinity ?? value)
            }
        return attribute.isOptional && !isNilFirst ? rest || compare(.equal, .null) : rest
    }

    /// Returns a condition that is true if an ordinary value, not NaN or nil, is sorted after `value`, which is an
    /// ordinary value, too.
    func isBeyond(_ value: PrimitiveValue) -> AnyCondition { compare(isAscending ? .greater : .less, value) }

    /// Returns a condition that is true if an ordinary value is sorted after `value` or is equal to it; an index can
    /// begin there.
    func isNotBefore(_ value: PrimitiveValue) -> AnyCondition {
        compare(isAscending ? .greaterOrEqual : .lessOrEqual, value)
    }

    func isSame(as value: PrimitiveValue) -> AnyCondition { value.isNaN ? isNaN : compare(.equal, value) }

    private var isNaN: AnyCondition {
        guard let infinity else { return .never }
        return !compare(.equal, .null) && !compare(.lessOrEqual, infinity)
    }

    /// The greatest value; nil if the type refuses it. An enum of numbers does, and has no NaN either.
    private var infinity: PrimitiveValue? {
        let infinity: PrimitiveValue
        switch attribute.kind {
        case .real: infinity = .real(.infinity)
        case .date: infinity = .date(.init(timeIntervalSinceReferenceDate: .infinity))
        default: return nil
        }
        return attribute.hasValue(infinity) ? infinity : nil
    }

    private func compare(_ comparison: Comparison, _ value: PrimitiveValue) -> AnyCondition {
        AnyCondition(.comparison(attribute, comparison, value))
    }
}
