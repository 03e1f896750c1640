/// An attribute without the type of its object.
///
/// The compiler cannot specialize the library's generic code for the models of another module, and code that is not
/// specialized looks up types while it runs. So conditions are kept, simplified and written as SQL without their types.
@usableFromInline
package final class AnyAttribute: Sendable {
    @usableFromInline let keyPath: AnyKeyPath & Sendable
    package let kind: PrimitiveKind
    package let isOptional: Bool
    /// The place of a stored property in the memory of an object; nil for any other property.
    @usableFromInline let place: Place?

    /// Two stored properties with the same offset and type are the same one, whatever their key paths look like.
    @usableFromInline
    struct Place: Hashable, Sendable {
        @usableFromInline let offset: Int
        private let object: ObjectIdentifier
        private let type: ObjectIdentifier

        @usableFromInline
        init?(offset: Int?, in object: any Any.Type, type: any Any.Type) {
            guard let offset else { return nil }
            self.offset = offset
            self.object = ObjectIdentifier(object)
            self.type = ObjectIdentifier(type)
        }
    }

    /// Returns a value as the property's type stores it, or nil if it is not a value of that type; SQLite may return it
    /// as another kind.
    package let canonical: @Sendable (PrimitiveValue) -> PrimitiveValue?
    private let read: @Sendable (AnyAttribute, UnsafeRawPointer) -> PrimitiveValue
    private let narrow: @Sendable (AnyAttribute, AttributeTest, Bool) -> Narrowing?
    private let compare: @Sendable (AnyAttribute, _ descending: Bool, _ nilFirst: Bool) -> Comparing

    // The closures are made here, where the compiler knows the types of object and property, so that they are fast. They
    // get the attribute as an argument, since a closure that captures something is an allocation of its own.
    @inlinable
    convenience init<Object, Value: Primitive>(_ keyPath: KeyPath<Object, Value> & Sendable) {
        self.init(
            keyPath: keyPath, kind: Value.kind, isOptional: Value(primitiveValue: .null) != nil,
            place: Place(offset: MemoryLayout<Object>.offset(of: keyPath), in: Object.self, type: Value.self),
            canonical: { Value(primitiveValue: $0)?.primitiveValue },
            read: { attribute, object in
                if let place = attribute.place {
                    return (object + place.offset).assumingMemoryBound(to: Value.self).pointee.primitiveValue
                }
                let keyPath: KeyPath<Object, Value> & Sendable = attribute.typedKeyPath()
                return object.assumingMemoryBound(to: Object.self).pointee[keyPath: keyPath].primitiveValue
            },
            narrow: { attribute, test, negated in
                let keyPath: KeyPath<Object, Value> & Sendable = attribute.typedKeyPath()
                return makeNarrowing(keyPath, test, negated: negated)
            },
            compare: { attribute, descending, nilFirst in
                let keyPath: KeyPath<Object, Value> & Sendable = attribute.typedKeyPath()
                return makeComparing(keyPath, descending: descending, nilFirst: nilFirst)
            })
    }

    @usableFromInline
    init(
        keyPath: AnyKeyPath & Sendable, kind: PrimitiveKind, isOptional: Bool, place: Place?,
        canonical: @escaping @Sendable (PrimitiveValue) -> PrimitiveValue?,
        read: @escaping @Sendable (AnyAttribute, UnsafeRawPointer) -> PrimitiveValue,
        narrow: @escaping @Sendable (AnyAttribute, AttributeTest, Bool) -> Narrowing?,
        compare: @escaping @Sendable (AnyAttribute, _ descending: Bool, _ nilFirst: Bool) -> Comparing
    ) {
        self.keyPath = keyPath
        self.kind = kind
        self.isOptional = isOptional
        self.place = place
        self.canonical = canonical
        self.read = read
        self.narrow = narrow
        self.compare = compare
    }

    /// The key path with its types. Only the closures of ``init(_:)`` ask for it, each with the types of the key path that the
    /// attribute was made of, so the cast need not be checked.
    @inlinable
    func typedKeyPath<Object, Value>() -> KeyPath<Object, Value> & Sendable {
        unsafeBitCast(keyPath, to: (KeyPath<Object, Value> & Sendable).self)
    }

    /// The property's value in the object at an address.
    func value(at object: UnsafeRawPointer) -> PrimitiveValue { read(self, object) }

    /// Returns whether `value` is exactly a value of the property: of the same kind, and unchanged by the property's type.
    func hasValue(_ value: PrimitiveValue) -> Bool { canonical(value) == value }

    /// Returns a function that keeps the objects which pass `test` (or which do not, if `negated`). Returns nil if the
    /// test compares with something that is not a value of the property.
    func narrowing(_ test: AttributeTest, negated: Bool) -> Narrowing? { narrow(self, test, negated) }

    /// Returns a function that compares two objects by this property.
    func comparing(descending: Bool, nilFirst: Bool) -> Comparing { compare(self, descending, nilFirst) }
}

extension AnyAttribute: Hashable {
    /// Two attributes are equal when they are the same stored property, or their key paths are equal.
    @usableFromInline
    package static func == (lhs: AnyAttribute, rhs: AnyAttribute) -> Bool {
        if lhs === rhs { return true }
        // A key path compares and hashes itself component by component, which takes much longer.
        if let place = lhs.place { return place == rhs.place }
        return rhs.place == nil && lhs.keyPath == rhs.keyPath
    }

    @usableFromInline
    package func hash(into hasher: inout Hasher) {
        if let place { hasher.combine(place) } else { hasher.combine(keyPath) }
    }
}

extension AnyAttribute: CustomStringConvertible {
    @usableFromInline package var description: String { "\(keyPath)" }
}

/// The two attributes of an id: by the key path of the model's property, and by the one that generic code uses.
@usableFromInline
package struct IDAttributes: Sendable {
    let property: AnyAttribute
    let generic: AnyAttribute

    init<Object: Identifiable>(_ property: Attribute<Object>) where Object.ID: Primitive {
        precondition(!property.isOptional, "The id of \(Object.self) may be nil. Objects need an id that is never nil.")
        self.property = property.erased
        generic = Attribute<Object>.id.erased
    }

    @usableFromInline
    package func contains(_ attribute: AnyAttribute) -> Bool { attribute == property || attribute == generic }
}
