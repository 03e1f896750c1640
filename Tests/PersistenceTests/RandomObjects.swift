import Foundation
import Persistence

/// Makes objects of one type, and queries for them. The same seed gives the same objects and queries.
protocol RandomObjects: RandomNumberGenerator {
    associatedtype Object: Identifiable & Sendable where Object.ID: Primitive

    var numbers: SeededNumbers { get set }

    /// The texts that queries ask for.
    static var texts: [String] { get }

    /// An object, which need not be stored.
    mutating func object() -> Object
    /// A condition on one property.
    mutating func test() -> Condition<Object>
    mutating func criterion() -> SortCriterion<Object>
}

extension RandomObjects {
    mutating func next() -> UInt64 { numbers.next() }

    mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &self)] }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    // MARK: - Queries

    mutating func query<S: Store>(for store: S, depth: Int = 5) -> Query<S> where S.Object == Object {
        var query = store.filter(where: condition(depth: Int.random(in: 0...depth, using: &self)))
        for _ in 0..<Int.random(in: 0...3, using: &self) { query = query.sorted(by: criterion()) }
        if chance(30) {
            query = query.page(after: object(), limit: pick([nil, nil, 10, 10, 0, 1, .max]))
        } else if chance(50) {
            query = query.page(
                limit: chance(80) ? Int.random(in: 0..<50, using: &self) : pick([nil, .max]),
                offset: pick([0, 0, 0, 1, 1, 20, 20, .max]))
        }
        return query
    }

    mutating func condition(depth: Int) -> Condition<Object> {
        if depth == 0 || chance(25) { return test() }
        switch Int.random(in: 0..<5, using: &self) {
        case 0: return !condition(depth: depth - 1)
        case 1, 2: return condition(depth: depth - 1) && condition(depth: depth - 1)
        default: return condition(depth: depth - 1) || condition(depth: depth - 1)
        }
    }

    // MARK: - Conditions on one property

    mutating func compare<Value: OrderedPrimitive>(
        _ property: KeyPath<Object, Value> & Sendable, _ value: Value.Scalar
    ) -> Condition<Object> {
        let typed = Value(primitiveValue: value.primitiveValue)
        switch Int.random(in: 0..<9, using: &self) {
        case 0: return property < value
        case 1: return property <= value
        case 2: return property > value
        case 3: return property >= value
        case 4: return typed.map { property != $0 } ?? .never
        case 5: return typed.map { .in(property, [$0, $0]) } ?? .never
        case 6: return value == value ? .between(property, value...value) : .always
        default: return typed.map { property == $0 } ?? .never
        }
    }

    mutating func text<Value: Primitive>(
        _ property: KeyPath<Object, Value> & Sendable
    ) -> Condition<Object> where Value.Scalar == String {
        let options = pick([
            TextOptions(), .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
        ])
        var text = pick(Self.texts)
        if chance(30) { text = String(text.prefix(2)) }
        if chance(20) { text = String(text.suffix(1)) }
        switch Int.random(in: 0..<7, using: &self) {
        case 0: return .startsWith(property, text, options)
        case 1: return .endsWith(property, text, options)
        case 2: return .contains(property, text, options)
        case 3: return .equals(property, text, options)
        case 4:
            let patterns = ["%", "_", "%a%", "The%", "%\\%", "_h%", "a\\%c", "%*%", text, text + "%", "%" + text]
            return .like(property, pick(patterns), options)
        case 5:
            let patterns = ["^The", "a.c", "[[:alpha:]]+$", "^.$", "(?i)the", "é", "\\d{3}", "abc", "10"]
            return .matches(property, pick(patterns))
        default: return .startsWith(property, text)
        }
    }
}

/// Random numbers that are the same in each run (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
