extension JSONScanner {
    /// Reads a string that begins after its opening quote; returns the offset after the closing quote.
    @inline(__always)
    mutating func scanString(from start: Int) throws(JSONFault) -> Int {
        var p = start
        var highBits: UInt64 = 0
        while p &+ 8 <= end {
            let word = SWAR.load(bytes, p)
            let found = SWAR.stringEnds(word)
            if found != 0 {
                let length = found.trailingZeroBitCount &>> 3
                // The bytes after the end are not the string's.
                highBits |= word & ~(~0 &<< UInt64(truncatingIfNeeded: length &<< 3))
                p &+= length
                if bytes[p] == UInt8(ascii: "\"") {
                    if highBits & SWAR.highBits == 0 {
                        tape.append(JSONToken(.asciiString, payload: p &- start, offset: start))
                    } else {
                        try checkUTF8(start..<p)
                        tape.append(JSONToken(.unicodeString, payload: p &- start, offset: start))
                    }
                    return p &+ 1
                }
                break
            }
            highBits |= word
            p &+= 8
        }
        return try scanStringSlowly(from: start, at: p, highBits)
    }

    /// Continues from `position`. The string has escapes or a fault, or it ends close to the end of the body.
    ///
    /// `highBits` holds the combined high bits of the bytes before it.
    @inline(never)
    private mutating func scanStringSlowly(
        from start: Int, at position: Int, _ highBits: UInt64
    ) throws(JSONFault) -> Int {
        var (p, highBits, hasEscapes) = (position, highBits, false)
        while true {
            // Eight bytes at a time over plain text.
            while p &+ 8 <= end {
                let word = SWAR.load(bytes, p)
                let found = SWAR.stringEnds(word)
                if found != 0 {
                    let length = found.trailingZeroBitCount &>> 3
                    highBits |= word & ~(~0 &<< UInt64(truncatingIfNeeded: length &<< 3))
                    p &+= length
                    break
                }
                highBits |= word
                p &+= 8
            }
            guard p < end else { throw JSONFault("The body ends in the middle of a string.", at: start - 1) }
            switch bytes[p] {
            case UInt8(ascii: "\""):
                let isASCII = highBits & SWAR.highBits == 0
                if !isASCII { try checkUTF8(start..<p) }
                tape.append(
                    JSONToken(
                        hasEscapes ? .escapedString : isASCII ? .asciiString : .unicodeString, payload: p - start,
                        offset: start))
                return p + 1
            case UInt8(ascii: "\\"):
                hasEscapes = true
                p = try scanEscape(at: p, ofStringAt: start)
            case 0..<0x20:
                throw JSONFault("A control character stands unescaped in a string.", at: p)
            case let byte:
                highBits |= UInt64(byte)
                p += 1
            }
        }
    }

    private func scanEscape(at p: Int, ofStringAt start: Int) throws(JSONFault) -> Int {
        guard p + 1 < end else { throw JSONFault("The body ends in the middle of a string.", at: start - 1) }
        switch bytes[p + 1] {
        case UInt8(ascii: "u"): break
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"),
            UInt8(ascii: "r"), UInt8(ascii: "t"):
            return p + 2
        default: throw JSONFault("A string has an unknown escape.", at: p)
        }
        for digit in p + 2..<p + 6 {
            guard digit < end else { throw JSONFault("The body ends in the middle of a string.", at: start - 1) }
            guard JSONText.hexValue(bytes[digit]) != nil else {
                throw JSONFault("A string has an unknown escape.", at: p)
            }
        }
        return p + 6
    }

    private func checkUTF8(_ range: Range<Int>) throws(JSONFault) {
        if let fault = UTF8Check.firstFault(in: bytes, range) {
            throw JSONFault("The body is not valid UTF-8.", at: fault)
        }
    }
}
