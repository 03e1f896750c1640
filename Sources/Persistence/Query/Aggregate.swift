/// A question about a property of many objects that is answered with a few values, such as the sum for `Query.sum(_:)`.
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

    /// Throws if the question cannot be asked of the property: only numbers have a sum and an average.
    package func check() throws(StoreError) {
        guard kind == .sum || kind == .average else { return }
        switch attribute.kind {
        case .integer, .unsigned, .real: return
        default:
            throw .refused(reason: "\(attribute) is not a number, so it has no \(kind == .sum ? "sum" : "average")")
        }
    }

    /// Returns the rows of the answer for these objects. For stores that hold or fetch their objects as an array.
    public func rows(of objects: some Sequence<Object>) throws(StoreError) -> [[PrimitiveValue]] {
        try check()
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

    /// Returns a number that SQLite has computed as a value of the property's kind.
    func number(_ value: PrimitiveValue) -> PrimitiveValue {
        if value == .null { return .null }
        switch attribute.kind {
        case .real: return Double(primitiveValue: value)?.primitiveValue ?? .null
        case .unsigned where kind == .sum: return UInt64(primitiveValue: value)?.primitiveValue ?? .null
        default: return value
        }
    }

    package func total(_ sum: borrowing ExactSum) throws(StoreError) -> PrimitiveValue {
        guard let total = sum.total(of: attribute.kind) else { throw .outOfRange(reason: "the sum of \(attribute)") }
        return total
    }
}
