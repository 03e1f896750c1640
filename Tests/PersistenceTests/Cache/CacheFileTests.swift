import Feedback
import Foundation
import Persistence
import Testing

@Suite("The file of the normalized cache")
struct CacheFileTests {
    private let path = NSTemporaryDirectory() + "cache-\(UUID().uuidString).sqlite"

    private static let kinds: [CacheFile.Kind] = [
        .entities(of: Post.self, named: "post"), .entities(of: Author.self, named: "author"),
        .lists(of: Feed.self, named: "feed"),
    ]

    private func open(
        _ limits: CacheLimits = CacheLimits(), kinds: [CacheFile.Kind] = Self.kinds
    ) throws -> NormalizedCache {
        try NormalizedCache(limits: limits, file: CacheFile(at: path, kinds: kinds))
    }

    private func remove(_ suffixes: [String] = ["", "-wal", "-shm"]) {
        for suffix in suffixes { try? FileManager.default.removeItem(atPath: path + suffix) }
    }

    @Test("The cache of the last launch is there at the next one")
    func restored() throws {
        defer { remove() }
        let list: CachedList<Post>? = try {
            let cache = try open()
            cache.change { batch in
                batch.store((1...5).map { Post(id: $0, text: "\($0)", quoted: Post(id: $0 + 100), isLiked: true) })
                batch.updateList(Feed.home) { $0.append([1, 2, 3], next: "3") }
                batch.updateList(Feed.home) { $0.prepend([5], hasMore: true) }
            }
            cache.store(Post(id: 2, text: "two"))
            cache.store(Author(id: "a", name: "renamed after the posts were stored"))
            cache.remove(Reference<Post>(4))
            try cache.flush()
            return cache.watch(Feed.home).firstValue ?? nil
        }()
        let cache = try open()
        #expect(list?.list.gaps == [5])
        #expect(cache.watch(Feed.home).firstValue == list)
        #expect(cache[Reference<Post>(2)]?.author.name == "renamed after the posts were stored")
        #expect(cache[Reference<Post>(2)]?.isLiked == true)
        #expect(cache[Reference<Post>(4)] == nil)
    }

    private enum Tagged: ListKey, Codable {
        case tags(Set<String>)

        typealias Target = Post
    }

    @Test("A list whose key has no single text is removed, and changed, at the next launch as well")
    func keysOfSeveralTexts() throws {
        defer { remove() }
        let kinds: [CacheFile.Kind] = [
            .entities(of: Post.self, named: "post"), .lists(of: Tagged.self, named: "tagged"),
        ]
        let tags = Set((0..<12).map { "\($0)" })
        // A set of another capacity has another order, as one of another launch has.
        var others = Set<String>(minimumCapacity: 5_000)
        others.formUnion(tags)
        try #require(Array(tags) != Array(others))
        func change(_ body: (NormalizedCache) -> Void) throws -> Int {
            let cache = try open(kinds: kinds)
            body(cache)
            try cache.flush()
            return try SQLiteDatabase(.file(path))
                .rows("SELECT count(*) FROM feedback_cache WHERE kind = 'tagged'").first?.first == .integer(1) ? 1 : 0
        }
        func append(_ id: Int, _ tags: Set<String>) -> (NormalizedCache) -> Void {
            { cache in
                cache.change { batch in
                    batch.store(Post(id: id, text: "\(id)"))
                    batch.updateList(Tagged.tags(tags)) { $0.append([id], next: nil) }
                }
            }
        }
        #expect(try change(append(1, tags)) == 1)
        #expect(try change(append(2, others)) == 1)
        #expect(
            try change {
                append(3, tags)($0)
                try? $0.flush()
                append(4, others)($0)
            } == 1)
        // An older program has left a second row.
        try SQLiteDatabase(.file(path)).execute(
            "INSERT INTO feedback_cache SELECT 'tagged/{', kind, body, 0 FROM feedback_cache WHERE kind = 'tagged'")
        let cache = try open(kinds: kinds)
        #expect((cache.watch(Tagged.tags(tags)).firstValue ?? nil)?.list.ids == [1, 2, 3, 4])
        #expect(try change { $0.change { batch in batch.removeList(Tagged.tags(others)) } } == 0)
    }

    @Test("Entities live as long after they were stored as their type says, across launches")
    func timeToLive() throws {
        defer { remove() }
        let time = Locked(Date(timeIntervalSince1970: 100_000))
        var limits = CacheLimits()
        limits.setTimeToLive(.seconds(60), of: Author.self)
        func launch() throws -> NormalizedCache {
            try NormalizedCache(
                limits: limits, file: CacheFile(at: path, kinds: Self.kinds), now: { time.withLock { $0 } })
        }
        func hasAuthor(_ id: String) throws -> Bool {
            let cache = try launch()
            defer { try? cache.flush() }
            return cache[Reference<Author>(id)] != nil
        }
        try {
            let cache = try launch()
            cache.store([Author(id: "a"), Author(id: "b"), Author(id: "c")])
            cache.store(Post(id: 1, author: Author(id: "c")))
            try cache.flush()
            time.withLock { $0 += 40 }
            // Stored again unchanged.
            cache.store(Author(id: "b"))
            try cache.flush()
        }()
        #expect(try hasAuthor("a"))
        time.withLock { $0 += 30 }
        #expect(try !hasAuthor("a"))
        #expect(try hasAuthor("b"))
        // The post, which has a copy of the author, does not make it younger.
        try {
            let cache = try launch()
            cache.remove(Reference<Post>(1))
            #expect(cache[Reference<Author>("c")] == nil)
        }()
    }

    @Test("An object that was evicted and stored again before the file was written is in the file")
    func evictedAndStored() throws {
        defer { remove() }
        for round in 0..<50 {
            try {
                let cache = try open()
                cache.change { batch in
                    batch.removeList(Feed.home)
                    batch.updateList(Feed.home) { $0.append([round], next: "\(round)") }
                }
                try cache.flush()
            }()
            #expect(try open().list(Feed.home)?.ids == [round])
        }
    }

    @Test("After a launch, the entities that were stored first are evicted first")
    func evictionOrder() throws {
        defer { remove() }
        let time = Locked(Date(timeIntervalSince1970: 100_000))
        try {
            let cache = try NormalizedCache(
                file: CacheFile(at: path, kinds: Self.kinds), now: { time.withLock { $0 } })
            for id in ["d", "a", "c", "b"] {
                time.withLock { $0 += 1 }
                cache.store(Author(id: id))
            }
            try cache.flush()
        }()
        let cache = try open(CacheLimits(count: 2))
        #expect(["a", "b", "c", "d"].filter { cache[Reference<Author>($0)] != nil } == ["b", "c"])
    }

    @Test("Ids of any characters and any length are kept apart and restored")
    func unusualIDs() throws {
        defer { remove() }
        let long = String(repeating: "é", count: 100_000)
        let ids = ["", "\u{0}", "\u{0}\u{0}", "a\u{0}b", "a\"/b", "author/\"a\"", "😀", long, long + "x"]
        try {
            let cache = try open()
            cache.store(ids.map { Author(id: $0, name: "\($0.utf8.count)") })
            try cache.flush()
        }()
        let cache = try open()
        #expect(cache.count == ids.count)
        for id in ids { #expect(cache[Reference<Author>(id)]?.name == "\(id.utf8.count)") }
    }

    @Test("Changes are written without being asked for, and optimistic ones only when they are confirmed")
    func optimistic() throws {
        defer { remove() }
        try {
            let cache = try open()
            cache.store([Post(id: 1, isLiked: false), Post(id: 2, isLiked: false)])
            let first = cache.apply { $0.update(Reference<Post>(1)) { $0.isLiked = true } }
            _ = cache.apply { $0.update(Reference<Post>(2)) { $0.isLiked = true } }
            cache.confirm(first)
            try cache.flush()
        }()
        let cache = try open()
        #expect(cache[Reference<Post>(1)]?.isLiked == true)
        #expect(cache[Reference<Post>(2)]?.isLiked == false)
    }

    @Test("An evicted entity is removed from the file, too")
    func evicted() throws {
        defer { remove() }
        try {
            let cache = try open(CacheLimits(count: 10))
            for id in 0..<100 { cache.store(Author(id: "\(id)")) }
            try cache.flush()
        }()
        #expect(try open().count == 10)
    }

    @Test("Rows that do not decode any more are left out, and the rest is restored")
    func unreadable() throws {
        defer { remove() }
        try {
            let cache = try open(kinds: [.entities(of: Author.self, named: "post")])
            cache.store(Author(id: "a"))
            try cache.flush()
        }()
        try {
            let cache = try open()
            #expect(cache.count == 0)
            cache.store(Author(id: "b"))
            try cache.flush()
        }()
        #expect(try open().count == 1)
    }

    @Test("A cache that goes writes what it was told before")
    func goneIsWritten() async throws {
        defer { remove() }
        try { try open().store(Author(id: "a")) }()
        let isThere = Locked(false)
        for _ in 0..<6_000 {
            if try open().count == 1 { isThere.withLock { $0 = true } }
            if isThere.withLock({ $0 }) { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(isThere.withLock { $0 })
    }

    @Test("Kinds that a newer program has written are left alone, and the rest is restored")
    func newerKinds() throws {
        defer { remove() }
        try {
            let cache = try open()
            cache.store(Post(id: 1, author: Author(id: "a", name: "Ann")))
            cache.updateList(Feed.home) { $0 = EntityList([1, 2], next: "2") }
            try cache.flush()
        }()
        try {
            let cache = try open(kinds: [.entities(of: Author.self, named: "author")])
            #expect(cache.count == 1)
            try cache.flush()
        }()
        #expect(try open().watch(Feed.home).firstValue??.entities.map(\.author.name) == ["Ann"])
    }

    @Test("A change that does not fit on the disk is reported, and written when it fits")
    func full() throws {
        defer { remove() }
        try {
            var configuration = SQLiteDatabase.Configuration()
            configuration.maximumSize = 200_000
            let database = try SQLiteDatabase(.file(path), configuration: configuration)
            let file = try CacheFile(in: database, kinds: Self.kinds)
            let (errors, disposable) = file.errors.producer.collecting()
            let cache = try NormalizedCache(file: file)
            cache.store(Post(id: 1, text: "small"))
            try cache.flush()
            cache.store(Post(id: 2, text: String(repeating: "x", count: 400_000)))
            cache.store(Post(id: 3))
            #expect(throws: StoreError.full(file: path)) { try cache.flush() }
            #expect(errors.all.allSatisfy { $0 == .full(file: path) } && !errors.all.isEmpty)
            #expect(cache[Reference<Post>(2)]?.text.count == 400_000)
            cache.store(Post(id: 2, text: "small too"))
            try cache.flush()
            disposable.dispose()
        }()
        let cache = try open()
        #expect((1...3).map { cache[Reference<Post>($0)]?.text } == ["small", "small too", ""])
    }

    @Test("An observer of the errors may flush to try again, and gets that error itself")
    func flushInObserver() throws {
        defer { remove() }
        var configuration = SQLiteDatabase.Configuration()
        configuration.maximumSize = 200_000
        let file = try CacheFile(in: SQLiteDatabase(.file(path), configuration: configuration), kinds: Self.kinds)
        let cache = try NormalizedCache(file: file)
        let tries = MutableProperty<[StoreError?]>([])
        let observing = file.errors.observeValues { _ in
            do throws(StoreError) {
                try cache.flush()
                tries.value.append(nil)
            } catch { tries.value.append(error) }
        }
        cache.store(Post(id: 2, text: String(repeating: "x", count: 400_000)))
        #expect(throws: StoreError.full(file: path)) { try cache.flush() }
        #expect(tries.value == [.full(file: path)])
        observing?.dispose()
    }

    @Test("A damaged file is refused with its reason")
    func damaged() throws {
        defer { remove() }
        try {
            let cache = try open()
            cache.store((0..<2_000).map { Post(id: $0, text: "\($0)") })
            try cache.flush()
        }()
        remove(["-wal", "-shm"])
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        try #require(bytes.count > 50_000)
        bytes.replaceSubrange(8_192..., with: Data(repeating: 0xFF, count: bytes.count - 8_192))
        try bytes.write(to: URL(fileURLWithPath: path))
        #expect(throws: StoreError.self) { try open() }
    }

    @Test("A file that is not a database is refused with its reason")
    func notADatabase() throws {
        defer { remove() }
        try Data(repeating: 7, count: 5000).write(to: URL(fileURLWithPath: path))
        #expect(throws: StoreError.self) { try open() }
    }
}

extension SignalProducer where Error == NoError {
    /// The value that is sent at once.
    fileprivate var firstValue: Value? {
        let (emissions, disposable) = collecting()
        defer { disposable.dispose() }
        return emissions.all.first
    }
}
