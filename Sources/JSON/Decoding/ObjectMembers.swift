/// The members of an object, while a type asks for them by their keys.
final class ObjectMembers {
    let context: DecodingContext
    let index: JSONIndex
    private let keyType: ObjectIdentifier
    /// The decoder of the object, while the members are in use. The decoder owns the members. If a type has kept the
    /// container, the members own the decoder instead, in `owner`.
    private unowned(unsafe) var user: ValueDecoder?
    private var owner: ValueDecoder?
    private var position = ValueDecoder.none

    /// The place at which the search for the next key begins: the position and the number of a member.
    private var member = 0
    private var next = 0
    /// The positions of the first members; used if keys are asked for in another order than the body's, since each step
    /// back would otherwise start at the first member again.
    private var values: UnsafeMutablePointer<Int32>?
    private var capacity = 0
    private var known = 0
    private var end = 0
    /// The number of keys that were asked for.
    private var lookups = 0
    private var plan: KeyPlan?
    /// The members of the object at `namesPosition` by name, if they were needed.
    private var names: [String: Int] = [:]
    private var namesPosition = ValueDecoder.none

    /// From this number of members on, a key that is not found by its bytes is looked up in a dictionary.
    private static let wideObject = 16
    /// From this number of members on, only the next of them are searched by their bytes.
    private static let veryWideObject = 64

    init(_ context: DecodingContext, keyType: ObjectIdentifier) {
        self.context = context
        index = context.index
        self.keyType = keyType
    }

    deinit { values?.deallocate() }

    @inline(__always)
    func begin(_ decoder: ValueDecoder) {
        user = decoder
        position = decoder.position
        (member, next, lookups) = (position &+ 2, 0, 0)
        (known, end) = (0, member)
        guard context.plansKeys else { return }
        let shape = index.shape(at: position)
        if let plan, plan.shape == shape { return }
        plan = context.plan(for: keyType, shape)
    }

    /// Lets the decoder go.
    @inline(__always)
    func rest() { user = nil }

    /// Forgets what is known about the body.
    func forget() {
        plan = nil
        if namesPosition != ValueDecoder.none { (names, namesPosition) = ([:], ValueDecoder.none) }
        guard let values else { return }
        values.deallocate()
        (self.values, capacity) = (nil, 0)
    }

    /// Makes the members own their decoder, because a type has kept the container.
    func keepOwner() { owner = user }

    @inline(__always) var isInUse: Bool { user != nil }

    /// The decoder of the object; a new one if the decoder has moved on to another value.
    var decoder: ValueDecoder { user ?? ValueDecoder(context, position: position) }

    /// The position of the value of a key, or ``none``.
    @inline(__always)
    func find(_ name: String) -> Int {
        let lookup = lookups
        lookups = lookup &+ 1
        let number = plan?.ordinal(of: name, lookup: lookup) ?? search(name, lookup: lookup)
        return number == KeyPlan.missing ? ValueDecoder.none : value(ofMember: number)
    }

    @inline(never)
    private func search(_ name: String, lookup: Int) -> Int {
        let found = search(name)
        plan?.remember(name, found, lookup: lookup)
        return found
    }

    private func search(_ name: String) -> Int {
        if !context.convertsKeys {
            var text = name
            if let found = text.withUTF8({ searchBytes($0) }) { return found }
            if index.members(at: position) < Self.wideObject {
                let end = position + index.tape[position].payload
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

    /// The number of the member whose key has the same bytes; `nil` if another key may still be canonically equivalent, or if
    /// there are many.
    ///
    /// If one of the next keys matches, the keys before it are not compared, since no key occurs twice in an object.
    /// Converted keys can be equal, and the first of them counts; they are not searched here.
    private func searchBytes(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let start = text.baseAddress, text.count < JSONToken.payloadLimit else { return nil }
        let bytes = index.bytes
        // The kind and the length are compared at once.
        let (ascii, unicode) = (
            JSONToken(.asciiString, payload: text.count, offset: 0).word &>> 32,
            JSONToken(.unicodeString, payload: text.count, offset: 0).word &>> 32
        )
        @inline(__always)
        func isKey(_ token: JSONToken) -> Bool {
            let form = token.word &>> 32
            return (form == ascii || form == unicode) && SWAR.areEqual(start, bytes + token.offset, count: text.count)
        }
        let end = position &+ index.tape[position].payload
        var (number, other) = (next, member)
        // A type that leaves some keys out asks for one of the next.
        let last = next &+ Self.wideObject
        while other < end, number < last {
            if isKey(index.tape[other]) { return number }
            number &+= 1
            other = other &+ 1 &+ index.tape[other &+ 1].width
        }
        if index.members(at: position) >= Self.veryWideObject { return nil }
        var areASCII = true
        (number, other) = (0, position &+ 2)
        while other < end {
            let token = index.tape[other]
            if isKey(token) { return number }
            if token.kind != .asciiString { areASCII = false }
            number &+= 1
            other = other &+ 1 &+ index.tape[other &+ 1].width
        }
        // Two texts that differ in their bytes are not equivalent if both are ASCII.
        return areASCII && text.allSatisfy { $0 < 0x80 } ? KeyPlan.missing : nil
    }

    private func isKey(at position: Int, _ name: String) -> Bool { index.string(index.tape[position]) == name }

    /// The numbers of the members, by their converted names; of equal names, the first one's.
    private var membersByName: [String: Int] {
        if namesPosition == position { return names }
        names.removeAll(keepingCapacity: true)
        for (number, name) in memberNames.enumerated() where names[name] == nil { names[name] = number }
        namesPosition = position
        return names
    }

    /// The names of all members, in the order of the body.
    var memberNames: [String] {
        let decoder = decoder
        return JSONNode(index: index, position: position).members.map { context.name(of: $0.key, in: decoder) }
    }

    /// All names, each once.
    var uniqueNames: [String] {
        guard context.convertsKeys else { return memberNames }
        return membersByName.sorted { $0.value < $1.value }.map(\.key)
    }

    /// Returns the position of the value of the member with this number, which is mostly one of the next members.
    @inline(__always)
    private func value(ofMember number: Int) -> Int {
        if number < next || values != nil { go(to: number) }
        while next < number {
            member &+= 1 &+ index.tape[member &+ 1].width
            next &+= 1
        }
        let value = member &+ 1
        member = value &+ index.tape[value].width
        next = number &+ 1
        return value
    }

    /// Moves to a member with the help of the recorded positions.
    @inline(never)
    private func go(to number: Int) {
        let count = index.members(at: position)
        if plan == nil, count < Self.wideObject {
            // This is the first object of its kind: allocating memory for positions would take longer than walking.
            if number < next { (member, next) = (position &+ 2, 0) }
            return
        }
        if count > capacity {
            values?.deallocate()
            values = .allocate(capacity: count &* 2)
            (capacity, known, end) = (count &* 2, 0, position &+ 2)
        }
        guard let values else { return }
        while known <= number {
            values[known] = Int32(truncatingIfNeeded: end)
            end = end &+ 1 &+ index.tape[end &+ 1].width
            known &+= 1
        }
        (member, next) = (Int(values[number]), number)
    }
}
