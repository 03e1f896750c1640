import Foundation

/// Decides which redirects are followed.
public struct RedirectPolicy: Sendable {
    /// The greatest number of redirects in a row; 0 to get the redirect itself, as a ``CoreError/status(_:)``.
    public var limit: Int

    /// Makes a policy that follows at most `limit` redirects.
    public init(limit: Int = 10) {
        self.limit = limit
    }

    /// The fields that describe a body. A server would wait for a body with the length that they tell.
    private static let fieldsOfBody = [
        "Content-Type", "Content-Length", "Transfer-Encoding", "Content-Encoding", "Content-Language",
        "Content-Location", "Content-MD5", "Content-Digest", "Digest",
    ]

    /// The fields that let a write depend on the object that it changes. The redirect leads to another one.
    private static let preconditions = ["If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"]

    /// Returns the request that a redirect asks for; `nil` if the answer is not a redirect.
    ///
    /// Another server gets no credentials and only the harmless fields, and the id after which a stream of events goes on:
    /// without it, events would be missed. They are not restored if it redirects back.
    func request(
        after response: TransportResponse, to request: TransportRequest
    ) throws(CoreError) -> TransportRequest? {
        guard limit > 0, [301, 302, 303, 307, 308].contains(response.status), let location = response.header("Location")
        else { return nil }
        guard let url = URL(string: location, relativeTo: request.url)?.absoluteURL.withoutFragment,
            let origin = Origin(url)
        else {
            throw refusal(request, "its target\(place(of: location)) is not an http or https URL")
        }
        if request.url.scheme?.lowercased() == "https", origin.scheme == "http" {
            throw refusal(request, "it leads from https to http, where anyone can listen")
        }
        var next = request
        next.url = url
        let becomesGET =
            response.status == 303 && request.method != .HEAD || response.status < 303 && request.method == .POST
        if becomesGET {
            next.method = .GET
            next.body = nil
            for name in Self.fieldsOfBody { next.headers[name] = nil }
            // A GET that stays one may ask if the answer at the end of the redirects has changed.
            if request.method != .GET { for name in Self.preconditions { next.headers[name] = nil } }
        }
        if origin != Origin(request.url) {
            next.authorize(with: nil)
            next.headers = next.headers.harmless(and: ["last-event-id"])
        }
        return next
    }

    /// Returns scheme and host of a target for a message; the rest may hold a token.
    private func place(of location: String) -> String {
        guard let url = URL(string: location), let scheme = url.scheme else { return "" }
        return " (\(scheme):\(url.host().map { "//\($0)" } ?? "…"))"
    }

    private func refusal(_ request: TransportRequest, _ detail: String) -> CoreError {
        .network(NetworkFailure(.refusedRedirect, url: request.url.redacted, detail: detail))
    }
}

extension HTTPHeaders {
    /// The fields that any server may see. All others may hold secrets.
    var harmless: HTTPHeaders { harmless(and: []) }

    fileprivate func harmless(and others: [String]) -> HTTPHeaders {
        let names = ["accept", "accept-language", "content-type", "user-agent"] + others
        return HTTPHeaders(filter { names.contains($0.name.lowercased()) })
    }
}

extension URL {
    /// The URL without its fragment, which is not sent, so that a cache finds the answer of the resource.
    var withoutFragment: URL? {
        guard fragment != nil, var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
        parts.fragment = nil
        return parts.url
    }
}

/// Follows the redirects of another transport.
struct RedirectingTransport: Transport {
    private let transport: any Transport
    private let policy: RedirectPolicy

    init(_ transport: any Transport, policy: RedirectPolicy) {
        self.transport = transport
        self.policy = policy
    }

    func send(_ request: TransportRequest) async throws(CoreError) -> TransportResponse {
        try await follow(request).response
    }

    /// Returns the answer at the end of the redirects, and the request that it answers.
    func follow(
        _ request: TransportRequest
    ) async throws(CoreError) -> (response: TransportResponse, request: TransportRequest) {
        var request = request
        for _ in 0...max(0, policy.limit) {
            let response = try await transport.send(request)
            guard let next = try policy.request(after: response, to: request) else { return (response, request) }
            request = next
        }
        throw .network(NetworkFailure(.tooManyRedirects, url: request.url.redacted))
    }
}
