extension LocalBackend {
    /// The method of a request: one of the usual ones, or any other that a route names.
    public struct Method: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// Asks for a resource.
        public static let get = Method(rawValue: "GET")
        /// Asks for the header of a resource, without its body.
        public static let head = Method(rawValue: "HEAD")
        /// Sends something to be handled.
        public static let post = Method(rawValue: "POST")
        /// Replaces a resource.
        public static let put = Method(rawValue: "PUT")
        /// Changes a part of a resource.
        public static let patch = Method(rawValue: "PATCH")
        /// Deletes a resource.
        public static let delete = Method(rawValue: "DELETE")
        /// Asks what can be done with a resource.
        public static let options = Method(rawValue: "OPTIONS")

        public var description: String { rawValue }
    }
}
