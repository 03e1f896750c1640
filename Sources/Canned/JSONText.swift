import Foundation
import Networking

/// JSON as text. Parts that are not changed stay as they were written: `1.0`, `1e400`, the order of keys.
///
/// The initializer checks the text, so the rest of the code relies on its grammar.
struct JSONText {
    let bytes: [UInt8]

    /// Makes a text. Throws a ``CannedError`` with line and column if it is not JSON.
    init(_ data: Data, name: String) throws(CannedError) {
        let result: Result<Anything, CoreError> = Parser.parse(data)
        switch result {
        case .success: bytes = Array(data)
        case .failure(.parsing(let failure)): throw CannedError("\(name) is not JSON. \(failure.reason)")
        case .failure(let error): throw CannedError("\(name) is not JSON. \(error)")
        }
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// The members of an object in their order; `nil` if it is not an object.
    var members: [(name: String, value: JSONText)]? {
        var reader = Reader(bytes)
        guard reader.next == UInt8(ascii: "{") else { return nil }
        var members: [(name: String, value: JSONText)] = []
        reader.forEachElement { reader in
            let name = Reader.text(of: reader.takeString())
            reader.skip(UInt8(ascii: ":"))
            members.append((name, JSONText(bytes: Array(reader.takeValue()))))
        }
        return members
    }

    /// The value as `JSONSerialization` reads it.
    var value: Any? { try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed) }

    /// The same text without white space between its parts.
    var compact: Data {
        var writer = Writer(indentation: nil)
        writer.write(bytes, redacting: nil)
        return Data(writer.output)
    }

    /// Returns the same text with one member or element per line, and with secrets replaced by marks.
    func indented(by spaces: Int = 2, redacting scrubber: Scrubber? = nil) -> Data {
        var writer = Writer(indentation: spaces)
        writer.write(bytes, redacting: scrubber?.narrowed(to: bytes))
        return Data(writer.output)
    }

    /// Takes any JSON.
    private struct Anything: Decodable {
        init(from decoder: any Decoder) {}
    }
}

/// Reads the parts of a JSON text.
private struct Reader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
        skipBlanks()
    }

    var next: UInt8? { rest.first }

    mutating func skip(_ byte: UInt8) {
        if rest.first == byte { rest.removeFirst() }
        skipBlanks()
    }

    /// Calls `take` at the beginning of each member or element of the value that begins here. It takes the blanks behind
    /// it, too.
    mutating func forEachElement(_ take: (inout Reader) -> Void) {
        guard let opening = rest.popFirst() else { return }
        let closing = opening == UInt8(ascii: "{") ? UInt8(ascii: "}") : UInt8(ascii: "]")
        skipBlanks()
        while let byte = rest.first, byte != closing {
            take(&self)
            skip(UInt8(ascii: ","))
        }
        skip(closing)
    }

    /// A string with its quotes.
    mutating func takeString() -> ArraySlice<UInt8> {
        let start = rest
        rest = rest.dropFirst()
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\") { rest = rest.dropFirst() }
        }
        defer { skipBlanks() }
        return start[..<rest.startIndex]
    }

    mutating func takeValue() -> ArraySlice<UInt8> {
        let start = rest
        switch rest.first {
        case UInt8(ascii: "\""): return takeString()
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            var depth = 0
            while let byte = rest.first {
                switch byte {
                case UInt8(ascii: "\""):
                    _ = takeString()
                    continue
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
                default: break
                }
                rest = rest.dropFirst()
                if depth == 0 { break }
            }
        default: rest = rest.drop { !Reader.isBlank($0) && !",]}".utf8.contains($0) }
        }
        defer { skipBlanks() }
        return start[..<rest.startIndex]
    }

    static func text(of string: ArraySlice<UInt8>) -> String {
        if !string.contains(UInt8(ascii: "\\")) {
            return String(decoding: string.dropFirst().dropLast(), as: UTF8.self)
        }
        return (try? JSONSerialization.jsonObject(with: Data(string), options: .fragmentsAllowed)) as? String ?? ""
    }

    private mutating func skipBlanks() { rest = rest.drop(while: Reader.isBlank) }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

/// Writes a JSON text with other white space, and without secrets.
private struct Writer {
    let indentation: Int?
    private(set) var output: [UInt8] = []
    private var depth = 0
    /// True for each member name met so far that is the name of a secret.
    private var secretNames: [ArraySlice<UInt8>: Bool] = [:]

    init(indentation: Int?) { self.indentation = indentation }

    mutating func write(_ bytes: [UInt8], redacting scrubber: Scrubber?) {
        var reader = Reader(bytes)
        write(&reader, scrubber, isSecret: false)
    }

    private mutating func write(_ reader: inout Reader, _ scrubber: Scrubber?, isSecret: Bool) {
        switch reader.next {
        case UInt8(ascii: "{"):
            writeList("{", "}", &reader) { writer, reader in
                let name = reader.takeString()
                reader.skip(UInt8(ascii: ":"))
                writer.output += name
                writer.output += (writer.indentation == nil ? ":" : ": ").utf8
                let isSecretName = writer.isSecret(name, scrubber)
                writer.write(&reader, scrubber, isSecret: isSecret || isSecretName)
            }
        case UInt8(ascii: "["):
            writeList("[", "]", &reader) { writer, reader in writer.write(&reader, scrubber, isSecret: isSecret) }
        case UInt8(ascii: "\""):
            let string = reader.takeString()
            guard let scrubber else { return output += string }
            let text = Reader.text(of: string)
            let clean = isSecret ? Redaction.mark : scrubber.scrub(text)
            if clean == text { output += string } else { output += Writer.string(clean) }
        default:
            let value = reader.takeValue()
            guard isSecret, let first = value.first else { return output += value }
            // True, false and null tell no secret. A number is replaced by one, so that the JSON can still be decoded.
            let isNumber = first == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
            output += isNumber ? [UInt8(ascii: "0")] : Array(value)
        }
    }

    private mutating func isSecret(_ name: ArraySlice<UInt8>, _ scrubber: Scrubber?) -> Bool {
        guard let scrubber else { return false }
        if let known = secretNames[name] { return known }
        let isSecret = scrubber.redaction.isSecret(Reader.text(of: name))
        secretNames[name] = isSecret
        return isSecret
    }

    private mutating func writeList(
        _ opening: String, _ closing: String, _ reader: inout Reader, _ element: (inout Writer, inout Reader) -> Void
    ) {
        output += opening.utf8
        depth += 1
        var isEmpty = true
        reader.forEachElement { reader in
            if !isEmpty { output += ",".utf8 }
            isEmpty = false
            endLine()
            element(&self, &reader)
        }
        depth -= 1
        if !isEmpty { endLine() }
        output += closing.utf8
    }

    private mutating func endLine() {
        guard let indentation else { return }
        output.append(UInt8(ascii: "\n"))
        output += repeatElement(UInt8(ascii: " "), count: indentation * depth)
    }

    private static func string(_ text: String) -> Data {
        let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .withoutEscapingSlashes]
        return (try? JSONSerialization.data(withJSONObject: text, options: options)) ?? Data("\"\"".utf8)
    }
}
