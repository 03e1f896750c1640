/// The content of a query, without the store that answers it.
@usableFromInline
package struct Question<Object: Sendable>: Sendable {
    @usableFromInline package var condition: Condition<Object>
    @usableFromInline package var criteria: [SortCriterion<Object>] = []
    @usableFromInline package var limit: Int?
    @usableFromInline package var offset = 0
    /// Empty, or the object after which the page begins. An array, since its size does not depend on the object's.
    @usableFromInline var afterObjects: [Object] = []

    @inlinable
    package init(condition: Condition<Object> = .always) { self.condition = condition }

    package var after: Object? {
        get { afterObjects.first }
        set { afterObjects = newValue.map { [$0] } ?? [] }
    }

    /// The condition, joined with one that is true of the objects that come after ``after`` in the sort order.
    ///
    /// Objects that are equal by all criteria are in the order of their ids, so every order is total.
    package func pagedCondition(id: Attribute<Object>) -> Condition<Object> {
        guard let after else { return condition }
        return condition && Self.following(place(of: after, id: id)[...], criteria[...], id: id)
    }

    /// The values by which an object is sorted: those of the criteria, and its id.
    private func place(of object: Object, id: Attribute<Object>) -> [PrimitiveValue] {
        (criteria + [SortCriterion(id)]).map { $0.attribute.value(in: object) }
    }

    /// Splits the question into questions whose answers follow each other, so that an index can find the start of each
    /// one.
    ///
    /// The first criterion sorts ordinary values, NaN and nil. A single condition for "after this date, or nil" would
    /// join these with "or", and no index could be read in order.
    package func pieces(id: Attribute<Object>) -> [Question] {
        guard let after, offset == 0 else { return [self] }
        guard let first = criteria.first else {
            return [piece(condition && SortCriterion(id).comesAfter(id.value(in: after)), criteria)]
        }
        let value = first.attribute.value(in: after)
        let stretches = first.stretches
        let current = stretches.firstIndex(of: value == .null ? .null : value.isNaN ? .notANumber : .value) ?? 0
        let tied =
            first.isSame(as: value)
            && Self.following(place(of: after, id: id).dropFirst(), criteria.dropFirst(), id: id)
        var natural = criteria
        natural[0] = first.withNaturalNilPlace
        return stretches[current...].map { stretch in
            var part = condition && first.isIn(stretch)
            if stretch == stretches[current] {
                part =
                    stretch == .value
                    ? condition && first.isNotBefore(value) && (first.isBeyond(value) || tied) : condition && tied
            }
            return piece(part, natural)
        }
    }

    private func piece(_ condition: Condition<Object>, _ criteria: [SortCriterion<Object>]) -> Question {
        var piece = self
        piece.condition = condition
        piece.criteria = criteria
        piece.after = nil
        return piece
    }

    /// Returns a condition that is true of the objects that come after a place in the sort order.
    ///
    /// - Parameter place: The values of the criteria, and the id.
    package static func following(
        _ place: ArraySlice<PrimitiveValue>, _ criteria: ArraySlice<SortCriterion<Object>>, id: Attribute<Object>
    ) -> Condition<Object> {
        var following = Condition<Object>.never
        for (criterion, value) in zip(criteria + [SortCriterion(id)], place).reversed() {
            following = criterion.comesAfter(value) || (criterion.isSame(as: value) && following)
        }
        return following
    }
}

extension Question {
    /// The id, if the question asks for the object with one id and for nothing else.
    @inlinable
    package func soleID(_ ids: IDAttributes<Object>) -> PrimitiveValue? {
        guard case .comparison(let attribute, .equal, let value) = condition.form, ids.contains(attribute),
            // `isEmpty` of an array is looked up in generic code, and `count` is not.
            afterObjects.count == 0, limit == nil, offset == 0, !value.isNaN
        else { return nil }
        return value
    }
}

// MARK: - The order of one criterion, as conditions

/// A part of the values that a criterion sorts.
private enum SortStretch {
    case value
    case notANumber
    case null
}

extension SortCriterion {
    /// The parts that the values can be in, in sort order.
    fileprivate var stretches: [SortStretch] {
        var stretches: [SortStretch] = [.value]
        // NaN comes after every number.
        if infinity != nil { stretches.insert(.notANumber, at: order == .ascending ? 1 : 0) }
        if attribute.isOptional { stretches.insert(.null, at: nilPlace == .first ? 0 : stretches.count) }
        return stretches
    }

    /// The same criterion with nil as the least value, which is its place in indexes.
    fileprivate var withNaturalNilPlace: SortCriterion {
        SortCriterion(attribute, order, nil: order == .ascending ? .first : .last)
    }

    fileprivate func isIn(_ stretch: SortStretch) -> Condition<Object> {
        switch stretch {
        case .value:
            infinity.map { compare(.lessOrEqual, $0) } ?? (attribute.isOptional ? !compare(.equal, .null) : .always)
        case .notANumber: isNaN
        case .null: compare(.equal, .null)
        }
    }

    /// Returns a condition that is true if an object is sorted after those that have `value`.
    fileprivate func comesAfter(_ value: PrimitiveValue) -> Condition<Object> {
        let isNil = compare(.equal, .null)
        if value == .null { return nilPlace == .first ? !isNil : .never }
        let rest =
            switch (order, value.isNaN) {
            case (.ascending, false): isBeyond(value) || isNaN
            case (.ascending, true): Condition<Object>.never
            case (.descending, false): isBeyond(value)
            case (.descending, true): compare(.lessOrEqual, infinity ?? value)
            }
        return attribute.isOptional && nilPlace == .last ? rest || isNil : rest
    }

    /// Returns a condition that is true if an ordinary value, not NaN or nil, is sorted after `value`, which is an
    /// ordinary value, too.
    fileprivate func isBeyond(_ value: PrimitiveValue) -> Condition<Object> {
        compare(order == .ascending ? .greater : .less, value)
    }

    /// Returns a condition that is true if an ordinary value is sorted after `value` or is equal to it; an index can
    /// begin there.
    fileprivate func isNotBefore(_ value: PrimitiveValue) -> Condition<Object> {
        compare(order == .ascending ? .greaterOrEqual : .lessOrEqual, value)
    }

    fileprivate func isSame(as value: PrimitiveValue) -> Condition<Object> {
        value.isNaN ? isNaN : compare(.equal, value)
    }

    private var isNaN: Condition<Object> {
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

    private func compare(_ comparison: Comparison, _ value: PrimitiveValue) -> Condition<Object> {
        Condition(.comparison(attribute, comparison, value))
    }
}
