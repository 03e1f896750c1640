/// The entry of a list with a key of any type.
// Unchecked, since it is reached under the cache's lock only.
@usableFromInline
class ListNode: CacheNode, @unchecked Sendable {
    /// The number of the last use, in the order of all uses.
    @usableFromInline final var lastUse: UInt64 = 0

    @usableFromInline
    override init() {}

    /// Removes the list.
    @usableFromInline
    func clear() {}
}

/// The entries of the lists with keys of one type.
// Unchecked, since it is reached under the cache's lock only.
@usableFromInline
final class ListTable<Key: ListKey>: @unchecked Sendable {
    @usableFromInline var entries: [Key: ListEntry<Key>] = [:]

    @inlinable
    init() {}
}

/// The entry of a list: its ids, and the entries of their entities.
// Unchecked, since it is reached under the cache's lock only.
@usableFromInline
final class ListEntry<Key: ListKey>: ListNode, @unchecked Sendable {
    // Unowned, as the core owns the lists.
    @usableFromInline unowned(unsafe) let core: CacheCore
    @usableFromInline let key: Key
    @exclusivity(unchecked) @usableFromInline var list: EntityList<Key.Target.ID>?
    /// Unowned, since an entry stays in its table as long as a list holds it, and copies of the array are then cheap.
    @exclusivity(unchecked) @usableFromInline var entries: [Unmanaged<EntityTable<Key.Target>.Entry>] = []

    @inlinable
    init(_ key: Key, in core: CacheCore) {
        self.key = key
        self.core = core
    }

    /// Returns the list and those of its entities that are in the cache, and records that a watch shows them.
    @inlinable
    func contents(for watch: CacheWatch) -> CachedList<Key.Target>? {
        note(watch)
        guard let list else { return nil }
        // With a capacity of none, the standard library writes to the storage that all empty arrays share: a data race.
        if entries.isEmpty { return CachedList(list: list, entities: []) }
        let table = core.table(of: Key.Target.self)
        // Each entity is copied to its place directly, since it can be large.
        let entities = [Key.Target](unsafeUninitializedCapacity: entries.count) { entities, count in
            guard let start = entities.baseAddress else { return }
            for entry in entries {
                guard let kept = entry._withUnsafeGuaranteedRef({ table.kept($0, for: watch) }) else { continue }
                kept.withPointer { (start + count).initialize(from: $0, count: 1) }
                count += 1
            }
        }
        return CachedList(list: list, entities: entities)
    }

    @inlinable
    func set(_ new: EntityList<Key.Target.ID>?) {
        lastUse = core.makeSerial()
        guard new != list else { return }
        replaceEntries(of: list?.ids ?? [], by: new?.ids ?? [])
        list = new
        core.noteDirty(self)
        core.wake(self)
        if new == nil, !isWatched { forget() }
    }

    /// Replaces the entries of the ids that differ, without those that both lists have at the beginning and at the end.
    @inlinable
    func replaceEntries(of old: [Key.Target.ID], by new: [Key.Target.ID]) {
        let core = core
        let table = core.table(of: Key.Target.self)
        let shorter = min(old.count, new.count)
        var start = 0
        while start < shorter, old[start] == new[start] { start += 1 }
        var end = 0
        // All ids are the same if only the place of the next page has changed.
        while end < shorter - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
        let added = new[start..<new.count - end].map { id in
            let entry = table.entryOrNew(id)
            entry.listCount += 1
            core.noteNeeded(entry)
            return Unmanaged.passUnretained(entry)
        }
        let removed = entries[start..<old.count - end]
        entries.replaceSubrange(start..<old.count - end, with: added)
        for entry in removed {
            let entry = entry.takeUnretainedValue()
            entry.listCount -= 1
            core.noteIfEvictable(entry)
        }
    }

    @usableFromInline
    override func becameWatched() { core.unwatchedLists[ObjectIdentifier(self)] = nil }

    @usableFromInline
    override func becameUnwatched() {
        lastUse = core.makeSerial()
        if list == nil { forget() } else { core.unwatchedLists[ObjectIdentifier(self)] = self }
    }

    @usableFromInline
    override func clear() { set(nil) }

    /// Removes the entry from the cache.
    @usableFromInline
    func forget() {
        core.unwatchedLists[ObjectIdentifier(self)] = nil
        core.listTable(of: Key.self).entries[key] = nil
    }

    @usableFromInline
    override func row(for file: CacheFile) -> CacheFile.PendingRow? { file.row(of: key, list) }
}

/// A list and its entities.
public struct CachedList<Target: Entity>: Equatable, Sendable {
    /// The ids in order, with the gaps between them.
    public var list: EntityList<Target.ID>
    /// Those of the entities that are in the cache, in the order of the list.
    public var entities: [Target]

    /// Makes a list with its entities.
    @inlinable
    public init(list: EntityList<Target.ID>, entities: [Target]) {
        self.list = list
        self.entities = entities
    }
}
