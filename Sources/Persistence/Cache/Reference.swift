/// The key of an entity in a ``NormalizedCache``: its type and its id.
public struct Reference<Target: Entity>: Hashable, Sendable {
    /// The id of the entity.
    public let id: Target.ID

    /// Refers to the entity with an id.
    @inlinable
    public init(_ id: Target.ID) { self.id = id }

    /// Refers to an entity.
    @inlinable
    public init(to target: Target) { id = target.id }
}
