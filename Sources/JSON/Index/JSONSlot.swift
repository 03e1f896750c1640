/// The type of the values that a slot in memory holds.
///
/// It names the types that most columns have. Their values are put into slots without a call of the column's own function.
package enum JSONSlot: Sendable {
    case int, double, bool, string
    case optionalInt, optionalDouble, optionalBool, optionalString
    /// Any other type.
    case other

    /// The slot of values of a type.
    package init(of type: Any.Type) {
        self = Self.common[ObjectIdentifier(type)] ?? .other
    }

    private static let common: [ObjectIdentifier: JSONSlot] = [
        ObjectIdentifier(Int.self): .int, ObjectIdentifier(Int?.self): .optionalInt,
        ObjectIdentifier(Double.self): .double, ObjectIdentifier(Double?.self): .optionalDouble,
        ObjectIdentifier(Bool.self): .bool, ObjectIdentifier(Bool?.self): .optionalBool,
        ObjectIdentifier(String.self): .string, ObjectIdentifier(String?.self): .optionalString,
    ]

    /// Puts a value into an empty slot of this type; returns false, and leaves the slot empty, if it is not such a value.
    @inline(__always)
    func put(_ token: JSONToken, _ bytes: UnsafePointer<UInt8>, into slot: UnsafeMutableRawPointer) -> Bool {
        switch self {
        case .string: put(string(token, bytes), into: slot)
        case .optionalString: putOptional(token, string(token, bytes), into: slot)
        case .int: put(JSONNumber.integer(token, bytes) as Int?, into: slot)
        case .optionalInt: putOptional(token, JSONNumber.integer(token, bytes) as Int?, into: slot)
        case .double: put(JSONNumber.double(token, bytes), into: slot)
        case .optionalDouble: putOptional(token, JSONNumber.double(token, bytes), into: slot)
        case .bool: put(bool(token), into: slot)
        case .optionalBool: putOptional(token, bool(token), into: slot)
        case .other: false
        }
    }

    @inline(__always)
    private func put<Value>(_ value: Value?, into slot: UnsafeMutableRawPointer) -> Bool {
        guard let value else { return false }
        slot.initializeMemory(as: Value.self, to: value)
        return true
    }

    @inline(__always)
    private func putOptional<Value>(_ token: JSONToken, _ value: Value?, into slot: UnsafeMutableRawPointer) -> Bool {
        if value == nil, token.kind != .null { return false }
        slot.initializeMemory(as: Value?.self, to: value)
        return true
    }

    @inline(__always)
    private func string(_ token: JSONToken, _ bytes: UnsafePointer<UInt8>) -> String? {
        token.kind.isString ? JSONText.string(token, bytes) : nil
    }

    @inline(__always)
    private func bool(_ token: JSONToken) -> Bool? {
        switch token.kind {
        case .yes: true
        case .no: false
        default: nil
        }
    }
}
