/// The ids of objects in the order of one of their properties.
protocol MemoryIndexing<Object>: Sendable {
    associatedtype Object: Identifiable & Sendable where Object.ID: Primitive

    var attribute: Attribute<Object> { get }
    mutating func insert(_ object: Object)
    mutating func remove(_ object: Object)
    /// How many objects lie in a range.
    func count(in range: AttributeRange) -> Int
    /// The ids of the objects in a range.
    func ids(in range: AttributeRange) -> [Object.ID]
}

/// Part of an attribute's values, in their order. Nil and NaN belong to no range but those that consist of nil alone.
struct AttributeRange: Sendable {
    enum Bound: Sendable {
        case open
        case including(PrimitiveValue)
        case excluding(PrimitiveValue)
    }

    var lower: Bound = .open
    var upper: Bound = .open
}

struct MemoryIndex<Object: Identifiable & Sendable, Value: Primitive>: MemoryIndexing where Object.ID: Primitive {
    struct Entry: Identifiable, Hashable, Sortable, Sendable {
        let value: Value
        let object: Object.ID

        var id: Entry { self }

        static func isOrdered(_ lhs: Entry, before rhs: Entry) -> Bool {
            if Value.isOrdered(lhs.value, before: rhs.value) { return true }
            return !Value.isOrdered(rhs.value, before: lhs.value) && Object.ID.isOrdered(lhs.object, before: rhs.object)
        }
    }

    let attribute: Attribute<Object>
    private let property: KeyPath<Object, Value> & Sendable
    private var entries = OrderedTable<Entry>()

    init(_ attribute: Attribute<Object>, _ property: KeyPath<Object, Value> & Sendable) {
        self.attribute = attribute
        self.property = property
    }

    mutating func insert(_ object: Object) {
        _ = entries.insert(Entry(value: object[keyPath: property], object: object.id))
    }

    mutating func remove(_ object: Object) {
        _ = entries.remove(Entry(value: object[keyPath: property], object: object.id))
    }

    func count(in range: AttributeRange) -> Int {
        let (start, end) = positions(of: range)
        return entries.count(from: start, to: end)
    }

    func ids(in range: AttributeRange) -> [Object.ID] {
        let (start, end) = positions(of: range)
        var ids: [Object.ID] = []
        var block = start.block
        while block < end.block || (block == end.block && end.index > 0) {
            let elements = entries.blocks[block]
            let from = block == start.block ? start.index : 0
            let to = block == end.block ? end.index : elements.count
            for index in from..<max(from, to) { ids.append(elements[index].object) }
            block += 1
        }
        return ids
    }

    private func positions(of range: AttributeRange) -> (OrderedTable<Entry>.Position, OrderedTable<Entry>.Position) {
        let start =
            switch range.lower {
            case .open: entries.partition { $0.value.scalar == nil }
            case .including(let bound): entries.partition { Self.isOrdered($0.value, before: bound) }
            case .excluding(let bound): entries.partition { !Self.isOrdered(bound, before: $0.value) }
            }
        let end =
            switch range.upper {
            case .open: entries.partition { $0.value.scalar.map { $0 == $0 } ?? true }
            case .including(let bound): entries.partition { !Self.isOrdered(bound, before: $0.value) }
            case .excluding(let bound): entries.partition { Self.isOrdered($0.value, before: bound) }
            }
        return (start, end)
    }

    private static func isOrdered(_ value: Value, before bound: PrimitiveValue) -> Bool {
        Value(primitiveValue: bound).map { Value.isOrdered(value, before: $0) } ?? false
    }

    private static func isOrdered(_ bound: PrimitiveValue, before value: Value) -> Bool {
        Value(primitiveValue: bound).map { Value.isOrdered($0, before: value) } ?? false
    }
}

extension Condition {
    /// The ranges that hold every object of which this single test is true; nil where it is no test that an index helps with.
    func ranges() -> (attribute: Attribute<Object>, ranges: [AttributeRange])? {
        switch form {
        case .comparison(let attribute, .equal, let value):
            (attribute, [AttributeRange(lower: .including(value), upper: .including(value))])
        case .membership(let attribute, let values):
            (attribute, values.map { AttributeRange(lower: .including($0), upper: .including($0)) })
        case .comparison(let attribute, .less, let value): (attribute, [AttributeRange(upper: .excluding(value))])
        case .comparison(let attribute, .lessOrEqual, let value):
            (attribute, [AttributeRange(upper: .including(value))])
        case .comparison(let attribute, .greater, let value): (attribute, [AttributeRange(lower: .excluding(value))])
        case .comparison(let attribute, .greaterOrEqual, let value):
            (attribute, [AttributeRange(lower: .including(value))])
        case .between(let attribute, let lower, let upper):
            (attribute, [AttributeRange(lower: .including(lower), upper: .including(upper))])
        case .text(let attribute, let match) where match.kind == .startsWith && match.options.isEmpty:
            match.pattern.prefixRange.map { lower, upper in
                (attribute, [AttributeRange(lower: .including(.text(lower)), upper: .excluding(.text(upper)))])
            }
        default: nil
        }
    }
}
