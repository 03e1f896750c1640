/// A change of an entity that is shown before the server has answered it.
@usableFromInline
struct EntityChange<Target: Entity>: OptimisticChange {
    @usableFromInline let body: @Sendable (inout Target?) -> Void

    @usableFromInline
    func apply(to entity: inout Target?) { body(&entity) }
}

/// The id of an optimistic change of a ``NormalizedCache``.
public struct OptimisticChangeID: Hashable, Sendable {
    @usableFromInline let number: UInt64
}
