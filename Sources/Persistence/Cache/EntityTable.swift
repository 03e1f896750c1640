import Foundation

/// The entities of one type.
///
/// This type, and all code that stores and reads an entity, is inlinable, so that a feature compiles it for its own
/// entities. Otherwise each step would look up the types at run time, which takes several times as long as the work
/// itself.
// Unchecked, since it is reached under the cache's lock only.
@usableFromInline
final class EntityTable<Target: Entity>: @unchecked Sendable {
    // Unowned, as the core owns the tables.
    @usableFromInline unowned(unsafe) let core: CacheCore
    @exclusivity(unchecked) @usableFromInline var entries = EntityIndex<Target>()
    @usableFromInline let partialProperties = Target.partialProperties
    @usableFromInline let timeToLive: TimeInterval?
    /// The sorted lists of all entities of the type that are watched.
    @exclusivity(unchecked) @usableFromInline var orders: [ObjectIdentifier: any EntityOrdering<Target>] = [:]

    /// The changes of entities that are not in the cache which were confirmed, in the order in which they were made.
    @exclusivity(unchecked) @usableFromInline var missed: [Target.ID: [MissedChange<Target>]] = [:]

    @usableFromInline let evictor: @Sendable (EntityEntry) -> Void

    @inlinable
    init(_ core: CacheCore) {
        self.core = core
        timeToLive = core.limits.timeToLive(of: Target.self)
        evictor = { entry in
            let entry = unsafeDowncast(entry, to: Entry.self)
            entry.table.evict(entry)
        }
    }

    /// An entity in a reference, so that several properties share one copy: entities can be large.
    // Unchecked, since only its initializer changes the entity.
    @usableFromInline
    final class Kept: @unchecked Sendable {
        @exclusivity(unchecked) @usableFromInline var entity: Target

        @inlinable
        init(_ entity: Target) { self.entity = entity }

        /// Copies an answer, and visits the links of the copy in its place.
        @inlinable
        init(_ answer: UnsafePointer<Target>, visitedBy visitor: inout LinkVisitor) {
            entity = answer.pointee
            entity.visitLinks(&visitor)
        }

        /// Calls `body` with the entity in its place: reading the property would copy the entity.
        @inlinable
        func withPointer<Result>(_ body: (UnsafePointer<Target>) -> Result) -> Result {
            withUnsafePointer(to: &entity, body)
        }
    }

    /// The table's record of one entity.
    // Unchecked for the same reason as the table.
    @usableFromInline
    final class Entry: EntityEntry, @unchecked Sendable {
        // Unowned, as the table owns its entries.
        @usableFromInline unowned(unsafe) let table: EntityTable
        @usableFromInline let id: Target.ID
        @usableFromInline let hash: Int
        /// The entity as it is shown, with the entities inside it as they were when it was stored.
        @exclusivity(unchecked) @usableFromInline var stored: Kept?
        /// The entity as it is shown, with the entities inside it as they were at the change `assembledAt`.
        @exclusivity(unchecked) @usableFromInline var assembled: Kept?
        @exclusivity(unchecked) @usableFromInline var assembledAt: UInt64 = 0
        /// The value that the server knows and the pending changes on top of it, if there are any.
        @Indirect @usableFromInline var optimistic: Optimistic<EntityChange<Target>, OptimisticChangeID>? = nil {
            didSet { isPending = optimistic != nil }
        }
        /// The moment at which the entity's answer was asked for.
        @exclusivity(unchecked) @usableFromInline var moment = CacheMoment(number: 0)
        /// For each partial property, the moment of its answer; empty if all are `moment`, as they mostly are.
        @exclusivity(unchecked) @usableFromInline var partialMoments: [CacheMoment] = []

        @inlinable
        init(_ id: Target.ID, hash: Int, in table: EntityTable) {
            self.id = id
            self.hash = hash
            self.table = table
            super.init(table.core, timeToLive: table.timeToLive, evictor: table.evictor)
        }

        /// False if the entry was made only for those that wait for the entity.
        @inlinable var isKnown: Bool { stored != nil || moment > CacheMoment(number: 0) || truth != nil }

        @inlinable var truth: Target? { isPending ? optimistic?.truth : stored?.entity }

        /// The moment of the answer that a partial property is from.
        @inlinable
        func moment(of property: Int) -> CacheMoment { partialMoments.isEmpty ? moment : partialMoments[property] }

        /// Stores the value with the entities inside it as they were at a change.
        @inlinable
        func setAssembled(_ entity: Kept?, at change: UInt64) {
            assembled = entity
            assembledAt = change
        }

        @usableFromInline override func confirm(_ change: OptimisticChangeID) { table.confirm(change, of: self) }
        @usableFromInline override func rollBack(_ change: OptimisticChangeID) {
            table.settle(self) { $0.rollBack(change) }
            // Changes behind it that were confirmed can be in the truth now, although the same value is shown.
            table.core.noteDirty(self)
        }
        @usableFromInline override func row(for file: CacheFile) -> CacheFile.PendingRow? {
            file.row(of: Target.self, id, truth, storedAt)
        }
    }

    // MARK: - Reading

    @inlinable
    func entry(_ id: Target.ID) -> Entry? { entries.entry(id, hash: EntityIndex<Target>.hash(id)) }

    /// Returns the entry of an entity; makes an empty entry if there is none.
    @inlinable
    func entryOrNew(_ id: Target.ID) -> Entry {
        let hash = EntityIndex<Target>.hash(id)
        if let entry = entries.entry(id, hash: hash) { return entry }
        let entry = Entry(id, hash: hash, in: self)
        entries.add(entry)
        return entry
    }

    /// The entity, with the current entities inside it.
    @inlinable
    func assemble(_ entry: Entry, depth: Int = 0) -> Target? {
        guard depth > 0, !entry.links.isEmpty, var entity = entry.stored?.entity else { return kept(entry)?.entity }
        resolve(&entity, of: entry, links: entry.links, depth: depth)
        return entity
    }

    /// The entity, with the current entities inside it, in a reference.
    @inlinable
    func kept(_ entry: Entry) -> Kept? {
        guard !entry.links.isEmpty, let stored = entry.stored else { return entry.stored }
        let change = entry.lastChange()
        if entry.assembledAt == change, let assembled = entry.assembled { return assembled }
        var entity = stored.entity
        resolve(&entity, of: entry, links: entry.links)
        let assembled = Kept(entity)
        entry.setAssembled(assembled, at: change)
        return assembled
    }

    @inlinable
    func resolve(_ entity: inout Target, of entry: Entry, links: EntityLinks, depth: Int = 0) {
        var visitor = LinkVisitor(core, .resolving, of: entry, links: links, depth: depth)
        entity.visitLinks(&visitor)
    }

    /// Returns the entity, unless it has expired and nothing needs it.
    @inlinable
    func entity(_ id: Target.ID) -> Target? {
        guard let entry = entry(id) else { return nil }
        if timeToLive != nil, entry.isQueued, entry.isExpired(at: core.now()) { return nil }
        return assemble(entry)
    }

    /// Returns the entity, and records that a watch shows it.
    @inlinable
    func entity(_ id: Target.ID, for watch: CacheWatch) -> Target? { entity(of: entryOrNew(id), for: watch) }

    @inlinable
    func entity(of entry: Entry, for watch: CacheWatch) -> Target? { kept(entry, for: watch)?.entity }

    @inlinable
    func kept(_ entry: Entry, for watch: CacheWatch) -> Kept? {
        if timeToLive != nil, entry.isQueued, entry.isExpired(at: core.now()) {
            entry.evict()
            return kept(entryOrNew(entry.id), for: watch)
        }
        entry.noteAll(watch)
        return kept(entry)
    }

    // MARK: - Showing

    @inlinable
    func setTruth(_ entity: Target?, of entry: Entry, links: EntityLinks? = nil) {
        guard !entry.isPending else {
            entry.optimistic?.setTruth(entity)
            core.noteDirty(entry)
            return show(entry.optimistic?.value, in: entry)
        }
        show(entity, in: entry, links: links)
    }

    /// Shows another value, and wakes the watches of the entity if the value differs from the one before.
    @inlinable
    func show(_ entity: Target?, in entry: Entry, links: EntityLinks? = nil) {
        if !entry.isCounted {
            entry.isCounted = true
            core.count(entries: 1)
        }
        defer { core.noteIfEvictable(entry) }
        guard var entity else {
            guard entry.stored != nil else { return }
            _ = entry.setLinks(EntityLinks())
            core.count(entities: -1, bytes: -entry.byteCount)
            entry.stored = nil
            entry.assembled = nil
            entry.byteCount = 0
            return changed(entry)
        }
        // A new entity is assembled when it is first read.
        let before = assemble(entry)
        let newLinks = links ?? self.links(of: &entity, of: entry)
        let hasOtherLinks = entry.setLinks(newLinks)
        entry.stored = Kept(entity)
        entry.assembled = nil
        let isNew = before == nil
        if !isNew, !newLinks.isEmpty { resolve(&entity, of: entry, links: newLinks) }
        if hasOtherLinks || before != entity {
            let byteCount = entity.byteCount
            core.count(entities: isNew ? 1 : 0, bytes: byteCount - entry.byteCount)
            entry.byteCount = byteCount
            changed(entry)
        }
        if !isNew, !newLinks.isEmpty {
            entry.setAssembled(Kept(entity), at: entry.lastChange())
        }
    }

    @inlinable
    func links(of entity: inout Target, of entry: Entry) -> EntityLinks {
        var visitor = LinkVisitor(core, .linking, of: entry)
        entity.visitLinks(&visitor)
        return visitor.links
    }

    @inlinable
    func changed(_ entry: Entry) {
        core.changed(entry)
        if !orders.isEmpty { reorder(entry) }
    }

    @inlinable
    func reorder(_ entry: Entry) {
        for order in orders.values { order.changed(entry) }
    }

    @inlinable
    func evict(_ entry: Entry) {
        let core = core
        core.noteEvicted(entry)
        entries.remove(entry)
        if !missed.isEmpty { missed[entry.id] = nil }
        _ = entry.setLinks(EntityLinks())
        if entry.isCounted { core.count(entries: -1) }
        guard entry.stored != nil else { return }
        core.count(entities: -1, bytes: -entry.byteCount)
        entry.stored = nil
        core.noteDirty(entry)
        if !orders.isEmpty { reorder(entry) }
    }

    // MARK: - Orders

    @inlinable
    func add(_ order: any EntityOrdering<Target>) {
        orders[ObjectIdentifier(order)] = order
        order.begin(with: entries.entries)
    }

    @inlinable
    func remove(_ order: any EntityOrdering<Target>) { orders[ObjectIdentifier(order)] = nil }
}
