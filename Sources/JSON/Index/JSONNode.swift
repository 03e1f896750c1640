/// A value in an indexed body.
///
/// Each property reads the value as one type. It is `nil` if the value is of another type or does not fit.
public struct JSONNode {
    let index: JSONIndex
    let position: Int

    /// The types of JSON values.
    public enum Kind: Sendable {
        /// A value of this type.
        case null, bool, number, string, array, object
    }

    /// The type of the value.
    public var kind: Kind {
        switch token.kind {
        case .null: .null
        case .no, .yes: .bool
        case .array: .array
        case .object: .object
        default: token.kind.isNumber ? .number : .string
        }
    }

    /// The offset in the body of the value's first byte.
    public var offset: Int { token.kind.isString ? token.offset - 1 : token.offset }

    // MARK: - Values

    /// True if the value is `null`.
    @inline(__always) public var isNull: Bool { token.kind == .null }

    /// The value, if it is `true` or `false`.
    public var bool: Bool? {
        switch token.kind {
        case .yes: true
        case .no: false
        default: nil
        }
    }

    /// The text, if the value is a string.
    public var string: String? { token.kind.isString ? index.string(token) : nil }

    /// Returns the number as an integer, if it is one and fits the type; `1.0` and `1e3` are integers, too.
    public func integer<Value: FixedWidthInteger>(_ type: Value.Type = Value.self) -> Value? {
        JSONNumber.integer(token, index.bytes)
    }

    /// The nearest `Double`; `nil` if the number is too great, or so small that it would become zero.
    public var double: Double? { JSONNumber.double(token, index.bytes) }

    /// The nearest `Float`; `nil` if the number is too great, or so small that it would become zero.
    public var float: Float? { JSONNumber.float(token, index.bytes) }

    /// The text of a number as it stands in the body, for types with more digits than `Double` has.
    public var numberText: String? { token.kind.isNumber ? index.text(token) : nil }

    // MARK: - Containers

    /// The number of elements or members; 0 if this is not an array or object.
    public var count: Int { token.kind == .array || token.kind == .object ? index.members(at: position) : 0 }

    /// The elements of an array, in order; empty if this is not an array.
    public var elements: Elements {
        let token = token
        let isArray = token.kind == .array
        return Elements(index: index, position: position + 2, end: isArray ? position + token.payload : position + 2)
    }

    /// The members of an object, in order; empty if this is not an object.
    public var members: Members {
        let token = token
        let isObject = token.kind == .object
        return Members(index: index, position: position + 2, end: isObject ? position + token.payload : position + 2)
    }

    /// The value of a key; `nil` if this is not an object, or has no such key.
    public subscript(key: String) -> JSONNode? { members.first { $0.key == key }?.value }

    /// The elements of an array, to be iterated.
    public struct Elements: Sequence, IteratorProtocol {
        let index: JSONIndex
        var position: Int
        let end: Int

        @inline(__always)
        public mutating func next() -> JSONNode? {
            guard position < end else { return nil }
            defer { position &+= index.tape[position].width }
            return JSONNode(index: index, position: position)
        }
    }

    /// The members of an object, to be iterated in the order of the body.
    public struct Members: Sequence, IteratorProtocol {
        let index: JSONIndex
        var position: Int
        let end: Int

        public mutating func next() -> (key: String, value: JSONNode)? {
            guard position < end else { return nil }
            let key = index.tape[position]
            let value = position + 1
            position = value + index.tape[value].width
            // A key that is not a valid string is refused while the body is indexed.
            return (index.string(key) ?? "", JSONNode(index: index, position: value))
        }
    }

    /// The text of a string or number as it stands in the body, without quotation marks; `nil` for other values.
    package var textInBody: String? { token.kind.isString || token.kind.isNumber ? index.text(token) : nil }

    @inline(__always) var token: JSONToken { index.tape[position] }

    /// The value as a scalar, which is valid as long as the node is held.
    package var scalar: JSONScalar { JSONScalar(token, index.bytes) }
}
