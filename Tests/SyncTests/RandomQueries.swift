import Foundation
import Persistence

/// Makes queries for any schema, with the values that some objects have. The same seed gives the same queries.
struct RandomQueries<Object: Identifiable & Sendable> where Object.ID: Primitive {
    private let schema: Schema<Object>
    private let objects: [Object]
    private var numbers: SeededNumbers

    init(_ schema: Schema<Object>, objects: [Object], seed: UInt64) {
        self.schema = schema
        self.objects = objects
        numbers = SeededNumbers(seed: seed)
    }

    mutating func query<S: Store<Object>>(for store: S) -> Query<S> {
        var query = Query(
            store: store, condition: condition(depth: pick(0...3)),
            sortCriteria: (0..<pick(0...3)).map { _ in criterion() })
        if chance(30) {
            query = query.page(after: objects.randomElement(using: &numbers), limit: chance(50) ? 10 : nil)
        } else if chance(50) {
            query = query.page(limit: chance(80) ? pick(0...50) : nil, offset: chance(50) ? 0 : pick(1...20))
        }
        return query
    }

    private mutating func condition(depth: Int) -> Condition<Object> {
        if depth == 0 { return test() }
        let (left, right) = (condition(depth: depth - 1), condition(depth: depth - 1))
        switch pick(0...3) {
        case 0: return !left
        case 1: return left && right
        default: return left || right
        }
    }

    private mutating func test() -> Condition<Object> {
        let attribute = attribute()
        let comparisons: [Comparison] = [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]
        let comparison = comparisons[pick(0...5)]
        let values = (0..<pick(1...3)).map { _ in value(of: attribute) }
        let condition =
            chance(20)
            ? Condition(attribute, in: values) : Condition(attribute, comparison, values[0])
        return condition ?? .never
    }

    private mutating func criterion() -> SortCriterion<Object> {
        SortCriterion(attribute(), chance(50) ? .ascending : .descending, nil: chance(50) ? .first : .last)
    }

    private mutating func attribute() -> Attribute<Object> {
        schema.columns[pick(0...schema.columns.count - 1)].attribute
    }

    private mutating func value(of attribute: Attribute<Object>) -> PrimitiveValue {
        attribute.value(in: objects[pick(0...objects.count - 1)])
    }

    private mutating func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &numbers) }

    private mutating func chance(_ percent: Int) -> Bool { pick(0...99) < percent }
}
