import Foundation

/// The entry of an entity of any type: the things that need it, and its position in the eviction queue.
///
/// Access to its properties is not checked for exclusivity at run time, which would take a fifth of the time of storing
/// an answer: each access loads or stores one value, and nothing is called meanwhile.
// Unchecked, since it is reached under the cache's lock only.
@usableFromInline
class EntityEntry: CacheNode, @unchecked Sendable {
    // Unowned, since the core owns the tables, and the tables own their entries.
    @usableFromInline unowned(unsafe) let core: CacheCore
    /// The number of the entry, in the order in which all entries were made.
    @usableFromInline let serial: UInt64

    /// The entities inside this one.
    @exclusivity(unchecked) @usableFromInline final var links = EntityLinks()
    /// The number of entities that link to it.
    @exclusivity(unchecked) @usableFromInline final var linkCount = 0
    /// The number of times that lists hold it.
    @exclusivity(unchecked) @usableFromInline final var listCount = 0
    /// The number of the last change of it, in the order of all changes.
    @exclusivity(unchecked) @usableFromInline final var changedAt: UInt64 = 0
    @exclusivity(unchecked) @usableFromInline final var byteCount = 0
    @exclusivity(unchecked) @usableFromInline final var storedAt = Date.distantPast
    /// True if there is an entity, or was one. A removed entity is remembered, so that a late answer does not bring it
    /// back.
    @exclusivity(unchecked) @usableFromInline final var isCounted = false
    /// True if an optimistic change of it is pending.
    @exclusivity(unchecked) @usableFromInline final var isPending = false
    @usableFromInline final let timeToLive: TimeInterval?
    /// The table's part of ``evict()``. It is not an overridden method, since the compiler could not specialize that
    /// for the entity's type.
    private let evictor: @Sendable (EntityEntry) -> Void

    /// The position among the entities that nothing needs.
    @exclusivity(unchecked) final var evictionPosition = EntryQueue.Position()
    /// The position among the entities that expire after the same time to live.
    @exclusivity(unchecked) final var expirationPosition = EntryQueue.Position()
    /// True if nothing needs the entity.
    @usableFromInline final var isQueued: Bool { evictionPosition.isTaken }

    @usableFromInline
    init(_ core: CacheCore, timeToLive: TimeInterval?, evictor: @escaping @Sendable (EntityEntry) -> Void) {
        self.core = core
        self.timeToLive = timeToLive
        self.evictor = evictor
        serial = core.makeSerial()
    }

    @usableFromInline
    final var isEvictable: Bool { !isWatched && linkCount == 0 && listCount == 0 && !isPending }

    /// Returns true if the entity has expired. If it was stored in the future, the clock was set back; it then counts
    /// as expired if the difference exceeds the time to live.
    @usableFromInline
    final func isExpired(at now: Date) -> Bool {
        now.timeIntervalSince(storedAt).magnitude > timeToLive ?? .infinity
    }

    /// Removes the entry from its table, together with its entity.
    @usableFromInline
    final func evict() { evictor(self) }

    @usableFromInline
    func confirm(_ change: OptimisticChangeID) {}
    @usableFromInline
    func rollBack(_ change: OptimisticChangeID) {}

    // MARK: - Being needed

    @usableFromInline
    final override func becameWatched() { if isQueued { core.noteNeeded(self) } }

    @usableFromInline
    final override func becameUnwatched() { if isEvictable { core.noteIfEvictable(self) } }

    /// Replaces the links, and returns whether they have changed.
    @usableFromInline
    final func setLinks(_ new: EntityLinks) -> Bool {
        guard new != links else { return false }
        let core = core
        new.forEachEntry { entry in
            entry.linkCount += 1
            if entry.isQueued { core.noteNeeded(entry) }
        }
        var old = new
        swap(&links, &old)
        old.forEach { link in
            link.unowned._withUnsafeGuaranteedRef { $0.linkCount -= 1 }
            // Retained, since the entry may be evicted.
            if link.unowned._withUnsafeGuaranteedRef(\.isEvictable) { core.noteIfEvictable(link.entry) }
        }
        return true
    }

    /// True if an entity inside this one has entities inside it.
    @usableFromInline
    final var isDeep: Bool {
        var isDeep = false
        links.forEachEntry { if !$0.links.isEmpty { isDeep = true } }
        return isDeep
    }

    /// Returns true if links lead from this entry to `entry`, or if there are too many links to find out.
    @usableFromInline
    final func leads(to entry: EntityEntry) -> Bool {
        if self === entry { return true }
        // Most entities inside others have no links, or only links to such entities: then there is no need to walk.
        var isNext = false
        links.forEachEntry { if $0 === entry { isNext = true } }
        guard isDeep, !isNext else { return isNext }
        var visited: Set<ObjectIdentifier> = []
        var waiting: [EntityEntry] = [self]
        while let next = waiting.popLast() {
            if next === entry { return true }
            guard !next.links.isEmpty, visited.insert(ObjectIdentifier(next)).inserted else { continue }
            if visited.count > 512 { return true }
            next.links.forEachEntry { waiting.append($0) }
        }
        return false
    }

    /// The number of the last change of it, or of an entity inside it.
    @usableFromInline
    final func lastChange(depth: Int = 0) -> UInt64 {
        guard !links.isEmpty, depth < LinkVisitor.maximumDepth else { return changedAt }
        var last = changedAt
        links.forEachEntry { last = max(last, $0.lastChange(depth: depth + 1)) }
        return last
    }

    /// Notes that a watch shows it and the entities inside it.
    @usableFromInline
    final func noteAll(_ watch: CacheWatch, depth: Int = 0) {
        note(watch)
        guard !links.isEmpty, depth < LinkVisitor.maximumDepth else { return }
        links.forEachEntry { $0.noteAll(watch, depth: depth + 1) }
    }
}
