import Foundation

/// Rewrites the JSON of a value so that equal values have the same text in a column.
///
/// Texts that Swift considers equal may have different scalars, and so may keys. A column composes its text, and would join the
/// `n` of the escape `\n` with an accent that follows it. The encoder writes -0.0, which is equal to 0.0, as `-0`.
struct CanonicalJSON {
    private var rest: ArraySlice<UInt8>
    private var text: [UInt8] = []

    /// Returns the text of JSON that has neither spaces nor faults.
    static func text(of json: Data) -> String {
        let (isASCII, isCanonical) = json.withUnsafeBytes { json in
            let json = json.bindMemory(to: UInt8.self)
            let isASCII = json.isASCII
            let hasEscapes = json.contains(UInt8(ascii: "\\"))
            // The encoder sorts keys by their bytes.
            let isSorted = isASCII && !hasEscapes || !json.contains(UInt8(ascii: "{"))
            return (isASCII, isSorted && (isASCII || !hasEscapes) && !json.contains(UInt8(ascii: "-")))
        }
        let text = String(decoding: json, as: UTF8.self)
        if isCanonical { return text }
        // Decomposed, since then each accent is a scalar of its own, and accents are in one order.
        var rewriting = CanonicalJSON(
            rest: isASCII ? ArraySlice(json) : ArraySlice(text.decomposedStringWithCanonicalMapping.utf8))
        rewriting.text.reserveCapacity(json.count)
        rewriting.writeValue()
        return String(decoding: rewriting.text, as: UTF8.self).precomposed
    }

    private mutating func writeValue() {
        switch rest.first {
        case UInt8(ascii: "{"): writeObject()
        case UInt8(ascii: "["): writeArray()
        case UInt8(ascii: "\""): writeString()
        default: writeNumber()
        }
    }

    /// Moves the next byte to the text, if it is this one.
    private mutating func write(_ byte: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: byte) else { return false }
        text.append(UInt8(ascii: byte))
        rest = rest.dropFirst()
        return true
    }

    private mutating func writeArray() {
        _ = write("[")
        while !rest.isEmpty, !write("]") {
            _ = write(",")
            writeValue()
        }
    }

    private mutating func writeObject() {
        _ = write("{")
        let start = text.count
        var members: [(key: Range<Int>, whole: Range<Int>)] = []
        while !rest.isEmpty, !write("}") {
            if write(",") { text.removeLast() }
            let start = text.count
            writeString()
            // Without the quotation marks, as the encoder compares keys.
            let key = start + 1..<text.count - 1
            _ = write(":")
            writeValue()
            members.append((key, start..<text.count))
        }
        members.sort { text[$0.key].lexicographicallyPrecedes(text[$1.key]) }
        let sorted = members.map { text[$0.whole] }.joined(separator: [UInt8(ascii: ",")])
        text.replaceSubrange(start..., with: Array(sorted) + [UInt8(ascii: "}")])
    }

    /// Writes a string. Accents that follow an escape are escaped, too.
    private mutating func writeString() {
        _ = write("\"")
        while let byte = rest.first, !write("\"") {
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                rest = rest.dropFirst()
                continue
            }
            let length = rest.dropFirst().first == UInt8(ascii: "u") ? 6 : 2
            text += rest.prefix(length)
            rest = rest.dropFirst(length)
            escapeAccents()
        }
    }

    private mutating func escapeAccents() {
        // An accent has two to four bytes.
        while let byte = rest.first, byte >= 0xCC,
            let scalar = String(decoding: rest.prefix(4), as: UTF8.self).unicodeScalars.first,
            scalar.properties.canonicalCombiningClass != .notReordered
        {
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                text += ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8
            }
            rest = rest.dropFirst(UTF8.width(scalar))
        }
    }

    /// Writes a number, `true`, `false` or `null`.
    private mutating func writeNumber() {
        let end = rest.firstIndex { [UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}")].contains($0) }
        let number = rest[..<(end ?? rest.endIndex)]
        rest = rest[number.endIndex...]
        text += number.elementsEqual("-0".utf8) ? number.suffix(1) : number
    }
}
