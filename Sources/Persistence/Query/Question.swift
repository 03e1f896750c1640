/// The content of a query, without the store that answers it.
@usableFromInline
package struct Question<Object: Sendable>: Sendable {
    @usableFromInline package var condition: Condition<Object>
    /// The sort criteria without the type of their objects.
    @usableFromInline package var order: [AnySortCriterion] = []
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

    package var criteria: [SortCriterion<Object>] {
        get { order.map { SortCriterion(erased: $0) } }
        set { order = newValue.map(\.erased) }
    }

    /// The question without the type of its objects.
    package func erased(id: AnyAttribute) -> AnyQuestion {
        // The object is read at its address, since generic code would copy it.
        let place: [PrimitiveValue]? = afterObjects.withUnsafeBytes { memory in
            guard let object = memory.baseAddress, afterObjects.count > 0 else { return nil }
            return order.map { $0.attribute.value(at: object) } + [id.value(at: object)]
        }
        return AnyQuestion(
            condition: condition.erased, criteria: order, limit: limit, offset: offset, place: place, id: id)
    }

    /// The condition, joined with one that is true of the objects that come after ``after`` in the sort order.
    ///
    /// Objects that are equal by all criteria are in the order of their ids, so every order is total.
    package func pagedCondition(id: Attribute<Object>) -> Condition<Object> {
        afterObjects.count == 0 ? condition : Condition(erased: erased(id: id.erased).pagedCondition)
    }

    /// Returns a condition that is true of the objects that come after a place in the sort order.
    ///
    /// - Parameter place: The values of the criteria, and the id.
    package static func following(
        _ place: [PrimitiveValue], _ criteria: [SortCriterion<Object>], id: Attribute<Object>
    ) -> Condition<Object> {
        Condition(erased: AnyQuestion.following(place[...], criteria.map(\.erased)[...], id: id.erased))
    }
}

extension Question {
    /// The id, if the question asks for the object with one id and for nothing else.
    @inlinable
    package func soleID(_ ids: IDAttributes) -> PrimitiveValue? {
        guard case .comparison(let attribute, .equal, let value) = condition.erased.form, ids.contains(attribute),
            // `isEmpty` of an array is looked up in generic code, and `count` is not.
            afterObjects.count == 0, limit == nil, offset == 0, !value.isNaN
        else { return nil }
        return value
    }
}
