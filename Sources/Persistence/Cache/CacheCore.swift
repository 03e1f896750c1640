import Feedback
import Foundation

/// The content of a cache: entities, lists and watches.
// Unchecked, since it is reached under the cache's lock only.
@usableFromInline
final class CacheCore: @unchecked Sendable {
    @usableFromInline let limits: CacheLimits
    @usableFromInline let now: @Sendable () -> Date

    @exclusivity(unchecked) @usableFromInline var tables: [ObjectIdentifier: AnyObject] = [:]
    /// The table that was used last, and the type of its entities.
    @exclusivity(unchecked) @usableFromInline unowned(unsafe) var lastTable: AnyObject?
    @exclusivity(unchecked) @usableFromInline var lastType: ObjectIdentifier?
    /// The entries of the lists, by type of key and key.
    @usableFromInline var listTables: [ObjectIdentifier: AnyObject] = [:]
    /// The entries of the lists that no watch shows.
    @usableFromInline var unwatchedLists: [ObjectIdentifier: ListNode] = [:]
    /// The entities that nothing needs.
    @exclusivity(unchecked) private var evictions = EntryQueue(.eviction)
    /// The entities that have not expired, by their time to live. Expired ones that are needed are in no queue.
    private var expirations: [TimeInterval: EntryQueue] = [:]
    /// The entities that each optimistic change concerns.
    @usableFromInline var pending: [OptimisticChangeID: [EntityEntry]] = [:]
    /// All watches, including those that have read nothing.
    @usableFromInline var watches: [ObjectIdentifier: CacheWatch] = [:]

    @exclusivity(unchecked) private(set) var entityCount = 0
    /// The number of entities, and of those that were removed.
    @exclusivity(unchecked) private var entryCount = 0
    @exclusivity(unchecked) private(set) var byteCount = 0
    /// When the batch under way began.
    @exclusivity(unchecked) @usableFromInline private(set) var batchDate = Date.distantPast
    // Entities restored from a file have moment 1, and the entities inside them have moment 0.
    @exclusivity(unchecked) private var lastSerial: UInt64 = 2
    /// When all entities and lists were removed last. Nothing that began before it may change the cache.
    private(set) var lastRemovalOfAll = CacheMoment(number: 0)

    @exclusivity(unchecked) private var due: [CacheWatch] = []
    private var delivered = 0
    @usableFromInline private(set) var isDelivering = false
    /// The changes since the file was written last; nil without a file.
    @exclusivity(unchecked) private var dirty: [ObjectIdentifier: (node: CacheNode, order: UInt64)]?
    /// True if all rows of the file are to be deleted before the changes are written.
    private var mustClearFile = false

    init(limits: CacheLimits, hasFile: Bool, now: @escaping @Sendable () -> Date) {
        self.limits = limits
        self.now = now
        if hasFile { dirty = [:] }
    }

    /// Returns a number that is greater than all before it: of an entry, a change, a moment or a use.
    @usableFromInline
    func makeSerial() -> UInt64 {
        lastSerial += 1
        return lastSerial
    }

    @usableFromInline
    func nextMoment() -> CacheMoment { CacheMoment(number: makeSerial()) }

    func noteRemovingAll() { lastRemovalOfAll = nextMoment() }

    /// The table of the entities of a type.
    @inlinable
    func table<Target: Entity>(of type: Target.Type) -> EntityTable<Target> {
        if lastType == ObjectIdentifier(type), let lastTable {
            return unsafeDowncast(lastTable, to: EntityTable<Target>.self)
        }
        let table: EntityTable<Target>
        if let known = tables[ObjectIdentifier(type)] {
            table = unsafeDowncast(known, to: EntityTable<Target>.self)
        } else {
            table = EntityTable<Target>(self)
            tables[ObjectIdentifier(type)] = table
        }
        (lastType, lastTable) = (ObjectIdentifier(type), table)
        return table
    }

    /// Returns the entry of a list; makes an empty entry if there is none.
    @inlinable
    func entryOrNew<Key: ListKey>(_ key: Key) -> ListEntry<Key> {
        let table = listTable(of: Key.self)
        if let entry = table.entries[key] { return entry }
        let entry = ListEntry(key, in: self)
        table.entries[key] = entry
        unwatchedLists[ObjectIdentifier(entry)] = entry
        return entry
    }

    @inlinable
    func list<Key: ListKey>(_ key: Key) -> ListEntry<Key>? {
        listTable(of: Key.self).entries[key]
    }

    /// Returns the table of the lists with keys of a type. There is no common table of `AnyHashable`, in which numbers
    /// of different types would be equal.
    @inlinable
    func listTable<Key: ListKey>(of type: Key.Type) -> ListTable<Key> {
        if let table = listTables[ObjectIdentifier(type)] { return unsafeDowncast(table, to: ListTable<Key>.self) }
        let table = ListTable<Key>()
        listTables[ObjectIdentifier(type)] = table
        return table
    }

    // MARK: - Changing

    /// Begins a batch, by default now.
    @usableFromInline
    func beginBatch(at date: Date? = nil) { batchDate = date ?? now() }

    /// Makes changes as one, and enforces the limits afterwards.
    func batch(_ steps: [@Sendable (CacheCore) -> Void]) {
        beginBatch()
        for step in steps { step(self) }
        keepLimits()
    }

    /// Notes that a node has changed, and wakes the watches that show it.
    @usableFromInline
    func changed(_ entry: EntityEntry) {
        entry.changedAt = makeSerial()
        noteDirty(entry)
        wake(entry)
    }

    @usableFromInline
    func wake(_ node: CacheNode) {
        node.forEachWatch { wake($0) }
    }

    @usableFromInline
    func wake(_ watch: CacheWatch) {
        if watch.invalidate() { due.append(watch) }
    }

    @usableFromInline
    func count(entities: Int = 0, entries: Int = 0, bytes: Int = 0) {
        entityCount += entities
        entryCount += entries
        byteCount += bytes
    }

    func settle(_ change: OptimisticChangeID, _ body: (EntityEntry) -> Void) {
        for entry in pending.removeValue(forKey: change) ?? [] { body(entry) }
    }

    // MARK: - Evicting

    /// Adds an entry to the end of the eviction queue, if nothing needs it.
    @usableFromInline
    func noteIfEvictable(_ entry: EntityEntry) {
        guard entry.isEvictable else { return }
        guard entry.isCounted else { return entry.evict() }
        evictions.append(entry)
        // It has expired while it was needed. It goes at the end of the batch, since the batch may still use it.
        if let timeToLive = entry.timeToLive, !entry.expirationPosition.isTaken {
            expirations[timeToLive, default: EntryQueue(.expiration)].prepend(entry)
        }
    }

    /// Takes an entry out of the eviction queue, since something needs it.
    @usableFromInline
    func noteNeeded(_ entry: EntityEntry) { evictions.remove(entry) }

    /// Notes that an entry was stored or removed now, which its type's time to live counts from.
    @usableFromInline
    func noteStored(_ entry: EntityEntry) {
        entry.storedAt = batchDate
        guard let timeToLive = entry.timeToLive else { return }
        expirations[timeToLive, default: EntryQueue(.expiration)].append(entry)
        noteDirty(entry)
    }

    /// Takes an entry that is evicted out of all queues.
    @usableFromInline
    func noteEvicted(_ entry: EntityEntry) {
        evictions.remove(entry)
        if let timeToLive = entry.timeToLive { expirations[timeToLive]?.remove(entry) }
    }

    @usableFromInline
    func keepLimits() {
        while evictExpired() {}
        while isOverLimit, let oldest = evictions.oldest { oldest.evict() }
        trimLists()
    }

    /// Evicts expired entities. Returns true if there may be more, since the entities inside those are no longer needed.
    private func evictExpired() -> Bool {
        var hasEvicted = false
        for timeToLive in expirations.keys {
            while let oldest = expirations[timeToLive]?.oldest, oldest.isExpired(at: batchDate) {
                if oldest.isQueued {
                    oldest.evict()
                    hasEvicted = true
                } else {
                    expirations[timeToLive]?.remove(oldest)
                }
            }
        }
        return hasEvicted
    }

    private var isOverLimit: Bool {
        if let limit = limits.count, entryCount > limit { return true }
        if let limit = limits.bytes, byteCount > limit { return true }
        return false
    }

    private func trimLists() {
        guard let limit = limits.unwatchedLists, unwatchedLists.count > limit else { return }
        let leastRecentlyUsedFirst = unwatchedLists.values.sorted { $0.lastUse < $1.lastUse }
        for list in leastRecentlyUsedFirst.prefix(unwatchedLists.count - limit) { list.clear() }
    }

    // MARK: - Delivering

    /// Adds a watch to those that are due.
    @usableFromInline
    func add(_ watch: CacheWatch) { due.append(watch) }

    /// Starts to deliver, unless a delivery is under way on another thread, or further up in the stack of this one.
    ///
    /// - Returns: The number of watches that are due.
    func beginDelivering() -> Int? {
        guard !isDelivering, !due.isEmpty else { return nil }
        isDelivering = true
        return due.count
    }

    /// Returns the watch to run next; ends the delivery and returns nil if there is none.
    func nextDue() -> CacheWatch? {
        guard delivered < due.count else {
            due.removeAll(keepingCapacity: due.count < 4096)
            delivered = 0
            isDelivering = false
            return nil
        }
        defer { delivered += 1 }
        return due[delivered]
    }

    // MARK: - Keeping

    @usableFromInline
    func noteDirty(_ node: CacheNode) {
        dirty?[ObjectIdentifier(node)] = (node, makeSerial())
    }

    var isDirty: Bool { mustClearFile || dirty?.isEmpty == false }

    /// Forgets the changes that were not written. Without a file it does nothing.
    func forgetDirty(clearingFile: Bool = false) {
        guard dirty != nil else { return }
        dirty = [:]
        mustClearFile = clearingFile
    }

    /// Returns the rows of the nodes that have changed, in the order of their last changes, and whether all other rows
    /// are to be deleted. An entity that was evicted and stored again has two nodes with one row.
    func takeRows(for file: CacheFile) -> (rows: [CacheFile.PendingRow], areAll: Bool) {
        defer { forgetDirty() }
        let changed = (dirty ?? [:]).values.sorted { $0.order < $1.order }
        return (changed.compactMap { $0.node.row(for: file) }, mustClearFile)
    }
}

/// A cache's content behind its lock; it outlives the cache until its file is written.
@usableFromInline
final class CacheStorage: Sendable {
    @usableFromInline let core: Locked<CacheCore>

    init(_ core: sending CacheCore) { self.core = Locked(core) }

    @inlinable
    func withLock<Result: Sendable>(_ body: (CacheCore) -> Result) -> Result { core.withLock { body($0) } }
}
