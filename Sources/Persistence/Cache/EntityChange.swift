/// A change of an entity that is shown before the server has answered it.
@usableFromInline
struct EntityChange<Target: Entity>: OptimisticChange {
    @usableFromInline let body: @Sendable (inout Target?) -> Void
    /// True if it changes nothing while the entity is not in the cache.
    @usableFromInline let isUpdate: Bool

    @usableFromInline
    func apply(to entity: inout Target?) { body(&entity) }
}

/// A change that was confirmed while its entity was not in the cache. An answer that was asked for before may still
/// come; it does not contain the change.
@usableFromInline
struct MissedChange<Target: Entity>: Sendable {
    @usableFromInline let id: OptimisticChangeID
    /// The moment of the confirmation.
    @usableFromInline let moment: CacheMoment
    @usableFromInline let change: EntityChange<Target>

    @inlinable
    init(_ id: OptimisticChangeID, _ moment: CacheMoment, _ change: EntityChange<Target>) {
        self.id = id
        self.moment = moment
        self.change = change
    }
}

/// The id of an optimistic change of a ``NormalizedCache``.
public struct OptimisticChangeID: Hashable, Sendable {
    /// The number of the moment at which the change was made.
    @usableFromInline let number: UInt64

    var moment: CacheMoment { CacheMoment(number: number) }
}
