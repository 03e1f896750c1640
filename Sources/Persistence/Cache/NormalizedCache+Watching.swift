import Feedback
import Foundation

extension NormalizedCache {
    /// Emits an entity, with the current entities inside it, now and whenever it or one of those changes; `nil` while
    /// it is not in the cache.
    @inlinable
    public func watch<Target: Entity>(_ reference: Reference<Target>) -> SignalProducer<Target?, NoError> {
        watch { core, watch in core.table(of: Target.self).entity(reference.id, for: watch) }
    }

    /// Emits an entity now and whenever it changes; nothing while it is not in the cache.
    @inlinable
    public func watch<Target: Entity>(existing reference: Reference<Target>) -> SignalProducer<Target, NoError> {
        watch(reference).skipNil().skipRepeats()
    }

    /// Emits those of the entities that are in the cache, in the order of the references, now and whenever one of them
    /// changes.
    @inlinable
    public func watch<Target: Entity>(_ references: [Reference<Target>]) -> SignalProducer<[Target], NoError> {
        watch { core, watch in
            let table = core.table(of: Target.self)
            return references.compactMap { table.entity($0.id, for: watch) }
        }
    }

    /// Emits a list and its entities, now and whenever the list or one of its entities changes; `nil` while there is no
    /// such list.
    @inlinable
    public func watch<Key: ListKey>(_ key: Key) -> SignalProducer<CachedList<Key.Target>?, NoError> {
        watch { core, watch in core.entryOrNew(key).contents(for: watch) }
    }

    /// Emits the ids of a list, now and whenever the list changes, but not when only its entities change.
    @inlinable
    public func watchIDs<Key: ListKey>(_ key: Key) -> SignalProducer<EntityList<Key.Target.ID>?, NoError> {
        watch { core, watch in
            let entry = core.entryOrNew(key)
            entry.note(watch)
            return entry.list
        }
    }

    /// Emits all entities of a type in the order of a property, now and whenever one of the emitted ones changes.
    ///
    ///     cache.watch(Status.self, sortedBy: \.createdAt, .reverse, limit: 20)
    ///
    /// Entities with equal values are in the order in which they came into the cache. The property is read from an entity
    /// with the entities inside it as they were when it was stored; a later change of those does not move it.
    ///
    /// - Parameter limit: The greatest number of entities; below zero, it counts as zero. The watch keeps only those that it
    ///   emits in the cache.
    @inlinable
    public func watch<Target: Entity, Value: Comparable & Sendable>(
        _ type: Target.Type, sortedBy property: @escaping @Sendable (Target) -> Value, _ order: SortOrder = .forward,
        limit: Int = .max
    ) -> SignalProducer<[Target], NoError> {
        SignalProducer { [self] observer, lifetime in
            let sorted = storage.withLock { core in
                let sorted = EntityOrder(core, by: property, isDescending: order == .reverse, limit: max(0, limit))
                core.table(of: Target.self).add(sorted)
                return sorted
            }
            lifetime += watch { _, watch in sorted.entities(for: watch) }.start(observer)
            // A watch that has read the order has removed it already.
            lifetime.observeEnded { [weak storage] in
                storage?.withLock { $0.table(of: Target.self).remove(sorted) }
            }
        }
    }

    /// Calls `read` now, and again whenever something that it has read changes; emits the results, without those that
    /// equal the one before.
    ///
    ///     cache.watch { cache -> FilmScreen? in
    ///         guard let film = cache[Reference<Film>(7)] else { return nil }
    ///         return FilmScreen(film, reviews: cache.list(ReviewKey.film(film.id)))
    ///     }
    @inlinable
    public func watch<Value: Equatable & Sendable>(
        _ read: @escaping @Sendable (Reader) -> Value
    ) -> SignalProducer<Value, NoError> {
        watch(readingBy: { storage, watch in
            // If something has changed meanwhile, the values that were read may not belong together, so it reads again.
            while storage.withLock({ _ in watch.begin() }) {
                let value = read(Reader(storage: storage, watch: watch))
                if storage.withLock({ _ in watch.finish() }) { return value }
            }
            return nil
        })
    }

    /// A reader of the cache for a watched function. Use it only inside that function.
    public struct Reader {
        @usableFromInline let storage: CacheStorage
        @usableFromInline let watch: CacheWatch

        @usableFromInline
        init(storage: CacheStorage, watch: CacheWatch) {
            self.storage = storage
            self.watch = watch
        }

        /// The entity, with the current entities inside it.
        @inlinable
        public subscript<Target: Entity>(_ reference: Reference<Target>) -> Target? {
            storage.withLock { $0.table(of: Target.self).entity(reference.id, for: watch) }
        }

        /// Returns those of the entities that are in the cache, in the order of the references.
        @inlinable
        public func entities<Target: Entity>(_ references: [Reference<Target>]) -> [Target] {
            storage.withLock { core in
                let table = core.table(of: Target.self)
                return references.compactMap { table.entity($0.id, for: watch) }
            }
        }

        /// Returns a list and those of its entities that are in the cache.
        @inlinable
        public func list<Key: ListKey>(_ key: Key) -> CachedList<Key.Target>? {
            storage.withLock { $0.entryOrNew(key).contents(for: watch) }
        }
    }

    // MARK: - Machinery

    /// Watches the values that `read` reads in one go, under the lock.
    @inlinable
    func watch<Value: Equatable & Sendable>(
        _ read: @escaping @Sendable (CacheCore, CacheWatch) -> Value
    ) -> SignalProducer<Value, NoError> {
        watch(readingBy: { storage, watch in
            storage.withLock { core in
                // Reading evicts expired entities; a watch that has shown one of them reads again.
                while watch.begin() {
                    let value = read(core, watch)
                    if watch.finish() { return value }
                }
                return nil
            }
        })
    }

    @inlinable
    func watch<Value: Equatable & Sendable>(
        readingBy read: @escaping @Sendable (CacheStorage, CacheWatch) -> Value?
    ) -> SignalProducer<Value, NoError> {
        SignalProducer { [self] observer, lifetime in
            let last = Locked<Value?>(nil)
            let watch = CacheWatch { [weak storage] watch in
                guard let storage, let value = read(storage, watch) else { return }
                // Deliveries run one at a time, so only one call compares; it does so without holding a lock.
                guard last.withLock({ $0 }) != value else { return }
                last.withLock { $0 = value }
                observer.send(value: value)
            }
            let mustWait = storage.withLock { core in
                core.watches[ObjectIdentifier(watch)] = watch
                if !core.isDelivering { core.add(watch) }
                return core.isDelivering
            }
            if mustWait {
                // The watch runs after those that are due, but the entities that it shows must not be evicted until
                // then.
                _ = read(storage, watch)
                storage.withLock { core in core.wake(watch) }
            }
            // Only the cache holds the watch, so the producer is interrupted when the cache is deallocated. The watch is
            // found by its identity, since retaining an object to which there are weak references takes longer.
            lifetime.observeEnded { [weak storage, id = ObjectIdentifier(watch)] in
                let dropped = storage?.withLock { core in
                    let watch = core.watches.removeValue(forKey: id)
                    defer { core.keepLimits() }
                    return watch?.end()
                }
                withExtendedLifetime(dropped) {}
            }
            deliver()
        }
    }
}
