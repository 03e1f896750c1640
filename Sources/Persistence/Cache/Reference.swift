/// What a ``NormalizedCache`` keeps: something with an identity, that can be told from its former self.
public typealias Entity = Identifiable & Equatable & Sendable

/// Names an entity where another would else contain it: a film has a `Reference<Person>` to its director, whose one copy is in
/// the cache.
public struct Reference<Target: Entity>: Hashable, Sendable where Target.ID: Sendable {
    public let id: Target.ID

    public init(_ id: Target.ID) { self.id = id }

    public init(to target: Target) { id = target.id }
}
