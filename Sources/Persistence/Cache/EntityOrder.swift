/// All entities of a type in an order that is kept while they change.
@usableFromInline
protocol EntityOrdering<Target>: AnyObject {
    associatedtype Target: Entity

    /// Inserts, moves or removes an entry that has changed.
    func changed(_ entry: EntityTable<Target>.Entry)
}

/// The order of a watch: by a property of the entities; equal ones are in the order in which they came into the cache.
// Unchecked, since it is reached under the cache's lock only.
@usableFromInline
final class EntityOrder<Target: Entity, Value: Comparable & Sendable>: CacheNode, EntityOrdering, @unchecked Sendable {
    private struct Place {
        let value: Value
        let entry: EntityTable<Target>.Entry
    }

    private unowned let core: CacheCore
    private let value: @Sendable (Target) -> Value
    private let isDescending: Bool
    private let limit: Int
    private var places: [Place] = []
    private var values: [UInt64: Value] = [:]

    @usableFromInline
    init(_ core: CacheCore, by value: @escaping @Sendable (Target) -> Value, isDescending: Bool, limit: Int) {
        self.core = core
        self.value = value
        self.isDescending = isDescending
        self.limit = limit
    }

    @usableFromInline
    func changed(_ entry: EntityTable<Target>.Entry) {
        var first = Int.max
        if let old = values.removeValue(forKey: entry.serial) {
            let expected = index(of: old, entry.serial)
            // A value without an order, such as NaN, can be at another index.
            let isThere = expected < places.count && places[expected].entry === entry
            if let index = isThere ? expected : places.firstIndex(where: { $0.entry === entry }) {
                places.remove(at: index)
                first = index
            }
        }
        if let stored = entry.stored {
            let new = value(stored.entity)
            let index = index(of: new, entry.serial)
            places.insert(Place(value: new, entry: entry), at: index)
            values[entry.serial] = new
            first = min(first, index)
        }
        if first < limit { core.wake(self) }
    }

    @usableFromInline
    func entities(for watch: CacheWatch) -> [Target] {
        note(watch)
        let table = core.table(of: Target.self)
        return places.prefix(limit).compactMap { table.entity(of: $0.entry, for: watch) }
    }

    @usableFromInline
    override func becameUnwatched() { core.table(of: Target.self).remove(self) }

    /// Returns the first index that is not before the value and the serial number.
    private func index(of value: Value, _ serial: UInt64) -> Int {
        var low = 0
        var high = places.count
        while low < high {
            let middle = (low + high) / 2
            let place = places[middle]
            let isBefore =
                if place.value == value {
                    place.entry.serial < serial
                } else {
                    isDescending ? place.value > value : place.value < value
                }
            if isBefore { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
