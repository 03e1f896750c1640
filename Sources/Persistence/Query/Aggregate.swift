/// A question about a property of many objects whose answer is a few values: what `Query.sum(_:)` and its kind ask a store.
public struct Aggregate<Object: Sendable>: Sendable {
    /// The questions that can be asked.
    public enum Kind: Sendable, Hashable {
        /// One row: the sum of the values that are not nil, zero if there are none.
        case sum
        /// One row: the average of the values that are not nil, or null.
        case average
        /// One row: the first value in sort order that is not nil, or null.
        case minimum
        /// One row: the last value in sort order that is not nil, or null.
        case maximum
        /// A row for each value that occurs, in sort order, nil first.
        case distinct
        /// A row for each value that occurs, in sort order, nil first: the value, and how many objects have it.
        case counts
    }

    /// The question.
    public let kind: Kind
    /// The property that it is asked of.
    public let attribute: Attribute<Object>

    /// Makes a question about a property.
    public init(_ kind: Kind, of attribute: Attribute<Object>) {
        self.kind = kind
        self.attribute = attribute
    }

    /// The rows of the answer if `objects` are all there are. For stores that hold or fetch their objects as an array.
    public func rows(of objects: some Sequence<Object>) throws(StoreError) -> [[PrimitiveValue]] {
        switch kind {
        case .sum, .average:
            var sum = ExactSum()
            for object in objects { sum.add(attribute.value(in: object)) }
            return [[try kind == .sum ? total(sum) : sum.average ?? .null]]
        case .minimum, .maximum:
            var best = PrimitiveValue.null
            for object in objects {
                let value = attribute.value(in: object)
                guard value != .null else { continue }
                let (first, second) = kind == .minimum ? (value, best) : (best, value)
                if best == .null || PrimitiveValue.isOrdered(first, before: second) { best = value }
            }
            return [[best]]
        case .distinct, .counts:
            var counts: [PrimitiveValue: Int] = [:]
            for object in objects { counts[attribute.value(in: object), default: 0] += 1 }
            return counts.sorted { PrimitiveValue.isOrdered($0.key, before: $1.key) }.map { value, count in
                kind == .distinct ? [value] : [value, .integer(Int64(count))]
            }
        }
    }

    /// A number that SQLite has computed, as a value of the property's kind.
    func number(_ value: PrimitiveValue) -> PrimitiveValue {
        if value == .null { return .null }
        switch attribute.kind {
        case .real: return Double(primitiveValue: value)?.primitiveValue ?? .null
        case .unsigned where kind == .sum: return UInt64(primitiveValue: value)?.primitiveValue ?? .null
        default: return value
        }
    }

    package func total(_ sum: ExactSum) throws(StoreError) -> PrimitiveValue {
        guard let total = sum.total(of: attribute.kind) else { throw .outOfRange(reason: "the sum of \(attribute)") }
        return total
    }
}

/// A sum that does not depend on the order of its terms: whole numbers in 128 bits, others without rounding until the end.
package struct ExactSum: Sendable {
    private var whole: Int128 = 0
    private var count = 0
    /// Numbers whose sum is exactly that of the terms; their digits do not overlap, and they grow.
    private var parts: [Double] = []
    /// The sum of the infinities and NaN among the terms.
    private var limitless = 0.0

    package init() {}

    /// The sum of so many whole numbers.
    package init(of whole: Int128, count: Int) {
        self.whole = whole
        self.count = count
    }

    package mutating func add(_ value: PrimitiveValue) {
        switch value {
        case .integer(let value): whole += Int128(value)
        case .unsigned(let value): whole += Int128(value)
        case .real(let value): add(value)
        default: return
        }
        count += 1
    }

    private mutating func add(_ value: Double) {
        guard value.isFinite else {
            limitless += value
            return
        }
        var rest = value
        var kept = 0
        for index in parts.indices {
            let (large, small) = rest.magnitude < parts[index].magnitude ? (parts[index], rest) : (rest, parts[index])
            let sum = large + small
            let error = small - (sum - large)
            if error != 0 {
                parts[kept] = error
                kept += 1
            }
            rest = sum
        }
        parts.removeSubrange(kept...)
        if rest.isFinite { parts.append(rest) } else { limitless += rest }
    }

    /// The sum rounded once.
    private var real: Double {
        guard limitless == 0 else { return limitless }
        var sum = 0.0
        var index = parts.count
        while index > 0 {
            index -= 1
            let before = sum
            sum += parts[index]
            let error = parts[index] - (sum - before)
            guard error != 0 else { continue }
            // Half way between two numbers, the parts that are left decide.
            if index > 0, (error < 0) == (parts[index - 1] < 0) {
                let twice = error * 2
                let rounded = sum + twice
                if rounded - sum == twice { sum = rounded }
            }
            break
        }
        return sum
    }

    /// The sum as a value of a property's kind, or nil if it is too large for one.
    func total(of kind: PrimitiveKind) -> PrimitiveValue? {
        if kind == .real { return .real(real) }
        if let small = Int64(exactly: whole) { return .integer(small) }
        return kind == .unsigned ? UInt64(exactly: whole).map { .unsigned($0) } : nil
    }

    package var average: PrimitiveValue? {
        guard count > 0 else { return nil }
        return .real((parts.isEmpty && limitless == 0 ? Double(whole) : real) / Double(count))
    }
}
