import Foundation

/// The base URLs of the services. A resource names its service, and so is the same in every environment.
///
/// ```swift
/// let testing = BackendEnvironment(name: "testing", services: [.core: testingURL])
/// ```
public struct BackendEnvironment: Hashable, Sendable {
    /// A part of the backend with an address of its own. Features add theirs:
    /// `extension BackendEnvironment.Service { static let maps: Self = "maps" }`.
    public struct Service: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
        /// The name, for messages.
        public let name: String

        /// Makes a service with a name.
        public init(_ name: String) { self.name = name }
        public init(stringLiteral name: String) { self.name = name }

        /// The service that most resources belong to.
        public static let core: Service = "core"

        public var description: String { name }
    }

    /// The name, for messages.
    public var name: String
    /// The base URL of each service.
    public var services: [Service: URL]

    /// Makes an environment.
    public init(name: String, services: [Service: URL]) {
        self.name = name
        self.services = services
    }

    /// An example of an environment, at `api.example.com`.
    public static let production = BackendEnvironment(name: "production", core: "https://api.example.com")
    /// An example of a second environment, at `api.staging.example.com`.
    public static let staging = BackendEnvironment(name: "staging", core: "https://api.staging.example.com")

    /// A server on this machine, such as `LocalBackend`.
    public static func local(port: UInt16) -> BackendEnvironment {
        BackendEnvironment(name: "local", core: "http://127.0.0.1:\(port)")
    }

    /// Returns this environment with one more service, or with another address for the service.
    public func adding(_ service: Service, at url: URL) -> BackendEnvironment {
        var copy = self
        copy.services[service] = url
        return copy
    }

    /// True if the URL is of the server of one of the services.
    func hasService(at url: URL) -> Bool {
        guard let origin = Origin(url) else { return false }
        return services.values.contains { Origin($0) == origin }
    }

    private init(name: String, core: String) {
        self.init(name: name, services: [:])
        services[.core] = URL(string: core)
    }
}
