/// All entities of a type in an order that is kept while they change.
@usableFromInline
protocol EntityOrdering<Target>: AnyObject {
    associatedtype Target: Entity

    /// Removes all entries.
    func removeAll()

    /// Begins with the entries of a table.
    func begin(with entries: [EntityTable<Target>.Entry])

    /// Inserts, moves or removes an entry that has changed.
    func changed(_ entry: EntityTable<Target>.Entry)
}

/// The order of a watch: by a property of the entities; equal ones are in the order in which they came into the cache.
// Unchecked, since it is reached under the cache's lock only.
@usableFromInline
final class EntityOrder<Target: Entity, Value: Comparable & Sendable>: CacheNode, EntityOrdering, @unchecked Sendable {
    private struct Element {
        let value: Value
        let entry: EntityTable<Target>.Entry
    }

    private unowned let core: CacheCore
    private let value: @Sendable (Target) -> Value
    private let isDescending: Bool
    private let limit: Int
    private var elements: [Element] = []
    private var values: [UInt64: Value] = [:]

    @usableFromInline
    init(_ core: CacheCore, by value: @escaping @Sendable (Target) -> Value, isDescending: Bool, limit: Int) {
        self.core = core
        self.value = value
        self.isDescending = isDescending
        self.limit = limit
    }

    @usableFromInline
    func removeAll() {
        elements = []
        values = [:]
    }

    @usableFromInline
    func begin(with entries: [EntityTable<Target>.Entry]) {
        elements = entries.compactMap { entry in
            entry.stored.map { Element(value: value($0.entity), entry: entry) }
        }
        elements.sort { isBefore($0, $1.value, $1.entry.serial) }
        for element in elements { values[element.entry.serial] = element.value }
    }

    @usableFromInline
    func changed(_ entry: EntityTable<Target>.Entry) {
        var first = Int.max
        if let old = values.removeValue(forKey: entry.serial) {
            let expected = index(of: old, entry.serial)
            // Values without a consistent order can be at another index.
            let isThere = expected < elements.count && elements[expected].entry === entry
            if let index = isThere ? expected : elements.firstIndex(where: { $0.entry === entry }) {
                elements.remove(at: index)
                first = index
            }
        }
        if let stored = entry.stored {
            let new = value(stored.entity)
            let index = index(of: new, entry.serial)
            elements.insert(Element(value: new, entry: entry), at: index)
            values[entry.serial] = new
            first = min(first, index)
        }
        if first < limit { core.wake(self) }
    }

    @usableFromInline
    func entities(for watch: CacheWatch) -> [Target] {
        note(watch)
        let table = core.table(of: Target.self)
        return elements.prefix(limit).compactMap { table.entity(of: $0.entry, for: watch) }
    }

    @usableFromInline
    override func becameUnwatched() { core.table(of: Target.self).remove(self) }

    /// Returns the first index that is not before the value and the serial number.
    private func index(of value: Value, _ serial: UInt64) -> Int {
        var low = 0
        var high = elements.count
        while low < high {
            let middle = (low + high) / 2
            if isBefore(elements[middle], value, serial) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns true if an element comes before a value and a serial number.
    private func isBefore(_ element: Element, _ value: Value, _ serial: UInt64) -> Bool {
        // A value that does not equal itself, such as NaN, has no order. It is greater than all others.
        switch (element.value == element.value, value == value) {
        case (true, true):
            if element.value < value { return !isDescending }
            if value < element.value { return isDescending }
        case (false, false): break
        case (let isOrdered, _): return isOrdered != isDescending
        }
        // Values of which none is less can still differ, if `<` compares less than `==` does.
        return element.entry.serial < serial
    }
}
