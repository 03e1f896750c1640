import Feedback
import Foundation

/// A cache that stores each entity once, by its type and id. When an entity changes, only the watches that show it are
/// notified.
///
///     cache.store(statuses)                                // with the accounts inside them
///     cache.watch(Reference<Status>("7"))                  // the status, with the current account inside it
///     cache.change { batch in
///         batch.store(page)
///         batch.updateList(TimelineKey.home) { $0.append(page.map(\.id), next: next) }
///     }
///     cache.watch(TimelineKey.home)                        // the statuses of the list, in its order
///
/// - Any thread may write. A batch is one change: a watch sees all of it or nothing.
/// - The cost of a change depends only on the number of watches that show the changed entities and lists.
/// - Observers are called one at a time, without a lock, and may write to the cache. All see the changes in the same
///   order. A watch emits the present value: of changes in quick succession, it may emit only the last.
/// - Entities that nothing needs are evicted if they exceed the limits, see ``CacheLimits``.
public final class NormalizedCache: Sendable {
    @usableFromInline let storage: CacheStorage
    private let file: CacheFile?

    /// - Parameter now: Returns the current time, by which entities expire.
    public init(limits: CacheLimits = CacheLimits(), now: @escaping @Sendable () -> Date = { Date() }) {
        storage = CacheStorage(CacheCore(limits: limits, hasFile: false, now: now))
        file = nil
    }

    /// Makes a cache that begins with the content of a file, and writes its changes to the file.
    public init(
        limits: CacheLimits = CacheLimits(), file: CacheFile, now: @escaping @Sendable () -> Date = { Date() }
    ) throws(StoreError) {
        let core = CacheCore(limits: limits, hasFile: true, now: now)
        try file.restore(into: core)
        core.forgetDirty()
        core.beginBatch()
        core.keepLimits()
        storage = CacheStorage(core)
        self.file = file
    }

    deinit {
        // Watches and their nodes refer to each other, so they are ended here. Producers that watch the cache are
        // interrupted.
        let dropped = storage.withLock { core in core.watches.values.map { $0.drop() } }
        withExtendedLifetime(dropped) {}
    }

    // MARK: - Reading

    /// The entity, with the current entities inside it; nil if it is not in the cache.
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

    /// Returns the present moment; get it when you ask a server for something.
    ///
    ///     let moment = cache.moment()
    ///     let status = try await server.status(id)
    ///     cache.store(status, asOf: moment)
    ///
    /// An answer that is stored as of its moment does not undo answers to later requests, nor changes that were made
    /// meanwhile.
    public func moment() -> CacheMoment { storage.withLock { $0.nextMoment() } }

    /// Stores an entity and the entities inside it. Each is merged into the known one; for each partial property, the
    /// later answer counts.
    ///
    /// - Parameter moment: The moment at which the entity was asked for; now by default.
    @inlinable
    public func store<Target: Entity>(_ entity: Target, asOf moment: CacheMoment? = nil) {
        change(asOf: moment) { $0.store(entity) }
    }

    /// Stores entities and the entities inside them as one change.
    @inlinable
    public func store<Target: Entity>(_ entities: [Target], asOf moment: CacheMoment? = nil) {
        change(asOf: moment) { $0.store(entities) }
    }

    /// Changes an entity, if it is in the cache.
    ///
    /// - Parameter body: It is called under the cache's lock, and must not use the cache. It gets the entities inside this
    ///   one as they were when this one was stored, and its changes of them are lost; read and update those by their own
    ///   references.
    @inlinable
    public func update<Target: Entity>(
        _ reference: Reference<Target>, _ body: @escaping @Sendable (inout Target) -> Void
    ) {
        change { $0.update(reference, body) }
    }

    /// Removes an entity. Lists and entities that refer to it are shown without it.
    @inlinable
    public func remove<Target: Entity>(_ reference: Reference<Target>) {
        change { $0.remove(reference) }
    }

    /// Changes a list; makes it if there is none.
    ///
    /// - Parameter body: It is called under the cache's lock, and must not use the cache.
    @inlinable
    public func updateList<Key: ListKey>(
        _ key: Key, _ body: @escaping @Sendable (inout EntityList<Key.Target.ID>) -> Void
    ) {
        change { $0.updateList(key, body) }
    }

    /// Removes a list, but not its entities.
    @inlinable
    public func removeList<Key: ListKey>(_ key: Key) {
        change { $0.removeList(key) }
    }

    /// Makes several changes as one.
    ///
    /// - Parameter moment: The moment at which the stored entities were asked for; now by default.
    @inlinable
    public func change(asOf moment: CacheMoment? = nil, _ body: (inout CacheBatch) -> Void) {
        var batch = CacheBatch(moment)
        body(&batch)
        perform(batch.steps, begunAt: moment)
    }

    /// Writes all changes to the file, and returns when they are there. Without a file it does nothing.
    ///
    /// In the body of a transaction of the file's database, it throws ``StoreError/insideTransaction``.
    public func flush() throws(StoreError) { try file?.flush(storage) }

    /// Makes changes as one, unless all was removed since the moment at which they began.
    @usableFromInline
    func perform(_ steps: [@Sendable (CacheCore) -> Void], begunAt moment: CacheMoment? = nil) {
        let isDirty = storage.withLock { core in
            if let moment, moment < core.lastRemovalOfAll { return false }
            core.batch(steps)
            return core.isDirty
        }
        if isDirty { file?.write(storage) }
        deliver()
    }

    /// Runs the watches that are due, one after the other.
    ///
    /// If another thread is already delivering, it leaves the work to that thread. After 50 ms, a thread that has run
    /// the watches which were due at its start leaves the rest to a global queue, so that it does not work for other
    /// threads without end.
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
