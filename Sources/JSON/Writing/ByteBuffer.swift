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
        append(UInt8(ascii: "\""))
        // `withUTF8` would need a copy, which is retained and released.
        var isASCII = string.utf8.withContiguousStorageIfAvailable { appendEscaped($0, escapesSlashes: escapesSlashes) }
        if isASCII == nil {
            var copy = string
            isASCII = copy.withUTF8 { appendEscaped($0, escapesSlashes: escapesSlashes) }
        }
        append(UInt8(ascii: "\""))
        return isASCII ?? false
    }

    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>, escapesSlashes: Bool) -> Bool {
        guard let source = text.baseAddress else { return true }
        // A quote needs an escape anyway.
        let slash = SWAR.every(escapesSlashes ? UInt8(ascii: "/") : UInt8(ascii: "\""))
        var (read, bits) = (0, 0 as UInt64)
        while true {
            let rest = text.count &- read
            let plain = Self.copyPlain(from: source + read, to: reserve(rest &+ 8), rest, slash, &bits)
            count &+= plain
            read &+= plain
            guard read < text.count else { break }
            appendEscape(text[read])
            read &+= 1
        }
        return bits & SWAR.highBits == 0
    }

    /// Copies the bytes before the first one that needs an escape, and returns their number.
    ///
    /// - Parameters:
    ///   - target: The place of at least eight bytes more than `count`.
    ///   - count: The number of bytes at `source`.
    ///   - bits: Gets all bits of the bytes that are read.
    @inline(__always)
    private static func copyPlain(
        from source: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>, _ count: Int, _ slash: UInt64,
        _ bits: inout UInt64
    ) -> Int {
        /// Stores eight bytes, and returns the number of the first one that needs an escape; 8 if there is none.
        @inline(__always)
        func store(_ word: UInt64, _ offset: Int) -> Int {
            // The bytes from the one that needs an escape on are overwritten later.
            SWAR.store(word, target, offset)
            bits |= word
            return (SWAR.stringEnds(word) | SWAR.zeros(word ^ slash)).trailingZeroBitCount &>> 3
        }
        // The zeros after a short text look like control characters, and so end it.
        if count < 8 { return store(SWAR.loadShort(source, count: count), 0) }
        var p = 0
        while p &+ 8 < count {
            let plain = store(SWAR.load(source, p), p)
            if plain < 8 { return p &+ plain }
            p &+= 8
        }
        // The last word overlaps the one before it, so that no single bytes are left over.
        return count &- 8 &+ store(SWAR.load(source, count &- 8), count &- 8)
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
        let sign = value < 0 ? 1 : 0
        if sign == 1 { start[0] = UInt8(ascii: "-") }
        if rest < 100_000_000 {
            count &+= sign &+ Self.storeDigits(rest, start + sign)
            return
        }
        var digits = 9
        var bound: UInt64 = 1_000_000_000
        while digits < 19, rest >= bound {
            digits &+= 1
            bound = bound &* 10
        }
        var place = digits &+ sign
        while place > sign {
            place &-= 1
            start[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count &+= digits &+ sign
    }

    /// Stores the digits of a number below 100,000,000, and returns how many they are. Eight bytes are written.
    @inline(__always)
    private static func storeDigits(_ value: UInt64, _ target: UnsafeMutablePointer<UInt8>) -> Int {
        let digits = SWAR.digits(value)
        let zeros = min(digits.trailingZeroBitCount &>> 3, 7)
        SWAR.store((digits | SWAR.every(UInt8(ascii: "0"))) &>> UInt64(8 &* zeros), target, 0)
        return 8 &- zeros
    }

    /// Appends the shortest digits that read back as the same value, without ".0" at the end.
    mutating func appendFloat(_ value: Double) {
        if !appendDecimal(value) { appendDescription(value) }
    }

    /// Appends the shortest digits that read back as the same value, without ".0" at the end.
    mutating func appendFloat(_ value: some BinaryFloatingPoint & CustomStringConvertible) { appendDescription(value) }

    /// Appends a number that has at most eight decimals and at most seven digits before them; returns false for any other one.
    ///
    /// Two numbers of at most 15 digits never have the same nearest `Double`. So if such a number reads back as the value, no
    /// other one of so few digits does, and its digits are the shortest. It does if dividing gives the value, since both
    /// operands are exact, and the quotient is rounded once.
    @inline(__always)
    private mutating func appendDecimal(_ value: Double) -> Bool {
        // The standard library writes smaller numbers with an exponent, and the sign of zero.
        guard value.magnitude >= 0.001 || value.bitPattern == 0, value.magnitude < 10_000_000 else { return false }
        let scaled = (value.magnitude * 100_000_000).rounded()
        guard scaled / 100_000_000 == value.magnitude else { return false }
        let (whole, decimals) = UInt64(scaled).quotientAndRemainder(dividingBy: 100_000_000)
        // A sign, eight bytes for each half of the digits, and a point.
        var end = reserve(18)
        let start = end
        if value < 0 {
            end[0] = UInt8(ascii: "-")
            end += 1
        }
        end += Self.storeDigits(whole, end)
        if decimals > 0 {
            let digits = SWAR.digits(decimals)
            end[0] = UInt8(ascii: ".")
            SWAR.store(digits | SWAR.every(UInt8(ascii: "0")), end + 1, 0)
            // Without the zeros at the end.
            end += 9 &- digits.leadingZeroBitCount &>> 3
        }
        count &+= end - start
        return true
    }

    private mutating func appendDescription(_ value: some BinaryFloatingPoint & CustomStringConvertible) {
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
