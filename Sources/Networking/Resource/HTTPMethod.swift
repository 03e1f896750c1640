/// A request's method.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Asks for a resource.
    public static let GET = HTTPMethod(rawValue: "GET")
    /// Asks for the header of a resource, without its body.
    public static let HEAD = HTTPMethod(rawValue: "HEAD")
    /// Sends data to be processed; not idempotent, so it is not retried unless a policy allows it.
    public static let POST = HTTPMethod(rawValue: "POST")
    /// Replaces a resource.
    public static let PUT = HTTPMethod(rawValue: "PUT")
    /// Changes a part of a resource; not idempotent.
    public static let PATCH = HTTPMethod(rawValue: "PATCH")
    /// Deletes a resource.
    public static let DELETE = HTTPMethod(rawValue: "DELETE")
    /// Asks what can be done with a resource.
    public static let OPTIONS = HTTPMethod(rawValue: "OPTIONS")

    /// True if sending the request twice has the effect of sending it once (RFC 9110, 9.2.2).
    public var isIdempotent: Bool {
        switch self {
        case .GET, .HEAD, .PUT, .DELETE, .OPTIONS: true
        default: false
        }
    }
}

extension HTTPMethod: CustomStringConvertible {
    public var description: String { rawValue }
}
