/// A question without the type of its objects, for SQL; see ``AnyAttribute``.
package struct AnyQuestion: Sendable {
    package var condition: AnyCondition
    package var criteria: [AnySortCriterion]
    package var limit: Int?
    package var offset: Int
    /// The place in the sort order after which the page begins: an object's values of the criteria, and its id. It is nil for the
    /// first page.
    package var place: [PrimitiveValue]?
    /// The attribute of the id. Objects that are equal by all criteria are in the order of their ids.
    let id: AnyAttribute

    /// True if the answer may be a part of the objects that it would be otherwise.
    var isPage: Bool { limit != nil || offset > 0 }

    /// The condition, joined with one that is true of the objects that come after ``place``.
    var pagedCondition: AnyCondition {
        guard let place else { return condition }
        return condition && Self.following(place[...], criteria[...], id: id)
    }

    /// Returns a condition that is true of the objects that come after a place in the sort order.
    ///
    /// - Parameter place: The values of the criteria, and the id.
    static func following(
        _ place: ArraySlice<PrimitiveValue>, _ criteria: ArraySlice<AnySortCriterion>, id: AnyAttribute
    ) -> AnyCondition {
        // The id decides last, since no two objects have the same.
        var following = place.last.map { AnySortCriterion(id).comesAfter($0) } ?? .never
        for (criterion, value) in zip(criteria, place).reversed() {
            following = criterion.comesAfter(value) || (criterion.isSame(as: value) && following)
        }
        return following
    }
}

// MARK: - Pieces

extension AnyQuestion {
    /// A part of the answer that an index can find the start of.
    package enum Piece: Hashable, Sendable {
        case whole
        case stretch(SortStretch, isFirst: Bool)
    }

    /// The parts of the answer, in their order; each is the answer to ``question(for:)``.
    ///
    /// The first criterion sorts ordinary values, NaN and nil. A single condition for "after this date, or nil" would
    /// join these with "or", and no index could be read in order.
    package var pieces: [Piece] {
        guard let value = place?.first, offset == 0, let first = criteria.first else { return [.whole] }
        let current: SortStretch = value == .null ? .null : value.isNaN ? .notANumber : .value
        let stretches = first.stretches
        // A value that cannot be encoded is in none of them; only those without a value can come after it.
        guard let start = stretches.firstIndex(of: current) else { return [.whole] }
        return stretches[start...].enumerated().map { .stretch($1, isFirst: $0 == 0) }
    }

    /// Returns the question for a part of the answer.
    package func question(for piece: Piece) -> AnyQuestion {
        guard let place, let value = place.first, offset == 0 else { return self }
        var question = self
        question.place = nil
        guard case .stretch(let stretch, let isFirst) = piece, let first = criteria.first else {
            question.condition = pagedCondition
            return question
        }
        // In indexes, nil is the least value.
        question.criteria[0].isNilFirst = first.isAscending
        guard isFirst else {
            question.condition = condition && first.isIn(stretch)
            return question
        }
        let tied =
            first.isSame(as: value) && Self.following(place.dropFirst(), criteria.dropFirst(), id: id)
        question.condition =
            condition
            && (stretch == .value ? first.isNotBefore(value) && (first.isBeyond(value) || tied) : tied)
        return question
    }
}
