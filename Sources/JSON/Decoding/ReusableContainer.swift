/// A keyed container that is used for one object after the other.
///
/// Making a container costs an allocation and several look-ups of generic types, as much as reading five members. A
/// `KeyedDecodingContainer` is a reference to a box. If there is no other reference to the box, it is safe to let it
/// read the members of another object.
struct ReusableContainer {
    let keyType: ObjectIdentifier
    let members: ObjectMembers
    /// Optional because `isKnownUniquelyReferenced` would open, and so copy, a plain `AnyObject`.
    private(set) var box: AnyObject?

    /// Returns `nil` if `KeyedDecodingContainer` is not a single reference, as it is in today's standard library.
    init?<Key: CodingKey>(_ container: KeyedDecodingContainer<Key>, _ members: ObjectMembers) {
        guard MemoryLayout<KeyedDecodingContainer<Key>>.size == MemoryLayout<AnyObject>.size else { return nil }
        keyType = ObjectIdentifier(Key.self)
        self.members = members
        box = unsafeBitCast(container, to: AnyObject.self)
    }

    /// Returns the container in a box. The caller must have compared the type of its keys.
    @inline(__always)
    static func container<Key: CodingKey>(in box: AnyObject, for type: Key.Type) -> KeyedDecodingContainer<Key> {
        unsafeBitCast(box, to: KeyedDecodingContainer<Key>.self)
    }

    @inline(__always)
    mutating func isOnlyHere() -> Bool { isKnownUniquelyReferenced(&box) }
}
