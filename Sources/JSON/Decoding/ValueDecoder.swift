import Foundation

/// The decoder of one value of a body.
///
/// A value that is decoded by its type's `init(from:)` gets a child decoder. The child is reused for the next value,
/// unless the type has kept it or one of its containers.
final class ValueDecoder {
    let context: DecodingContext
    let index: JSONIndex
    /// The position of the value; ``none`` for a superclass that has no member in the body.
    var position: Int

    /// The decoder of the container that the value is in, and the value's key there; both `nil` for the body's value.
    ///
    /// Unowned, since the parent outlives the call of `withChild`; ``keptParent`` owns it once a type has kept this
    /// decoder.
    private unowned(unsafe) var parent: ValueDecoder?
    private var keptParent: ValueDecoder?
    private var key: (any CodingKey)?
    /// The number of the value in an array; -1 if it has a ``key``. Making an `ElementKey` for each element would cost
    /// more than the rest of the child.
    private var number = -1
    /// The child that is free to be used again.
    private var child: ValueDecoder?

    /// The container that is reused for keys of the same type, and the members that it reads.
    private var keyed: ReusableContainer?
    /// The containers before that one, each of another type of keys: objects of a few types often alternate.
    private var spares: [ReusableContainer] = []
    private static var maximumSpares: Int { 4 }
    /// True while somebody will call `letGoOfContainer` when the value is decoded.
    private var reusesContainers: Bool

    static var none: Int { -1 }

    init(
        _ context: DecodingContext, position: Int = 0, parent: ValueDecoder? = nil, key: (any CodingKey)? = nil,
        reusesContainers: Bool = false
    ) {
        self.reusesContainers = reusesContainers
        self.context = context
        self.index = context.index
        self.position = position
        self.parent = parent
        // `withChild` sets the parent of a child itself.
        keptParent = reusesContainers ? nil : parent
        self.key = key
    }

    var token: JSONToken {
        position == Self.none ? JSONToken(.null, payload: 0, offset: 0) : index.tape[position]
    }

    var codingPath: [any CodingKey] { path(to: nil) }

    /// Returns the coding path of a value in this decoder's container; without a key, that of the decoder's own value.
    func path(to key: (any CodingKey)?) -> [any CodingKey] {
        var depth = key == nil ? 0 : 1
        var decoder = self
        while let parent = decoder.parent {
            if decoder.number >= 0 || decoder.key != nil { depth += 1 }
            decoder = parent
        }
        // With a capacity of none, the standard library writes to the storage that all empty arrays share: a data race.
        if depth == 0 { return [] }
        return Array(unsafeUninitializedCapacity: depth) { path, count in
            var place = depth
            func prepend(_ key: any CodingKey) {
                place -= 1
                path.initializeElement(at: place, to: key)
            }
            if let key { prepend(key) }
            var decoder = self
            while let parent = decoder.parent {
                if decoder.number >= 0 {
                    prepend(ElementKey(decoder.number))
                } else if let key = decoder.key {
                    prepend(key)
                }
                decoder = parent
            }
            count = depth
        }
    }

    // MARK: - Children

    /// Decodes a value of this decoder's container with a child decoder.
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

    /// Decodes an element of this decoder's array with a child decoder.
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
        guard let free = child else { return ValueDecoder(context, parent: self, reusesContainers: true) }
        child = nil
        free.parent = self
        return free
    }

    /// Takes a child back for reuse, unless a type has kept it.
    @inline(__always)
    private func giveBack(_ decoder: inout ValueDecoder) {
        decoder.letGoOfContainer()
        if isKnownUniquelyReferenced(&decoder) {
            child = decoder
        } else {
            decoder.stay()
            decoder.keptParent = self
        }
    }

    /// Called when a type has kept this decoder. A container made from now on would never be let go of, and would form a
    /// cycle with the decoder. So the decoder no longer reuses containers.
    func stay() { (reusesContainers, keyed, spares) = (false, nil, []) }

    /// Makes the container free for reuse if a type has not kept it. Otherwise the container owns this decoder from now
    /// on, and the decoder is not reused.
    @inline(__always)
    func letGoOfContainer() {
        if keyed == nil { return }
        if keyed?.isOnlyHere() == true {
            keyed?.members.rest()
        } else {
            keyed?.members.keepOwner()
            keyed = nil
        }
    }

    /// Forgets what this decoder and its children know about the body.
    func forget() {
        key = nil
        keyed?.members.forget()
        for spare in spares { spare.members.forget() }
        child?.forget()
    }

    /// Makes a child that its user may keep.
    func makeChild(at position: Int, key: any CodingKey) -> ValueDecoder {
        ValueDecoder(context, position: position, parent: self, key: key)
    }
}

// MARK: - Decoder

extension ValueDecoder: Decoder {
    var userInfo: [CodingUserInfoKey: Any] { context.settings.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard token.kind == .object else { throw noContainer([String: Any].self, "keyed") }
        if let box = restingBox(ObjectIdentifier(type)) { return ReusableContainer.container(in: box, for: type) }
        return makeContainer(type)
    }

    /// Takes the box of a container for keys of a type into use, if there is one.
    @inline(__always)
    private func restingBox(_ keyType: ObjectIdentifier) -> AnyObject? {
        if keyed?.members.isInUse == true { return nil }
        if keyed?.keyType != keyType {
            guard let place = spares.firstIndex(where: { $0.keyType == keyType }), let last = keyed else { return nil }
            (keyed, spares[place]) = (spares[place], last)
        }
        keyed?.members.begin(self)
        return keyed?.box
    }

    @inline(never)
    private func makeContainer<Key: CodingKey>(_ type: Key.Type) -> KeyedDecodingContainer<Key> {
        let members = ObjectMembers(context, keyType: ObjectIdentifier(type))
        members.begin(self)
        let container = KeyedDecodingContainer(KeyedValues<Key>(members: members))
        if reusesContainers, keyed == nil || keyed?.members.isInUse == false,
            let reusable = ReusableContainer(container, members)
        {
            if let keyed {
                if spares.count == Self.maximumSpares { spares.removeFirst() }
                spares.append(keyed)
            }
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
