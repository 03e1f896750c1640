#if arch(x86_64) && !DEBUG
internal import _Builtin_intrinsics.intel.sse2
#endif

/// Sixteen bytes of text, or eight in a debug build.
///
/// It calculates with all of them at once. (The comparisons of Swift's vectors are not used: they are loops.) Without optimization
/// everything that a vector does is a loop, and takes twenty times as long as with a word. So a debug build takes a word; the formulas
/// are the same. In a word, a subtraction or a sum can also mark a byte behind the first one that is looked for, never one before it.
struct TextBlock {
    #if DEBUG
    private typealias Bytes = UInt64
    static let size = 8
    #else
    private typealias Bytes = SIMD16<UInt8>
    static let size = 16
    #endif

    private let bytes: Bytes

    @inline(__always)
    init(_ start: UnsafePointer<UInt8>) {
        #if DEBUG
        bytes = SWAR.load(start, 0)
        #else
        bytes = UnsafeRawPointer(start).loadUnaligned(as: Bytes.self)
        #endif
    }

    @inline(__always)
    private static func every(_ byte: UInt8) -> Bytes {
        #if DEBUG
        SWAR.every(byte)
        #else
        Bytes(repeating: byte)
        #endif
    }

    /// The bytes that end a run of plain text in a string have their high bit set: quotes, backslashes, control characters, and
    /// bytes that are not ASCII unless these are accepted.
    @inline(__always)
    private func ends(acceptsUnicode: Bool) -> Bytes {
        let (quotes, backslashes) = (Self.isEqual(bytes, UInt8(ascii: "\"")), Self.isEqual(bytes, UInt8(ascii: "\\")))
        let ends = quotes | backslashes | Self.isBelow(0x20, bytes)
        return acceptsUnicode ? ends : ends | bytes
    }

    /// Returns the number of bytes before the first one that ends a run of plain text in a string; `size` if there is none.
    @inline(__always)
    func plainCount(acceptsUnicode: Bool) -> Int { Self.firstHighBit(ends(acceptsUnicode: acceptsUnicode)) }

    /// Returns the number of bytes before the first one that ends a run of plain text, in two blocks; twice `size` if there is none.
    @inline(__always)
    static func plainCount(inTwoFrom start: UnsafePointer<UInt8>, acceptsUnicode: Bool) -> Int {
        let (first, second) = (TextBlock(start), TextBlock(start + size))
        return firstHighBit(first.ends(acceptsUnicode: acceptsUnicode), second.ends(acceptsUnicode: acceptsUnicode))
    }

    /// Returns the number of the first byte, in two blocks, that cannot follow the three bytes before it in well-formed UTF-8
    /// (Unicode, table 3-7); twice `size` if there is none. The three bytes before `start` must be readable.
    @inline(__always)
    static func utf8Fault(inTwoFrom start: UnsafePointer<UInt8>) -> Int {
        firstHighBit(utf8Faults(start), utf8Faults(start + size))
    }

    @inline(__always)
    private static func utf8Faults(_ start: UnsafePointer<UInt8>) -> Bytes {
        let byte = TextBlock(start).bytes
        let (first, second, third) = (
            TextBlock(start - 1).bytes, TextBlock(start - 2).bytes, TextBlock(start - 3).bytes
        )
        // Only the high bit of each result counts. Adding a byte to itself moves its next bit there.
        let byte2 = byte &+ byte
        let byte4 = byte2 &+ byte2
        // A byte continues a scalar, that is, is 10xxxxxx, if and only if a scalar that has begun needs it.
        let isNeeded = isAtLeast(0xC0, first) | isAtLeast(0xE0, second) | isAtLeast(0xF0, third)
        var fault = (byte & ~byte2) ^ isNeeded
        // C0 and C1 begin overlong forms of ASCII, and F5 and more what is above U+10FFFF.
        fault |= isEqual(byte & every(0xFE), 0xC0)
        fault |= isAtLeast(0xF5, byte)
        // The second byte excludes other overlong forms, surrogates, and the rest of what is above U+10FFFF.
        let is90 = byte4 | (byte4 &+ byte4)
        fault |= isEqual(first, 0xE0) & ~byte4
        fault |= isEqual(first, 0xED) & byte4
        fault |= isEqual(first, 0xF0) & ~is90
        fault |= isEqual(first, 0xF4) & is90
        return fault
    }

    // MARK: - The high bit of each byte of these results says whether it holds for the byte

    /// - Parameter limit: An ASCII character.
    @inline(__always)
    private static func isBelow(_ limit: UInt8, _ bytes: Bytes) -> Bytes { (bytes &- every(limit)) & ~bytes }

    @inline(__always)
    private static func isEqual(_ bytes: Bytes, _ byte: UInt8) -> Bytes {
        #if arch(x86_64) && !DEBUG
        Bytes(_mm_cmpeq_epi8(bytes.vector, every(byte).vector))
        #else
        isBelow(1, bytes ^ every(byte))
        #endif
    }

    /// - Parameter limit: A byte that is not ASCII.
    @inline(__always)
    private static func isAtLeast(_ limit: UInt8, _ bytes: Bytes) -> Bytes {
        #if arch(x86_64) && !DEBUG
        Bytes(_mm_subs_epu8(bytes.vector, every(limit & 0x7F).vector))
        #else
        // The sum with the lower seven bits reaches the high one.
        bytes & ((bytes & every(0x7F)) &+ every(0 &- limit))
        #endif
    }

    // MARK: - The first of these bytes

    #if arch(x86_64) && !DEBUG
    /// The high bits of sixteen bytes; that of the first byte is the lowest.
    @inline(__always)
    private static func highBits(_ bytes: SIMD16<UInt8>) -> UInt64 {
        UInt64(UInt32(bitPattern: _mm_movemask_epi8(bytes.vector)))
    }
    #endif

    /// The number of the first byte, in two blocks, whose high bit is set; twice `size` if there is none.
    @inline(__always)
    private static func firstHighBit(_ a: Bytes, _ b: Bytes) -> Int {
        #if arch(x86_64) && !DEBUG
        return (highBits(a) | highBits(b) &<< 16 | 1 &<< 32).trailingZeroBitCount
        #else
        #if !DEBUG
        let words = unsafeBitCast((a | b) & every(0x80), to: SIMD2<UInt64>.self)
        if words[0] | words[1] == 0 { return 2 &* size }
        #endif
        let count = firstHighBit(a)
        return count < size ? count : size &+ firstHighBit(b)
        #endif
    }

    /// The number of the first byte whose high bit is set; `size` if there is none.
    @inline(__always)
    private static func firstHighBit(_ bytes: Bytes) -> Int {
        #if DEBUG
        return (bytes & every(0x80)).trailingZeroBitCount &>> 3
        #elseif arch(x86_64)
        return (highBits(bytes) | 1 &<< 16).trailingZeroBitCount
        #else
        let words = unsafeBitCast(bytes & every(0x80), to: SIMD2<UInt64>.self)
        if words[0] != 0 { return words[0].littleEndian.trailingZeroBitCount &>> 3 }
        return 8 &+ words[1].littleEndian.trailingZeroBitCount &>> 3
        #endif
    }
}

#if arch(x86_64) && !DEBUG
/// The type that the processor's own functions take.
extension SIMD16<UInt8> {
    @inline(__always)
    fileprivate init(_ vector: SIMD2<Int64>) { self = unsafeBitCast(vector, to: Self.self) }

    @inline(__always)
    fileprivate var vector: SIMD2<Int64> { unsafeBitCast(self, to: SIMD2<Int64>.self) }
}
#endif
