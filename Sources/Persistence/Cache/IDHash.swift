/// Hashes the ids of entities. Most are short ASCII text, which the standard library takes about 200 instructions to hash.
@usableFromInline
enum IDHash {
    // Random, so that nobody can choose ids that all have one hash.
    private static let seed = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))

    /// The hash of an id; equal ids have equal hashes in one process.
    @inlinable
    static func hash<ID: Hashable>(_ id: ID) -> Int {
        ID.self == String.self ? hash(ofText: unsafeBitCast(id, to: String.self)) : id.hashValue
    }

    @usableFromInline
    static func hash(ofText text: String) -> Int {
        var text = text
        if let hash = text.withUTF8(hash(ofASCII:)) { return hash }
        // Text that is not ASCII can equal ASCII text: the sign for kelvin is a K.
        text = text.precomposed
        return text.withUTF8(hash(ofASCII:)) ?? text.hashValue
    }

    /// Returns the hash of a text; nil if it is not ASCII.
    private static func hash(ofASCII text: UnsafeBufferPointer<UInt8>) -> Int? {
        var hash = seed.0 ^ UInt64(text.count)
        var bits: UInt64 = 0
        var rest = UnsafeRawBufferPointer(text)
        while rest.count >= 8 {
            let word = rest.loadUnaligned(as: UInt64.self)
            bits |= word
            hash = folded(hash ^ word, seed.1)
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(8))
        }
        var last: UInt64 = 0
        for byte in rest { last = last << 8 | UInt64(byte) }
        bits |= last
        guard bits & 0x8080_8080_8080_8080 == 0 else { return nil }
        return Int(truncatingIfNeeded: folded(folded(hash ^ last, seed.1), seed.0))
    }

    /// Both halves of a product, so that each bit of the result depends on all bits of both factors.
    @inline(__always)
    private static func folded(_ first: UInt64, _ second: UInt64) -> UInt64 {
        let product = first.multipliedFullWidth(by: second)
        return product.high ^ product.low
    }
}
