/// The key of an entity in a ``NormalizedCache``: its type and its id.
public struct Reference<Target: Entity>: Hashable, Sendable {
    public let id: Target.ID

    public init(_ id: Target.ID) { self.id = id }

    public init(to target: Target) { id = target.id }
}
