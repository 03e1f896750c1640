/// The reason why a body is not strict JSON, and the offset of the byte at which that was found.
public struct JSONFault: Error, Hashable, Sendable {
    /// A sentence about what is wrong.
    public var reason: String
    /// The offset of a byte in the body; `nil` if the fault concerns the whole body, such as its encoding.
    public var offset: Int?

    /// Makes a fault at an offset in the body; without one, it concerns the whole body.
    public init(_ reason: String, at offset: Int? = nil) {
        self.reason = reason
        self.offset = offset
    }
}

extension JSONFault: CustomStringConvertible {
    public var description: String { offset.map { "\(reason) (byte \($0))" } ?? reason }
}
