import Foundation

/// Writes JSON into bytes, value by value.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.beginObject()
/// writer.key("name"); writer.string("Oslo")
/// writer.key("rank"); writer.integer(3)
/// writer.endObject()
/// let body = writer.finish()
/// ```
///
/// It writes commas and colons, and escapes strings. The caller begins and ends containers in order, and writes a key
/// before each value of an object.
public struct JSONWriter: ~Copyable {
    var bytes: ByteBuffer
    /// True if the next value follows another one in its container.
    private var needsComma = false
    let escapesSlashes: Bool

    /// - Parameters:
    ///   - capacity: The number of bytes to allocate at first.
    ///   - escapesSlashes: True to write `/` as `\/`, as `JSONEncoder` does by default.
    public init(capacity: Int = 256, escapesSlashes: Bool = false) {
        bytes = ByteBuffer(capacity: capacity)
        self.escapesSlashes = escapesSlashes
    }

    /// The bytes written.
    public consuming func finish() -> Data { bytes.data() }

    // MARK: - Containers

    /// Begins an object; its members are a key and a value each.
    public mutating func beginObject() { begin(UInt8(ascii: "{")) }
    /// Ends the object that was begun last.
    public mutating func endObject() { end(UInt8(ascii: "}")) }
    /// Begins an array.
    public mutating func beginArray() { begin(UInt8(ascii: "[")) }
    /// Ends the array that was begun last.
    public mutating func endArray() { end(UInt8(ascii: "]")) }

    private mutating func begin(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func end(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    @inline(__always)
    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    // MARK: - Keys

    /// A key with its quotes and colon, escaped once and written in any number of objects.
    public struct Key: Sendable {
        let bytes: [UInt8]

        /// Makes the key of a name.
        public init(_ name: String) {
            var buffer = ByteBuffer(capacity: name.utf8.count + 4)
            buffer.appendString(name, escapesSlashes: false)
            buffer.append(UInt8(ascii: ":"))
            bytes = Array(buffer.data())
        }
    }

    /// Writes the key of the member whose value comes next.
    public mutating func key(_ name: String) {
        separate()
        bytes.appendString(name, escapesSlashes: escapesSlashes)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a key that was escaped before.
    public mutating func key(_ key: Key) {
        separate()
        key.bytes.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
        needsComma = false
    }

    // MARK: - Values

    /// Writes `null`.
    public mutating func null() {
        separate()
        bytes.append("null")
    }

    /// Writes `true` or `false`.
    public mutating func bool(_ value: Bool) {
        separate()
        bytes.append(value ? "true" : "false")
    }

    /// Writes a text with quotes, escaped.
    public mutating func string(_ value: String) {
        separate()
        bytes.appendString(value, escapesSlashes: escapesSlashes)
    }

    /// Writes an integer of any size.
    public mutating func integer(_ value: some BinaryInteger) {
        separate()
        bytes.appendInteger(value)
    }

    /// Writes an integer of the most common width, faster than the generic form.
    public mutating func integer(_ value: Int64) {
        separate()
        bytes.appendDigits(value)
    }

    /// Writes the shortest digits that read back as the same value; `null` for infinity and NaN, which JSON cannot
    /// express.
    public mutating func double(_ value: Double) {
        guard value.isFinite else { return null() }
        separate()
        bytes.appendFloat(value)
    }

    /// Copies a value from an indexed body.
    public mutating func value(_ node: JSONNode) {
        switch node.kind {
        case .null: null()
        case .bool: bool(node.bool ?? false)
        case .string:
            separate()
            bytes.append(UInt8(ascii: "\""))
            bytes.append(
                contentsOf: UnsafeBufferPointer(start: node.index.bytes + node.token.offset, count: node.token.payload))
            bytes.append(UInt8(ascii: "\""))
        case .number:
            separate()
            bytes.append(contentsOf: Array(node.index.text(node.token).utf8))
        case .array:
            beginArray()
            for element in node.elements { value(element) }
            endArray()
        case .object:
            beginObject()
            for member in node.members {
                key(member.key)
                value(member.value)
            }
            endObject()
        }
    }
}
