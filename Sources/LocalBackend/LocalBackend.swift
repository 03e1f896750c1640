import Foundation

/// A small HTTP/1.1 server for loopback, for demos, tests and development.
///
///     let backend = LocalBackend()
///     backend.get("/v1/cities") { _ in .json(["cities": cities]) }
///     backend.get("/v1/cities/:id") { request in .json(try city(request.parameter("id"))) }
///     backend.post("/v1/cities/delivery") { request in
///         let address = try request.decode(Address.self)
///         return .status(201)
///     }
///     let address = try await backend.start()
///     …
///     await backend.stop()
///
/// Routes can be added and replaced at any time, also while it runs. It can be told to ``misbehave(_:on:at:times:)``,
/// and it keeps the ``requests`` that it received, so that tests of a client can check what was sent.
public final class LocalBackend: Sendable {
    /// A function that answers a request. It runs outside of the event loop, so it may block. An error that it throws
    /// is answered with 500, a ``Refusal`` with its own status. Its task is cancelled when the client disconnects or closes
    /// its side; the producer of a streamed body only if the response says so (`endsWithClient`).
    public typealias Handler = @Sendable (Request) async throws -> Response

    private struct Running {
        let address: URL
        let mailbox: Mailbox
    }

    private let configuration: Configuration
    private let serverState: ServerState
    private let running = Locked<Running?>(nil)

    /// Creates a backend without routes. The closure changes its configuration: `LocalBackend { $0.maximumBody = 10 }`.
    public init(configure: (inout Configuration) -> Void = { _ in }) {
        var configuration = Configuration()
        configure(&configuration)
        self.configuration = configuration
        serverState = ServerState(recording: configuration.recordedRequests)
    }

    deinit { _ = running.withLock { $0 }?.mailbox.post(.stop(by: .now, nil)) }

    // MARK: - Running

    /// The address at which it can be reached while it runs.
    public var address: URL? { running.withLock { $0?.address } }

    /// Begins to accept connections, and returns the base URL. Port 0 stands for any port that is free.
    @discardableResult
    public func start(host: String = "127.0.0.1", port: Int = 0) async throws(BackendError) -> URL {
        if let address { throw .alreadyRunning(address) }
        raiseDescriptorLimit()
        let mailbox = try Mailbox()
        let listener = try Listener(host: host, port: port, isShared: configuration.sharesPort)
        guard let address = LocalBackend.address(host: host, port: listener.port) else {
            listener.socket.close()
            throw .invalidHost(host)
        }
        let other = running.withLock { running in
            defer { running = running ?? Running(address: address, mailbox: mailbox) }
            return running?.address
        }
        if let other {
            listener.socket.close()
            throw .alreadyRunning(other)
        }
        // Not before: of two starts at once, only the one that succeeds may set it.
        serverState.check(configuration.originCheck(listeningOn: host))
        let thread = Thread { [serverState, configuration] in
            var loop = EventLoop(
                listener: listener, mailbox: mailbox, serverState: serverState, configuration: configuration)
            loop.run()
        }
        thread.name = "LocalBackend \(listener.port)"
        thread.start()
        return address
    }

    /// Stops accepting connections, gives requests in progress a limited time to finish, and returns when all
    /// connections are closed. The backend can be started again then.
    public func stop(within limit: Duration = .seconds(5)) async {
        guard let mailbox = running.withLock({ $0?.mailbox }) else { return }
        await withCheckedContinuation { continuation in
            if !mailbox.post(.stop(by: .now + limit.clamped, continuation)) { continuation.resume() }
        }
        running.withLock { if $0?.mailbox === mailbox { $0 = nil } }
    }

    private static func address(host: String, port: Int) -> URL? {
        var components = URLComponents()
        components.scheme = "http"
        // A server on every interface is reached through loopback.
        components.host = ["0.0.0.0": "127.0.0.1", "::": "[::1]"][host] ?? (host.contains(":") ? "[\(host)]" : host)
        components.port = port
        return components.url
    }

    // MARK: - Routes

    /// Answers requests of a method to a path, whose segments may be parameters: `/v1/cities/:id`. Literal segments
    /// take precedence over parameters. A new route replaces an equal one.
    public func route(_ method: Method, _ path: String, _ handler: @escaping Handler) {
        serverState.add(Router.Route(method: method, pattern: PathPattern(path), handler: handler))
    }

    /// The routes, sorted by their paths, such as `GET /v1/cities/:id`.
    public var routes: [String] {
        serverState.routes.map { (path: $0.pattern.text, method: $0.method.rawValue) }
            .sorted { ($0.path, $0.method) < ($1.path, $1.method) }
            .map { "\($0.method) \($0.path)" }
    }

    /// Answers GET, and HEAD with the same headers if HEAD has no route of its own.
    public func get(_ path: String, _ handler: @escaping Handler) { route(.get, path, handler) }
    /// Answers POST.
    public func post(_ path: String, _ handler: @escaping Handler) { route(.post, path, handler) }
    /// Answers PUT.
    public func put(_ path: String, _ handler: @escaping Handler) { route(.put, path, handler) }
    /// Answers PATCH.
    public func patch(_ path: String, _ handler: @escaping Handler) { route(.patch, path, handler) }
    /// Answers DELETE.
    public func delete(_ path: String, _ handler: @escaping Handler) { route(.delete, path, handler) }

    // MARK: - Misbehaving

    /// Answers wrongly from now on: all requests or those of a method or a path (which may have parameters), always or
    /// the next few `times`. Calls add up until ``behave()``.
    ///
    ///     backend.misbehave(.drop, on: .post, at: "/v1/cities/delivery", times: 2)
    public func misbehave(
        _ misbehaviours: Misbehaviour..., on method: Method? = nil, at path: String? = nil, times: Int? = nil
    ) {
        serverState.misbehave(misbehaviours, on: method, at: path, times: times)
    }

    /// Ends all misbehaviour.
    public func behave() { serverState.behave() }

    // MARK: - Requests

    /// The latest requests, in the order received.
    public var requests: [Request] { serverState.requests }

    /// Forgets the requests so far, so that a test sees only later ones.
    public func forgetRequests() { serverState.forgetRequests() }
}
