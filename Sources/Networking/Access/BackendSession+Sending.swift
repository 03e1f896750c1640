import Feedback
import Foundation

// Makes a request of a resource and a value, sends it, and reads the answer.

extension BackendSession {
    func producer<Request, Response, Auth>(
        for resource: BackendResource<Request, Response, Auth>, with request: Request,
        as auth: (any CredentialedAuthentication.Type)?, body: RequestBody? = nil,
        destination: TransportRequest.Destination? = nil, progress: TransferProgress.Observer?
    ) -> SignalProducer<Response, CoreError> {
        SignalProducer.asIfAwaited { () async throws(CoreError) -> Response in
            try await answer(
                to: resource, with: request, as: auth, body: body, destination: destination, progress: progress)
        }
    }

    func answer<Request, Response, Auth>(
        to resource: BackendResource<Request, Response, Auth>, with request: Request,
        as auth: (any CredentialedAuthentication.Type)?, body: RequestBody? = nil,
        destination: TransportRequest.Destination? = nil, progress: TransferProgress.Observer?
    ) async throws(CoreError) -> Response {
        let response = try await response(
            to: resource, with: request, as: auth, body: body, destination: destination, progress: progress)
        let result = Parser.$sessionDecoder.withValue(configuration.makeDecoder()) {
            Parser.reportingSkips(to: configuration.onSkip) { resource.reader.read(response) }
        }
        return try result.explainingContentType(of: response).get()
    }

    /// Returns the answer, if it is a success.
    func response<Request, Response, Auth>(
        to resource: BackendResource<Request, Response, Auth>, with request: Request,
        as auth: (any CredentialedAuthentication.Type)?, body: RequestBody? = nil,
        destination: TransportRequest.Destination? = nil, progress: TransferProgress.Observer?
    ) async throws(CoreError) -> TransportResponse {
        var request = try resource.transportRequest(
            for: request, in: environment, headers: configuration.headers, makeEncoder: configuration.makeEncoder
        ).get()
        if let body {
            request.body = body
            // The session's own type is that of the bodies that it encodes.
            if let type = body.contentType, resource.headers["Content-Type"] == nil {
                request.headers["Content-Type"] = type
            }
        }
        request.timeout = resource.timeout ?? configuration.timeout
        request.connectTimeout = configuration.connectTimeout
        request.destination = destination ?? .memory(limit: configuration.maximumBodySize)
        request.progress = progress
        let (response, answered) = try await exchange(
            request, as: auth, within: resource.totalTimeout ?? configuration.totalTimeout)
        // A file that was replaced stays replaced.
        if Task.isCancelled, destination == nil { throw .cancelled }
        let isConfirmed = response.status == 304 && request.isConditional
        guard response.isSuccess || isConfirmed else { throw .status(StatusFailure(response, to: answered)) }
        return response
    }

    private func exchange(
        _ request: TransportRequest, as auth: (any CredentialedAuthentication.Type)?, within limit: Duration?
    ) async throws(CoreError) -> Exchanged {
        guard let limit else { return try await exchangeUnlimited(request, as: auth) }
        let late = CoreError.network(NetworkFailure(.timedOut, url: request.url.redacted))
        return try await withTimeLimit(limit, failure: late) { () async throws(CoreError) in
            try await exchangeUnlimited(request, as: auth)
        }
    }

    private func exchangeUnlimited(
        _ request: TransportRequest, as auth: (any CredentialedAuthentication.Type)?
    ) async throws(CoreError) -> Exchanged {
        if let auth { try await send(request, as: auth) } else { try await transport.follow(request) }
    }

    /// Sends with credentials; if they are refused, sends the refused request once more with refreshed ones.
    private func send(
        _ request: TransportRequest, as auth: any CredentialedAuthentication.Type
    ) async throws(CoreError) -> Exchanged {
        guard let credentials else {
            let reason = "The session was made without a credential provider."
            throw .authentication(.missingCredentials(kind: auth.name, reason: reason))
        }
        guard environment.hasService(at: request.url) else {
            throw .authentication(.foreignHost(kind: auth.name, host: request.url.host() ?? request.url.redacted))
        }
        let ticket = credentials.ticket(for: auth)
        let current = try await credentials.credentials(for: auth)
        if case .stream(let body) = request.destination { try body.user?.check(current, for: auth) }
        var request = request
        try request.authorize(checking: current)
        let first = try await transport.follow(request)
        // If a redirect led to another server, that server has not seen the credentials, and its 401 does not concern
        // them.
        guard first.response.status == 401, first.request.credentials != nil else { return first }

        let refreshed = try await credentials.credentials(for: auth, replacing: current, since: ticket)
        guard refreshed != current else { throw .rejected(auth, first) }
        // The refused request, not the first one: the server has carried out those that it has answered with a redirect.
        var refused = first.request
        try refused.authorize(checking: refreshed)
        let second = try await transport.follow(refused)
        guard second.response.status == 401, second.request.credentials != nil else { return second }
        throw .rejected(auth, second)
    }
}

/// An answer, and the request that it answers; after a redirect, that is not the request that was sent first.
private typealias Exchanged = (response: TransportResponse, request: TransportRequest)

extension CoreError {
    fileprivate static func rejected(
        _ auth: any CredentialedAuthentication.Type, _ exchanged: Exchanged
    ) -> CoreError {
        .authentication(.rejected(kind: auth.name, StatusFailure(exchanged.response, to: exchanged.request)))
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
    /// Adds the content type to the error if the answer is not JSON, such as the login page of a proxy.
    fileprivate func explainingContentType(of response: TransportResponse) -> Self {
        guard case .failure(.parsing(var failure)) = self, let type = response.head.mimeType, !type.contains("json"),
            !response.body.isEmpty
        else { return self }
        failure.reason += " The server sent \(type), not JSON, beginning with: \(excerpt(of: response.body, limit: 80))"
        return .failure(.parsing(failure))
    }
}
