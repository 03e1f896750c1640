import Feedback
import Foundation

extension Transport {
    /// Answers GET requests from memory for as long as the server has allowed it. Later it asks the server if the
    /// stored answer is still current (`ETag`, `Last-Modified`), and fetches it again only if it is not.
    ///
    /// A stored answer serves only requests with the same credentials and the same identifying fields. Every field that
    /// is not known to be harmless counts as identifying a user. A `private` answer is not stored if its request had
    /// neither credentials nor such fields.
    public func caching(in cache: ResponseCache = ResponseCache()) -> some Transport {
        CachingTransport(transport: self, cache: cache, now: { Date() })
    }

    func caching(in cache: ResponseCache, now: @escaping @Sendable () -> Date) -> some Transport {
        CachingTransport(transport: self, cache: cache, now: now)
    }
}

private struct CachingTransport<Wrapped: Transport>: Transport {
    let transport: Wrapped
    let cache: ResponseCache
    let now: @Sendable () -> Date

    func send(_ request: TransportRequest) async throws(CoreError) -> TransportResponse {
        guard [.GET, .HEAD, .OPTIONS].contains(request.method) else { return try await write(request) }
        guard request.method == .GET else { return try await transport.send(request) }
        let key = ResponseCache.Key(request)
        let ticket = cache.ticket(at: now())
        guard isCacheable(request) else {
            let response = try await transport.send(request)
            if response.provesChange { cache.remove(key, ticket) }
            return response
        }
        guard let stored = cache.answer(for: key), stored.answers(request) else {
            return store(try await transport.send(request), request, key, ticket)
        }
        if stored.isFresh(for: request, now: now()) {
            return try delivering(stored.response, to: request)
        }
        let confirming = stored.confirming(request)
        let response = try await transport.send(confirming)
        guard response.status == 304, confirming.isConditional else { return store(response, request, key, ticket) }
        // The 304 is of another version, as of a server that has looked at the date alone (RFC 9111, 4.3.4).
        guard stored.isSameVersion(as: response) else {
            return store(try await transport.send(request), request, key, ticket)
        }
        let confirmed = try stored.confirmed(by: response, url: request.url)
        return try delivering(store(confirmed, request, key, ticket), to: request)
    }

    /// A write makes the stored answer out of date (RFC 9111, 4.4), unless the server refused it. It also is out of date
    /// if the refusal says that the object has changed or is gone, or if the server, or one before it, has failed: the
    /// write may have been carried out.
    private func write(_ request: TransportRequest) async throws(CoreError) -> TransportResponse {
        do throws(CoreError) {
            let response = try await transport.send(request)
            if !(400...499 ~= response.status) || [404, 408, 409, 410, 412].contains(response.status) {
                cache.removeAll(at: [request.url] + response.changedURLs(by: request))
            }
            return response
        } catch {
            // The server may have carried it out.
            cache.removeAll(at: [request.url])
            throw error
        }
    }

    private func isCacheable(_ request: TransportRequest) -> Bool {
        guard case .memory = request.destination else { return false }
        // A caller that makes a conditional request wants to see the 304.
        return !request.isConditional
            && !["Range", "If-Match", "If-Unmodified-Since"].contains { request.headers[$0] != nil }
            && !CacheControl(request.headers["Cache-Control"]).noStore
    }

    private func store(
        _ response: TransportResponse, _ request: TransportRequest, _ key: ResponseCache.Key,
        _ ticket: ResponseCache.Ticket
    ) -> TransportResponse {
        let isPrivate = CacheControl(response.header("Cache-Control")).isPrivate
        if !isPrivate || key.identifiesUser, let answer = CachedAnswer(response, to: request, sent: ticket.date) {
            cache.store(answer, for: key, ticket)
        } else if response.isSuccess || response.provesChange {
            cache.remove(key, ticket)
        }
        return response
    }

    private func delivering(
        _ response: TransportResponse, to request: TransportRequest
    ) throws(CoreError) -> TransportResponse {
        var response = response
        response.body = try request.destination.deliver(response.body, status: response.status, from: request.url)
        return response
    }
}

extension TransportResponse {
    /// True if the answer to a GET shows that an earlier answer is out of date: there is another one, or none any more.
    fileprivate var provesChange: Bool { [200, 404, 410, 412].contains(status) }

    /// The other URLs at which a write has changed something, as its answer says (RFC 9111, 4.4): the object that was
    /// made, or the list to which it leads back.
    fileprivate func changedURLs(by request: TransportRequest) -> [URL] {
        ["Location", "Content-Location"].compactMap { name in
            let url = header(name).flatMap { URL(string: $0, relativeTo: request.url)?.absoluteURL }
            // A server has no say about another one.
            return url.flatMap { Origin($0) == Origin(request.url) ? $0 : nil }
        }
    }
}
