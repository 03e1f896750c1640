extension LocalBackend {
    /// An error that a handler throws to answer with a status and a reason. Any other error gives 500.
    ///
    ///     guard let city = cities.first(where: { $0.id == id }) else {
    ///         throw LocalBackend.Refusal(404, "There is no city \(id).")
    ///     }
    ///
    /// The answer's body is JSON, `{"reason": "There is no city 7."}`.
    public struct Refusal: Error, Sendable, Equatable, CustomStringConvertible {
        /// The status of the answer.
        public let status: Int
        /// The reason, as the client reads it.
        public let reason: String

        /// Makes an error that is answered with a status and a reason.
        public init(_ status: Int, _ reason: String) {
            self.status = status
            self.reason = reason
        }

        public var description: String { "\(status): \(reason)" }
    }
}

extension LocalBackend.Response {
    init(_ refusal: LocalBackend.Refusal) {
        self = .json(["reason": refusal.reason], status: refusal.status)
    }
}
