import Feedback

/// Resolves resources that need credentials, and adds the credentials to the requests.
///
/// ```swift
/// accessible.access(CitiesService.fetchCities()).startWithResult { print($0) }
/// accessible.access(CitiesService.requestDelivery(), with: address).startWithCompleted { print("on its way") }
/// ```
///
/// A producer sends nothing before it is started, and each start sends a new request. Disposing it cancels the request.
public protocol AuthenticatedAccessible: Sendable {
    /// Sends the request and reads its answer. All other forms of `access` call this one; it emits one empty value if
    /// `Response` is `Void`.
    func access<Request, Response, Auth: CredentialedAuthentication>(
        _ resource: BackendResource<Request, Response, Auth>, with request: Request
    ) -> SignalProducer<Response, CoreError>

    /// Sends the request, reads its answer, and tells `progress` how far the transfer has come. The default
    /// implementation never calls `progress`.
    func access<Request, Response, Auth: CredentialedAuthentication>(
        _ resource: BackendResource<Request, Response, Auth>, with request: Request,
        progress: @escaping TransferProgress.Observer
    ) -> SignalProducer<Response, CoreError>

    /// Waits for the answer; cancelling the task cancels the request. The default implementation starts
    /// the producer.
    func access<Request, Response, Auth: CredentialedAuthentication>(
        _ resource: BackendResource<Request, Response, Auth>, with request: Request
    ) async throws(CoreError) -> Response
}

// MARK: - Producers

extension AuthenticatedAccessible {
    public func access<Request, Response, Auth: CredentialedAuthentication>(
        _ resource: BackendResource<Request, Response, Auth>, with request: Request,
        progress: @escaping TransferProgress.Observer
    ) -> SignalProducer<Response, CoreError> {
        access(resource, with: request)
    }

    /// Sends a request that needs no value, and reads its answer.
    public func access<Response, Auth: CredentialedAuthentication>(
        _ resource: BackendResource<Void, Response, Auth>
    ) -> SignalProducer<Response, CoreError> {
        access(resource, with: ())
    }

    /// Sends a request that needs no value, reads its answer, and reports how far the transfer has come.
    public func access<Response, Auth: CredentialedAuthentication>(
        _ resource: BackendResource<Void, Response, Auth>, progress: @escaping TransferProgress.Observer
    ) -> SignalProducer<Response, CoreError> {
        access(resource, with: (), progress: progress)
    }

    /// Completes when the server has answered with success.
    public func access<Request, Auth: CredentialedAuthentication>(
        _ resource: BackendResource<Request, Void, Auth>, with request: Request
    ) -> SignalProducer<Never, CoreError> {
        let producer: SignalProducer<Void, CoreError> = access(resource, with: request)
        return producer.withoutValues()
    }

    /// Completes when the server has answered with success.
    public func access<Request, Auth: CredentialedAuthentication>(
        _ resource: BackendResource<Request, Void, Auth>, with request: Request,
        progress: @escaping TransferProgress.Observer
    ) -> SignalProducer<Never, CoreError> {
        let producer: SignalProducer<Void, CoreError> = access(resource, with: request, progress: progress)
        return producer.withoutValues()
    }

    /// Completes when the server has answered with success.
    public func access<Auth: CredentialedAuthentication>(_ resource: BackendResource<Void, Void, Auth>)
        -> SignalProducer<Never, CoreError>
    {
        let producer: SignalProducer<Void, CoreError> = access(resource, with: ())
        return producer.withoutValues()
    }

    /// Completes when the server has answered with success, and reports how far the transfer has come.
    public func access<Auth: CredentialedAuthentication>(
        _ resource: BackendResource<Void, Void, Auth>, progress: @escaping TransferProgress.Observer
    ) -> SignalProducer<Never, CoreError> {
        let producer: SignalProducer<Void, CoreError> = access(resource, with: (), progress: progress)
        return producer.withoutValues()
    }
}

// MARK: - Async functions

extension AuthenticatedAccessible {
    /// Waits for the answer; cancelling the task cancels the request.
    public func access<Request, Response, Auth: CredentialedAuthentication>(
        _ resource: BackendResource<Request, Response, Auth>, with request: Request
    ) async throws(CoreError) -> Response {
        let producer: SignalProducer<Response, CoreError> = access(resource, with: request)
        return try await producer.onlyValue()
    }

    /// Waits for the answer; cancelling the task cancels the request.
    public func access<Request, Response, Auth: CredentialedAuthentication>(
        _ resource: BackendResource<Request, Response, Auth>, with request: Request,
        progress: @escaping TransferProgress.Observer
    ) async throws(CoreError) -> Response {
        let producer: SignalProducer<Response, CoreError> = access(resource, with: request, progress: progress)
        return try await producer.onlyValue()
    }

    /// Waits for the answer; cancelling the task cancels the request.
    public func access<Response, Auth: CredentialedAuthentication>(
        _ resource: BackendResource<Void, Response, Auth>
    ) async throws(CoreError) -> Response {
        try await access(resource, with: ())
    }

    /// Waits for the answer; cancelling the task cancels the request.
    public func access<Response, Auth: CredentialedAuthentication>(
        _ resource: BackendResource<Void, Response, Auth>, progress: @escaping TransferProgress.Observer
    ) async throws(CoreError) -> Response {
        try await access(resource, with: (), progress: progress)
    }
}
