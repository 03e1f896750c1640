/// The shapes of a body's objects: the sequences of their keys. Objects with the same keys in the same order share one.
///
/// A shape is checked for duplicate keys only when it is first met.
struct JSONShapes {
    /// From this number of members on, the keys are looked up in a set instead of one by one.
    private static let wideObject = 64
    /// Up to this number of members, comparing each key with each takes less time than hashing them.
    private static let narrowObject = 16
    /// The greatest number of places that are searched; after that, the object gets a shape of its own.
    private static let maximumProbes = 8

    /// The position of an object of each shape by the hash of its keys. Object 0 marks a free place. The root also has
    /// position 0, so its place stays free, which does no harm, as it is not an element of a list.
    private var table: [(hash: UInt64, object: Int32, shape: UInt32)] = []
    /// The number of shapes in the bodies before this one, and in all. The numbers of shapes begin with 1.
    private let before: UInt32
    private(set) var total: UInt32
    private var count: UInt32 { total &- before }
    /// The position of the object of the first shape. Small bodies have no other, and need neither hashes nor a table.
    private var first = 0
    private var hashes: [UInt64] = []

    /// The shapes of a body.
    ///
    /// - Parameter before: The number of shapes that objects of other bodies have, which are not known here.
    init(after before: UInt32) { (self.before, total) = (before, before) }

    /// The shape of an object whose members are at the end of the tape.
    mutating func shape(
        ofObjectAt object: Int, count members: Int, tape: JSONTape, bytes: UnsafePointer<UInt8>
    ) throws(JSONFault) -> UInt32 {
        if count == 0, members <= Self.narrowObject, hasPlainUniqueKeys(object, tape, bytes) {
            return add(first: object)
        }
        if count > 0, haveSameKeys(object, first, tape, bytes) { return before &+ 1 }
        hashes.removeAll(keepingCapacity: true)
        hashes.reserveCapacity(members)
        var (hash, isPlain) = (UInt64(members), true)
        var key = object + 2
        while key < tape.count {
            let token = tape[key]
            if token.kind != .asciiString { isPlain = false }
            let keyHash = Self.hash(bytes + token.offset, count: token.payload)
            hashes.append(keyHash)
            hash = (hash ^ keyHash) &* Self.factor
            hash ^= hash &>> 29
            key += 1 + tape[key + 1].width
        }
        if count == 0 {
            try checkUniqueness(ofObjectAt: object, isPlain: isPlain, tape: tape, bytes: bytes)
            return add(first: object)
        }
        if table.isEmpty { table = Array(repeating: (0, 0, 0), count: 64) }
        if Int(count) * 2 > table.count { grow() }
        var free: Int?
        for probe in 0..<Self.maximumProbes {
            let place = Int(truncatingIfNeeded: hash &+ UInt64(probe)) & (table.count - 1)
            let entry = table[place]
            guard entry.object != 0 else {
                free = place
                break
            }
            if entry.hash == hash, haveSameKeys(object, Int(entry.object), tape, bytes) { return entry.shape }
        }
        try checkUniqueness(ofObjectAt: object, isPlain: isPlain, tape: tape, bytes: bytes)
        total += 1
        if let free { table[free] = (hash, Int32(object), total) }
        return total
    }

    private mutating func add(first object: Int) -> UInt32 {
        (total, first) = (before &+ 1, object)
        return total
    }

    private mutating func grow() {
        let entries = table
        table = Array(repeating: (0, 0, 0), count: entries.count * 4)
        for entry in entries where entry.object != 0 {
            for probe in 0..<Self.maximumProbes {
                let place = Int(truncatingIfNeeded: entry.hash &+ UInt64(probe)) & (table.count - 1)
                if table[place].object == 0 {
                    table[place] = entry
                    break
                }
            }
        }
    }

    /// Returns whether two objects have the same keys in the same order. The second object has ended; the first is at
    /// the end of the tape.
    private func haveSameKeys(_ object: Int, _ other: Int, _ tape: JSONTape, _ bytes: UnsafePointer<UInt8>) -> Bool {
        var (a, b) = (object + 2, other + 2)
        let end = other + tape[other].payload
        while a < tape.count, b < end {
            let (first, second) = (tape[a], tape[b])
            guard first.kind == second.kind, first.payload == second.payload,
                SWAR.areEqual(bytes + first.offset, bytes + second.offset, count: first.payload)
            else { return false }
            a += 1 + tape[a + 1].width
            b += 1 + tape[b + 1].width
        }
        return a >= tape.count && b >= end
    }

    // MARK: - Keys that stand twice

    /// Returns true if the keys of the object at the end of the tape are ASCII without escapes, and no two are equal.
    private func hasPlainUniqueKeys(_ object: Int, _ tape: JSONTape, _ bytes: UnsafePointer<UInt8>) -> Bool {
        // A bit for each key met, by its length and its ends. Keys are compared only if they have the same bit.
        var met: UInt64 = 0
        var key = object + 2
        while key < tape.count {
            let token = tape[key]
            guard token.kind == .asciiString else { return false }
            // The ends of an empty key are its quotes.
            let ends = Int(bytes[token.offset]) &+ 5 &* Int(bytes[token.offset &+ token.payload &- 1])
            let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: ends &+ 11 &* token.payload)
            var other = met & bit == 0 ? key : object + 2
            met |= bit
            while other < key {
                if tape[other].word &>> 32 == token.word &>> 32,
                    SWAR.areEqual(bytes + tape[other].offset, bytes + token.offset, count: token.payload)
                {
                    return false
                }
                other += 1 + tape[other + 1].width
            }
            key += 1 + tape[key + 1].width
        }
        return true
    }

    private func checkUniqueness(
        ofObjectAt object: Int, isPlain: Bool, tape: JSONTape, bytes: UnsafePointer<UInt8>
    ) throws(JSONFault) {
        if hashes.count < 2, isPlain { return }
        if isPlain, hashes.count < Self.wideObject, !hasEqualHashes { return }
        var keys: Set<String> = []
        keys.reserveCapacity(hashes.count)
        var key = object + 2
        while key < tape.count {
            let token = tape[key]
            guard let name = JSONText.string(token, bytes) else {
                throw JSONFault("A key holds half of a surrogate pair.", at: token.offset - 1)
            }
            // Two strings are equal if they are canonically equivalent, which is how a dictionary would look the keys up.
            guard keys.insert(name).inserted else {
                let text = UnsafeBufferPointer(start: bytes + token.offset, count: token.payload)
                throw JSONFault(
                    "The key \"\(String(decoding: text, as: UTF8.self))\" stands twice in one object.",
                    at: token.offset - 1)
            }
            key += 1 + tape[key + 1].width
        }
    }

    private var hasEqualHashes: Bool {
        // A bit for each hash met. Hashes are compared only if they have the same bit.
        var met: UInt64 = 0
        for (index, hash) in hashes.enumerated() {
            let bit: UInt64 = 1 &<< (hash & 63)
            if met & bit != 0 {
                for other in hashes[..<index] where other == hash { return true }
            }
            met |= bit
        }
        return false
    }

    /// Random in each process, so that an attacker cannot choose keys whose hashes are equal.
    private static let factor = UInt64.random(in: .min ... .max) | 1

    private static func hash(_ bytes: UnsafePointer<UInt8>, count: Int) -> UInt64 {
        var hash = UInt64(count) &* factor
        var offset = 0
        while offset + 8 <= count {
            hash = (hash ^ SWAR.load(bytes, offset)) &* factor
            hash ^= hash &>> 32
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < count {
            rest = rest &<< 8 | UInt64(bytes[offset])
            offset += 1
        }
        hash = (hash ^ rest) &* factor
        return hash ^ hash &>> 32
    }
}
