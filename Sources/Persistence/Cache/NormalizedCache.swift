import Feedback

/// Keeps each entity once, by its id, and tells those who show an entity, and only those, when it changes.
///
///     cache.write(film)
///     cache.watch { cache in
///         guard let film = cache[Reference<Film>(7)] else { return nil }
///         return FilmScreen(film, director: cache[film.director])
///     }
///
/// A watched function is run again when an entity that it read has become another one, or came, or went. What one change
/// costs depends on how many functions read that entity, and on nothing else.
public final class NormalizedCache: Sendable {
    /// All that is guarded by the lock, references included.
    @usableFromInline
    struct State {
        @usableFromInline var tables: [ObjectIdentifier: any Sendable] = [:]
        /// All that watch, those included that have read nothing.
        var watches: [ObjectIdentifier: EntityWatch] = [:]

        /// The table of a type's entities.
        @inlinable
        mutating func table<Target: Entity>(of type: Target.Type) -> EntityTable<Target> where Target.ID: Sendable {
            let key = ObjectIdentifier(type)
            if let table = tables[key] as? EntityTable<Target> { return table }
            let table = EntityTable<Target>()
            tables[key] = table
            return table
        }
    }

    @usableFromInline let state = Locked(State())
    private let deliveries = Deliveries()

    public init() {}

    deinit {
        // Watches and what they read hold each other. Those who watch a cache that goes are interrupted.
        let dropped = state.withLock { state in state.watches.values.map { $0.drop() } }
        withExtendedLifetime(dropped) {}
    }

    // MARK: - Reading

    /// The entity that a reference names, if it is there.
    @inlinable
    public subscript<Target: Entity>(_ reference: Reference<Target>) -> Target? where Target.ID: Sendable {
        state.withLock { $0.table(of: Target.self).entity(reference.id) }
    }

    // MARK: - Writing

    /// Adds an entity, or puts it in the place of what had its id. An equal one changes nothing.
    public func write<Target: Entity>(_ entity: Target) where Target.ID: Sendable {
        change { $0.write(entity) }
    }

    /// Adds or replaces entities as one change.
    public func write<Target: Entity>(_ entities: [Target]) where Target.ID: Sendable {
        change { changes in
            for entity in entities { changes.write(entity) }
        }
    }

    /// Changes an entity in place, if it is there.
    @inlinable
    public func update<Target: Entity>(_ reference: Reference<Target>, _ body: (inout Target) -> Void)
    where Target.ID: Sendable {
        // The body is not ours, so it runs without the lock, and again if another write was quicker.
        while true {
            guard let old = self[reference] else { return }
            var new = old
            body(&new)
            let watches = state.withLock { state -> [EntityWatch]? in
                let table = state.table(of: Target.self)
                guard table.entity(reference.id) == old else { return nil }
                return table.set(new, at: reference.id)
            }
            if let watches { return deliver(to: watches) }
        }
    }

    /// Removes an entity.
    public func remove<Target: Entity>(_ reference: Reference<Target>) where Target.ID: Sendable {
        change { $0.remove(reference) }
    }

    /// Makes several changes one: who watches sees all of them or none, and is told once.
    public func change(_ body: (inout Changes) -> Void) {
        var changes = Changes()
        body(&changes)
        let watches = state.withLock { state in changes.steps.flatMap { $0(&state) } }
        deliver(to: watches)
    }

    /// Several changes that are made as one.
    public struct Changes: Sendable {
        @usableFromInline var steps: [@Sendable (inout State) -> [EntityWatch]] = []

        @inlinable
        public mutating func write<Target: Entity>(_ entity: Target) where Target.ID: Sendable {
            steps.append { $0.table(of: Target.self).set(entity, at: entity.id) }
        }

        @inlinable
        public mutating func remove<Target: Entity>(_ reference: Reference<Target>) where Target.ID: Sendable {
            steps.append { $0.table(of: Target.self).set(nil, at: reference.id) }
        }
    }

    // MARK: - Watching

    /// What `read` makes of the entities that it reads, now and after each change of one of them.
    ///
    /// It is the present that is told: of changes that follow each other closely, perhaps only the last. Values that equal
    /// the one before are left out.
    public func watch<Value: Equatable & Sendable>(
        _ read: @escaping @Sendable (Reader) -> Value
    ) -> SignalProducer<Value, NoError> {
        SignalProducer { [self] observer, lifetime in
            let last = Locked<Value?>(nil)
            let watch = EntityWatch { [weak self] watch in
                guard let self, let value = current(read, for: watch) else { return }
                let isNew = last.withLock { last in
                    defer { last = value }
                    return last != value
                }
                if isNew { observer.send(value: value) }
            }
            state.withLock { $0.watches[ObjectIdentifier(watch)] = watch }
            // Held by the cache alone, so that who watches a cache that goes is interrupted.
            lifetime.observeEnded { [weak self, weak watch] in
                guard let self, let watch else { return }
                let dropped = state.withLock { state in
                    state.watches[ObjectIdentifier(watch)] = nil
                    return watch.end()
                }
                withExtendedLifetime(dropped) {}
            }
            deliver(to: [watch])
        }
    }

    /// Those of the entities that are there, in the order of their ids here, now and after each change of one of them.
    @inlinable
    public func watch<Target: Entity>(_ references: [Reference<Target>]) -> SignalProducer<[Target], NoError>
    where Target.ID: Sendable {
        watch { $0.entities(references) }
    }

    /// Reads entities for a watched function, which is run again when one of them changes. It is of use only inside of it.
    public struct Reader {
        @usableFromInline let cache: NormalizedCache
        @usableFromInline let watch: EntityWatch

        @inlinable
        public subscript<Target: Entity>(_ reference: Reference<Target>) -> Target? where Target.ID: Sendable {
            cache.state.withLock { $0.table(of: Target.self).entity(reference.id, for: watch) }
        }

        /// Those of the entities that are there, in the order given.
        @inlinable
        public func entities<Target: Entity>(_ references: [Reference<Target>]) -> [Target] where Target.ID: Sendable {
            cache.state.withLock { state in
                let table = state.table(of: Target.self)
                return references.compactMap { table.entity($0.id, for: watch) }
            }
        }
    }

    @usableFromInline
    func deliver(to watches: [EntityWatch]) {
        for watch in watches {
            deliveries.put { [weak self] in self?.state.withLock { _ in watch.body }?(watch) }
        }
        deliveries.handOut()
    }

    /// What `read` makes of the present: read without the lock, and again if something of it changed meanwhile.
    private func current<Value>(_ read: (Reader) -> Value, for watch: EntityWatch) -> Value? {
        while true {
            guard state.withLock({ _ in watch.begin() }) else { return nil }
            let value = read(Reader(cache: self, watch: watch))
            if state.withLock({ _ in watch.finish() }) { return value }
        }
    }
}
