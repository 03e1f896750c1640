import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A quick look over the bytes for what `JSONDecoder` would let pass: a byte order mark, another encoding than UTF-8,
/// invalid UTF-8 in parts that nobody reads, and a key that stands twice in one object, of which `JSONDecoder` would
/// silently drop one.
///
/// It does not say that the bytes are JSON: that is the decoder's work. It costs about three percent of it.
struct JSONCheck {
    /// The first fault found, or `nil`.
    static func fault(in data: Data) -> JSONFault? {
        data.withContiguousBytes { bytes in
            if bytes.isEmpty { return JSONFault("The body is empty.") }
            if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
                return JSONFault("The body begins with a byte order mark, which JSON does not allow.")
            }
            if bytes.prefix(4).contains(0) || bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
                return JSONFault("The body is not UTF-8 (it looks like UTF-16 or UTF-32).")
            }
            var check = JSONCheck(bytes: bytes)
            defer { check.deallocate() }
            if let fault = check.run() { return fault }
            guard check.highBits & 0x8080_8080_8080_8080 != 0 else { return nil }
            return String(validating: bytes, as: UTF8.self) == nil ? JSONFault("The body is not valid UTF-8.") : nil
        }
    }

    // MARK: - Machinery

    /// From this number of keys on, an object's keys are looked up in a set instead of one by one.
    private static let wideObject = 16

    /// That byte eight times.
    @inline(__always)
    private static func every(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

    private struct Key: Hashable {
        let hash: UInt64
        let bytes: UnsafeRawBufferPointer

        static func == (a: Key, b: Key) -> Bool {
            guard a.hash == b.hash, a.bytes.count == b.bytes.count else { return false }
            guard let first = a.bytes.baseAddress, let second = b.bytes.baseAddress else { return true }
            return memcmp(first, second, a.bytes.count) == 0
        }

        func hash(into hasher: inout Hasher) { hasher.combine(bytes: bytes) }
    }

    private struct Container {
        let isObject: Bool
        let firstKey: Int
        /// One bit for each hash seen modulo 64: a key whose bit is not set is new, without a look at the others.
        var seen: UInt64 = 0
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    /// All bytes inside strings, or-ed: says whether any is not ASCII. (Outside of strings, the decoder refuses those.)
    private var highBits: UInt64 = 0
    private var containers = Stack<Container>(capacity: 32)
    private var keys = Stack<Key>(capacity: 64)
    private var wide: [(depth: Int, keys: Set<Key>)] = []
    private var unescaped: [UnsafeMutableRawBufferPointer] = []

    private init(bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    private mutating func run() -> JSONFault? {
        let raw = UnsafeRawBufferPointer(bytes)
        let count = bytes.count
        var highBits: UInt64 = 0
        defer { self.highBits = highBits }
        var expectsKey = false
        var i = 0
        while i < count {
            switch raw[i] {
            case UInt8(ascii: "\""):
                let start = i &+ 1
                let (end, hasEscape) = endOfString(from: start, in: raw, &highBits)
                i = end
                if expectsKey {
                    expectsKey = false
                    let key = UnsafeRawBufferPointer(rebasing: raw[start..<end])
                    if !insert(hasEscape ? unescape(key) : key) {
                        let name = String(decoding: key, as: UTF8.self)
                        return JSONFault("The key \"\(name)\" stands twice in one object.", at: start - 1)
                    }
                }
            case UInt8(ascii: "{"):
                containers.append(Container(isObject: true, firstKey: keys.count))
                expectsKey = true
            case UInt8(ascii: "["):
                containers.append(Container(isObject: false, firstKey: keys.count))
                expectsKey = false
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if containers.count > 0 {
                    keys.count = containers[containers.count &- 1].firstKey
                    containers.count &-= 1
                    if !wide.isEmpty, wide.last?.depth == containers.count { wide.removeLast() }
                }
                expectsKey = false
            case UInt8(ascii: ","):
                expectsKey = containers.count > 0 && containers[containers.count &- 1].isObject
            default:
                // Over numbers, literals and white space, straight to the next byte that matters.
                while i &+ 9 <= count {
                    let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: i &+ 1, as: UInt64.self))
                    let lowercased = word | Self.every(0x20)
                    let found =
                        zeroBytes(word ^ Self.every(UInt8(ascii: "\"")))
                        | zeroBytes(word ^ Self.every(UInt8(ascii: ",")))
                        | zeroBytes(lowercased ^ Self.every(UInt8(ascii: "{")))
                        | zeroBytes(lowercased ^ Self.every(UInt8(ascii: "}")))
                    guard found == 0 else {
                        i &+= found.trailingZeroBitCount / 8
                        break
                    }
                    i &+= 8
                }
            }
            i &+= 1
        }
        return nil
    }

    /// The index of the closing quote (or of the end), looked for eight bytes at a time, and whether a backslash was passed.
    @inline(__always)
    private func endOfString(
        from start: Int, in raw: UnsafeRawBufferPointer, _ highBits: inout UInt64
    ) -> (end: Int, hasEscape: Bool) {
        let count = raw.count
        var i = start
        var hasEscape = false
        while true {
            while i &+ 8 <= count {
                let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: i, as: UInt64.self))
                highBits |= word
                let found =
                    zeroBytes(word ^ Self.every(UInt8(ascii: "\""))) | zeroBytes(word ^ Self.every(UInt8(ascii: "\\")))
                if found == 0 {
                    i &+= 8
                } else {
                    i &+= found.trailingZeroBitCount / 8
                    break
                }
            }
            while i < count, raw[i] != UInt8(ascii: "\""), raw[i] != UInt8(ascii: "\\") {
                highBits |= UInt64(raw[i])
                i &+= 1
            }
            guard i < count, raw[i] == UInt8(ascii: "\\") else { return (min(i, count), hasEscape) }
            hasEscape = true
            i &+= 2
        }
    }

    /// The high bit of each byte that is zero. A carry can mark a byte above the first zero, never below.
    @inline(__always)
    private func zeroBytes(_ word: UInt64) -> UInt64 {
        (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
    }

    /// False when the object already has that key.
    private mutating func insert(_ raw: UnsafeRawBufferPointer) -> Bool {
        let depth = containers.count - 1
        guard depth >= 0 else { return true }
        let object = containers[depth]
        let key = Key(hash: hash(raw), bytes: raw)
        let bit = 1 &<< (key.hash &>> 58)
        if object.seen & bit == 0, keys.count &- object.firstKey < Self.wideObject {
            containers[depth].seen |= bit
            keys.append(key)
            return true
        }
        if wide.last?.depth == depth {
            guard wide[wide.count - 1].keys.insert(key).inserted else { return false }
        } else {
            let others = object.firstKey..<keys.count
            for other in others where keys[other] == key { return false }
            if others.count == Self.wideObject { wide.append((depth, Set(others.map { keys[$0] }).union([key]))) }
        }
        keys.append(key)
        return true
    }

    @inline(__always)
    private func hash(_ raw: UnsafeRawBufferPointer) -> UInt64 {
        var hash = UInt64(raw.count)
        var i = 0
        while i &+ 8 <= raw.count {
            hash = (hash ^ raw.loadUnaligned(fromByteOffset: i, as: UInt64.self)) &* 0x9E37_79B9_7F4A_7C15
            i &+= 8
        }
        while i < raw.count {
            hash = (hash ^ UInt64(raw[i])) &* 0x0000_0100_0000_01B3
            i &+= 1
        }
        return hash
    }

    private mutating func deallocate() {
        unescaped.forEach { $0.deallocate() }
        containers.deallocate()
        keys.deallocate()
    }

    /// The key as the decoder reads it, so that `"a"` and `"\u0061"` are one key.
    private mutating func unescape(_ raw: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let quoted = Data("\"".utf8) + Data(raw) + Data("\"".utf8)
        guard let text = try? JSONDecoder().decode(String.self, from: quoted) else { return raw }
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: text.utf8.count, alignment: 1)
        copy.copyBytes(from: text.utf8)
        unescaped.append(copy)
        return UnsafeRawBufferPointer(copy)
    }
}

/// A stack without the checks that an array makes at every step; for machinery that visits each byte of a body.
private struct Stack<Element: BitwiseCopyable> {
    var count = 0
    private var capacity: Int
    private var elements: UnsafeMutablePointer<Element>

    init(capacity: Int) {
        self.capacity = capacity
        elements = .allocate(capacity: capacity)
    }

    func deallocate() { elements.deallocate() }

    /// The element at an index below `count`.
    subscript(index: Int) -> Element {
        @inline(__always) get { elements[index] }
        @inline(__always) nonmutating set { elements[index] = newValue }
    }

    @inline(__always)
    mutating func append(_ element: Element) {
        if count == capacity { grow() }
        (elements + count).initialize(to: element)
        count &+= 1
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: elements, count: count)
        elements.deallocate()
        (elements, capacity) = (larger, capacity * 2)
    }
}
