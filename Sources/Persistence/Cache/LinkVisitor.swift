/// A visitor of the entities that an entity holds, see ``Entity/visitLinks(_:)``.
public struct LinkVisitor {
    /// The greatest number of levels of links in an assembled value.
    @inlinable public static var maximumDepth: Int { 8 }

    @usableFromInline
    enum Mode {
        /// Stores each visited entity, and records it as a link.
        case storing(CacheMoment)
        /// Records each visited entity as a link, and stores it only if it is not in the cache.
        case linking
        /// Replaces each visited entity by the one in the cache.
        case resolving
    }

    @usableFromInline let core: CacheCore
    @usableFromInline let mode: Mode
    /// The entity whose links are visited.
    @usableFromInline let owner: EntityEntry
    @usableFromInline let depth: Int
    /// The links found, or those to follow; `nil` for one that is kept as it was stored.
    @usableFromInline var links: EntityLinks
    @usableFromInline var position = 0
    /// False if a visited entity differs from the one in the cache.
    @usableFromInline var isKnown = true

    @inlinable
    init(_ core: CacheCore, _ mode: Mode, of owner: EntityEntry, links: EntityLinks = EntityLinks(), depth: Int = 0) {
        self.core = core
        self.mode = mode
        self.owner = owner
        self.links = links
        self.depth = depth
    }

    // MARK: - Visiting

    /// Visits an entity that is not optional.
    @inlinable
    public mutating func visit<Target: Entity>(_ entity: inout Target) {
        switch mode {
        case .storing, .linking: links.append(withUnsafePointer(to: &entity) { link(to: $0) })
        case .resolving:
            if let link = next(), let current = assembled(Target.self, link) { entity = current }
        }
    }

    /// Visits an entity that may be missing; one that was deleted from the cache becomes nil.
    @inlinable
    public mutating func visit<Target: Entity>(_ entity: inout Target?) {
        guard let target = entity else { return }
        switch mode {
        case .storing, .linking:
            guard let link = withUnsafePointer(to: target, { link(to: $0) }) else { return entity = nil }
            links.append(link)
        case .resolving:
            entity = next().flatMap { assembled(Target.self, $0) }
        }
    }

    /// Visits an entity in a box of its own, as `visitor.visit(&_reblog)`, without a copy of it.
    @inlinable
    public mutating func visit<Target: Entity>(_ entity: inout Indirect<Target>) {
        guard let box = entity.box else { return }
        switch mode {
        case .storing, .linking:
            guard let link = withUnsafePointer(to: box.value, { link(to: $0) }) else { return entity = Indirect() }
            links.append(link)
        case .resolving:
            entity = Indirect(wrappedValue: next().flatMap { assembled(Target.self, $0) })
        }
    }

    /// Visits a list of entities; those that were deleted from the cache are left out.
    @inlinable
    public mutating func visit<Target: Entity>(_ entities: inout [Target]) {
        switch mode {
        case .storing, .linking:
            entities = entities.filter { entity in
                guard let link = withUnsafePointer(to: entity, { link(to: $0) }) else { return false }
                links.append(link)
                return true
            }
        case .resolving:
            entities = entities.compactMap { _ in next().flatMap { assembled(Target.self, $0) } }
        }
    }

    // MARK: - Machinery

    @inlinable
    mutating func next() -> EntityLink? {
        guard position < links.count else { return nil }
        defer { position += 1 }
        return links[position]
    }

    /// The link to an entity; `nil` if it would close a circle.
    @inlinable
    mutating func link<Target: Entity>(to target: UnsafePointer<Target>) -> EntityLink? {
        let table = core.table(of: Target.self)
        let entry: EntityTable<Target>.Entry
        switch mode {
        case .storing(let moment):
            let stored = table.store(target, asOf: moment)
            entry = stored.entry
            isKnown = isKnown && stored.isKnown
        case .linking, .resolving:
            if let known = table.entry(target.pointee.id), known.isKnown {
                entry = known
            } else {
                entry = table.store(target, asOf: CacheMoment(number: 0)).entry
            }
        }
        guard !entry.leads(to: owner) else {
            isKnown = false
            return nil
        }
        return EntityLink(entry)
    }

    @inlinable
    func assembled<Target: Entity>(_ type: Target.Type, _ link: EntityLink) -> Target? {
        guard depth < Self.maximumDepth else { return nil }
        let entry = unsafeDowncast(link.entry, to: EntityTable<Target>.Entry.self)
        return entry.table.assemble(entry, depth: depth + 1)
    }
}
