/// A body that is not JSON as it is accepted here: the reason, and the offset of the byte at which it was found.
public struct JSONFault: Error, Hashable, Sendable {
    /// A sentence about what is wrong.
    public var reason: String
    /// The offset of a byte of the body; `nil` if the fault is the whole body's, such as its encoding.
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
