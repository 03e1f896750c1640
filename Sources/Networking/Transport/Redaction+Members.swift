extension Redaction {
    /// Returns the text with the values of secret JSON members replaced by the mark.
    ///
    /// The text need not be JSON as a whole: lines of JSON, events and scripts hold JSON, and so does a body that is cut.
    func membersRedacted(in text: String) -> String {
        // Most texts have no member.
        guard text.utf8.contains(UInt8(ascii: "\"")), text.utf8.contains(UInt8(ascii: ":")) else { return text }
        let bytes = Array(text.utf8)
        var (result, copied, index) = ([UInt8](), 0, 0)
        while let quote = bytes[index...].firstIndex(of: UInt8(ascii: "\"")) {
            // A quote that begins no name may be the end of a string, or no string at all, so the search goes on behind it.
            index = quote + 1
            guard let end = bytes[index...].firstIndex(of: UInt8(ascii: "\"")),
                let value = bytes.startOfValue(afterName: end + 1)
            else { continue }
            let name = String(decoding: bytes[index..<end], as: UTF8.self)
            index = value
            guard isSecret(name) else { continue }
            let backslashes = String(name.reversed().prefix { $0 == "\\" })
            index = bytes.endOfValue(at: value, isInString: !backslashes.isEmpty)
            let quote = backslashes + "\""
            result += bytes[copied..<value] + "\(quote)\(Redaction.mark)\(quote)".utf8
            copied = index
        }
        return copied == 0 ? text : String(decoding: result + bytes[copied...], as: UTF8.self)
    }
}

extension [UInt8] {
    private func skippingBlanks(from index: Int) -> Int {
        self[index...].firstIndex { $0 != 0x20 && !(0x09...0x0D).contains($0) } ?? endIndex
    }

    /// Returns the place of a member's value; `nil` if no colon follows the name.
    fileprivate func startOfValue(afterName index: Int) -> Int? {
        let colon = skippingBlanks(from: index)
        guard colon < endIndex, self[colon] == UInt8(ascii: ":") else { return nil }
        let value = skippingBlanks(from: colon + 1)
        return value < endIndex ? value : nil
    }

    /// Returns the end of the value; that of the text if the value is cut.
    ///
    /// - Parameter isInString: True if the value is within a string of JSON, which may end after it.
    fileprivate func endOfValue(at index: Int, isInString: Bool) -> Int {
        let start = self[index...].firstIndex { $0 != UInt8(ascii: "\\") } ?? endIndex
        if start < endIndex, self[start] == UInt8(ascii: "\"") { return endOfString(at: start, level: start - index) }
        return switch self[index] {
        case UInt8(ascii: "{"), UInt8(ascii: "["): endOfNest(at: index)
        default:
            self[index...].firstIndex {
                $0 <= 0x20 || ",]}".utf8.contains($0) || isInString && "\\\"".utf8.contains($0)
            } ?? endIndex
        }
    }

    /// Returns the end of the string that begins with a quote.
    ///
    /// - Parameter level: The number of backslashes before the quote: JSON can be within a string of JSON, where a quote
    ///   is `\"`. There, a backslash of the string is `\\\\`, and a quote of the string is `\\\"`.
    private func endOfString(at quote: Int, level: Int) -> Int {
        var backslashes = 0
        for index in (quote + 1)..<endIndex {
            switch self[index] {
            case UInt8(ascii: "\\"): backslashes += 1
            // The string around this one ends, so this one is cut.
            case UInt8(ascii: "\"") where backslashes < level: return index
            case UInt8(ascii: "\"") where (backslashes - level).isMultiple(of: 2 * (level + 1)): return index + 1
            default: backslashes = 0
            }
        }
        return endIndex
    }

    private func endOfNest(at opening: Int) -> Int {
        var (index, depth, backslashes) = (opening, 0, 0)
        while index < endIndex {
            let level = backslashes
            backslashes = 0
            switch self[index] {
            case UInt8(ascii: "\""):
                index = endOfString(at: index, level: level)
                continue
            case UInt8(ascii: "\\"): backslashes = level + 1
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            index += 1
            if depth == 0 { return index }
        }
        return index
    }
}
