import Foundation

/// Rewrites the JSON of a value so that equal values have the same text in a column.
///
/// Texts that Swift considers equal may have different scalars, and so may keys. A column composes its text, and would join the
/// `n` of the escape `\n` with an accent that follows it. The encoder writes -0.0, which is equal to 0.0, as `-0`.
struct CanonicalJSON {
    private var rest: ArraySlice<Unicode.Scalar>

    /// Returns the text of JSON that has neither spaces nor faults.
    static func text(of json: Data) -> String {
        let isPlain = json.withUnsafeBytes { bytes in
            let bytes = bytes.bindMemory(to: UInt8.self)
            // The encoder sorts keys by their bytes, so these need no change.
            return bytes.isASCII && !bytes.contains(UInt8(ascii: "\\")) && !bytes.contains(UInt8(ascii: "-"))
        }
        let text = String(decoding: json, as: UTF8.self)
        if isPlain { return text }
        // Decomposed, since then each accent is a scalar of its own, and accents are in one order.
        var json = CanonicalJSON(rest: Array(text.decomposedStringWithCanonicalMapping.unicodeScalars)[...])
        return String(String.UnicodeScalarView(json.value())).precomposed
    }

    private mutating func value() -> [Unicode.Scalar] {
        switch rest.first {
        case "{": return object()
        case "[": return array()
        case "\"": return string()
        default: return number()
        }
    }

    private mutating func object() -> [Unicode.Scalar] {
        var members: [(key: [Unicode.Scalar], value: [Unicode.Scalar])] = []
        rest.removeFirst()
        while let first = rest.first, first != "}" {
            if first == "," { rest.removeFirst() }
            let key = string()
            rest.removeFirst()
            members.append((key, value()))
        }
        rest = rest.dropFirst()
        // As the encoder does: without the quotation marks.
        members.sort { $0.key.dropLast().lexicographicallyPrecedes($1.key.dropLast()) }
        let texts = members.map { $0.key + [":"] + $0.value }
        return ["{"] + texts.joined(separator: [","]) + ["}"]
    }

    private mutating func array() -> [Unicode.Scalar] {
        var elements: [[Unicode.Scalar]] = []
        rest.removeFirst()
        while let first = rest.first, first != "]" {
            if first == "," { rest.removeFirst() }
            elements.append(value())
        }
        rest = rest.dropFirst()
        return ["["] + elements.joined(separator: [","]) + ["]"]
    }

    /// Reads a string. Accents that follow an escape are escaped, too.
    private mutating func string() -> [Unicode.Scalar] {
        var string: [Unicode.Scalar] = ["\""]
        rest = rest.dropFirst()
        var isAfterEscape = false
        while let scalar = rest.popFirst(), scalar != "\"" {
            string.append(scalar)
            if scalar == "\\" {
                let length = rest.first == "u" ? 5 : 1
                string += rest.prefix(length)
                rest = rest.dropFirst(length)
                isAfterEscape = true
            } else if isAfterEscape, scalar.properties.canonicalCombiningClass != .notReordered {
                string.removeLast()
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    string += ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).unicodeScalars
                }
            } else {
                isAfterEscape = false
            }
        }
        return string + ["\""]
    }

    /// Reads a number, `true`, `false` or `null`.
    private mutating func number() -> [Unicode.Scalar] {
        let end = rest.firstIndex { $0 == "," || $0 == "]" || $0 == "}" } ?? rest.endIndex
        let number = Array(rest[..<end])
        rest = rest[end...]
        return number == ["-", "0"] || number == ["-", "0", ".", "0"] ? ["0"] : number
    }
}
