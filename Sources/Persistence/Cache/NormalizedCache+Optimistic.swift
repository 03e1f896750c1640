import Feedback

extension NormalizedCache {
    /// Shows changes before the server has answered them.
    ///
    ///     let change = cache.apply { $0.update(Reference<Status>("7")) { $0.isFavourite = true } }
    ///     …
    ///     cache.confirm(change) { $0.store(answer) }      // or cache.rollBack(change)
    ///
    /// Several changes of one entity may be pending at the same time; the laws of ``Optimistic`` hold for each entity.
    public func apply(_ body: (inout OptimisticBatch) -> Void) -> OptimisticChangeID {
        let id = OptimisticChangeID(number: moment().number)
        var batch = OptimisticBatch(id)
        body(&batch)
        perform(batch.steps, begunAt: id.moment)
        return id
    }

    /// Makes the changes part of the values that the server knows, and stores its answer, as one change.
    ///
    /// Answers to earlier requests do not undo it, even if they arrive later.
    ///
    /// - Parameter body: Stores the server's answer, if it has one.
    public func confirm(_ id: OptimisticChangeID, _ body: (inout CacheBatch) -> Void = { _ in }) {
        var batch = CacheBatch(nil)
        body(&batch)
        perform([{ core in core.settle(id) { $0.confirm(id) } }] + batch.steps, begunAt: id.moment)
    }

    /// Removes the changes.
    public func rollBack(_ id: OptimisticChangeID) {
        perform([{ core in core.settle(id) { $0.rollBack(id) } }], begunAt: id.moment)
    }

    /// Returns a producer that shows changes at once and starts a request. It confirms the changes with the answer, or
    /// rolls them back if the request fails or is interrupted.
    ///
    ///     cache.applying({ $0.update(Reference<Status>("7")) { $0.isFavourite = true } }, during: favourite) { status, batch in
    ///         batch.store(status)
    ///     }
    public func applying<Answer, Failure>(
        _ changes: @escaping @Sendable (inout OptimisticBatch) -> Void,
        during request: SignalProducer<Answer, Failure>,
        storing: @escaping @Sendable (Answer, inout CacheBatch) -> Void
    ) -> SignalProducer<Answer, Failure> {
        SignalProducer { [self] observer, lifetime in
            let id = apply(changes)
            lifetime += request.start { [self] event in
                switch event {
                case .value(let answer): confirm(id) { storing(answer, &$0) }
                case .completed: confirm(id)
                case .failed, .interrupted: rollBack(id)
                }
                observer.send(event)
            }
        }
    }
}

/// Changes of a ``NormalizedCache`` that are shown before the server has answered them.
///
/// The bodies are called under the cache's lock, and must not use the cache. A body must change nothing in an entity
/// that contains the change already, see ``OptimisticChange``.
public struct OptimisticBatch: Sendable {
    private let id: OptimisticChangeID
    private(set) var steps: [@Sendable (CacheCore) -> Void] = []

    init(_ id: OptimisticChangeID) { self.id = id }

    /// Changes an entity while it is in the cache.
    public mutating func update<Target: Entity>(
        _ reference: Reference<Target>, _ body: @escaping @Sendable (inout Target) -> Void
    ) {
        apply(reference, isUpdate: true) { target in
            guard var entity = target else { return }
            body(&entity)
            target = entity
        }
    }

    /// Adds an entity, or replaces the one with its id.
    public mutating func insert<Target: Entity>(_ entity: Target) {
        apply(Reference(to: entity)) { $0 = entity }
    }

    /// Removes an entity.
    public mutating func remove<Target: Entity>(_ reference: Reference<Target>) {
        apply(reference) { $0 = nil }
    }

    private mutating func apply<Target: Entity>(
        _ reference: Reference<Target>, isUpdate: Bool = false, _ body: @escaping @Sendable (inout Target?) -> Void
    ) {
        steps.append { [id] core in
            core.table(of: Target.self).apply(EntityChange(body: body, isUpdate: isUpdate), to: reference.id, id: id)
        }
    }
}
