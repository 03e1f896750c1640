import Foundation

/// The decoder of one value of a body.
///
/// A child is made for each value that is decoded by its type, and used again for the next one, unless the type has kept it,
/// or a container of it: then whoever kept it has it alone.
final class ValueDecoder {
    let context: DecodingContext
    let index: JSONIndex
    /// The position of the value; ``none`` for a superclass that has no part of the body.
    var position: Int

    /// The decoder of the container that the value is in, and the value's key there; both `nil` for the body's value.
    ///
    /// Unowned, since `withChild` is called by the parent; ``keptParent`` is the same one for a decoder that somebody has kept.
    private unowned(unsafe) var parent: ValueDecoder?
    private var keptParent: ValueDecoder?
    private var key: (any CodingKey)?
    /// The number of the value in an array; -1 if it has a ``key``. A key of its own would cost more than the rest of a child.
    private var number = -1
    /// The child that is free to be used again.
    private var child: ValueDecoder?

    /// The container that is used again for keys of the same type, and what it reads.
    private var keyed: ReusableContainer?
    /// True while `withChild` sees to it that the container is let go of.
    private var isChild: Bool

    static var none: Int { -1 }

    init(
        _ context: DecodingContext, position: Int = 0, parent: ValueDecoder? = nil, key: (any CodingKey)? = nil,
        isChild: Bool = false
    ) {
        self.isChild = isChild
        self.context = context
        self.index = context.index
        self.position = position
        self.parent = parent
        // `withChild` says itself whose child it is.
        keptParent = isChild ? nil : parent
        self.key = key
    }

    var token: JSONToken {
        position == Self.none ? JSONToken(.null, payload: 0, offset: 0) : index.tape[position]
    }

    var codingPath: [any CodingKey] { path(to: nil) }

    /// The coding path of a value in this one's container; of the decoder's own value if there is no key.
    func path(to key: (any CodingKey)?) -> [any CodingKey] {
        var path: [any CodingKey] = []
        path.reserveCapacity(8)
        if let key { path.append(key) }
        var decoder = self
        while let parent = decoder.parent {
            if decoder.number >= 0 {
                path.append(ElementKey(decoder.number))
            } else if let key = decoder.key {
                path.append(key)
            }
            decoder = parent
        }
        path.reverse()
        return path
    }

    // MARK: - Children

    /// Decodes a value of this one's container with a decoder of its own.
    @inline(__always)
    func withChild<Value>(
        at position: Int, key: any CodingKey, _ decode: (ValueDecoder) throws -> Value
    ) rethrows -> Value {
        var decoder = takeChild()
        decoder.key = key
        decoder.number = -1
        decoder.position = position
        defer { giveBack(&decoder) }
        return try decode(decoder)
    }

    /// Decodes an element of this one's array with a decoder of its own.
    @inline(__always)
    func withElement<Value>(
        at position: Int, number: Int, _ decode: (ValueDecoder) throws -> Value
    ) rethrows -> Value {
        var decoder = takeChild()
        decoder.number = number
        decoder.position = position
        defer { giveBack(&decoder) }
        return try decode(decoder)
    }

    @inline(__always)
    private func takeChild() -> ValueDecoder {
        guard let free = child else { return ValueDecoder(context, parent: self, isChild: true) }
        child = nil
        free.parent = self
        return free
    }

    /// Keeps a child to be used again, if nobody else has kept it.
    @inline(__always)
    private func giveBack(_ decoder: inout ValueDecoder) {
        decoder.letGoOfContainer()
        if isKnownUniquelyReferenced(&decoder) {
            child = decoder
        } else {
            // Nobody would let go of a container that is asked for from now on, and it would hold the decoder that holds it.
            (decoder.isChild, decoder.keyed, decoder.keptParent) = (false, nil, self)
        }
    }

    /// Lets the container rest if nobody else has it. Otherwise it owns this decoder, which is not used again then.
    @inline(__always)
    private func letGoOfContainer() {
        if keyed == nil { return }
        if keyed?.isOnlyHere() == true {
            keyed?.members.rest()
        } else {
            keyed?.members.keepOwner()
            keyed = nil
        }
    }

    /// A decoder for whoever asks for one to keep.
    func makeChild(at position: Int, key: any CodingKey) -> ValueDecoder {
        ValueDecoder(context, position: position, parent: self, key: key)
    }
}

// MARK: - Decoder

extension ValueDecoder: Decoder {
    var userInfo: [CodingUserInfoKey: Any] { context.settings.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard token.kind == .object else { throw noContainer([String: Any].self, "keyed") }
        let keyType = ObjectIdentifier(type)
        if let keyed, let box = keyed.restingBox(keyType) {
            keyed.members.begin(self)
            return ReusableContainer.container(in: box, for: type)
        }
        let members = ObjectMembers(context, keyType: keyType)
        members.begin(self)
        let container = KeyedDecodingContainer(KeyedValues<Key>(members: members))
        if isChild, keyed == nil || keyed?.members.isInUse == false,
            let reusable = ReusableContainer(container, members)
        {
            keyed = reusable
        } else {
            members.keepOwner()
        }
        return container
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard token.kind == .array else { throw noContainer([Any].self, "unkeyed") }
        return UnkeyedValues(self)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    private func noContainer(_ type: Any.Type, _ name: String) -> DecodingError {
        if token.kind == .null {
            return .valueNotFound(
                type,
                .init(
                    codingPath: codingPath,
                    debugDescription: "Cannot get \(name) decoding container -- found null value instead"))
        }
        return mismatch(type, found: token, at: codingPath)
    }

    func mismatch(_ type: Any.Type, found token: JSONToken, at path: [any CodingKey]) -> DecodingError {
        .typeMismatch(type, .init(codingPath: path, debugDescription: context.mismatch(type, found: token.kind)))
    }
}
