extension JSONScanner {
    /// Reads a string that begins after its opening quote; returns the offset after the closing quote.
    @inline(__always)
    mutating func scanString(from start: Int) throws(JSONFault) -> Int {
        // Most strings are short and plain.
        guard start &+ TextBlock.size <= end else { return try scanLongString(from: start, at: start, isASCII: true) }
        let length = TextBlock(bytes + start).plainCount(acceptsUnicode: false)
        if length == TextBlock.size { return try scanLongString(from: start, at: start &+ length, isASCII: true) }
        let byte = bytes[start &+ length]
        if byte == UInt8(ascii: "\"") {
            tape.append(JSONToken(.asciiString, payload: length, offset: start))
            return start &+ length &+ 1
        }
        if byte < 0x80 { return try scanLongString(from: start, at: start &+ length, isASCII: true) }
        return try scanUnicodeString(from: start, at: start &+ length)
    }

    /// Reads the rest of a string that is not only ASCII. It finds the end and checks the UTF-8 in one pass; a string with escapes or
    /// with a fault is left to ``scanLongString(from:at:isASCII:)``.
    ///
    /// - Parameter place: The offset of the first byte that is not ASCII.
    @inline(__always)
    private mutating func scanUnicodeString(from start: Int, at place: Int) throws(JSONFault) -> Int {
        var p = place
        // The bytes before `place` are ASCII: those of the string, its quote, and what separates it from the string before.
        while p >= 3, p &+ 2 &* TextBlock.size <= end {
            let plain = TextBlock.plainCount(inTwoFrom: bytes + p, acceptsUnicode: true)
            let valid = TextBlock.utf8Fault(inTwoFrom: bytes + p)
            p &+= plain
            if plain == 2 &* TextBlock.size, valid == 2 &* TextBlock.size { continue }
            // A scalar that is cut off is a fault of the byte behind it, which may be the quote.
            guard valid > plain, bytes[p] == UInt8(ascii: "\"") else { break }
            tape.append(JSONToken(.unicodeString, payload: p &- start, offset: start))
            return p &+ 1
        }
        return try scanLongString(from: start, at: place, isASCII: false)
    }

    /// Reads the rest of a string.
    ///
    /// - Parameters:
    ///   - place: The offset of the next byte that can end a run of plain text.
    ///   - isASCII: False if a byte that is not ASCII stands there.
    @inline(never)
    private mutating func scanLongString(
        from start: Int, at place: Int, isASCII: Bool
    ) throws(JSONFault) -> Int {
        var (p, isASCII, hasEscapes) = (place, isASCII, false)
        while true {
            while p &+ 2 &* TextBlock.size <= end {
                let length = TextBlock.plainCount(inTwoFrom: bytes + p, acceptsUnicode: !isASCII)
                p &+= length
                if length < 2 &* TextBlock.size { break }
            }
            guard p < end else { throw JSONFault("The body ends in the middle of a string.", at: start - 1) }
            switch bytes[p] {
            case UInt8(ascii: "\""):
                if !isASCII { try checkUTF8(start..<p) }
                tape.append(
                    JSONToken(
                        hasEscapes ? .escapedString : isASCII ? .asciiString : .unicodeString, payload: p - start,
                        offset: start))
                return p + 1
            case UInt8(ascii: "\\"):
                hasEscapes = true
                // A text in another script is often sent as nothing but escapes.
                repeat { p = try scanEscape(at: p, ofStringAt: start) } while p < end && bytes[p] == UInt8(ascii: "\\")
            case 0..<0x20:
                throw JSONFault("A control character stands unescaped in a string.", at: p)
            case let byte:
                // Not ASCII, or one of the last bytes of the body.
                if byte >= 0x80 { isASCII = false }
                p += 1
            }
        }
    }

    @inline(__always)
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
        if p + 6 <= end, SWAR.areFourHexDigits(bytes + p + 2) { return p + 6 }
        for digit in p + 2..<p + 6 {
            guard digit < end else { throw JSONFault("The body ends in the middle of a string.", at: start - 1) }
            guard JSONText.hexValue(bytes[digit]) != nil else {
                throw JSONFault("A string has an unknown escape.", at: p)
            }
        }
        return p + 6
    }

    private func checkUTF8(_ range: Range<Int>) throws(JSONFault) {
        // The three bytes before a string are ASCII: a quote, and what separates it from the string before.
        if range.lowerBound >= 3, UTF8Check.isValid(bytes, range, end: end) { return }
        if let fault = UTF8Check.firstFault(in: bytes, range) {
            throw JSONFault("The body is not valid UTF-8.", at: fault)
        }
    }
}
