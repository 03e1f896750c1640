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
        let address: ResourceAddress
        /// True if the URL names a user.
        private let namesUser: Bool
        let credentials: Credentials?
        /// The fields that could tell one user from another.
        let fields: HTTPHeaders

        init(_ request: TransportRequest) {
            address = ResourceAddress(request.url)
            namesUser = request.url.user() != nil
            credentials = request.credentials?.0
            fields = HTTPHeaders(request.headers.filter { !Key.harmless.contains($0.name.lowercased()) })
        }

        /// True if the request identifies its user.
        var identifiesUser: Bool { credentials != nil || !fields.isEmpty || namesUser }

        var size: Int { address.size + fields.size + (credentials?.headers.size ?? 0) }

        private static let harmless: Set = [
            "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "content-type",
            "if-match", "if-modified-since", "if-none-match", "if-unmodified-since", "pragma", "range", "user-agent",
        ]
    }

    private struct Entry {
        var answer: CachedAnswer
        /// The number of the request that it answers.
        let request: Int
        var lastUse = 0
        let size: Int

        init(_ answer: CachedAnswer, for key: Key, request: Int) {
            self.answer = answer
            self.request = request
            // The last term is an estimate for the entry itself.
            size = answer.response.body.count + answer.response.headers.size + answer.varying.size + key.size + 1_000
        }
    }

    private struct Contents {
        var entries: [Key: Entry] = [:]
        var size = 0
        var uses = 0
        /// The uses of the answers, the first one first. A use counts only if it is the last one of its answer.
        var order = Queue<(key: Key, use: Int)>()
        var requests = 0
        /// The number of times that answers became out of date.
        var invalidations = 0

        mutating func remove(_ key: Key) {
            if let entry = entries.removeValue(forKey: key) { size -= entry.size }
        }

        mutating func insert(_ entry: Entry, for key: Key) {
            entries[key] = entry
            size += entry.size
            use(key)
        }

        /// Returns the entry of a key, which counts as used now.
        @discardableResult
        mutating func use(_ key: Key) -> Entry? {
            guard let index = entries.index(forKey: key) else { return nil }
            uses += 1
            entries.values[index].lastUse = uses
            // The key that is stored, since an equal one has memory of its own.
            order.append((entries.keys[index], uses))
            if order.count > 2 * entries.count { shortenOrder() }
            return entries.values[index]
        }

        /// Drops the uses that do not count. Since they are half of all, this costs a constant time for each use.
        private mutating func shortenOrder() {
            for _ in 0..<order.count {
                if let (key, use) = order.popFirst(), entries[key]?.lastUse == use { order.append((key, use)) }
            }
        }

        mutating func removeLeastRecentlyUsed() {
            while let (key, use) = order.popFirst() {
                if entries[key]?.lastUse == use { return remove(key) }
            }
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
        contents.withLock { $0 = Contents(requests: $0.requests, invalidations: $0.invalidations + 1) }
    }

    /// A request that was sent, to tell whether what is stored is older than its answer.
    struct Ticket {
        /// The time at which it was sent.
        let date: Date
        fileprivate let request: Int
        fileprivate let invalidations: Int
    }

    /// Returns the ticket of a request that is sent now.
    func ticket(at date: Date) -> Ticket {
        contents.withLock { contents in
            contents.requests += 1
            return Ticket(date: date, request: contents.requests, invalidations: contents.invalidations)
        }
    }

    func answer(for key: Key) -> CachedAnswer? {
        contents.withLock { $0.use(key)?.answer }
    }

    /// Stores an answer, unless one became out of date since its request was sent: it may be that one. It does not
    /// replace the answer of a request that was sent later.
    func store(_ answer: CachedAnswer, for key: Key, _ ticket: Ticket) {
        contents.withLock { contents in
            guard contents.entries[key].map({ $0.request < ticket.request }) ?? true else { return }
            contents.remove(key)
            guard contents.invalidations == ticket.invalidations else { return }
            let entry = Entry(answer, for: key, request: ticket.request)
            guard entry.size <= capacity else { return }
            contents.insert(entry, for: key)
            while contents.size > capacity { contents.removeLeastRecentlyUsed() }
        }
    }

    /// Removes an answer that another one proves to be out of date, unless its request was sent later.
    func remove(_ key: Key, _ ticket: Ticket) {
        contents.withLock { contents in
            guard let entry = contents.entries[key], entry.request < ticket.request else { return }
            contents.invalidations += 1
            contents.remove(key)
        }
    }

    /// Removes the answers of the URLs to all users.
    func removeAll(at urls: [URL]) {
        let addresses = Set(urls.map(ResourceAddress.init))
        contents.withLock { contents in
            contents.invalidations += 1
            for key in contents.entries.keys where addresses.contains(key.address) { contents.remove(key) }
        }
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
        let response = try await transport.send(stored.confirming(request))
        guard response.status == 304 else { return store(response, request, key, ticket) }
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
