/// Several changes of a ``NormalizedCache`` that are made as one change.
public struct CacheBatch: Sendable {
    @usableFromInline let moment: CacheMoment?
    @usableFromInline var steps: [@Sendable (CacheCore) -> Void] = []

    @usableFromInline
    init(_ moment: CacheMoment?) { self.moment = moment }

    // MARK: - Entities

    /// Stores an entity and the entities inside it.
    @inlinable
    public mutating func store<Target: Entity>(_ entity: Target) {
        steps.append { [moment] core in
            _ = withUnsafePointer(to: entity) {
                core.table(of: Target.self).store($0, asOf: moment ?? core.nextMoment())
            }
        }
    }

    /// Stores entities and the entities inside them.
    @inlinable
    public mutating func store<Target: Entity>(_ entities: [Target]) {
        steps.append { [moment] core in
            let moment = moment ?? core.nextMoment()
            let table = core.table(of: Target.self)
            // The entities are read in place, since copying one would retain all its properties.
            entities.withUnsafeBufferPointer { entities in
                guard let first = entities.baseAddress else { return }
                for number in 0..<entities.count { table.store(first + number, asOf: moment) }
            }
        }
    }

    /// Changes an entity, if it is in the cache.
    ///
    /// - Parameter body: It is called under the cache's lock, and must not use the cache.
    @inlinable
    public mutating func update<Target: Entity>(
        _ reference: Reference<Target>, _ body: @escaping @Sendable (inout Target) -> Void
    ) {
        steps.append { core in
            core.table(of: Target.self).update(reference.id, asOf: core.nextMoment(), body)
        }
    }

    /// Removes an entity.
    @inlinable
    public mutating func remove<Target: Entity>(_ reference: Reference<Target>) {
        steps.append { core in core.table(of: Target.self).remove(reference.id, asOf: core.nextMoment()) }
    }

    // MARK: - Lists

    /// Sets a list.
    @inlinable
    public mutating func setList<Key: ListKey>(_ key: Key, _ list: EntityList<Key.Target.ID>) {
        steps.append { core in core.entryOrNew(key).set(list) }
    }

    /// Changes a list; makes it if there is none.
    ///
    /// - Parameter body: It is called under the cache's lock, and must not use the cache.
    @inlinable
    public mutating func updateList<Key: ListKey>(
        _ key: Key, _ body: @escaping @Sendable (inout EntityList<Key.Target.ID>) -> Void
    ) {
        steps.append { core in
            let entry = core.entryOrNew(key)
            var list = entry.list ?? EntityList()
            body(&list)
            entry.set(list)
        }
    }

    /// Removes a list, but not its entities.
    @inlinable
    public mutating func removeList<Key: ListKey>(_ key: Key) {
        steps.append { core in core.list(key)?.set(nil) }
    }
}
