import Foundation

/// An index of a JSON body: where each value begins and of which kind it is, found in one pass over the bytes.
///
/// ```swift
/// let names = try JSONIndex.read(body) { root in
///     root["cities"]?.elements.compactMap { $0["name"]?.string } ?? []
/// }
/// ```
///
/// It accepts what RFC 8259 allows and nothing else, in UTF-8. A ``JSONFault`` says what is wrong and where; see
/// ``StrictJSONDecoder`` for what is refused. Strings and numbers are only decoded when they are asked for.
public final class JSONIndex {
    /// The body. It is the caller's memory while ``read(_:_:)`` runs, and a copy afterwards.
    private(set) var bytes: UnsafePointer<UInt8>
    /// Only ever replaced as a whole: if it were changed in its place, each access would be checked for exclusivity.
    private(set) var tape: JSONTape
    private var keys = JSONKeyTree()
    private var count = 0
    private var copy: UnsafeMutablePointer<UInt8>?

    /// The address of no bytes; none are read there.
    private static var nowhere: UnsafePointer<UInt8> { UnsafePointer(bitPattern: 1).unsafelyUnwrapped }

    /// An index of nothing.
    init() {
        bytes = Self.nowhere
        tape = JSONTape(bodySize: 0)
    }

    /// Makes this the index of a body.
    func scan(_ body: UnsafeBufferPointer<UInt8>) throws(JSONFault) {
        // An empty buffer may have no address.
        (bytes, count) = (body.baseAddress ?? Self.nowhere, body.count)
        var scanner = JSONScanner(bytes, count: count, tape.cleared(bodySize: count), keys)
        defer { (tape, keys) = (scanner.tape, scanner.keys) }
        try scanner.scan()
    }

    /// Lets go of the body. Returns true if the shapes of its objects keep their numbers in the next body.
    func clear() -> Bool {
        (bytes, count) = (Self.nowhere, 0)
        tape = tape.shrunk()
        if keys.isWorthKeeping { return true }
        keys.deallocate()
        keys = JSONKeyTree()
        return false
    }

    deinit {
        tape.deallocate()
        keys.deallocate()
        copy?.deallocate()
    }

    /// Makes the index of a body and calls a function with its value.
    ///
    /// Nodes may be kept for longer than the call; the body is then copied.
    public static func read<Result>(_ body: Data, _ read: (JSONNode) throws -> Result) throws -> Result {
        try body.withUnsafeBytes { raw in
            var index = free.take() ?? JSONIndex()
            defer { giveBack(&index) }
            try index.scan(raw.bindMemory(to: UInt8.self))
            return try read(JSONNode(index: index, position: 0))
        }
    }

    /// Indexes that are free to be used again, with their memory and the keys that they know.
    private static let free = FreeObjects<JSONIndex>()

    /// Takes an index back for reuse, unless a node was kept: that may read the bytes after the caller's memory is freed.
    private static func giveBack(_ index: inout JSONIndex) {
        guard isKnownUniquelyReferenced(&index) else { return index.copyBytes() }
        _ = index.clear()
        free.put(index)
    }

    /// Makes the index independent of the caller's memory.
    func copyBytes() {
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: max(count, 1))
        copy.update(from: bytes, count: count)
        self.copy = copy
        bytes = UnsafePointer(copy)
    }

    /// The number of elements or members of the container at a position.
    @inline(__always)
    func members(at position: Int) -> Int { Int(truncatingIfNeeded: tape.words[position &+ 1] & 0xFFFF_FFFF) }

    @inline(__always)
    func shape(at position: Int) -> UInt32 { UInt32(truncatingIfNeeded: tape.words[position &+ 1] &>> 32) }

    /// Returns the string of a string token; `nil` if it holds half of a surrogate pair.
    @inline(__always)
    func string(_ token: JSONToken) -> String? { JSONText.string(token, bytes) }

    /// The text of a number or string, as it stands in the body.
    func text(_ token: JSONToken) -> String {
        switch token.kind {
        case .smallInteger: "\(token.payload)"
        case .negativeInteger: "-\(token.payload)"
        default:
            String(decoding: UnsafeBufferPointer(start: bytes + token.offset, count: token.payload), as: UTF8.self)
        }
    }
}
