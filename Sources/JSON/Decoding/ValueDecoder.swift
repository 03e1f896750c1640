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
    private var parent: ValueDecoder?
    private var key: (any CodingKey)?
    /// The child that is free to be used again.
    private var child: ValueDecoder?

    /// Where the search for keys goes on: the position and the number of a member.
    private var member = 0
    private var ordinal = 0
    /// How many keys were asked for.
    private var lookups = 0
    private var plan: KeyPlan?
    /// The members of the object at `namesPosition` by name, if they were needed.
    private var names: [String: Int] = [:]
    private var namesPosition = ValueDecoder.none
    private var memberPositions: [Int] = []
    private var memberPositionsObject = ValueDecoder.none

    static var none: Int { -1 }

    /// From this number of members on, keys that are not where they are expected are looked up in a dictionary.
    private static let wideObject = 16

    init(_ context: DecodingContext, position: Int = 0, parent: ValueDecoder? = nil, key: (any CodingKey)? = nil) {
        self.context = context
        self.index = context.index
        self.position = position
        self.parent = parent
        self.key = key
    }

    var token: JSONToken {
        position == Self.none ? JSONToken(.null, payload: 0, offset: 0) : index.tape[position]
    }

    var codingPath: [any CodingKey] {
        var path: [any CodingKey] = []
        var decoder = self
        while let parent = decoder.parent {
            if let key = decoder.key { path.append(key) }
            decoder = parent
        }
        return path.reversed()
    }

    // MARK: - Children

    /// Decodes a value of this one's container with a decoder of its own.
    @inline(__always)
    func withChild<Value>(
        at position: Int, key: any CodingKey, _ decode: (ValueDecoder) throws -> Value
    ) rethrows -> Value {
        var decoder: ValueDecoder
        if let free = child {
            decoder = free
            child = nil
            decoder.position = position
            decoder.key = key
        } else {
            decoder = ValueDecoder(context, position: position, key: key)
        }
        decoder.parent = self
        defer {
            if isKnownUniquelyReferenced(&decoder) {
                decoder.parent = nil
                child = decoder
            }
        }
        return try decode(decoder)
    }

    /// A decoder for whoever asks for one to keep.
    func makeChild(at position: Int, key: any CodingKey) -> ValueDecoder {
        ValueDecoder(context, position: position, parent: self, key: key)
    }

    // MARK: - Members

    /// Begins to ask for keys of a type.
    @inline(__always)
    func beginMembers(_ keyType: ObjectIdentifier) {
        member = position &+ 2
        ordinal = 0
        lookups = 0
        guard context.plansKeys else { return }
        let shape = index.shape(at: position)
        if let plan, plan.keyType == keyType, plan.shape == shape { return }
        plan = context.plan(for: keyType, shape)
    }

    /// The position of the value of a key, or ``none``.
    @inline(__always)
    func find(_ name: String) -> Int {
        let lookup = lookups
        lookups = lookup &+ 1
        let ordinal = plan?.ordinal(of: name, lookup: lookup) ?? search(name, lookup: lookup)
        return ordinal == KeyPlan.missing ? Self.none : value(ofMember: ordinal)
    }

    @inline(never)
    private func search(_ name: String, lookup: Int) -> Int {
        let found = search(name)
        plan?.remember(name, found, lookup: lookup)
        return found
    }

    /// Without a look at the keys before it if the key is the next one: no key stands twice. That does not hold for keys that
    /// are converted, of which the first one counts.
    private func search(_ name: String) -> Int {
        let end = position + index.tape[position].payload
        if !context.convertsKeys {
            if member < end, isKey(at: member, name) { return ordinal }
            if index.members(at: position) < Self.wideObject {
                var (number, other) = (0, position + 2)
                while other < end {
                    if isKey(at: other, name) { return number }
                    number += 1
                    other += 1 + index.tape[other + 1].width
                }
                return KeyPlan.missing
            }
        }
        return membersByName[name] ?? KeyPlan.missing
    }

    private func isKey(at position: Int, _ name: String) -> Bool {
        let token = index.tape[position]
        var name = name
        let isEqual = name.withUTF8 { text in
            token.kind != .escapedString && text.count == token.payload
                && text.baseAddress.map { SWAR.areEqual($0, index.bytes + token.offset, count: text.count) } ?? true
        }
        // What differs in its bytes may still be canonically equivalent, but not if both are ASCII.
        if isEqual || token.kind == .asciiString && name.utf8.allSatisfy({ $0 < 0x80 }) { return isEqual }
        return index.string(token) == name
    }

    /// The numbers of the members by the names that they go by; of equal names the first one's.
    private var membersByName: [String: Int] {
        if namesPosition == position { return names }
        names.removeAll(keepingCapacity: true)
        for (number, name) in memberNames.enumerated() where names[name] == nil { names[name] = number }
        namesPosition = position
        return names
    }

    /// The names of all members, in the order of the body.
    var memberNames: [String] {
        JSONNode(index: index, position: position).members.map { context.name(of: $0.key, in: self) }
    }

    /// All names, each once.
    var uniqueNames: [String] {
        guard context.convertsKeys else { return memberNames }
        return membersByName.sorted { $0.value < $1.value }.map(\.key)
    }

    /// The position of the value in a member, by the member's number. Mostly it is one of the next members.
    @inline(__always)
    private func value(ofMember number: Int) -> Int {
        if number < ordinal { goBack(to: number) }
        while ordinal < number {
            member &+= 1 &+ index.tape[member &+ 1].width
            ordinal &+= 1
        }
        let value = member &+ 1
        member = value &+ index.tape[value].width
        ordinal = number &+ 1
        return value
    }

    @inline(never)
    private func goBack(to number: Int) {
        if index.members(at: position) < Self.wideObject {
            (member, ordinal) = (position + 2, 0)
            return
        }
        // In a wide object whose keys are asked for in another order, each step back would be a long way.
        if memberPositionsObject != position {
            memberPositions.removeAll(keepingCapacity: true)
            var position = position + 2
            let end = self.position + index.tape[self.position].payload
            while position < end {
                memberPositions.append(position)
                position += 1 + index.tape[position + 1].width
            }
            memberPositionsObject = self.position
        }
        (member, ordinal) = (memberPositions[number], number)
    }
}

// MARK: - Decoder

extension ValueDecoder: Decoder {
    var userInfo: [CodingUserInfoKey: Any] { context.settings.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard token.kind == .object else { throw noContainer([String: Any].self, "keyed") }
        beginMembers(ObjectIdentifier(type))
        return KeyedDecodingContainer(KeyedValues<Key>(decoder: self))
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
        .typeMismatch(
            type,
            .init(
                codingPath: path,
                debugDescription: "Expected to decode \(type) but found \(token.kind.name) instead."))
    }
}
