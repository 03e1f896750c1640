import Feedback
import Foundation

/// Keeps each entity once, by its type and id, and tells those who show an entity, and only those, when it changes.
///
///     cache.store(statuses)                                // with the accounts inside them
///     cache.watch(Reference<Status>("7"))                  // the status, with the current account inside it
///     cache.change { batch in
///         batch.store(page)
///         batch.updateList(TimelineKey.home) { $0.append(page.map(\.id), next: next) }
///     }
///     cache.watch(TimelineKey.home)                        // the statuses of the list, in its order
///
/// - Writes come from any thread. A batch is one change: a watch sees all of it or nothing.
/// - What one change costs depends on how many watches show what has changed, and on nothing else.
/// - Observers are called one at a time, with no lock held, and may themselves write. All see the changes in the same order. A
///   watch tells the present: of changes that follow each other closely, perhaps only the last.
/// - Entities that nothing needs are evicted beyond the limits, see ``CacheLimits``.
public final class NormalizedCache: Sendable {
    @usableFromInline let storage: CacheStorage
    private let file: CacheFile?

    /// - Parameter now: The time by which entities grow old.
    public init(limits: CacheLimits = CacheLimits(), now: @escaping @Sendable () -> Date = { Date() }) {
        storage = CacheStorage(CacheCore(limits: limits, hasFile: false, now: now))
        file = nil
    }

    /// A cache that begins with what a file holds, and is kept in it.
    public init(
        limits: CacheLimits = CacheLimits(), file: CacheFile, now: @escaping @Sendable () -> Date = { Date() }
    ) throws(StoreError) {
        let core = CacheCore(limits: limits, hasFile: true, now: now)
        try file.restore(into: core)
        core.forgetDirty()
        core.keepLimits()
        storage = CacheStorage(core)
        self.file = file
    }

    deinit {
        // Watches and what they read hold each other. Those who watch a cache that goes are interrupted.
        let dropped = storage.withLock { core in core.watches.values.map { $0.drop() } }
        withExtendedLifetime(dropped) {}
    }

    // MARK: - Reading

    /// The entity, with the current entities inside it; nil if it is not there.
    @inlinable
    public subscript<Target: Entity>(_ reference: Reference<Target>) -> Target? {
        storage.withLock { $0.table(of: Target.self).entity(reference.id) }
    }

    /// The ids of a list; nil if there is no such list.
    @inlinable
    public func list<Key: ListKey>(_ key: Key) -> EntityList<Key.Target.ID>? {
        storage.withLock { $0.list(key)?.list }
    }

    /// The number of entities.
    public var count: Int { storage.withLock { $0.entityCount } }

    /// The memory that the entities take, see ``Entity/byteCount``.
    public var byteCount: Int { storage.withLock { $0.byteCount } }

    // MARK: - Writing

    /// The present, to be noted when a server is asked for something.
    ///
    ///     let moment = cache.moment()
    ///     let status = try await server.status(id)
    ///     cache.store(status, asOf: moment)
    ///
    /// An answer does not undo what was stored of an answer that was asked for later, or what was changed meanwhile.
    public func moment() -> CacheMoment { storage.withLock { $0.nextMoment() } }

    /// Stores an entity and the entities inside it, each merged into the one that is known: by property, the later one counts.
    ///
    /// - Parameter moment: When the entity was asked for; now by default.
    @inlinable
    public func store<Target: Entity>(_ entity: Target, asOf moment: CacheMoment? = nil) {
        change(asOf: moment) { $0.store(entity) }
    }

    /// Stores entities and the entities inside them as one change.
    @inlinable
    public func store<Target: Entity>(_ entities: [Target], asOf moment: CacheMoment? = nil) {
        change(asOf: moment) { $0.store(entities) }
    }

    /// Changes an entity, if it is there.
    ///
    /// - Parameter body: It is called under the cache's lock, and must not use the cache. What it changes of entities inside this
    ///   one is not kept; update those by their own references.
    @inlinable
    public func update<Target: Entity>(
        _ reference: Reference<Target>, _ body: @escaping @Sendable (inout Target) -> Void
    ) {
        change { $0.update(reference, body) }
    }

    /// Removes an entity. Lists that hold it, and entities that link to it, are shown without it.
    @inlinable
    public func remove<Target: Entity>(_ reference: Reference<Target>) {
        change { $0.remove(reference) }
    }

    /// Changes a list, which is made if it is not there.
    ///
    /// - Parameter body: It is called under the cache's lock, and must not use the cache.
    @inlinable
    public func updateList<Key: ListKey>(
        _ key: Key, _ body: @escaping @Sendable (inout EntityList<Key.Target.ID>) -> Void
    ) {
        change { $0.updateList(key, body) }
    }

    /// Removes a list, not its entities.
    @inlinable
    public func removeList<Key: ListKey>(_ key: Key) {
        change { $0.removeList(key) }
    }

    /// Makes several changes one.
    ///
    /// - Parameter moment: When what is stored was asked for; now by default.
    @inlinable
    public func change(asOf moment: CacheMoment? = nil, _ body: (inout CacheBatch) -> Void) {
        var batch = CacheBatch(moment)
        body(&batch)
        perform(batch.steps)
    }

    /// Writes everything into the file, and returns when it is there. Without a file it does nothing.
    public func flush() throws(StoreError) { try file?.flush(storage) }

    @usableFromInline
    func perform(_ steps: [@Sendable (CacheCore) -> Void]) {
        let isDirty = storage.withLock { core in
            core.batch(steps)
            return core.isDirty
        }
        if isDirty { file?.write(storage) }
        deliver()
    }

    /// Runs the watches that are due, one after the other.
    ///
    /// Whoever finds another thread at it leaves the work to that one. So that it does not work for others for ever, it leaves
    /// what has become due meanwhile to a queue, if that is much.
    @usableFromInline
    func deliver() {
        guard var own = storage.withLock({ $0.beginDelivering() }) else { return }
        let start = ContinuousClock.now
        while let watch = storage.withLock({ $0.nextDue() }) {
            storage.withLock({ _ in watch.body })?(watch)
            own -= 1
            guard own < 0, start.duration(to: .now) > .milliseconds(50) else { continue }
            return DispatchQueue.global().async { [storage] in storage.deliverRest() }
        }
    }
}

extension CacheStorage {
    /// Runs the watches that are due, after a delivery that has begun on another thread.
    fileprivate func deliverRest() {
        while let watch = withLock({ $0.nextDue() }) { withLock { _ in watch.body }?(watch) }
    }
}
