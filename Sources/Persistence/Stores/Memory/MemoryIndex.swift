/// An index of ids, in the order of a property of their objects.
protocol MemoryIndexing<Object>: Sendable {
    associatedtype Object: Identifiable & Sendable where Object.ID: Primitive

    var attribute: Attribute<Object> { get }
    mutating func insert(_ object: Object)
    mutating func remove(_ object: Object)
    /// Returns the number of objects in a range; an estimate if there are very many.
    func estimatedCount(in range: AttributeRange) -> Int
    /// The ids of the objects in a range.
    func ids(in range: AttributeRange) -> [Object.ID]
    /// Calls `visit` with ids in the order of a criterion. If there is a `first`, it begins with the ids that have the
    /// same value.
    ///
    /// Ids with the same value are in the order of the ids. `isLast` is true if no more ids with this value follow;
    /// `visit` returns false to stop.
    func visit(
        descending: Bool, nilFirst: Bool, from first: Object?, _ visit: (_ ids: [Object.ID], _ isLast: Bool) -> Bool)
}

/// A range of an attribute's values, in their order. NaN is in no range, and nil only in the range from nil to nil.
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

    private typealias Position = OrderedTable<Entry>.Position

    let attribute: Attribute<Object>
    private let value: @Sendable (Object) -> Value
    private var entries = OrderedTable<Entry>()

    init(_ attribute: Attribute<Object>, _ value: @escaping @Sendable (Object) -> Value) {
        self.attribute = attribute
        self.value = value
    }

    mutating func insert(_ object: Object) {
        _ = entries.insert(Entry(value: value(object), object: object.id))
    }

    mutating func remove(_ object: Object) {
        _ = entries.remove(Entry(value: value(object), object: object.id))
    }

    // MARK: - Ranges

    func estimatedCount(in range: AttributeRange) -> Int {
        let (start, end) = positions(of: range)
        return entries.estimatedCount(from: start, to: end)
    }

    func ids(in range: AttributeRange) -> [Object.ID] {
        let (start, end) = positions(of: range)
        var ids: [Object.ID] = []
        visitBlocks(from: start, to: end) { block, _ in
            ids += block
            return true
        }
        return ids
    }

    private func positions(of range: AttributeRange) -> (Position, Position) {
        let start =
            switch range.lower {
            case .open: firstValue
            case .including(let bound): position(of: bound, isAfterEqual: false) ?? entries.start
            case .excluding(let bound): position(of: bound, isAfterEqual: true) ?? entries.start
            }
        let end =
            switch range.upper {
            case .open: entries.partition { $0.value.scalar.map { $0 == $0 } ?? true }
            case .including(let bound): position(of: bound, isAfterEqual: true) ?? entries.end
            case .excluding(let bound): position(of: bound, isAfterEqual: false) ?? entries.end
            }
        return (start, end)
    }

    /// Returns the position of the first entry whose value is not before a bound, or is after it if `isAfterEqual`; nil
    /// if the bound is not a value of the property, as the beginning of an enum's text is not.
    private func position(of bound: PrimitiveValue, isAfterEqual: Bool) -> Position? {
        guard let bound = Value(primitiveValue: bound) else { return nil }
        return isAfterEqual
            ? entries.partition { !Value.isOrdered(bound, before: $0.value) }
            : entries.partition { Value.isOrdered($0.value, before: bound) }
    }

    // MARK: - Order

    func visit(
        descending: Bool, nilFirst: Bool, from first: Object?, _ visit: ([Object.ID], Bool) -> Bool
    ) {
        let beginning = first.map(value)
        let beginsWithNil = beginning.map { $0.scalar == nil } ?? nilFirst
        let hasNil = !nilFirst || beginsWithNil
        let hasValues = nilFirst || !beginsWithNil
        if nilFirst, hasNil, !visitBlocks(from: entries.start, to: firstValue, visit) { return }
        if hasValues {
            let bound = beginsWithNil ? nil : beginning
            let isGoingOn = descending ? visitDescending(from: bound, visit) : visitAscending(from: bound, visit)
            if !isGoingOn { return }
        }
        if !nilFirst, hasNil { visitBlocks(from: entries.start, to: firstValue, visit) }
    }

    /// The first of the values that are not nil.
    private var firstValue: Position { entries.partition { $0.value.scalar == nil } }

    private func visitAscending(from first: Value?, _ visit: ([Object.ID], Bool) -> Bool) -> Bool {
        var start = first.map { first in entries.partition { Value.isOrdered($0.value, before: first) } } ?? firstValue
        while let value = entry(at: start)?.value {
            let end = end(ofRunAt: start, value)
            if !visitBlocks(from: start, to: end, visit) { return false }
            start = end
        }
        return true
    }

    private func visitDescending(from first: Value?, _ visit: ([Object.ID], Bool) -> Bool) -> Bool {
        var end = first.map { first in entries.partition { !Value.isOrdered(first, before: $0.value) } } ?? entries.end
        let lowest = firstValue
        while lowest < end, let value = entry(before: end)?.value {
            let start = start(ofRunBefore: end, value)
            if !visitBlocks(from: start, to: end, visit) { return false }
            end = start
        }
        return true
    }

    /// Most values have one entry, so the next one is tried before a binary search.
    private func end(ofRunAt start: Position, _ value: Value) -> Position {
        let next = Position(block: start.block, index: start.index + 1)
        let block = entries.blocks[start.block]
        if next.index < block.count, Value.isOrdered(value, before: block[next.index].value) { return next }
        return entries.partition { !Value.isOrdered(value, before: $0.value) }
    }

    private func start(ofRunBefore end: Position, _ value: Value) -> Position {
        if end.index > 1, Value.isOrdered(entries.blocks[end.block][end.index - 2].value, before: value) {
            return Position(block: end.block, index: end.index - 1)
        }
        return entries.partition { Value.isOrdered($0.value, before: value) }
    }

    private func entry(at position: Position) -> Entry? {
        position.block < entries.blocks.count ? entries.blocks[position.block][position.index] : nil
    }

    private func entry(before position: Position) -> Entry? {
        if position.index > 0 { return entries.blocks[position.block][position.index - 1] }
        return position.block > 0 ? entries.blocks[position.block - 1].last : nil
    }

    /// Calls `visit` with the ids from one position to before another, a block at a time; returns whether to go on.
    @discardableResult
    private func visitBlocks(from start: Position, to end: Position, _ visit: ([Object.ID], Bool) -> Bool) -> Bool {
        var block = start.block
        while block < end.block || (block == end.block && end.index > 0) {
            let elements = entries.blocks[block]
            let from = block == start.block ? start.index : 0
            let to = block == end.block ? end.index : elements.count
            let isLast = block == end.block || (block + 1 == end.block && end.index == 0)
            if from < to || isLast, !visit(elements[from..<max(from, to)].map { $0.object }, isLast) { return false }
            block += 1
        }
        return true
    }
}

extension AnyCondition {
    /// Returns ranges that contain every object of which this single test is true; nil if no index helps with the test.
    func ranges() -> (attribute: AnyAttribute, ranges: [AttributeRange])? {
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
