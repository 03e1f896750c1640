/// A keyed container that is used for one object after the other.
///
/// To make one costs an allocation and several look-ups of generic types, as much as to read five members. A
/// `KeyedDecodingContainer` is a reference to a box; if nothing else has a reference to the box, nobody can notice that the
/// members which it reads become those of another object.
struct ReusableContainer {
    let keyType: ObjectIdentifier
    let members: ObjectMembers
    /// Optional, since a plain `AnyObject` would be opened, and so copied, where it is asked whether it is the only one.
    private var box: AnyObject?

    /// Returns `nil` if a container is not just a reference, as it is in today's standard libraries.
    init?<Key: CodingKey>(_ container: KeyedDecodingContainer<Key>, _ members: ObjectMembers) {
        guard MemoryLayout<KeyedDecodingContainer<Key>>.size == MemoryLayout<AnyObject>.size else { return nil }
        keyType = ObjectIdentifier(Key.self)
        self.members = members
        box = unsafeBitCast(container, to: AnyObject.self)
    }

    /// The container, if its keys are of this type and nobody uses it.
    @inline(__always)
    func restingBox(_ keyType: ObjectIdentifier) -> AnyObject? {
        self.keyType == keyType && !members.isInUse ? box : nil
    }

    /// The container that is in a box. The caller has compared the type of its keys.
    @inline(__always)
    static func container<Key: CodingKey>(in box: AnyObject, for type: Key.Type) -> KeyedDecodingContainer<Key> {
        unsafeBitCast(box, to: KeyedDecodingContainer<Key>.self)
    }

    @inline(__always)
    mutating func isOnlyHere() -> Bool { isKnownUniquelyReferenced(&box) }
}
