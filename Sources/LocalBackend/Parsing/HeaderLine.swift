/// A header line: `Content-Type: application/json`.
enum HeaderLine {
    static func parse(_ line: ArraySlice<UInt8>) throws(Rejection) -> LocalBackend.Headers.Field {
        guard let first = line.first, !isBlank(first) else { throw .foldedHeader }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), isToken(line[..<colon]) else {
            throw .malformedHeader
        }
        var value = line[(colon + 1)...]
        while let byte = value.first, isBlank(byte) { value.removeFirst() }
        while let byte = value.last, isBlank(byte) { value.removeLast() }
        guard value.allSatisfy(isFieldValueByte) else { throw .malformedHeader }
        return LocalBackend.Headers.Field(name: String(decoding: line[..<colon], as: UTF8.self), value: text(value))
    }

    /// Reads bytes that are not UTF-8 as Latin-1, as old clients send it. Replacement characters would make different values
    /// equal.
    private static func text(_ value: ArraySlice<UInt8>) -> String {
        String(validating: value, as: UTF8.self) ?? String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) }))
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}

/// Returns true for all bytes but control characters, above all CR, LF and NUL; a tab is allowed.
func isFieldValueByte(_ byte: UInt8) -> Bool { (byte >= 0x20 && byte != 0x7F) || byte == UInt8(ascii: "\t") }
