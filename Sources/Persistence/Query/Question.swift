/// What a query asks, without the store that is asked.
@usableFromInline
struct Question<Object: Sendable>: Sendable {
    @usableFromInline var condition: Condition<Object>
    @usableFromInline var criteria: [SortCriterion<Object>] = []
    @usableFromInline var limit: Int?
    @usableFromInline var offset = 0
    /// None, or the one after which the page begins. An array, since that is of the same size whatever the object.
    private var afterObjects: [Object] = []

    @usableFromInline
    init(condition: Condition<Object> = .always) { self.condition = condition }

    var after: Object? {
        get { afterObjects.first }
        set { afterObjects = newValue.map { [$0] } ?? [] }
    }

    /// The condition, and where there is an ``after``, that the objects come after it in the order asked for.
    ///
    /// Objects that are equal by all criteria are in the order of their ids, so that every order is total.
    func pagedCondition(id: Attribute<Object>) -> Condition<Object> {
        guard let after else { return condition }
        var following = Condition<Object>.never
        for criterion in (criteria + [SortCriterion(id)]).reversed() {
            let value = criterion.attribute.value(in: after)
            following = criterion.comesAfter(value) || (criterion.isSame(as: value) && following)
        }
        let first = criteria.first ?? SortCriterion(id)
        return condition && first.isNotBefore(first.attribute.value(in: after)) && following
    }
}

extension Question {
    /// The id, if the question asks for the object with one id and for nothing else.
    func soleID(_ ids: IDAttributes<Object>) -> PrimitiveValue? {
        guard case .comparison(let attribute, .equal, let value) = condition.form, ids.contains(attribute),
            afterObjects.isEmpty, limit == nil, offset == 0, !value.isNaN
        else { return nil }
        return value
    }
}

extension SortCriterion {
    /// Whether an object is sorted after those that have `value`.
    fileprivate func comesAfter(_ value: PrimitiveValue) -> Condition<Object> {
        let isNil = compare(.equal, .null)
        if value == .null { return nilPlace == .first ? !isNil : .never }
        // NaN comes after every number.
        let rest =
            switch (order, value.isNaN) {
            case (.ascending, false): compare(.greater, value) || isNaN
            case (.ascending, true): Condition<Object>.never
            case (.descending, false): compare(.less, value)
            case (.descending, true): compare(.lessOrEqual, infinity ?? value)
            }
        return attribute.isOptional && nilPlace == .last ? rest || isNil : rest
    }

    /// What is true of all that is sorted with `value` or after it, said so that an index can find it.
    fileprivate func isNotBefore(_ value: PrimitiveValue) -> Condition<Object> {
        if attribute.isOptional || infinity != nil { return .always }
        return compare(order == .ascending ? .greaterOrEqual : .lessOrEqual, value)
    }

    fileprivate func isSame(as value: PrimitiveValue) -> Condition<Object> {
        value.isNaN ? isNaN : compare(.equal, value)
    }

    private var isNaN: Condition<Object> {
        guard let infinity else { return .never }
        return !compare(.lessOrEqual, infinity) && !compare(.equal, .null)
    }

    private var infinity: PrimitiveValue? {
        switch attribute.kind {
        case .real: .real(.infinity)
        case .date: .date(.init(timeIntervalSinceReferenceDate: .infinity))
        default: nil
        }
    }

    private func compare(_ comparison: Comparison, _ value: PrimitiveValue) -> Condition<Object> {
        Condition(.comparison(attribute, comparison, value))
    }
}
