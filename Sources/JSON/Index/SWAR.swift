/// Arithmetic on eight bytes at once. The first byte of the text is the lowest of the word.
enum SWAR {
    @inline(__always)
    static func every(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

    static var highBits: UInt64 {
        @inline(__always) get { 0x8080_8080_8080_8080 }
    }

    /// Returns the high bit of each byte that is zero. A borrow can also mark a byte above the first zero, never one
    /// below it.
    @inline(__always)
    static func zeros(_ word: UInt64) -> UInt64 { (word &- every(1)) & ~word & highBits }

    /// Returns the high bit of each byte that ends a run of plain text in a string: a quote, a backslash, or a control
    /// character. Only the first marked byte is exact, as in `zeros`.
    @inline(__always)
    static func stringEnds(_ word: UInt64) -> UInt64 {
        zeros(word ^ every(UInt8(ascii: "\""))) | zeros(word ^ every(UInt8(ascii: "\\")))
            | ((word &- every(0x20)) & ~word & highBits)
    }

    /// Returns whether four bytes are hexadecimal digits.
    @inline(__always)
    static func areFourHexDigits(_ bytes: UnsafePointer<UInt8>) -> Bool {
        let word = UnsafeRawPointer(bytes).loadUnaligned(as: UInt32.self)
        let small = word | 0x2020_2020
        // Adding 80 hex, less a limit, sets the high bit of each byte that reaches the limit; ASCII does not carry.
        let digits = (word &+ 0x5050_5050) & ~(word &+ 0x4646_4646)
        let letters = (small &+ 0x1F1F_1F1F) & ~(small &+ 0x1919_1919)
        return (digits | letters) & ~word & 0x8080_8080 == 0x8080_8080
    }

    /// Returns the number of decimal digits before the first byte that is none, at most 8. The bytes are xor "0".
    @inline(__always)
    static func digitCount(_ word: UInt64) -> Int {
        // A carry can only reach a byte behind one that is not a digit.
        (((word &+ every(0x76)) | word) & highBits).trailingZeroBitCount &>> 3
    }

    /// Returns the value of the first 1 to 8 digits. The bytes are xor "0".
    @inline(__always)
    static func decimal(_ word: UInt64, count: Int) -> Int {
        // The digits become the last ones of eight, after zeros; then pairs, fours and eights of them are joined.
        var word = word &<< UInt64(truncatingIfNeeded: 64 &- 8 &* count)
        word = word &* 10 &+ word &>> 8
        let first = (word & 0xFF_0000_00FF) &* (100 &+ 1_000_000 &<< 32)
        let second = (word &>> 16 & 0xFF_0000_00FF) &* (1 &+ 10_000 &<< 32)
        return Int(truncatingIfNeeded: (first &+ second) &>> 32)
    }

    /// Returns the eight digits of a number below 100,000,000, the first one in the lowest byte. The bytes are xor "0".
    @inline(__always)
    static func digits(_ value: UInt64) -> UInt64 {
        // The halves of four digits become the halves of the word, then each is divided by 100, and then by 10. The factors are
        // reciprocals that are exact for so few digits.
        let (high, low) = value.quotientAndRemainder(dividingBy: 10_000)
        let fours = high | low &<< 32
        let hundreds = (fours &* 10_486) &>> 20 & 0x7F_0000_007F
        let pairs = hundreds | (fours &- hundreds &* 100) &<< 16
        let tens = (pairs &* 103) &>> 10 & 0xF_000F_000F_000F
        return tens | (pairs &- tens &* 10) &<< 8
    }

    @inline(__always)
    static func load(_ bytes: UnsafePointer<UInt8>, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(bytes + offset).loadUnaligned(as: UInt64.self))
    }

    /// Returns fewer than eight bytes, followed by zeros.
    @inline(__always)
    static func loadShort(_ bytes: UnsafePointer<UInt8>, count: Int) -> UInt64 {
        // The second part overlaps the first one; where it does, both have the same bits.
        let (start, end) = (UnsafeRawPointer(bytes), UnsafeRawPointer(bytes + count))
        if count >= 4 {
            let first = UInt32(littleEndian: start.loadUnaligned(as: UInt32.self))
            let last = UInt32(littleEndian: (end - 4).loadUnaligned(as: UInt32.self))
            return UInt64(first) | UInt64(last) &<< UInt64(truncatingIfNeeded: 8 &* (count &- 4))
        }
        if count >= 2 {
            let first = UInt16(littleEndian: start.loadUnaligned(as: UInt16.self))
            return UInt64(first) | UInt64(bytes[count &- 1]) &<< UInt64(truncatingIfNeeded: 8 &* (count &- 1))
        }
        return count == 0 ? 0 : UInt64(bytes[0])
    }

    @inline(__always)
    static func store(_ word: UInt64, _ bytes: UnsafeMutablePointer<UInt8>, _ offset: Int) {
        UnsafeMutableRawPointer(bytes + offset).storeBytes(of: word.littleEndian, as: UInt64.self)
    }

    /// Returns whether two runs of bytes are equal.
    @inline(__always)
    static func areEqual(_ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, count: Int) -> Bool {
        if count >= 8 {
            // The last word overlaps the one before it, so that no single bytes are left over.
            var offset = 0
            while offset &+ 8 < count {
                if load(a, offset) != load(b, offset) { return false }
                offset &+= 8
            }
            return load(a, count &- 8) == load(b, count &- 8)
        }
        let (first, second) = (UnsafeRawPointer(a), UnsafeRawPointer(b))
        if count >= 4 {
            return first.loadUnaligned(as: UInt32.self) == second.loadUnaligned(as: UInt32.self)
                && (first + count - 4).loadUnaligned(as: UInt32.self)
                    == (second + count - 4).loadUnaligned(as: UInt32.self)
        }
        if count >= 2 {
            return first.loadUnaligned(as: UInt16.self) == second.loadUnaligned(as: UInt16.self)
                && a[count &- 1] == b[count &- 1]
        }
        return count == 0 || a[0] == b[0]
    }
}
