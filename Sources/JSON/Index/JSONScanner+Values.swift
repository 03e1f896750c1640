/// Literals and numbers.
extension JSONScanner {
    mutating func scanLiteral(_ byte: UInt8, at p: Int) throws(JSONFault) -> Int {
        let (text, kind): (StaticString, JSONToken.Kind)
        switch byte {
        case UInt8(ascii: "t"): (text, kind) = ("true", .yes)
        case UInt8(ascii: "f"): (text, kind) = ("false", .no)
        case UInt8(ascii: "n"): (text, kind) = ("null", .null)
        default: throw unexpected("a value", at: p)
        }
        let count = text.utf8CodeUnitCount
        guard p &+ count <= end, SWAR.areEqual(bytes + p, text.utf8Start, count: count) else {
            throw unexpected("a value", at: p)
        }
        tape.append(JSONToken(kind, payload: 0, offset: p))
        return p &+ count
    }

    @inline(__always)
    mutating func scanNumber(at start: Int) throws(JSONFault) -> Int {
        var p = start
        let isNegative = bytes[p] == UInt8(ascii: "-")
        if isNegative { p &+= 1 }
        let digits = p
        var value = 0
        if p &+ 8 <= end {
            let word = SWAR.load(bytes, p) ^ SWAR.every(UInt8(ascii: "0"))
            let count = SWAR.digitCount(word)
            value = SWAR.decimal(word, count: count)
            p &+= count
        }
        // Nothing is left after fewer than eight digits, unless the body ends soon.
        while p < end {
            let digit = bytes[p] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            value = value &* 10 &+ Int(digit)
            p &+= 1
        }
        let count = p &- digits
        guard count > 0, count == 1 || bytes[digits] != UInt8(ascii: "0") else { throw numberFault(at: start) }
        var isInteger = true
        if p < end, bytes[p] == UInt8(ascii: ".") {
            isInteger = false
            p = try scanDigits(from: p &+ 1, ofNumberAt: start)
        }
        if p < end, bytes[p] | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            p &+= 1
            if p < end, bytes[p] == UInt8(ascii: "+") || bytes[p] == UInt8(ascii: "-") { p &+= 1 }
            p = try scanDigits(from: p, ofNumberAt: start)
        }
        if isInteger, count < 10, value < JSONToken.payloadLimit, !isNegative || value > 0 {
            tape.append(
                JSONToken(isNegative ? .negativeInteger : .smallInteger, payload: value, offset: start))
        } else {
            tape.append(JSONToken(isInteger ? .integer : .number, payload: p &- start, offset: start))
        }
        return p
    }

    @inline(__always)
    private func scanDigits(from start: Int, ofNumberAt number: Int) throws(JSONFault) -> Int {
        var p = start
        while p &+ 8 <= end {
            let count = SWAR.digitCount(SWAR.load(bytes, p) ^ SWAR.every(UInt8(ascii: "0")))
            p &+= count
            if count < 8 { break }
        }
        while p < end, bytes[p] &- UInt8(ascii: "0") < 10 { p &+= 1 }
        guard p > start else { throw numberFault(at: number) }
        return p
    }
}
