/// A property of an object, identified by its key path, that conditions test and sort orders follow.
///
/// A key path in a condition or a criterion becomes an attribute. A ``Schema`` knows the column of each attribute.
public final class Attribute<Object>: Sendable {
    /// The key path of the property.
    public let keyPath: PartialKeyPath<Object> & Sendable
    /// The kind of column that holds the property.
    public let kind: PrimitiveKind
    /// True if the property may be nil.
    public let isOptional: Bool
    /// The place of a stored property in the memory of an object; nil for any other property.
    private let place: Place?

    /// Two stored properties with the same offset and type are the same one, whatever their key paths look like.
    @usableFromInline
    struct Place: Hashable, Sendable {
        let offset: Int
        let type: ObjectIdentifier

        @usableFromInline
        init?(offset: Int?, type: any Any.Type) {
            guard let offset else { return nil }
            self.offset = offset
            self.type = ObjectIdentifier(type)
        }
    }

    /// Returns a value as the property's type stores it, or nil if it is not a value of that type; SQLite may return it
    /// as another kind.
    package let canonical: @Sendable (PrimitiveValue) -> PrimitiveValue?
    private let extract: @Sendable (Object) -> PrimitiveValue
    private let narrow: @Sendable (AttributeTest, Bool) -> Narrowing?
    private let compare: @Sendable (_ descending: Bool, _ nilFirst: Bool) -> Comparing

    /// Creates the attribute of a property.
    // The closures are made here, where the compiler knows the types of object and property, so that they are fast.
    @inlinable
    public convenience init<Value: Primitive>(_ keyPath: KeyPath<Object, Value> & Sendable) {
        self.init(
            keyPath: keyPath, kind: Value.kind, isOptional: Value(primitiveValue: .null) != nil,
            place: Place(offset: MemoryLayout<Object>.offset(of: keyPath), type: Value.self),
            canonical: { Value(primitiveValue: $0)?.primitiveValue },
            extract: { $0[keyPath: keyPath].primitiveValue },
            narrow: { test, negated in makeNarrowing(keyPath, test, negated: negated) },
            compare: { descending, nilFirst in makeComparing(keyPath, descending: descending, nilFirst: nilFirst) })
    }

    @usableFromInline
    init(
        keyPath: PartialKeyPath<Object> & Sendable, kind: PrimitiveKind, isOptional: Bool, place: Place?,
        canonical: @escaping @Sendable (PrimitiveValue) -> PrimitiveValue?,
        extract: @escaping @Sendable (Object) -> PrimitiveValue,
        narrow: @escaping @Sendable (AttributeTest, Bool) -> Narrowing?,
        compare: @escaping @Sendable (_ descending: Bool, _ nilFirst: Bool) -> Comparing
    ) {
        self.keyPath = keyPath
        self.kind = kind
        self.isOptional = isOptional
        self.place = place
        self.canonical = canonical
        self.extract = extract
        self.narrow = narrow
        self.compare = compare
    }

    /// The property's value in `object`.
    public func value(in object: Object) -> PrimitiveValue { extract(object) }

    /// Returns whether `value` is exactly a value of the property: of the same kind, and unchanged by the property's type.
    func hasValue(_ value: PrimitiveValue) -> Bool { canonical(value) == value }

    /// Returns a function that keeps the objects which pass `test` (or which do not, if `negated`). Returns nil if the
    /// test compares with something that is not a value of the property.
    func narrowing(_ test: AttributeTest, negated: Bool) -> Narrowing? { narrow(test, negated) }

    /// Returns a function that compares two objects by this property.
    func comparing(descending: Bool, nilFirst: Bool) -> Comparing { compare(descending, nilFirst) }
}

extension Attribute where Object: Identifiable, Object.ID: Primitive {
    /// The id, by the key path that generic code uses for the id of any object. It is not equal to the key path of a property
    /// that happens to be named `id`; stores know both.
    public static var id: Attribute { Attribute(\Object.id as KeyPath<Object, Object.ID> & Sendable) }
}

/// The two attributes of an id: by the key path of the model's property, and by the one that generic code uses.
@usableFromInline
package struct IDAttributes<Object>: Sendable {
    let property: Attribute<Object>
    private let generic: Attribute<Object>

    init(_ property: Attribute<Object>) where Object: Identifiable, Object.ID: Primitive {
        precondition(!property.isOptional, "The id of \(Object.self) may be nil. Objects need an id that is never nil.")
        self.property = property
        generic = .id
    }

    @usableFromInline
    func contains(_ attribute: Attribute<Object>) -> Bool {
        attribute.isSame(as: property) || attribute.isSame(as: generic)
    }
}

extension Attribute: Hashable {
    /// Two attributes are equal when they are the same stored property, or their key paths are equal.
    public static func == (lhs: Attribute, rhs: Attribute) -> Bool { lhs.isSame(as: rhs) }

    /// Does the same as `==`, which in generic code would have to look up the type first.
    fileprivate func isSame(as other: Attribute) -> Bool {
        if self === other { return true }
        // A key path compares and hashes itself component by component, which takes much longer.
        if let place { return place == other.place }
        return other.place == nil && keyPath == other.keyPath
    }

    public func hash(into hasher: inout Hasher) {
        if let place { hasher.combine(place) } else { hasher.combine(keyPath) }
    }
}

extension Attribute: CustomStringConvertible {
    public var description: String { "\(keyPath)" }
}
