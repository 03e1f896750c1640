import Foundation

/// Bytes that grow at their end, and become `Data` without being copied.
struct ByteBuffer: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = max(capacity, 16)
        start = Self.allocate(self.capacity)
    }

    deinit { free(start) }

    /// The bytes from one offset to another.
    func withBytes<Result>(_ range: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        body(UnsafeBufferPointer(start: start + range.lowerBound, count: range.count))
    }

    /// Returns whether two ranges of the same length hold the same bytes.
    @inline(__always)
    func areEqual(_ a: Range<Int>, _ b: Range<Int>) -> Bool {
        SWAR.areEqual(start + a.lowerBound, start + b.lowerBound, count: a.count)
    }

    /// Allocates with `malloc`, since `Data` releases the memory with `free`.
    private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<UInt8> {
        guard let memory = malloc(capacity) else { preconditionFailure("There is no memory for \(capacity) bytes.") }
        return memory.bindMemory(to: UInt8.self, capacity: capacity)
    }

    /// Makes room, and returns where the next bytes go.
    @inline(__always)
    private mutating func reserve(_ additional: Int) -> UnsafeMutablePointer<UInt8> {
        if count &+ additional > capacity { grow(additional) }
        return start + count
    }

    @inline(never)
    private mutating func grow(_ additional: Int) {
        capacity = max(capacity * 2, count + additional)
        let larger = Self.allocate(capacity)
        larger.update(from: start, count: count)
        free(start)
        start = larger
    }

    // MARK: - Appending

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1).pointee = byte
        count &+= 1
    }

    @inline(__always)
    mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    @inline(__always)
    mutating func append(contentsOf bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else { return }
        reserve(bytes.count).update(from: start, count: bytes.count)
        count &+= bytes.count
    }

    mutating func append(contentsOf bytes: [UInt8]) { bytes.withUnsafeBufferPointer { append(contentsOf: $0) } }

    /// Appends a string in quotes, escaped; returns whether it is only ASCII.
    @discardableResult
    mutating func appendString(_ string: String, escapesSlashes: Bool) -> Bool {
        var string = string
        return string.withUTF8 { text in
            append(UInt8(ascii: "\""))
            let isASCII = appendEscaped(text, escapesSlashes: escapesSlashes)
            append(UInt8(ascii: "\""))
            return isASCII
        }
    }

    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>, escapesSlashes: Bool) -> Bool {
        guard let start = text.baseAddress else { return true }
        let slash: UInt64 = escapesSlashes ? SWAR.every(UInt8(ascii: "/")) : SWAR.every(UInt8(ascii: "\""))
        var (mark, i) = (0, 0)
        var highBits: UInt64 = 0
        while i < text.count {
            // Eight bytes at a time over what needs no escape.
            while i &+ 8 <= text.count {
                let word = SWAR.load(start, i)
                let found = SWAR.stringEnds(word) | SWAR.zeros(word ^ slash)
                guard found == 0 else {
                    let length = found.trailingZeroBitCount &>> 3
                    highBits |= word & ~(~0 &<< (8 &* UInt64(length)))
                    i &+= length
                    break
                }
                highBits |= word
                i &+= 8
            }
            guard i < text.count else { break }
            let byte = text[i]
            highBits |= UInt64(byte)
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
                || byte == UInt8(ascii: "/") && escapesSlashes
            {
                append(contentsOf: UnsafeBufferPointer(start: start + mark, count: i &- mark))
                appendEscape(byte)
                mark = i &+ 1
            }
            i &+= 1
        }
        append(contentsOf: UnsafeBufferPointer(start: start + mark, count: text.count &- mark))
        return highBits & SWAR.highBits == 0
    }

    private mutating func appendEscape(_ byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: append(UInt8(ascii: "b"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0C: append(UInt8(ascii: "f"))
        case 0x0D: append(UInt8(ascii: "r"))
        case 0..<0x20:
            append(byte < 0x10 ? "u000" : "u001")
            let digit = byte & 0xF
            append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        default: append(byte)
        }
    }

    /// Appends the digits of an integer.
    @inline(__always)
    mutating func appendInteger(_ value: some BinaryInteger) {
        if let small = Int64(exactly: value) {
            appendDigits(small)
        } else {
            append(contentsOf: Array(value.description.utf8))
        }
    }

    mutating func appendDigits(_ value: Int64) {
        // 19 digits and a sign at most.
        let start = reserve(20)
        var rest = value.magnitude
        var digits = 1
        var bound: UInt64 = 10
        while digits < 19, rest >= bound {
            digits &+= 1
            bound = bound &* 10
        }
        let sign = value < 0 ? 1 : 0
        if sign == 1 { start[0] = UInt8(ascii: "-") }
        var place = digits &+ sign
        while place > sign {
            place &-= 1
            start[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count &+= digits &+ sign
    }

    /// Appends the shortest digits that read back as the same value, without ".0" at the end.
    mutating func appendFloat(_ value: some BinaryFloatingPoint & CustomStringConvertible) {
        var text = value.description
        text.withUTF8 { text in
            let isWhole =
                text.count > 2 && text[text.count - 2] == UInt8(ascii: ".") && text[text.count - 1] == UInt8(ascii: "0")
            append(contentsOf: UnsafeBufferPointer(rebasing: isWhole ? text.dropLast(2) : text[...]))
        }
    }

    // MARK: - Taking

    /// Returns the bytes as `Data`, which takes over the memory.
    consuming func data() -> Data {
        let data = Data(bytesNoCopy: start, count: count, deallocator: .free)
        discard self
        return data
    }
}
