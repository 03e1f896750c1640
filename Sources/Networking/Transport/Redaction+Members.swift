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
            index = bytes.endOfValue(at: value)
            result += bytes[copied..<value] + bytes.mark(for: value)
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

    /// Returns the quoted mark, with escaped quotes if those of the value are: JSON can be within a string of JSON.
    fileprivate func mark(for value: Int) -> [UInt8] {
        let quote = self[value] == UInt8(ascii: "\\") ? "\\\"" : "\""
        return Array("\(quote)\(Redaction.mark)\(quote)".utf8)
    }

    /// Returns the end of the value; that of the text if the value is cut.
    fileprivate func endOfValue(at index: Int) -> Int {
        switch self[index] {
        case UInt8(ascii: "\""): endOfString(at: index)
        case UInt8(ascii: "\\"):
            self[index...].dropFirst(2).firstIndex(of: UInt8(ascii: "\"")).map { $0 + 1 } ?? endIndex
        case UInt8(ascii: "{"), UInt8(ascii: "["): endOfNest(at: index)
        default:
            self[index...].firstIndex { $0 <= 0x20 || ",]}".utf8.contains($0) } ?? endIndex
        }
    }

    private func endOfString(at quote: Int) -> Int {
        var index = quote + 1
        while index < endIndex, self[index] != UInt8(ascii: "\"") {
            index += self[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return Swift.min(index + 1, endIndex)
    }

    private func endOfNest(at opening: Int) -> Int {
        var (index, depth) = (opening, 0)
        while index < endIndex {
            switch self[index] {
            case UInt8(ascii: "\""):
                index = endOfString(at: index)
                continue
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
