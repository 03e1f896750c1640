import Networking

extension NetworkFailure.Reason {
    private static let named: [(name: String, reason: Self)] = [
        ("offline", .offline), ("cannotFindHost", .cannotFindHost), ("cannotConnect", .cannotConnect),
        ("connectionLost", .connectionLost), ("timedOut", .timedOut), ("insecureConnection", .insecureConnection),
        ("tooManyRedirects", .tooManyRedirects), ("refusedRedirect", .refusedRedirect),
        ("malformedAnswer", .malformedAnswer), ("cannotWriteFile", .cannotWriteFile),
    ]

    /// The names of all reasons, as files have them.
    static var names: [String] { named.map(\.name) + ["bodyTooLarge", "other"] }

    /// The name of the reason in files.
    package var name: String {
        switch self {
        case .bodyTooLarge: "bodyTooLarge"
        default: Self.named.first { $0.reason == self }?.name ?? "other"
        }
    }

    /// The number that goes with the reason, if one does.
    package var code: Int? {
        switch self {
        case .bodyTooLarge(let limit): limit
        case .other(let code): code
        default: nil
        }
    }

    /// The reason with a name; `nil` if there is none.
    package init?(name: String, code: Int) {
        switch name {
        case "bodyTooLarge": self = .bodyTooLarge(limit: code)
        case "other": self = .other(code: code)
        default:
            guard let known = Self.named.first(where: { $0.name == name }) else { return nil }
            self = known.reason
        }
    }
}
