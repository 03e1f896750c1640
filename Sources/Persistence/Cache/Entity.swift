/// A value that a ``NormalizedCache`` stores once, by its type and id.
///
///     struct Status: Entity, Decodable {
///         let id: String
///         var text: String
///         var account: Account
///         var isFavourite: Bool?
///
///         mutating func visitLinks(_ visitor: inout LinkVisitor) { visitor.visit(&account) }
///         static var partialProperties: [PartialProperty<Status>] { [.init(\.isFavourite)] }
///     }
///
/// It is a plain value as the server sends it, with other entities inside. The cache takes those out when the value is
/// stored, and puts their current values in when it is read.
///
/// The cache calls these requirements, `==` and `hash(into:)` while it holds its lock: they must not use the cache. `==` must
/// compare all properties, not only the id: an answer that is equal to the known entity is not stored.
public protocol Entity: Identifiable, Equatable, Sendable where ID: Sendable {
    /// Visits each property that holds other entities: one, an optional one or an array of them. The default visits none.
    ///
    /// Links should form a small tree: a status has an account. Make a relation that can reach many entities, such as
    /// the friends of a person, a list of its own, see ``ListKey``. A link that leads back to the entity itself is set
    /// to `nil` or left out of its array, and so are links more than ``LinkVisitor/maximumDepth`` levels down.
    mutating func visitLinks(_ visitor: inout LinkVisitor)

    /// The properties that an answer may leave out. The cache then keeps the value that it has. The default is none.
    static var partialProperties: [PartialProperty<Self>] { get }

    /// The number of bytes that the value takes, without the entities that it links to. The default is the size of the
    /// type, without the strings and arrays that it holds.
    var byteCount: Int { get }
}

extension Entity {
    @inlinable public mutating func visitLinks(_ visitor: inout LinkVisitor) {}

    public static var partialProperties: [PartialProperty<Self>] { [] }

    public var byteCount: Int { MemoryLayout<Self>.stride }
}

/// A property that an answer may leave out; `nil` means that it was left out.
public struct PartialProperty<Target>: Sendable {
    /// Takes a pointer, since an entity can be large, and is copied when it is passed to a closure.
    @usableFromInline let isKnown: @Sendable (UnsafePointer<Target>) -> Bool
    @usableFromInline let copy: @Sendable (_ source: Target, _ target: inout Target) -> Void

    // Inlinable, so that the closures know the types: they are called for each entity that is stored.
    /// Names a property that an answer may leave out, so that the cache then keeps the value that it has.
    @inlinable
    public init<Value>(_ property: WritableKeyPath<Target, Value?> & Sendable) {
        let offset = MemoryLayout<Target>.offset(of: property)
        self.init(
            isKnown: { target in
                guard let offset else { return target.pointee[keyPath: property] != nil }
                return (UnsafeRawPointer(target) + offset).assumingMemoryBound(to: Value?.self).pointee != nil
            },
            copy: { source, target in target[keyPath: property] = source[keyPath: property] })
    }

    @usableFromInline
    init(
        isKnown: @escaping @Sendable (UnsafePointer<Target>) -> Bool,
        copy: @escaping @Sendable (Target, inout Target) -> Void
    ) {
        self.isKnown = isKnown
        self.copy = copy
    }
}

/// A point in the order of requests to a server, see ``NormalizedCache/moment()``.
public struct CacheMoment: Comparable, Sendable {
    @usableFromInline let number: UInt64

    @inlinable
    init(number: UInt64) { self.number = number }

    @inlinable
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.number < rhs.number }
}
