import Feedback
import Foundation

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
