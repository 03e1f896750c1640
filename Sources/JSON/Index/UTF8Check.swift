/// The rules of well-formed UTF-8 (Unicode, table 3-7).
enum UTF8Check {
    /// Returns whether a range is well-formed UTF-8, checking 32 bytes at once; also false if it is too near the end of the
    /// body to be checked so.
    ///
    /// The three bytes before the range, and the one behind it, must be ASCII.
    static func isValid(_ bytes: UnsafePointer<UInt8>, _ range: Range<Int>, end: Int) -> Bool {
        var i = range.lowerBound
        // A scalar that is cut off is a fault of the byte behind the range.
        while i <= range.upperBound {
            if i &+ 2 &* TextBlock.size > end { return false }
            let fault = TextBlock.utf8Fault(inTwoFrom: bytes + i)
            if fault < 2 &* TextBlock.size { return i &+ fault > range.upperBound }
            i &+= 2 &* TextBlock.size
        }
        return true
    }

    /// Returns the offset of the first byte in a range that is not well-formed UTF-8; `nil` if there is none.
    static func firstFault(in bytes: UnsafePointer<UInt8>, _ range: Range<Int>) -> Int? {
        var i = range.lowerBound
        let end = range.upperBound
        while i < end {
            while i &+ 8 <= end, SWAR.load(bytes, i) & SWAR.highBits == 0 { i &+= 8 }
            // Most scripts of Asia have three bytes for each scalar.
            while i &+ 4 <= end, isThreeByteScalar(bytes, i) { i &+= 3 }
            guard i < end else { break }
            let first = bytes[i]
            if first < 0x80 {
                i &+= 1
                continue
            }
            guard let length = lengthOfScalar(first), i &+ length <= end else { return i }
            // The second byte excludes overlong forms, surrogates and what is above U+10FFFF.
            let second = bytes[i &+ 1]
            let isValid =
                switch first {
                case 0xE0: second & 0xE0 == 0xA0
                case 0xED: second & 0xE0 == 0x80
                case 0xF0: second >= 0x90 && second <= 0xBF
                case 0xF4: second & 0xF0 == 0x80
                default: second & 0xC0 == 0x80
                }
            guard isValid else { return i }
            if length > 2, bytes[i &+ 2] & 0xC0 != 0x80 { return i }
            if length > 3, bytes[i &+ 3] & 0xC0 != 0x80 { return i }
            i &+= length
        }
        return nil
    }

    @inline(__always)
    private static func isThreeByteScalar(_ bytes: UnsafePointer<UInt8>, _ i: Int) -> Bool {
        let word = UInt32(littleEndian: UnsafeRawPointer(bytes + i).loadUnaligned(as: UInt32.self))
        // The bits that exclude overlong forms, which begin with E0, and surrogates, which begin with ED.
        let bits = word & 0x200F
        return word & 0xC0_C0F0 == 0x80_80E0 && bits != 0 && bits != 0x200D
    }

    @inline(__always)
    private static func lengthOfScalar(_ first: UInt8) -> Int? {
        switch first {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: nil
        }
    }
}
