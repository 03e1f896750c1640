/// A change of an entity that is shown before the server has answered it.
struct EntityChange<Target: Entity>: OptimisticChange {
    let body: @Sendable (inout Target?) -> Void

    func apply(to entity: inout Target?) { body(&entity) }
}

/// The id of an optimistic change of a ``NormalizedCache``.
public struct OptimisticChangeID: Hashable, Sendable {
    let number: UInt64
}
