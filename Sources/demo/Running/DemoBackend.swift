import Canned
import Foundation
import LocalBackend
import Networking
import Presentation
import Quakes
import Recordings

/// The backend that answers the demo's requests: a backend on this machine, one elsewhere, or a folder of canned
/// responses.
struct DemoBackend: Sendable {
    private let environment: BackendEnvironment
    private let log: (@Sendable (String) -> Void)?
    /// A description for people.
    let name: String
    private let wire: Wire
    private let local: LocalBackend?

    /// The number of requests that have been sent.
    var requests: Int { wire.requests }

    /// Starts the backend that the arguments ask for. Returns `nil`, and says why, if it cannot be started.
    static func start(
        _ arguments: Arguments, flows: [any DemoFlow], log: @escaping @Sendable (String) -> Void
    ) async -> DemoBackend? {
        do {
            return try await make(arguments, flows: flows, log: log)
        } catch {
            Console.complain("The backend could not be started: \(error)")
            return nil
        }
    }

    private static func make(
        _ arguments: Arguments, flows: [any DemoFlow], log: @escaping @Sendable (String) -> Void
    ) async throws -> DemoBackend {
        if let folder = arguments.cannedFolder {
            let canned = try CannedBackend(folder)
            return DemoBackend(
                arguments, transport: canned, environment: .production.adding(.earthquakes, at: QuakesDemo.service),
                log: log,
                name: "canned responses in \(folder.path(percentEncoded: false))")
        }
        if let url = arguments.baseURL {
            return DemoBackend(
                arguments, transport: DefaultTransport(), environment: environment(at: url, arguments), log: log,
                name: url.absoluteString)
        }
        let local = LocalBackend()
        for flow in flows { try flow.serve(on: local, for: arguments) }
        let url = try await local.start()
        let name = "LocalBackend on \(url.absoluteString)"
        return DemoBackend(
            arguments, transport: DefaultTransport(), environment: environment(at: url, arguments), log: log,
            name: arguments.isLive ? "\(name), and \(QuakesDemo.service)" : name, local: local)
    }

    func stop() async { await local?.stop(within: .seconds(1)) }

    private static func environment(at url: URL, _ arguments: Arguments) -> BackendEnvironment {
        let earthquakes = arguments.isLive ? QuakesDemo.service : url
        return BackendEnvironment(name: "demo", services: [.core: url, .earthquakes: earthquakes])
    }

    private init(
        _ arguments: Arguments, transport: any Transport, environment: BackendEnvironment,
        log: @escaping @Sendable (String) -> Void, name: String, local: LocalBackend? = nil
    ) {
        self.name = name
        self.local = local
        self.environment = environment
        self.log = arguments.logsRequests ? log : nil
        wire = Wire(transport, failRate: arguments.failRate, latency: arguments.latency)
    }
}

// MARK: - Materials

extension DemoBackend {
    /// Returns the materials for flows that use this backend.
    ///
    /// - Parameter recorder: Records the backend's answers.
    func materials(_ arguments: Arguments, recorder: Recorder? = nil) -> DemoMaterials {
        let time = recorder?.now ?? Self.time(arguments)
        let answering = recorder?.transport(wire) ?? wire
        let session = BackendSession(environment: environment, credentials: FixedCredentials(.bearer("demo"))) {
            $0.transport =
                log.map { answering.logging(bodies: arguments.logsBodies ? TrafficLog.bodyLimit : 0, to: $0) }
                ?? answering
            $0.timeout = .seconds(15)
        }
        return DemoMaterials(
            session: session, database: arguments.database, now: { time ?? Date() },
            makeID: { recorder?.ids.next() ?? UUID() }, usesOutbox: arguments.usesOutbox,
            offlineActs: arguments.offlineActs)
    }

    /// Makes a recorder for flows that use this backend.
    func recorder(_ flows: [any DemoFlow], _ arguments: Arguments) -> Recorder {
        Recorder(
            features: flows.map(\.feature.name), time: Self.time(arguments) ?? Date(), services: environment.services)
    }

    /// Returns the time of the newest quake of a saved feed, if there is one.
    private static func time(_ arguments: Arguments) -> Date? { arguments.feed.flatMap(QuakesDemo.end) }
}
