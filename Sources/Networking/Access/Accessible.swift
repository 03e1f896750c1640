import Feedback

/// Resolves resources that need no credentials.
///
/// ```swift
/// accessible.access(VersionService.fetchVersion()).startWithResult { print($0) }
/// let version = try await accessible.access(VersionService.fetchVersion())
/// ```
///
/// A producer sends nothing before it is started, and each start sends a new request. Disposing it cancels the request.
public protocol Accessible: Sendable {
    /// Sends the request and reads its answer. All other forms of `access` call this one; it emits one empty value if
    /// `Response` is `Void`.
    func access<Request, Response>(
        _ resource: BackendResource<Request, Response, NoAuth>, with request: Request
    ) -> SignalProducer<Response, CoreError>

    /// Sends the request, reads its answer, and tells `progress` how far the transfer has come. The default
    /// implementation never calls `progress`.
    func access<Request, Response>(
        _ resource: BackendResource<Request, Response, NoAuth>, with request: Request,
        progress: @escaping TransferProgress.Observer
    ) -> SignalProducer<Response, CoreError>

    /// Waits for the answer; cancelling the task cancels the request. The default implementation starts
    /// the producer.
    func access<Request, Response>(
        _ resource: BackendResource<Request, Response, NoAuth>, with request: Request
    ) async throws(CoreError) -> Response
}

// MARK: - Producers

extension Accessible {
    public func access<Request, Response>(
        _ resource: BackendResource<Request, Response, NoAuth>, with request: Request,
        progress: @escaping TransferProgress.Observer
    ) -> SignalProducer<Response, CoreError> {
        access(resource, with: request)
    }

    /// Sends a request that needs no value, and reads its answer.
    public func access<Response>(
        _ resource: BackendResource<Void, Response, NoAuth>
    ) -> SignalProducer<Response, CoreError> {
        access(resource, with: ())
    }

    /// Sends a request that needs no value, reads its answer, and reports how far the transfer has come.
    public func access<Response>(
        _ resource: BackendResource<Void, Response, NoAuth>, progress: @escaping TransferProgress.Observer
    ) -> SignalProducer<Response, CoreError> {
        access(resource, with: (), progress: progress)
    }

    /// Completes when the server has answered with success.
    public func access<Request>(
        _ resource: BackendResource<Request, Void, NoAuth>, with request: Request
    ) -> SignalProducer<Never, CoreError> {
        let producer: SignalProducer<Void, CoreError> = access(resource, with: request)
        return producer.withoutValues()
    }

    /// Completes when the server has answered with success.
    public func access<Request>(
        _ resource: BackendResource<Request, Void, NoAuth>, with request: Request,
        progress: @escaping TransferProgress.Observer
    ) -> SignalProducer<Never, CoreError> {
        let producer: SignalProducer<Void, CoreError> = access(resource, with: request, progress: progress)
        return producer.withoutValues()
    }

    /// Completes when the server has answered with success.
    public func access(_ resource: BackendResource<Void, Void, NoAuth>) -> SignalProducer<Never, CoreError> {
        let producer: SignalProducer<Void, CoreError> = access(resource, with: ())
        return producer.withoutValues()
    }

    /// Completes when the server has answered with success, and reports how far the transfer has come.
    public func access(
        _ resource: BackendResource<Void, Void, NoAuth>, progress: @escaping TransferProgress.Observer
    ) -> SignalProducer<Never, CoreError> {
        let producer: SignalProducer<Void, CoreError> = access(resource, with: (), progress: progress)
        return producer.withoutValues()
    }
}

// MARK: - Async functions

extension Accessible {
    /// Waits for the answer; cancelling the task cancels the request.
    public func access<Request, Response>(
        _ resource: BackendResource<Request, Response, NoAuth>, with request: Request
    ) async throws(CoreError) -> Response {
        let producer: SignalProducer<Response, CoreError> = access(resource, with: request)
        return try await producer.onlyValue()
    }

    /// Waits for the answer; cancelling the task cancels the request.
    public func access<Request, Response>(
        _ resource: BackendResource<Request, Response, NoAuth>, with request: Request,
        progress: @escaping TransferProgress.Observer
    ) async throws(CoreError) -> Response {
        let producer: SignalProducer<Response, CoreError> = access(resource, with: request, progress: progress)
        return try await producer.onlyValue()
    }

    /// Waits for the answer; cancelling the task cancels the request.
    public func access<Response>(
        _ resource: BackendResource<Void, Response, NoAuth>
    ) async throws(CoreError) -> Response {
        try await access(resource, with: ())
    }

    /// Waits for the answer; cancelling the task cancels the request.
    public func access<Response>(
        _ resource: BackendResource<Void, Response, NoAuth>, progress: @escaping TransferProgress.Observer
    ) async throws(CoreError) -> Response {
        try await access(resource, with: (), progress: progress)
    }
}
