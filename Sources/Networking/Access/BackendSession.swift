import Feedback
import Foundation

/// Resolves resources of every kind over a ``Transport``.
///
/// ```swift
/// let session = BackendSession(environment: .production, credentials: tokens) {
///     $0.transport = DefaultTransport().caching().retrying()
///     $0.onSkip = { logger.warning("\($0)") }
/// }
/// session.access(CitiesService.fetchCitiesResource()).startWithResult { … }
/// ```
///
/// A 401 to credentials refreshes them once, however many requests are waiting, and sends those again. Redirects are
/// followed by the session itself, and credentials never leave the server that they were meant for.
public struct BackendSession: Sendable {
    public struct Configuration: Sendable {
        public var transport: any Transport
        /// Fields for every request; a resource's own come before them.
        public var headers: HTTPHeaders = ["Accept": "application/json"]
        /// How long a server may be silent.
        public var timeout: Duration = .seconds(60)
        /// The most bytes of a body that `access` holds in memory; `download` has no limit.
        public var maximumBodySize = 64 << 20
        public var redirects = RedirectPolicy()
        /// Makes the encoder for resources that do not bring their own.
        public var makeEncoder: @Sendable () -> JSONEncoder = { JSONEncoder() }
        /// Told of each element that pruning left out of any answer.
        public var onSkip: (@Sendable (SkippedElement) -> Void)?
    }

    public let environment: BackendEnvironment
    private let configuration: Configuration
    private let transport: RedirectingTransport
    private let credentials: CredentialRefresh?

    public init(
        environment: BackendEnvironment, credentials: (any CredentialProvider)? = nil,
        transport: any Transport = DefaultTransport(), configure: (inout Configuration) -> Void = { _ in }
    ) {
        var configuration = Configuration(transport: transport)
        configure(&configuration)
        self.environment = environment
        self.configuration = configuration
        self.transport = RedirectingTransport(configuration.transport, policy: configuration.redirects)
        self.credentials = credentials.map(CredentialRefresh.init)
    }
}

// MARK: - Accessible

extension BackendSession: Accessible, AuthenticatedAccessible {
    public func access<Request, Response>(
        _ resource: BackendResource<Request, Response, NoAuth>, with request: Request
    ) -> SignalProducer<Response, CoreError> {
        producer(for: resource, with: request, as: nil, progress: nil)
    }

    public func access<Request, Response>(
        _ resource: BackendResource<Request, Response, NoAuth>, with request: Request,
        progress: @escaping TransferProgress.Observer
    ) -> SignalProducer<Response, CoreError> {
        producer(for: resource, with: request, as: nil, progress: progress)
    }

    public func access<Request, Response, Auth: CredentialedAuthentication>(
        _ resource: BackendResource<Request, Response, Auth>, with request: Request
    ) -> SignalProducer<Response, CoreError> {
        producer(for: resource, with: request, as: Auth.self, progress: nil)
    }

    public func access<Request, Response, Auth: CredentialedAuthentication>(
        _ resource: BackendResource<Request, Response, Auth>, with request: Request,
        progress: @escaping TransferProgress.Observer
    ) -> SignalProducer<Response, CoreError> {
        producer(for: resource, with: request, as: Auth.self, progress: progress)
    }
}

// MARK: - Downloading

extension BackendSession {
    /// Writes the answer's body to a file, piece by piece, whatever its size.
    ///
    /// The file appears, or is replaced, when all of it has arrived; a failure leaves what was there before.
    public func download<Request, Auth: Authentication>(
        _ resource: BackendResource<Request, Void, Auth>, with request: Request, to file: URL,
        progress: TransferProgress.Observer? = nil
    ) -> SignalProducer<Never, CoreError> {
        let producer: SignalProducer<Void, CoreError> = producer(
            for: resource, with: request, as: Auth.self as? any CredentialedAuthentication.Type,
            destination: .file(file), progress: progress)
        return producer.withoutValues()
    }

    /// Writes the answer's body to a file, piece by piece, whatever its size.
    public func download<Auth: Authentication>(
        _ resource: BackendResource<Void, Void, Auth>, to file: URL, progress: TransferProgress.Observer? = nil
    ) -> SignalProducer<Never, CoreError> {
        download(resource, with: (), to: file, progress: progress)
    }

    /// Writes the answer's body to a file, piece by piece, whatever its size; cancelling the task cancels the download.
    public func download<Request, Auth: Authentication>(
        _ resource: BackendResource<Request, Void, Auth>, with request: Request, to file: URL,
        progress: TransferProgress.Observer? = nil
    ) async throws(CoreError) {
        try await answer(
            to: resource, with: request, as: Auth.self as? any CredentialedAuthentication.Type,
            destination: .file(file),
            progress: progress)
    }

    /// Writes the answer's body to a file, piece by piece, whatever its size; cancelling the task cancels the download.
    public func download<Auth: Authentication>(
        _ resource: BackendResource<Void, Void, Auth>, to file: URL, progress: TransferProgress.Observer? = nil
    ) async throws(CoreError) {
        try await download(resource, with: (), to: file, progress: progress)
    }
}

// MARK: - Machinery

extension BackendSession {
    private func producer<Request, Response, Auth>(
        for resource: BackendResource<Request, Response, Auth>, with request: Request,
        as auth: (any CredentialedAuthentication.Type)?, destination: TransportRequest.Destination? = nil,
        progress: TransferProgress.Observer?
    ) -> SignalProducer<Response, CoreError> {
        SignalProducer { () async throws(CoreError) -> Response in
            try await answer(to: resource, with: request, as: auth, destination: destination, progress: progress)
        }
    }

    private func answer<Request, Response, Auth>(
        to resource: BackendResource<Request, Response, Auth>, with request: Request,
        as auth: (any CredentialedAuthentication.Type)?, destination: TransportRequest.Destination?,
        progress: TransferProgress.Observer?
    ) async throws(CoreError) -> Response {
        var request = try resource.transportRequest(
            for: request, in: environment, headers: configuration.headers, makeEncoder: configuration.makeEncoder
        ).get()
        request.timeout = configuration.timeout
        request.destination = destination ?? .memory(limit: configuration.maximumBodySize)
        request.progress = progress
        let response = if let auth { try await send(request, as: auth) } else { try await transport.send(request) }
        if Task.isCancelled { throw .cancelled }
        let isConfirmed = response.status == 304 && request.isConditional
        guard response.isSuccess || isConfirmed else { throw .status(StatusFailure(response, to: request)) }
        return try Parser.reportingSkips(to: configuration.onSkip) { resource.response(response.body, response.head) }
            .explainingContentType(of: response).get()
    }

    /// Sends with credentials; when they are refused, once more with refreshed ones.
    private func send(
        _ request: TransportRequest, as auth: any CredentialedAuthentication.Type
    ) async throws(CoreError) -> TransportResponse {
        guard let credentials else {
            let reason = "The session was made without a credential provider."
            throw .authentication(.missingCredentials(kind: auth.name, reason: reason))
        }
        guard environment.services.values.contains(where: { Origin($0) == Origin(request.url) }) else {
            throw .authentication(.foreignHost(kind: auth.name, host: request.url.host() ?? request.url.redacted))
        }
        let ticket = credentials.ticket(for: auth)
        let current = try await credentials.credentials(for: auth)
        var request = request
        try request.authorize(checking: current)
        let response = try await transport.send(request)
        guard response.status == 401 else { return response }

        let refreshed = try await credentials.credentials(for: auth, replacing: current, since: ticket)
        try request.authorize(checking: refreshed)
        let secondResponse = try await transport.send(request)
        guard secondResponse.status == 401 else { return secondResponse }
        throw .authentication(.rejected(kind: auth.name, StatusFailure(secondResponse, to: request)))
    }
}

extension TransportRequest {
    fileprivate mutating func authorize(checking credentials: Credentials) throws(CoreError) {
        if let fault = credentials.headers.fault { throw .request(RequestFailure(fault)) }
        authorize(with: credentials)
    }
}

extension StatusFailure {
    init(_ response: TransportResponse, to request: TransportRequest) {
        self.init(
            code: response.status, body: response.body, headers: response.headers,
            request: "\(request.method) \(request.url.redacted)")
    }
}

extension Result where Failure == CoreError {
    /// A page of HTML where JSON was expected (a proxy's, a login's) is told as what it is.
    fileprivate func explainingContentType(of response: TransportResponse) -> Self {
        guard case .failure(.parsing(var failure)) = self, let type = response.head.mimeType, !type.contains("json"),
            !response.body.isEmpty
        else { return self }
        failure.reason += " The server sent \(type), not JSON, beginning with: \(excerpt(of: response.body, limit: 80))"
        return .failure(.parsing(failure))
    }
}
