import Feedback
import Foundation

/// Resolves resources of every kind over a ``Transport``.
///
/// ```swift
/// let session = BackendSession(environment: .production, credentials: tokens) {
///     $0.transport = DefaultTransport().caching().retrying()
///     $0.onSkip = { logger.warning("\($0)") }
/// }
/// session.access(CitiesService.fetchCities()).startWithResult { print($0) }
/// ```
///
/// If a server answers 401, the session refreshes the credentials once, however many requests were refused, and sends
/// those requests again. The session follows redirects itself, and sends credentials only to the server that they
/// belong to.
///
/// When a task starts a producer outside of the main actor, it sends the request itself, as it would with `await`. Started
/// from elsewhere, and on Apple's systems before version 26, the producer makes a task that does.
public struct BackendSession: Sendable {
    /// Settings of a session.
    public struct Configuration: Sendable {
        /// Carries the requests. Decorators add caching, retries and logs: `DefaultTransport().caching().retrying()`.
        public var transport: any Transport
        /// Header fields of every request; a resource's own fields take precedence. A server that is none of the
        /// environment's services, to which an absolute URL can lead, gets only `Accept`, `Accept-Language`,
        /// `Content-Type` and `User-Agent` of them.
        public var headers: HTTPHeaders = ["Accept": "application/json"]
        /// The longest time that a server may be silent, and that a refresh of the credentials may take.
        public var timeout: Duration = .seconds(60)
        /// The longest time to find a server and to connect to it; `nil` to use `timeout`. Only ``CurlTransport`` has this
        /// limit; `URLSession` has none for the connection alone.
        public var connectTimeout: Duration?
        /// The longest time that `access` may take, with redirects, retries and a refresh of the credentials;
        /// `nil` for no limit.
        public var totalTimeout: Duration?
        /// The greatest number of bytes of a body that `access` holds in memory.
        public var maximumBodySize = 64 << 20
        /// The greatest number of bytes that `download` writes to a file. By default there is no limit, so a server can fill
        /// the disk. A body beyond it fails with ``NetworkFailure/Reason/bodyTooLarge(limit:)``, and leaves no file.
        public var maximumDownloadSize = Int.max
        /// The rules by which redirects are followed.
        public var redirects = RedirectPolicy()
        /// Makes the encoder for resources that do not have their own.
        public var makeEncoder: @Sendable () -> JSONEncoder = { JSONEncoder() }
        /// Makes the decoder for resources that do not have their own, and for `response:` handlers that pass none to the
        /// parser.
        public var makeDecoder: @Sendable () -> JSONDecoder = { JSONDecoder() }
        /// Called with each element that pruning left out of an answer.
        public var onSkip: (@Sendable (SkippedElement) -> Void)?
    }

    /// The addresses of the services.
    public let environment: BackendEnvironment
    let configuration: Configuration
    let transport: RedirectingTransport
    let credentials: CredentialRefresh?

    /// Makes a session. Without `credentials`, resources that need them fail with ``AuthenticationFailure``.
    public init(
        environment: BackendEnvironment, credentials: (any CredentialProvider)? = nil,
        transport: any Transport = DefaultTransport(), configure: (inout Configuration) -> Void = { _ in }
    ) {
        var configuration = Configuration(transport: transport)
        configure(&configuration)
        self.environment = environment
        self.configuration = configuration
        self.transport = RedirectingTransport(configuration.transport, policy: configuration.redirects)
        self.credentials = credentials.map { [timeout = configuration.timeout] in
            CredentialRefresh(provider: $0, timeout: timeout)
        }
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

// MARK: - Async functions

extension BackendSession {
    public func access<Request, Response>(
        _ resource: BackendResource<Request, Response, NoAuth>, with request: Request
    ) async throws(CoreError) -> Response {
        try await answer(to: resource, with: request, as: nil, destination: nil, progress: nil)
    }

    public func access<Request, Response, Auth: CredentialedAuthentication>(
        _ resource: BackendResource<Request, Response, Auth>, with request: Request
    ) async throws(CoreError) -> Response {
        try await answer(to: resource, with: request, as: Auth.self, destination: nil, progress: nil)
    }
}

// MARK: - Downloading

extension BackendSession {
    /// Writes the answer's body to a file, piece by piece, up to the session's `maximumDownloadSize`.
    ///
    /// The file appears, or is replaced, when the whole body has arrived; if the answer has no body, as with a 204, by an empty
    /// file. If the download fails, an existing file stays as it was.
    public func download<Request, Auth: Authentication>(
        _ resource: BackendResource<Request, Void, Auth>, with request: Request, to file: URL,
        progress: TransferProgress.Observer? = nil
    ) -> SignalProducer<Never, CoreError> {
        let producer: SignalProducer<Void, CoreError> = producer(
            for: resource, with: request, as: Auth.self as? any CredentialedAuthentication.Type,
            destination: .file(file, limit: configuration.maximumDownloadSize), progress: progress)
        return producer.withoutValues()
    }

    /// Writes the answer's body to a file, piece by piece, up to the session's `maximumDownloadSize`.
    public func download<Auth: Authentication>(
        _ resource: BackendResource<Void, Void, Auth>, to file: URL, progress: TransferProgress.Observer? = nil
    ) -> SignalProducer<Never, CoreError> {
        download(resource, with: (), to: file, progress: progress)
    }

    /// Writes the answer's body to a file, piece by piece, up to the session's `maximumDownloadSize`; cancelling the task cancels the download.
    public func download<Request, Auth: Authentication>(
        _ resource: BackendResource<Request, Void, Auth>, with request: Request, to file: URL,
        progress: TransferProgress.Observer? = nil
    ) async throws(CoreError) {
        try await answer(
            to: resource, with: request, as: Auth.self as? any CredentialedAuthentication.Type,
            destination: .file(file, limit: configuration.maximumDownloadSize), progress: progress)
    }

    /// Writes the answer's body to a file, piece by piece, up to the session's `maximumDownloadSize`; cancelling the task cancels the download.
    public func download<Auth: Authentication>(
        _ resource: BackendResource<Void, Void, Auth>, to file: URL, progress: TransferProgress.Observer? = nil
    ) async throws(CoreError) {
        try await download(resource, with: (), to: file, progress: progress)
    }
}

// MARK: - Uploading

extension BackendSession {
    /// Sends a file, a form or a stream as the body of a resource's request.
    ///
    /// ```swift
    /// session.upload(.file(photo, contentType: "image/jpeg"), to: PhotosService.addPhoto()) { print($0.bytesSent) }
    /// ```
    public func upload<Response, Auth: Authentication>(
        _ body: RequestBody, to resource: BackendResource<Void, Response, Auth>,
        progress: TransferProgress.Observer? = nil
    ) -> SignalProducer<Response, CoreError> {
        producer(
            for: resource, with: (), as: Auth.self as? any CredentialedAuthentication.Type, body: body,
            progress: progress)
    }

    /// Sends a file, a form or a stream as the body of a resource's request, and completes when the server has answered with
    /// success.
    public func upload<Auth: Authentication>(
        _ body: RequestBody, to resource: BackendResource<Void, Void, Auth>,
        progress: TransferProgress.Observer? = nil
    ) -> SignalProducer<Never, CoreError> {
        let producer: SignalProducer<Void, CoreError> = upload(body, to: resource, progress: progress)
        return producer.withoutValues()
    }

    /// Sends a file, a form or a stream as the body of a resource's request; cancelling the task cancels the upload.
    public func upload<Response, Auth: Authentication>(
        _ body: RequestBody, to resource: BackendResource<Void, Response, Auth>,
        progress: TransferProgress.Observer? = nil
    ) async throws(CoreError) -> Response {
        try await answer(
            to: resource, with: (), as: Auth.self as? any CredentialedAuthentication.Type, body: body,
            progress: progress)
    }
}
