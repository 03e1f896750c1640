/// A value of a body that is read without reference counting. It is valid only inside ``JSONIndex/read(_:_:)``.
///
/// Each property reads the value as one type. It is `nil` if the value is of another type or does not fit; all are
/// `nil` for an array or object.
package struct JSONScalar {
    let token: JSONToken
    private let bytes: UnsafePointer<UInt8>

    init(_ token: JSONToken, _ bytes: UnsafePointer<UInt8>) {
        self.token = token
        self.bytes = bytes
    }

    package var isNull: Bool { token.kind == .null }

    package var bool: Bool? {
        switch token.kind {
        case .yes: true
        case .no: false
        default: nil
        }
    }

    package var string: String? { token.kind.isString ? JSONText.string(token, bytes) : nil }
    package var integer: Int64? { JSONNumber.integer(token, bytes) }
    package var unsigned: UInt64? { JSONNumber.integer(token, bytes) }
    package var double: Double? { JSONNumber.double(token, bytes) }

    /// The bytes of a string that has at most 16 and no escapes, followed by zeros; `nil` for any other value. As none of its
    /// bytes is zero, different strings have different ones.
    package var shortText: SIMD2<UInt64>? {
        guard token.kind == .asciiString || token.kind == .unicodeString, token.payload <= 16 else { return nil }
        var text = SIMD2<UInt64>()
        withUnsafeMutableBytes(of: &text) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: bytes + token.offset, count: token.payload))
        }
        return text
    }

    /// Calls a function with the bytes of a string that has no escapes; returns `nil` for any other value.
    package func withText<Result>(_ read: (UnsafeBufferPointer<UInt8>) -> Result?) -> Result? {
        guard token.kind == .asciiString || token.kind == .unicodeString else { return nil }
        return read(UnsafeBufferPointer(start: bytes + token.offset, count: token.payload))
    }
}
