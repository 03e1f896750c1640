import Foundation

/// Finds out why a body is no JSON, after the decoder has refused it (`JSONDecoder` often says no more than that).
///
/// A plain walk over the grammar of RFC 8259, with a stack of its own, so that no depth can overflow the thread's.
struct JSONDiagnosis {
    /// The first fault in the body, with its line and column.
    static func reason(for data: Data) -> String {
        data.withContiguousBytes { bytes in
            var diagnosis = JSONDiagnosis(bytes: bytes)
            return (diagnosis.run() ?? JSONFault("The body is not JSON.")).described(in: data)
        }
    }

    // MARK: - Machinery

    /// What `JSONDecoder` allows.
    private static let maximumDepth = 512

    private enum Expectation {
        case value
        case valueOrEnd
        case key
        case keyOrEnd
        case colon
        case commaOrEnd
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    /// One entry for each open container: its closing byte.
    private var closers: [UInt8] = []
    private var expectation = Expectation.value
    /// The first number that no `Double` holds: it is JSON, but of no use.
    private var hugeNumber: JSONFault?

    private init(bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    private mutating func run() -> JSONFault? {
        while let byte = nextByte() {
            if closers.isEmpty, expectation == .commaOrEnd {
                return JSONFault("Something follows after the end of the JSON value.", at: position)
            }
            if let fault = take(byte) { return fault }
        }
        guard position > 0, !closers.isEmpty || expectation == .commaOrEnd else {
            return JSONFault("The body is empty.")
        }
        guard let closer = closers.last else { return hugeNumber }
        return JSONFault(
            "The body ends in the middle of an \(closer == UInt8(ascii: "}") ? "object" : "array").", at: position)
    }

    /// The next byte that is not white space.
    private mutating func nextByte() -> UInt8? {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            case let byte: return byte
            }
        }
        return nil
    }

    private mutating func take(_ byte: UInt8) -> JSONFault? {
        switch (expectation, byte) {
        case (.commaOrEnd, UInt8(ascii: ",")):
            expectation = closers.last == UInt8(ascii: "}") ? .key : .value
            position += 1
        case (.commaOrEnd, _) where byte == closers.last, (.valueOrEnd, _) where byte == closers.last,
            (.keyOrEnd, _) where byte == closers.last:
            closers.removeLast()
            expectation = .commaOrEnd
            position += 1
        case (.colon, UInt8(ascii: ":")):
            expectation = .value
            position += 1
        case (.key, UInt8(ascii: "\"")), (.keyOrEnd, UInt8(ascii: "\"")):
            expectation = .colon
            return takeString()
        case (.value, _), (.valueOrEnd, _):
            return takeValue(byte)
        case (.key, _), (.keyOrEnd, _):
            return unexpected("a key in quotes")
        case (.colon, _):
            return unexpected("a colon")
        case (.commaOrEnd, _):
            return unexpected("a comma or the end of the \(closers.last == UInt8(ascii: "}") ? "object" : "array")")
        }
        return nil
    }

    private mutating func takeValue(_ byte: UInt8) -> JSONFault? {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let isObject = byte == UInt8(ascii: "{")
            closers.append(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
            if closers.count > Self.maximumDepth {
                return JSONFault("Arrays and objects are nested deeper than \(Self.maximumDepth) levels.", at: position)
            }
            expectation = isObject ? .keyOrEnd : .valueOrEnd
            position += 1
            return nil
        case UInt8(ascii: "\""):
            expectation = .commaOrEnd
            return takeString()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            expectation = .commaOrEnd
            return takeNumber()
        default:
            expectation = .commaOrEnd
            for literal in ["true", "false", "null"] where bytes[position...].starts(with: literal.utf8) {
                position += literal.utf8.count
                return nil
            }
            return unexpected("a value")
        }
    }

    private mutating func takeString() -> JSONFault? {
        let start = position
        position += 1
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                return nil
            case 0..<0x20:
                return JSONFault("A control character stands unescaped in a string.", at: position)
            case UInt8(ascii: "\\"):
                guard let length = escapeLength() else {
                    return JSONFault("A string has an unknown escape.", at: position)
                }
                position += length
            default:
                position += 1
            }
        }
        return JSONFault("The body ends in the middle of a string.", at: start)
    }

    /// The length of the escape at the position, or `nil` if it is none.
    private func escapeLength() -> Int? {
        guard position + 1 < bytes.count else { return 1 }
        switch bytes[position + 1] {
        case UInt8(ascii: "u"):
            let digits = bytes[(position + 2)...].prefix(4)
            let isHexadecimal = digits.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
            return isHexadecimal ? 2 + digits.count : nil
        case let byte: return "\"\\/bfnrt".utf8.contains(byte) ? 2 : nil
        }
    }

    private mutating func takeNumber() -> JSONFault? {
        let start = position
        while position < bytes.count, "+-.eE0123456789".utf8.contains(bytes[position]) { position += 1 }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/) != nil else {
            return JSONFault("\"\(text.prefix(40))\" is not a number.", at: start)
        }
        // JSONDecoder reads what has neither point nor exponent as an integer.
        if hugeNumber == nil, !(Double(text)?.isFinite ?? false) || text.count > 18 {
            hugeNumber = JSONFault("The number \(text.prefix(40)) does not fit the type that it is read as.", at: start)
        }
        return nil
    }

    private func unexpected(_ wanted: String) -> JSONFault {
        let byte = bytes[position]
        let found = byte < 0x80 && byte > 0x20 ? "\"\(Character(UnicodeScalar(byte)))\"" : "byte \(byte)"
        return JSONFault("Expected \(wanted), but found \(found).", at: position)
    }
}
