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

/// A cache of answers in memory, up to a number of bytes; the least recently used answers are removed first.
public final class ResponseCache: Sendable {
    struct Key: Hashable {
        let url: URL
        let credentials: Credentials?
        /// The fields that could tell one user from another.
        let fields: HTTPHeaders

        init(_ request: TransportRequest) {
            url = request.url
            credentials = request.credentials?.0
            fields = HTTPHeaders(request.headers.filter { !Key.harmless.contains($0.name.lowercased()) })
        }

        /// True if the request identifies its user.
        var identifiesUser: Bool { credentials != nil || !fields.isEmpty || url.user() != nil }

        var size: Int { url.absoluteString.utf8.count + fields.size + (credentials?.headers.size ?? 0) }

        private static let harmless: Set = [
            "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "content-type",
            "if-match", "if-modified-since", "if-none-match", "if-unmodified-since", "pragma", "range", "user-agent",
        ]
    }

    private struct Entry {
        var answer: CachedAnswer
        var lastUse: Int
        let size: Int

        init(_ answer: CachedAnswer, for key: Key, lastUse: Int) {
            self.answer = answer
            self.lastUse = lastUse
            // The last term is an estimate for the entry itself.
            size = answer.response.body.count + answer.response.headers.size + answer.varying.size + key.size + 1_000
        }
    }

    private struct Contents {
        var entries: [Key: Entry] = [:]
        var size = 0
        var uses = 0
        /// The number of times that answers became out of date.
        var invalidations = 0

        mutating func remove(_ key: Key) {
            if let entry = entries.removeValue(forKey: key) { size -= entry.size }
        }
    }

    private let capacity: Int
    private let contents = Locked(Contents())

    /// - Parameter capacity: The number of bytes of answers to keep, their headers included.
    public init(capacity: Int = 16 << 20) {
        self.capacity = capacity
    }

    /// Forgets all answers.
    public func removeAll() {
        contents.withLock { $0 = Contents(invalidations: $0.invalidations + 1) }
    }

    /// The number to pass to `store` with the answer of a request that is sent now.
    var invalidations: Int { contents.withLock(\.invalidations) }

    func answer(for key: Key) -> CachedAnswer? {
        contents.withLock { contents in
            contents.uses += 1
            contents.entries[key]?.lastUse = contents.uses
            return contents.entries[key]?.answer
        }
    }

    /// Stores an answer, unless one became out of date since its request was sent: it may be that one.
    func store(_ answer: CachedAnswer, for key: Key, unlessInvalidatedSince invalidations: Int) {
        contents.withLock { contents in
            // The answer that is replaced is older still.
            contents.remove(key)
            guard contents.invalidations == invalidations else { return }
            contents.uses += 1
            let entry = Entry(answer, for: key, lastUse: contents.uses)
            guard entry.size <= capacity else { return }
            contents.entries[key] = entry
            contents.size += entry.size
            while contents.size > capacity,
                let oldest = contents.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                contents.remove(oldest.key)
            }
        }
    }

    func remove(_ key: Key) {
        contents.withLock { $0.remove(key) }
    }

    /// Removes the answers of the URL to all users.
    func removeAll(at url: URL) {
        contents.withLock { contents in
            contents.invalidations += 1
            for key in contents.entries.keys where key.url == url { contents.remove(key) }
        }
    }
}

private struct CachingTransport<Wrapped: Transport>: Transport {
    let transport: Wrapped
    let cache: ResponseCache
    let now: @Sendable () -> Date

    func send(_ request: TransportRequest) async throws(CoreError) -> TransportResponse {
        guard [.GET, .HEAD, .OPTIONS].contains(request.method) else { return try await write(request) }
        guard isCacheable(request) else { return try await transport.send(request) }
        let key = ResponseCache.Key(request)
        let invalidations = cache.invalidations
        guard let stored = cache.answer(for: key), stored.answers(request) else {
            return store(try await transport.send(request), request, key, invalidations)
        }
        if stored.isFresh(for: request, now: now()) {
            return try delivering(stored.response, to: request)
        }
        let response = try await transport.send(stored.confirming(request))
        guard response.status == 304 else { return store(response, request, key, invalidations) }
        let confirmed = try stored.confirmed(by: response, url: request.url)
        return try delivering(store(confirmed, request, key, invalidations), to: request)
    }

    /// A write makes the stored answer out of date (RFC 9111, 4.4), unless the server refused it.
    private func write(_ request: TransportRequest) async throws(CoreError) -> TransportResponse {
        do throws(CoreError) {
            let response = try await transport.send(request)
            if response.status < 400 { cache.removeAll(at: request.url) }
            return response
        } catch {
            // The server may have carried it out.
            cache.removeAll(at: request.url)
            throw error
        }
    }

    private func isCacheable(_ request: TransportRequest) -> Bool {
        guard request.method == .GET, case .memory = request.destination else { return false }
        // A caller that makes a conditional request wants to see the 304.
        return !request.isConditional
            && !["Range", "If-Match", "If-Unmodified-Since"].contains { request.headers[$0] != nil }
            && !CacheControl(request.headers["Cache-Control"]).noStore
    }

    private func store(
        _ response: TransportResponse, _ request: TransportRequest, _ key: ResponseCache.Key, _ invalidations: Int
    ) -> TransportResponse {
        let isPrivate = CacheControl(response.header("Cache-Control")).isPrivate
        if !isPrivate || key.identifiesUser, let answer = CachedAnswer(response, to: request, now: now()) {
            cache.store(answer, for: key, unlessInvalidatedSince: invalidations)
        } else if response.isSuccess {
            cache.remove(key)
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
