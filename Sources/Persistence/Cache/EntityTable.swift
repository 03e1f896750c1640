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
    @usableFromInline var entries: [Target.ID: Entry] = [:]
    @usableFromInline let partialProperties = Target.partialProperties
    @usableFromInline let timeToLive: TimeInterval?
    /// The partial moments of an unknown entity, and those of the last answer that had all properties. The entities of
    /// a page share one array.
    @usableFromInline let noMoments: [CacheMoment]
    @exclusivity(unchecked) @usableFromInline var lastMoments: [CacheMoment] = []
    /// The sorted lists of all entities of the type that are watched.
    @usableFromInline var orders: [ObjectIdentifier: any EntityOrdering<Target>] = [:]

    /// The changes of entities that are not in the cache which were confirmed, in the order in which they were made.
    @usableFromInline var missed: [Target.ID: [MissedChange<Target>]] = [:]

    @usableFromInline let evictor: @Sendable (EntityEntry) -> Void

    @inlinable
    init(_ core: CacheCore) {
        self.core = core
        timeToLive = core.limits.timeToLive(of: Target.self)
        noMoments = partialProperties.map { _ in CacheMoment(number: 0) }
        evictor = { entry in
            let entry = unsafeDowncast(entry, to: Entry.self)
            entry.table.evict(entry)
        }
    }

    /// An entity in a reference, so that several properties share one copy: entities can be large.
    @usableFromInline
    final class Kept: Sendable {
        @usableFromInline let entity: Target

        @inlinable
        init(_ entity: Target) { self.entity = entity }
    }

    /// The place of one entity.
    @usableFromInline
    final class Entry: EntityEntry, @unchecked Sendable {
        // Unowned, as the table owns its entries.
        @usableFromInline unowned(unsafe) let table: EntityTable
        @usableFromInline let id: Target.ID
        /// The entity as it is shown, with the entities inside it as they were when it was stored.
        @exclusivity(unchecked) @usableFromInline var stored: Kept?
        /// The entity as it is shown, with the entities inside it as they were at the change `assembledAt`.
        @exclusivity(unchecked) @usableFromInline var assembled: Kept?
        @exclusivity(unchecked) @usableFromInline var assembledAt: UInt64 = 0
        /// The value that the server knows and the pending changes on top of it, if there are any.
        @Indirect @usableFromInline var optimistic: Optimistic<EntityChange<Target>, OptimisticChangeID>? = nil {
            didSet { isPending = optimistic != nil }
        }
        /// The moment at which the entity's answer was asked for; and for each partial property, that of its answer.
        @exclusivity(unchecked) @usableFromInline var moment = CacheMoment(number: 0)
        @exclusivity(unchecked) @usableFromInline var partialMoments: [CacheMoment]

        @inlinable
        init(_ id: Target.ID, in table: EntityTable) {
            self.id = id
            self.table = table
            partialMoments = table.noMoments
            super.init(table.core, timeToLive: table.timeToLive, evictor: table.evictor)
        }

        /// False if the entry was made only for those that wait for the entity.
        @inlinable var isKnown: Bool { stored != nil || moment > CacheMoment(number: 0) || truth != nil }

        @inlinable var truth: Target? { isPending ? optimistic?.truth : stored?.entity }

        /// Stores the value with the entities inside it as they were at a change.
        @inlinable
        func setAssembled(_ entity: Kept?, at change: UInt64) {
            assembled = entity
            assembledAt = change
        }

        @usableFromInline override func confirm(_ change: OptimisticChangeID) { table.confirm(change, of: self) }
        @usableFromInline override func rollBack(_ change: OptimisticChangeID) {
            table.settle(self) { $0.rollBack(change) }
        }
        @usableFromInline override func row(for file: CacheFile) -> CacheFile.PendingRow? {
            file.row(of: Target.self, id, truth, storedAt)
        }
    }

    // MARK: - Reading

    @inlinable
    func entry(_ id: Target.ID) -> Entry? { entries[id] }

    /// Returns the entry of an entity; makes an empty entry if there is none.
    @inlinable
    func place(_ id: Target.ID) -> Entry {
        if let entry = entries[id] { return entry }
        let entry = Entry(id, in: self)
        entries[id] = entry
        return entry
    }

    /// The entity, with the current entities inside it.
    @inlinable
    func assemble(_ entry: Entry, depth: Int = 0) -> Target? {
        guard !entry.links.isEmpty, let stored = entry.stored else { return entry.stored?.entity }
        let change = entry.lastChange()
        if depth == 0, entry.assembledAt == change, let assembled = entry.assembled { return assembled.entity }
        var entity = stored.entity
        resolve(&entity, of: entry, links: entry.links, depth: depth)
        if depth == 0 { entry.setAssembled(Kept(entity), at: change) }
        return entity
    }

    @inlinable
    func resolve(_ entity: inout Target, of entry: Entry, links: [EntityLink?], depth: Int = 0) {
        var visitor = LinkVisitor(core, .resolving, of: entry, links: links, depth: depth)
        entity.visitLinks(&visitor)
    }

    /// Returns the entity, unless it has expired and nothing needs it.
    @inlinable
    func entity(_ id: Target.ID) -> Target? {
        guard let entry = entries[id] else { return nil }
        if timeToLive != nil, entry.isQueued, entry.isExpired(at: core.now()) { return nil }
        return assemble(entry)
    }

    /// Returns the entity, and records that a watch shows it.
    @inlinable
    func entity(_ id: Target.ID, for watch: CacheWatch) -> Target? { entity(of: place(id), for: watch) }

    @inlinable
    func entity(of entry: Entry, for watch: CacheWatch) -> Target? {
        if timeToLive != nil, entry.isQueued, entry.isExpired(at: core.now()) {
            entry.evict()
            return entity(entry.id, for: watch)
        }
        entry.noteAll(watch)
        return assemble(entry)
    }

    // MARK: - Optimistic changes

    @inlinable
    func apply(_ change: EntityChange<Target>, to target: Target.ID, id: OptimisticChangeID) {
        let entry = place(target)
        var optimistic = entry.optimistic ?? Optimistic(truth: entry.stored?.entity)
        optimistic.apply(change, id: id)
        entry.optimistic = optimistic
        core.noteNeeded(entry)
        core.pending[id, default: []].append(entry)
        show(optimistic.value, in: entry)
    }

    @inlinable
    func confirm(_ change: OptimisticChangeID, of entry: Entry) {
        let changes = entry.truth == nil ? entry.optimistic?.pendingChanges(change) ?? [] : []
        settle(entry) { $0.confirm(change) }
        let moment = core.nextMoment()
        if entry.storedAt == .distantPast { core.noteStored(entry) }
        core.noteDirty(entry)
        // Answers to earlier requests do not contain the change.
        guard entry.truth == nil, !changes.isEmpty, changes.allSatisfy(\.isUpdate) else {
            return setAllMoments(of: entry, to: moment)
        }
        // A removal would bar those answers for good. This change is made to the first of them instead.
        var missed = missed[entry.id] ?? []
        missed += changes.map { MissedChange(change, moment, $0) }
        missed.sort { $0.id.number < $1.id.number }
        self.missed[entry.id] = missed
    }

    /// Makes the changes that an answer has missed. Returns nil if there are none.
    @inlinable
    func makeMissedChanges(
        of entry: Entry, to answer: Target, asOf moment: CacheMoment
    ) -> (entity: Target?, moment: CacheMoment)? {
        guard !missed.isEmpty, entry.truth == nil, moment >= entry.moment,
            let changes = missed.removeValue(forKey: entry.id)?.drop(while: { $0.moment <= moment }),
            let last = changes.map(\.moment).max()
        else { return nil }
        var entity: Target? = answer
        for missed in changes { missed.change.apply(to: &entity) }
        return (entity, last)
    }

    @inlinable
    func settle(
        _ entry: Entry, _ body: (inout Optimistic<EntityChange<Target>, OptimisticChangeID>) -> Void
    ) {
        guard var optimistic = entry.optimistic else { return }
        body(&optimistic)
        entry.optimistic = optimistic.hasPendingChanges ? optimistic : nil
        show(optimistic.value, in: entry)
    }

    // MARK: - Showing

    @inlinable
    func setTruth(_ entity: Target?, of entry: Entry, links: [EntityLink?]? = nil) {
        guard !entry.isPending else {
            entry.optimistic?.setTruth(entity)
            core.noteDirty(entry)
            return show(entry.optimistic?.value, in: entry)
        }
        show(entity, in: entry, links: links)
    }

    /// Shows another value, and wakes the watches of the entity if the value differs from the one before.
    @inlinable
    func show(_ entity: Target?, in entry: Entry, links: [EntityLink?]? = nil) {
        if !entry.isCounted {
            entry.isCounted = true
            core.count(places: 1)
        }
        defer { core.noteIfEvictable(entry) }
        guard var entity else {
            guard entry.stored != nil else { return }
            _ = entry.setLinks([])
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
        if isNew || hasOtherLinks || before != entity {
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
    func links(of entity: inout Target, of entry: Entry) -> [EntityLink?] {
        var visitor = LinkVisitor(core, .linking, of: entry)
        entity.visitLinks(&visitor)
        return visitor.links
    }

    @inlinable
    func changed(_ entry: Entry) {
        core.changed(entry)
        guard !orders.isEmpty else { return }
        for order in orders.values { order.changed(entry) }
    }

    @inlinable
    func evict(_ entry: Entry) {
        core.noteEvicted(entry)
        entries[entry.id] = nil
        if !missed.isEmpty { missed[entry.id] = nil }
        _ = entry.setLinks([])
        if entry.isCounted { core.count(places: -1) }
        guard entry.stored != nil else { return }
        core.count(entities: -1, bytes: -entry.byteCount)
        entry.stored = nil
        core.noteDirty(entry)
        for order in orders.values { order.changed(entry) }
    }

    // MARK: - Orders

    @inlinable
    func add(_ order: any EntityOrdering<Target>) {
        orders[ObjectIdentifier(order)] = order
        order.begin(with: entries)
    }

    @inlinable
    func remove(_ order: any EntityOrdering<Target>) { orders[ObjectIdentifier(order)] = nil }
}
