/// The entities of one type, and who shows each of them.
// Unchecked, since only whoever holds the cache's lock reaches it.
@usableFromInline
final class EntityTable<Target: Entity>: @unchecked Sendable where Target.ID: Sendable {
    @usableFromInline
    struct Entry {
        @usableFromInline var entity: Target?
        @usableFromInline var readings: [ObjectIdentifier: EntityReading] = [:]

        @inlinable
        init(entity: Target? = nil) { self.entity = entity }
    }

    @usableFromInline var entries: [Target.ID: Entry] = [:]

    @inlinable
    init() {}

    @inlinable
    func entity(_ id: Target.ID) -> Target? { entries[id]?.entity }

    /// The entity, which is noted as read by `watch`.
    @inlinable
    func entity(_ id: Target.ID, for watch: EntityWatch) -> Target? {
        guard let index = entries.index(forKey: id) else {
            note(id, readBy: watch)
            return nil
        }
        if let reading = entries.values[index].readings[ObjectIdentifier(watch)] {
            watch.note(reading)
        } else {
            note(id, readBy: watch)
        }
        return entries.values[index].entity
    }

    @usableFromInline
    func note(_ id: Target.ID, readBy watch: EntityWatch) {
        let reading = EntityReading(watch) { [unowned self] reading in forget(reading, of: id) }
        if watch.noteNew(reading) { entries[id, default: Entry()].readings[ObjectIdentifier(watch)] = reading }
    }

    /// Sets or removes an entity, and returns who has to read again.
    @inlinable
    func set(_ entity: Target?, at id: Target.ID) -> [EntityWatch] {
        guard let index = entries.index(forKey: id) else {
            if let entity { entries[id] = Entry(entity: entity) }
            return []
        }
        guard entries.values[index].entity != entity else { return [] }
        entries.values[index].entity = entity
        var watches: [EntityWatch] = []
        for reading in entries.values[index].readings.values where reading.watch.invalidate() {
            watches.append(reading.watch)
        }
        if entity == nil { removeIfEmpty(id) }
        return watches
    }

    private func forget(_ reading: EntityReading, of id: Target.ID) {
        entries[id]?.readings[ObjectIdentifier(reading.watch)] = nil
        removeIfEmpty(id)
    }

    @usableFromInline
    func removeIfEmpty(_ id: Target.ID) {
        if let entry = entries[id], entry.entity == nil, entry.readings.isEmpty { entries[id] = nil }
    }
}
