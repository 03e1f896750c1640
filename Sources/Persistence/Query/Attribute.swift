/// A property of an object, identified by its key path, that conditions test and sort orders follow.
///
/// A key path in a condition or a criterion becomes an attribute. A ``Schema`` knows the column of each attribute.
public struct Attribute<Object>: Sendable, Hashable {
    @usableFromInline package let erased: AnyAttribute

    /// Creates the attribute of a property.
    @inlinable
    public init<Value: Primitive>(_ keyPath: KeyPath<Object, Value> & Sendable) { erased = AnyAttribute(keyPath) }

    /// - Parameter erased: An attribute of the same type of objects.
    package init(erased: AnyAttribute) { self.erased = erased }

    /// The key path of the property.
    public var keyPath: PartialKeyPath<Object> & Sendable {
        // An attribute is only made of another one of the same type, so its key path has this type.
        unsafeBitCast(erased.keyPath, to: (PartialKeyPath<Object> & Sendable).self)
    }

    /// The kind of column that holds the property.
    public var kind: PrimitiveKind { erased.kind }

    /// True if the property may be nil.
    public var isOptional: Bool { erased.isOptional }

    /// Returns a value as the property's type stores it, or nil if it is not a value of that type; SQLite may return it
    /// as another kind.
    package var canonical: @Sendable (PrimitiveValue) -> PrimitiveValue? { erased.canonical }

    /// The property's value in `object`.
    public func value(in object: Object) -> PrimitiveValue {
        withUnsafePointer(to: object) { erased.value(at: UnsafeRawPointer($0)) }
    }
}

extension Attribute where Object: Identifiable, Object.ID: Primitive {
    /// The id, by the key path that generic code uses for the id of any object. It is not equal to the key path of a property
    /// that happens to be named `id`; stores know both.
    public static var id: Attribute { Attribute(\Object.id as KeyPath<Object, Object.ID> & Sendable) }
}

extension Attribute: CustomStringConvertible {
    public var description: String { "\(erased)" }
}
