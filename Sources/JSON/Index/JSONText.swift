/// Strings from the bytes of a body that was scanned.
enum JSONText {
    /// The value of a string token; `nil` if it holds half of a surrogate pair.
    @inline(__always)
    static func string(_ token: JSONToken, _ bytes: UnsafePointer<UInt8>) -> String? {
        let text = UnsafeBufferPointer(start: bytes + token.offset, count: token.payload)
        if token.kind == .escapedString { return unescaped(text) }
        return string(text, isASCII: token.kind == .asciiString)
    }

    /// The string of a text that is known to be UTF-8: the scanner has checked it.
    @inline(__always)
    private static func string(_ text: UnsafeBufferPointer<UInt8>, isASCII: Bool) -> String {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return unsafe String(copying: UTF8Span(unchecked: text.span, isKnownASCII: isASCII))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Replaces the escapes of a string. The scanner has checked the form of each escape.
    @inline(never)
    private static func unescaped(_ text: UnsafeBufferPointer<UInt8>) -> String? {
        guard let start = text.baseAddress else { return "" }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count) { output in
            guard let target = output.baseAddress else { return "" }
            var (read, written, isASCII) = (0, 0, true)
            while read < text.count {
                let plain = copyPlain(from: start + read, to: target + written, text.count &- read, &isASCII)
                (read, written) = (read &+ plain, written &+ plain)
                guard read < text.count else { break }
                guard text[read + 1] == UInt8(ascii: "u") else {
                    target[written] = character(text[read + 1])
                    (read, written) = (read &+ 2, written &+ 1)
                    continue
                }
                guard let (scalar, length) = scalar(in: text, at: read) else { return nil }
                if !scalar.isASCII { isASCII = false }
                for byte in UTF8.encode(scalar).unsafelyUnwrapped {
                    target[written] = byte
                    written &+= 1
                }
                read &+= length
            }
            return string(UnsafeBufferPointer(start: target, count: written), isASCII: isASCII)
        }
    }

    /// Copies the bytes before the next backslash, or the end, and returns their number.
    @inline(__always)
    private static func copyPlain(
        from source: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>, _ count: Int, _ isASCII: inout Bool
    ) -> Int {
        var (p, bits) = (0, 0 as UInt64)
        defer { if bits & SWAR.highBits != 0 { isASCII = false } }
        while p &+ 8 <= count {
            let word = SWAR.load(source, p)
            // Bytes after a backslash are overwritten later.
            SWAR.store(word, target, p)
            let found = SWAR.zeros(word ^ SWAR.every(UInt8(ascii: "\\")))
            if found != 0 {
                let plain = found.trailingZeroBitCount &>> 3
                bits |= word & (1 &<< UInt64(8 &* plain) &- 1)
                return p &+ plain
            }
            bits |= word
            p &+= 8
        }
        while p < count, source[p] != UInt8(ascii: "\\") {
            target[p] = source[p]
            bits |= UInt64(source[p])
            p &+= 1
        }
        return p
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
