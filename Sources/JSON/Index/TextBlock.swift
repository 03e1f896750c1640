/// Sixteen bytes of text.
///
/// It calculates with all of them at once. (The comparisons of Swift's vectors are not used: they are loops.)
struct TextBlock {
    static let size = 16

    private let bytes: SIMD16<UInt8>

    @inline(__always)
    init(_ start: UnsafePointer<UInt8>) {
        bytes = UnsafeRawPointer(start).loadUnaligned(as: SIMD16<UInt8>.self)
    }

    /// The bytes that end a run of plain text in a string have their high bit set: quotes, backslashes, control characters, and
    /// bytes that are not ASCII unless these are accepted.
    @inline(__always)
    private func ends(acceptsUnicode: Bool) -> SIMD16<UInt8> {
        // Subtraction sets the high bit of an ASCII byte only if the byte is less than what is subtracted.
        let quotes = (bytes ^ SIMD16(repeating: UInt8(ascii: "\""))) &- SIMD16(repeating: 1)
        let backslashes = (bytes ^ SIMD16(repeating: UInt8(ascii: "\\"))) &- SIMD16(repeating: 1)
        let controls = bytes &- SIMD16(repeating: 0x20)
        let unicode = bytes & SIMD16(repeating: acceptsUnicode ? 0 : 0x80)
        return ((quotes | backslashes | controls) & ~bytes | unicode) & SIMD16(repeating: 0x80)
    }

    /// Returns the number of bytes before the first one that ends a run of plain text in a string; 16 if there is none.
    @inline(__always)
    func plainCount(acceptsUnicode: Bool) -> Int { Self.firstHighBit(ends(acceptsUnicode: acceptsUnicode)) }

    /// Returns the number of bytes before the first one that ends a run of plain text, in two blocks; 32 if there is none.
    @inline(__always)
    static func plainCount(_ first: TextBlock, _ second: TextBlock, acceptsUnicode: Bool) -> Int {
        let (a, b) = (first.ends(acceptsUnicode: acceptsUnicode), second.ends(acceptsUnicode: acceptsUnicode))
        let words = unsafeBitCast(a | b, to: SIMD2<UInt64>.self)
        if words[0] | words[1] == 0 { return 2 &* size }
        let count = firstHighBit(a)
        return count < size ? count : size &+ firstHighBit(b)
    }

    /// The number of the first byte whose high bit is set; 16 if there is none.
    @inline(__always)
    private static func firstHighBit(_ bytes: SIMD16<UInt8>) -> Int {
        let words = unsafeBitCast(bytes, to: SIMD2<UInt64>.self)
        if words[0] != 0 { return words[0].littleEndian.trailingZeroBitCount &>> 3 }
        return 8 &+ words[1].littleEndian.trailingZeroBitCount &>> 3
    }
}
