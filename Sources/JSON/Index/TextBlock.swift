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
        // Subtraction sets the high bit of an ASCII byte only if the byte is less than what is subtracted.
        let quotes = (bytes ^ Self.every(UInt8(ascii: "\""))) &- Self.every(1)
        let backslashes = (bytes ^ Self.every(UInt8(ascii: "\\"))) &- Self.every(1)
        let controls = bytes &- Self.every(0x20)
        let unicode = bytes & Self.every(acceptsUnicode ? 0 : 0x80)
        return ((quotes | backslashes | controls) & ~bytes | unicode) & Self.every(0x80)
    }

    /// Returns the number of bytes before the first one that ends a run of plain text in a string; `size` if there is none.
    @inline(__always)
    func plainCount(acceptsUnicode: Bool) -> Int { Self.firstHighBit(ends(acceptsUnicode: acceptsUnicode)) }

    /// Returns the number of bytes before the first one that ends a run of plain text, in two blocks; twice `size` if there is none.
    @inline(__always)
    static func plainCount(_ first: TextBlock, _ second: TextBlock, acceptsUnicode: Bool) -> Int {
        let (a, b) = (first.ends(acceptsUnicode: acceptsUnicode), second.ends(acceptsUnicode: acceptsUnicode))
        #if arch(x86_64) && !DEBUG
        return (highBits(a) | highBits(b) &<< 16 | 1 &<< 32).trailingZeroBitCount
        #else
        #if !DEBUG
        let words = unsafeBitCast(a | b, to: SIMD2<UInt64>.self)
        if words[0] | words[1] == 0 { return 2 &* size }
        #endif
        let count = firstHighBit(a)
        return count < size ? count : size &+ firstHighBit(b)
        #endif
    }

    /// Returns the number of the first byte that cannot follow the three bytes before it in well-formed UTF-8 (Unicode, table 3-7);
    /// `size` if there is none. The three bytes before `start` must be readable.
    @inline(__always)
    static func utf8Fault(_ start: UnsafePointer<UInt8>) -> Int {
        let byte = TextBlock(start).bytes
        let (first, second, third) = (
            TextBlock(start - 1).bytes, TextBlock(start - 2).bytes, TextBlock(start - 3).bytes
        )
        // Only the high bit of each result counts. Adding a byte to itself moves its next bit there. Adding to the lower seven bits sets it
        // if they reach a limit.
        let byte2 = byte &+ byte
        let byte4 = byte2 &+ byte2
        // A byte continues a scalar, that is, is 10xxxxxx, if and only if a scalar that has begun needs it.
        let isSecond = first & (first &+ first)
        let isThird = second & ((second & every(0x7F)) &+ every(0x20))
        let isFourth = third & ((third & every(0x7F)) &+ every(0x10))
        var fault = (byte & ~byte2) ^ (isSecond | isThird | isFourth)
        // C0 and C1 begin overlong forms of ASCII, and F5 and more what is above U+10FFFF.
        fault |= isBelow(2, byte ^ every(0xC0))
        fault |= byte & ((byte & every(0x7F)) &+ every(0x0B))
        // The second byte excludes other overlong forms, surrogates, and the rest of what is above U+10FFFF.
        let is90 = byte4 | (byte4 &+ byte4)
        fault |= isBelow(1, first ^ every(0xE0)) & ~byte4
        fault |= isBelow(1, first ^ every(0xED)) & byte4
        fault |= isBelow(1, first ^ every(0xF0)) & ~is90
        fault |= isBelow(1, first ^ every(0xF4)) & is90
        return firstHighBit(fault & every(0x80))
    }

    /// Returns bytes whose high bit says whether a byte is below a limit.
    @inline(__always)
    private static func isBelow(_ limit: UInt8, _ byte: Bytes) -> Bytes {
        (byte &- every(limit)) & ~byte
    }

    #if arch(x86_64) && !DEBUG
    /// The high bits of sixteen bytes; that of the first byte is the lowest.
    @inline(__always)
    private static func highBits(_ bytes: SIMD16<UInt8>) -> UInt64 {
        UInt64(UInt32(bitPattern: _mm_movemask_epi8(unsafeBitCast(bytes, to: SIMD2<Int64>.self))))
    }
    #endif

    /// The number of the first byte whose high bit is set; `size` if there is none.
    @inline(__always)
    private static func firstHighBit(_ bytes: Bytes) -> Int {
        #if DEBUG
        return bytes.trailingZeroBitCount &>> 3
        #elseif arch(x86_64)
        return (highBits(bytes) | 1 &<< 16).trailingZeroBitCount
        #else
        let words = unsafeBitCast(bytes, to: SIMD2<UInt64>.self)
        if words[0] != 0 { return words[0].littleEndian.trailingZeroBitCount &>> 3 }
        return 8 &+ words[1].littleEndian.trailingZeroBitCount &>> 3
        #endif
    }
}
