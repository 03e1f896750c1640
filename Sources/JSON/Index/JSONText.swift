/// Strings from the bytes of a body that was scanned.
enum JSONText {
    /// The value of a string token; `nil` if it holds half of a surrogate pair.
    @inline(__always)
    static func string(_ token: JSONToken, _ bytes: UnsafePointer<UInt8>) -> String? {
        let text = UnsafeBufferPointer(start: bytes + token.offset, count: token.payload)
        if token.kind == .escapedString { return unescaped(text) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Replaces the escapes of a string. The scanner has checked the form of each escape, and that all bytes are UTF-8.
    @inline(never)
    private static func unescaped(_ text: UnsafeBufferPointer<UInt8>) -> String? {
        guard let start = text.baseAddress else { return "" }
        var isWhole = true
        let result = String(unsafeUninitializedCapacity: text.count) { output in
            guard let target = output.baseAddress else { return 0 }
            var (read, written) = (0, 0)
            while read < text.count {
                let plain = plainCount(start, read, text.count)
                (target + written).update(from: start + read, count: plain)
                (read, written) = (read + plain, written + plain)
                guard read < text.count else { break }
                guard text[read + 1] == UInt8(ascii: "u") else {
                    output[written] = character(text[read + 1])
                    (read, written) = (read + 2, written + 1)
                    continue
                }
                guard let (scalar, length) = scalar(in: text, at: read) else {
                    isWhole = false
                    return 0
                }
                for byte in UTF8.encode(scalar).unsafelyUnwrapped {
                    output[written] = byte
                    written += 1
                }
                read += length
            }
            return written
        }
        return isWhole ? result : nil
    }

    /// Returns the number of bytes before the next backslash, or the end.
    @inline(__always)
    private static func plainCount(_ text: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int {
        var p = start
        while p &+ 8 <= end {
            let found = SWAR.zeros(SWAR.load(text, p) ^ SWAR.every(UInt8(ascii: "\\")))
            if found != 0 { return p &+ found.trailingZeroBitCount &>> 3 &- start }
            p &+= 8
        }
        while p < end, text[p] != UInt8(ascii: "\\") { p &+= 1 }
        return p &- start
    }

    /// Returns the byte that a backslash followed by this byte stands for.
    private static func character(_ escape: UInt8) -> UInt8 {
        switch escape {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: escape
        }
    }

    /// Returns the scalar of a `\u` escape, or of two that form a surrogate pair, and the number of bytes that they
    /// take.
    private static func scalar(
        in text: UnsafeBufferPointer<UInt8>, at start: Int
    ) -> (scalar: Unicode.Scalar, length: Int)? {
        let first = unit(in: text, at: start)
        if let scalar = Unicode.Scalar(first) { return (scalar, 6) }
        guard UTF16.isLeadSurrogate(first), start + 11 < text.count, text[start + 6] == UInt8(ascii: "\\"),
            text[start + 7] == UInt8(ascii: "u")
        else { return nil }
        let second = unit(in: text, at: start + 6)
        guard UTF16.isTrailSurrogate(second) else { return nil }
        return (UTF16.decode(UTF16.EncodedScalar([first, second])), 12)
    }

    private static func unit(in text: UnsafeBufferPointer<UInt8>, at start: Int) -> UInt16 {
        (start + 2..<start + 6).reduce(0) { $0 << 4 | UInt16(hexValue(text[$1]) ?? 0) }
    }

    static func hexValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
