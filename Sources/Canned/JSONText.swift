import Foundation
import JSON
import Networking

/// JSON as text. Parts that are not changed stay as they were written: `1.0`, `1e400`, the order of keys.
///
/// The initializer checks the text, so it can be read again without an error.
struct JSONText {
    let bytes: Data

    /// Makes a text. Throws a ``CannedError`` with line and column if it is not JSON.
    init(_ data: Data, name: String) throws(CannedError) {
        let result: Result<Anything, CoreError> = Parser.parse(data)
        switch result {
        case .success: bytes = data
        case .failure(.parsing(let failure)): throw CannedError("\(name) is not JSON. \(failure.reason)")
        case .failure(let error): throw CannedError("\(name) is not JSON. \(error)")
        }
    }

    /// The members of an object in their order; `nil` if it is not an object.
    var members: [(name: String, value: JSONText)]? {
        read { root in
            root.kind == .object ? root.members.map { ($0.key, JSONText($0.value)) } : nil
        } ?? nil
    }

    /// Returns the value, if it is of this type.
    func value<Value: Decodable>(as type: Value.Type = Value.self) -> Value? {
        try? StrictJSONDecoder().decode(type, from: bytes)
    }

    /// The same text without white space between its parts.
    var compact: Data { read { JSONText($0).bytes } ?? bytes }

    /// Returns the same text with one member or element per line, and with secrets replaced by marks.
    func indented(by spaces: Int = 2, redacting scrubber: Scrubber? = nil) -> Data {
        var writer = IndentedWriter(indentation: spaces, scrubber: scrubber?.narrowed(to: bytes))
        read { writer.write($0) }
        return Data(writer.output)
    }

    /// Returns a text as JSON, with quotation marks.
    static func quoted(_ text: String) -> Data {
        var writer = JSONWriter()
        writer.string(text)
        return writer.finish()
    }

    /// The text of a value, without white space.
    fileprivate init(_ node: JSONNode) {
        var writer = JSONWriter()
        writer.value(node)
        bytes = writer.finish()
    }

    @discardableResult
    private func read<Result>(_ body: (JSONNode) -> Result) -> Result? { try? JSONIndex.read(bytes, body) }

    /// Takes any JSON.
    private struct Anything: Decodable {
        init(from decoder: any Decoder) {}
    }
}

/// Writes a JSON value with one member or element per line, and without secrets.
private struct IndentedWriter {
    let indentation: Int
    let scrubber: Scrubber?
    private(set) var output: [UInt8] = []
    private var depth = 0
    /// True for each member name met so far that is the name of a secret.
    private var secretNames: [String: Bool] = [:]

    init(indentation: Int, scrubber: Scrubber?) {
        self.indentation = indentation
        self.scrubber = scrubber
    }

    /// - Parameter isSecret: True if the value is below a member with a secret's name.
    mutating func write(_ node: JSONNode, isSecret: Bool = false) {
        switch node.kind {
        case .object:
            writeList("{", node.members, "}") { writer, member in
                writer.output += JSONText.quoted(member.key) + Data(": ".utf8)
                let hasSecretName = writer.isSecret(member.key)
                writer.write(member.value, isSecret: isSecret || hasSecretName)
            }
        case .array:
            writeList("[", node.elements, "]") { writer, element in writer.write(element, isSecret: isSecret) }
        case .string:
            // A string that holds half of a surrogate pair has no value.
            let text = node.string ?? node.textInBody ?? ""
            let clean = isSecret ? Redaction.mark : scrubber?.scrub(text) ?? text
            output += clean == text ? JSONText(node).bytes : JSONText.quoted(clean)
        // True, false and null tell no secret. A number is replaced by one, so that the JSON can still be decoded.
        case .number where isSecret: output.append(UInt8(ascii: "0"))
        case .number, .bool, .null: output += JSONText(node).bytes
        }
    }

    private mutating func isSecret(_ name: String) -> Bool {
        guard let scrubber else { return false }
        if let known = secretNames[name] { return known }
        let isSecret = scrubber.redaction.isSecret(name)
        secretNames[name] = isSecret
        return isSecret
    }

    private mutating func writeList<List: Sequence>(
        _ opening: String, _ list: List, _ closing: String, _ write: (inout IndentedWriter, List.Element) -> Void
    ) {
        output += opening.utf8
        depth += 1
        var isEmpty = true
        for element in list {
            if !isEmpty { output += ",".utf8 }
            isEmpty = false
            endLine()
            write(&self, element)
        }
        depth -= 1
        if !isEmpty { endLine() }
        output += closing.utf8
    }

    private mutating func endLine() {
        output.append(UInt8(ascii: "\n"))
        output += repeatElement(UInt8(ascii: " "), count: indentation * depth)
    }
}
