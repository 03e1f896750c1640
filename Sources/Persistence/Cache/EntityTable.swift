import Foundation

/// The entities of one type.
///
/// Inlinable, and with it all that stores and reads an entity, so that a feature compiles it for its own entities. Otherwise each
/// step would ask the runtime for the types, which takes several times as long as the work.
// Unchecked, since only whoever holds the cache's lock reaches it.
@usableFromInline
final class EntityTable<Target: Entity>: @unchecked Sendable {
    @usableFromInline unowned let core: CacheCore
    @usableFromInline var entries: [Target.ID: Entry] = [:]
    @usableFromInline let partialProperties = Target.partialProperties
    @usableFromInline let timeToLive: TimeInterval?
    /// The sorted lists of all entities of the type that are watched.
    @usableFromInline var orders: [ObjectIdentifier: any EntityOrdering<Target>] = [:]

    @usableFromInline
    init(_ core: CacheCore) {
        self.core = core
        timeToLive = core.limits.timeToLive(of: Target.self)
    }

    /// The place of one entity.
    @usableFromInline
    final class Entry: EntityEntry, @unchecked Sendable {
        @usableFromInline unowned let table: EntityTable
        @usableFromInline let id: Target.ID
        /// The entity as it is shown, with the entities inside it as they were when it was stored.
        @usableFromInline var stored: Target?
        /// The entity as it is shown, with the entities inside it as they were at the change `assembledAt`.
        @usableFromInline var assembled: Target?
        @usableFromInline var assembledAt: UInt64 = 0
        /// The values that the server knows, if changes are shown on top of them.
        @usableFromInline var optimistic: Optimistic<EntityChange<Target>, OptimisticChangeID>?
        /// When the answer was asked for that it is from; and for each partial property, when that answer was asked for.
        @usableFromInline var moment = CacheMoment(number: 0)
        @usableFromInline var partialMoments: [CacheMoment]
        /// True if there is an entity, or was one: that it was removed is kept too, so that a late answer does not bring it back.
        @usableFromInline var isCounted = false

        @inlinable
        init(_ id: Target.ID, in table: EntityTable) {
            self.id = id
            self.table = table
            partialMoments = table.partialProperties.map { _ in CacheMoment(number: 0) }
            super.init(table.core)
        }

        @usableFromInline var truth: Target? { if let optimistic { optimistic.truth } else { stored } }

        @usableFromInline override var isWorthKeeping: Bool { isCounted }
        @usableFromInline override var isPending: Bool { optimistic != nil }
        @usableFromInline override var timeToLive: TimeInterval? { table.timeToLive }

        @usableFromInline override func evict() { table.evict(self) }
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

    /// The entry of an entity that may not be there.
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
        guard !entry.links.isEmpty, var entity = entry.stored else { return entry.stored }
        let change = entry.lastChange()
        if depth == 0, entry.assembledAt == change, let assembled = entry.assembled { return assembled }
        resolve(&entity, of: entry, links: entry.links, depth: depth)
        if depth == 0 { entry.assembled = entity; entry.assembledAt = change }
        return entity
    }

    @inlinable
    func resolve(_ entity: inout Target, of entry: Entry, links: [EntityLink?], depth: Int = 0) {
        var visitor = LinkVisitor(core, .resolving, of: entry, links: links, depth: depth)
        entity.visitLinks(&visitor)
    }

    /// The entity, unless its time is over and nothing needs it.
    @inlinable
    func entity(_ id: Target.ID) -> Target? {
        guard let entry = entries[id] else { return nil }
        if entry.isQueued, timeToLive != nil, entry.isExpired(at: core.now()) { return nil }
        return assemble(entry)
    }

    /// The entity, which is noted as shown by a watch.
    @inlinable
    func entity(_ id: Target.ID, for watch: CacheWatch) -> Target? { entity(of: place(id), for: watch) }

    @inlinable
    func entity(of entry: Entry, for watch: CacheWatch) -> Target? {
        if entry.isQueued, timeToLive != nil, entry.isExpired(at: core.now()) {
            entry.evict()
            return entity(entry.id, for: watch)
        }
        entry.noteAll(watch)
        return assemble(entry)
    }

    // MARK: - Writing

    /// Stores an entity that was read from a file, as the one that an answer would replace.
    @inlinable
    func restore(_ entity: Target, storedAt: Date) {
        let entry = place(entity.id)
        var entity = entity
        var visitor = LinkVisitor(core, .storing(CacheMoment(number: 0)), of: entry)
        entity.visitLinks(&visitor)
        entry.storedAt = storedAt
        if let merged = merge(entity, asOf: CacheMoment(number: 1), into: entry) { setTruth(merged.entity, of: entry) }
    }

    /// Merges an answer into what is known.
    @discardableResult
    @inlinable
    func store(_ answer: Target, asOf moment: CacheMoment) -> Entry {
        let entry = place(answer.id)
        entry.storedAt = core.batchDate
        if confirms(answer, asOf: moment, entry) { return entry }
        var answer = answer
        var visitor = LinkVisitor(core, .storing(moment), of: entry)
        answer.visitLinks(&visitor)
        guard let merged = merge(answer, asOf: moment, into: entry) else { return entry }
        setTruth(merged.entity, of: entry, links: merged.isAnswer ? visitor.links : nil)
        return entry
    }

    /// Returns whether an answer says nothing new. Most entities inside of others do not: a page of statuses has few accounts.
    @inlinable
    func confirms(_ answer: Target, asOf moment: CacheMoment, _ entry: Entry) -> Bool {
        guard entry.links.isEmpty, entry.optimistic == nil, moment >= entry.moment, entry.stored == answer else {
            return false
        }
        entry.moment = moment
        for (index, property) in partialProperties.enumerated() where property.isKnown(answer) {
            entry.partialMoments[index] = max(moment, entry.partialMoments[index])
        }
        core.noteIfEvictable(entry)
        return true
    }

    /// The answer and what is known, each property from the newer one; nil if it is what is known.
    @inlinable
    func merge(
        _ answer: Target, asOf moment: CacheMoment, into entry: Entry
    ) -> (entity: Target, isAnswer: Bool)? {
        let isNewer = moment >= entry.moment
        guard let known = entry.truth else {
            // It may have been removed since the answer was asked for.
            guard isNewer else { return nil }
            entry.moment = moment
            for (index, property) in partialProperties.enumerated() {
                entry.partialMoments[index] = property.isKnown(answer) ? moment : CacheMoment(number: 0)
            }
            return (answer, true)
        }
        var merged = isNewer ? answer : known
        var isAnswer = isNewer
        var isKnown = !isNewer
        if isNewer { entry.moment = moment }
        for (index, property) in partialProperties.enumerated() {
            if property.isKnown(answer), moment >= entry.partialMoments[index] {
                entry.partialMoments[index] = moment
                if !isNewer { property.copy(answer, &merged); isKnown = false }
            } else if isNewer, property.isKnown(known) {
                property.copy(known, &merged)
                isAnswer = false
            }
        }
        return isKnown ? nil : (merged, isAnswer)
    }

    @inlinable
    func remove(_ id: Target.ID, asOf moment: CacheMoment) {
        let entry = place(id)
        entry.moment = moment
        setTruth(nil, of: entry)
    }

    @inlinable
    func update(_ id: Target.ID, asOf moment: CacheMoment, _ body: (inout Target) -> Void) {
        guard let entry = entries[id], var entity = entry.truth else { return }
        body(&entity)
        entry.moment = moment
        for index in entry.partialMoments.indices { entry.partialMoments[index] = moment }
        setTruth(entity, of: entry)
    }

    @inlinable
    func setTruth(_ entity: Target?, of entry: Entry, links: [EntityLink?]? = nil) {
        guard entry.optimistic == nil else {
            entry.optimistic?.setTruth(entity)
            core.noteDirty(entry)
            return show(entry.optimistic?.value, in: entry)
        }
        show(entity, in: entry, links: links)
    }

    // MARK: - Optimistic changes

    @inlinable
    func apply(_ change: EntityChange<Target>, to target: Target.ID, id: OptimisticChangeID) {
        let entry = place(target)
        var optimistic = entry.optimistic ?? Optimistic(truth: entry.stored)
        optimistic.apply(change, id: id)
        entry.optimistic = optimistic
        core.evictions.remove(entry)
        core.pending[id, default: []].append(entry)
        show(optimistic.value, in: entry)
    }

    @inlinable
    func confirm(_ change: OptimisticChangeID, of entry: Entry) {
        settle(entry) { $0.confirm(change) }
        // Answers to what was asked for before this do not contain it.
        entry.moment = core.nextMoment()
        for index in entry.partialMoments.indices { entry.partialMoments[index] = entry.moment }
        core.noteDirty(entry)
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

    /// Shows another value, and wakes whoever shows the entity if it differs from the one before.
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
        // What is new is assembled when it is read.
        let before = entry.stored == nil ? nil : assemble(entry)
        let newLinks = links ?? self.links(of: &entity, of: entry)
        let hasOtherLinks = entry.setLinks(newLinks)
        entry.stored = entity
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
            entry.assembled = entity
            entry.assembledAt = entry.lastChange()
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
        core.evictions.remove(entry)
        entries[entry.id] = nil
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
        for entry in entries.values { order.changed(entry) }
    }

    @inlinable
    func remove(_ order: any EntityOrdering<Target>) { orders[ObjectIdentifier(order)] = nil }
}
