/// The entities of one type, and who shows each of them.
// Unchecked, since only whoever holds the cache's lock reaches it.
final class EntityTable<Target: Entity>: @unchecked Sendable where Target.ID: Sendable {
    private struct Entry {
        var entity: Target?
        var readings: [ObjectIdentifier: EntityReading] = [:]
    }

    private var entries: [Target.ID: Entry] = [:]

    deinit {
        // Watches and readings hold each other. Those who watch a cache that is gone are interrupted.
        for entry in entries.values {
            for reading in entry.readings.values { _ = reading.watch.drop() }
        }
    }

    func entity(_ id: Target.ID) -> Target? { entries[id]?.entity }

    /// The entity, which is noted as read by `watch`.
    func entity(_ id: Target.ID, for watch: EntityWatch) -> Target? {
        if let entry = entries[id], let reading = entry.readings[ObjectIdentifier(watch)] {
            watch.note(reading)
            return entry.entity
        }
        let reading = EntityReading(watch) { [unowned self] reading in forget(reading, of: id) }
        if watch.noteNew(reading) { entries[id, default: Entry()].readings[ObjectIdentifier(watch)] = reading }
        return entries[id]?.entity
    }

    /// Sets or removes an entity, and returns who has to read again.
    func set(_ entity: Target?, at id: Target.ID) -> [EntityWatch] {
        guard let index = entries.index(forKey: id) else {
            if let entity { entries[id] = Entry(entity: entity) }
            return []
        }
        guard entries.values[index].entity != entity else { return [] }
        entries.values[index].entity = entity
        let watches = entries.values[index].readings.values.compactMap { $0.watch.invalidate() ? $0.watch : nil }
        removeIfEmpty(id)
        return watches
    }

    private func forget(_ reading: EntityReading, of id: Target.ID) {
        entries[id]?.readings[ObjectIdentifier(reading.watch)] = nil
        removeIfEmpty(id)
    }

    private func removeIfEmpty(_ id: Target.ID) {
        if let entry = entries[id], entry.entity == nil, entry.readings.isEmpty { entries[id] = nil }
    }
}
