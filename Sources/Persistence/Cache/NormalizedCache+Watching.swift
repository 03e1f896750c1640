import Feedback
import Foundation

extension NormalizedCache {
    /// An entity, with the current entities inside it; now, and whenever it or one of those has changed. `nil` while it is not
    /// there.
    @inlinable
    public func watch<Target: Entity>(_ reference: Reference<Target>) -> SignalProducer<Target?, NoError> {
        watch { core, watch in core.table(of: Target.self).entity(reference.id, for: watch) }
    }

    /// The same entity while it is there. Nothing is sent before it comes, and when it goes.
    @inlinable
    public func watch<Target: Entity>(existing reference: Reference<Target>) -> SignalProducer<Target, NoError> {
        watch(reference).skipNil().skipRepeats()
    }

    /// Those of the entities that are there, in the order of their ids here; now, and whenever one of them has changed.
    @inlinable
    public func watch<Target: Entity>(_ references: [Reference<Target>]) -> SignalProducer<[Target], NoError> {
        watch { core, watch in
            let table = core.table(of: Target.self)
            return references.compactMap { table.entity($0.id, for: watch) }
        }
    }

    /// A list and its entities; now, and whenever the list or one of its entities has changed. `nil` while there is no such
    /// list.
    @inlinable
    public func watch<Key: ListKey>(_ key: Key) -> SignalProducer<CachedList<Key.Target>?, NoError> {
        watch { core, watch in core.place(key).contents(for: watch) }
    }

    /// The ids of a list; now, and whenever the list has changed, whatever becomes of its entities.
    @inlinable
    public func watchIDs<Key: ListKey>(_ key: Key) -> SignalProducer<EntityList<Key.Target.ID>?, NoError> {
        watch { core, watch in
            let entry = core.place(key)
            entry.note(watch)
            return entry.list
        }
    }

    /// All entities of a type in the order of a property; now, and whenever one of them has changed.
    ///
    ///     cache.watch(Status.self, sortedBy: \.createdAt, .reverse, limit: 20)
    ///
    /// Equal ones are in the order in which they came into the cache.
    ///
    /// - Parameter limit: The maximum number of entities that are shown. Only those are held in the cache by the watch.
    @inlinable
    public func watch<Target: Entity, Value: Comparable & Sendable>(
        _ type: Target.Type, sortedBy property: @escaping @Sendable (Target) -> Value, _ order: SortOrder = .forward,
        limit: Int = .max
    ) -> SignalProducer<[Target], NoError> {
        SignalProducer { [self] observer, lifetime in
            let sorted = storage.withLock { core in
                let sorted = EntityOrder(core, by: property, isDescending: order == .reverse, limit: limit)
                core.table(of: Target.self).add(sorted)
                return sorted
            }
            lifetime += watch { _, watch in sorted.entities(for: watch) }.start(observer)
        }
    }

    /// Calls `read` now, and again whenever something that it has read has changed; sends the results, without those that equal
    /// the one before.
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
            // What was read may not belong together, if something has changed meanwhile.
            while true {
                guard storage.withLock({ _ in watch.begin() }) else { return nil }
                let value = read(Reader(storage: storage, watch: watch))
                if storage.withLock({ _ in watch.finish() }) { return value }
            }
        })
    }

    /// Reads for a watched function. It is of use only inside of that.
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

        /// Those of the entities that are there, in the order given.
        @inlinable
        public func entities<Target: Entity>(_ references: [Reference<Target>]) -> [Target] {
            storage.withLock { core in
                let table = core.table(of: Target.self)
                return references.compactMap { table.entity($0.id, for: watch) }
            }
        }

        /// A list and those of its entities that are there.
        @inlinable
        public func list<Key: ListKey>(_ key: Key) -> CachedList<Key.Target>? {
            storage.withLock { $0.place(key).contents(for: watch) }
        }
    }

    // MARK: - Machinery

    /// Watches what `read` reads at once, under the lock.
    @inlinable
    func watch<Value: Equatable & Sendable>(
        _ read: @escaping @Sendable (CacheCore, CacheWatch) -> Value
    ) -> SignalProducer<Value, NoError> {
        watch(readingBy: { storage, watch in
            storage.withLock { core in
                guard watch.begin() else { return nil }
                let value = read(core, watch)
                _ = watch.finish()
                return value
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
                // Law 1 makes this the only one at work; nobody compares under a lock.
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
                // Its turn comes after the watches that are being told, but what it shows must not be evicted until then.
                _ = read(storage, watch)
                storage.withLock { core in core.wake(watch) }
            }
            // Held by the cache alone, so that who watches a cache that goes is interrupted.
            lifetime.observeEnded { [weak storage, weak watch] in
                guard let storage, let watch else { return }
                let dropped = storage.withLock { core in
                    core.watches[ObjectIdentifier(watch)] = nil
                    defer { core.keepLimits() }
                    return watch.end()
                }
                withExtendedLifetime(dropped) {}
            }
            deliver()
        }
    }
}
