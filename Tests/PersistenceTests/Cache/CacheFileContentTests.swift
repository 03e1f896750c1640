import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

@Suite("Unusual content of the normalized cache's file")
struct CacheFileContentTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("cache.sqlite")
    }

    private func open(kinds: [CacheFile.Kind]) throws -> NormalizedCache {
        try NormalizedCache(file: CacheFile(at: path, kinds: kinds))
    }

    @Test("Numbers that JSON does not have are kept, also as ids")
    func unusualNumbers() throws {
        struct Score: Entity, Codable {
            let id: Double
            var value: Double
            var date = Date(timeIntervalSinceReferenceDate: 0)
        }
        let kinds = [CacheFile.Kind.entities(of: Score.self, named: "score")]
        let scores = [
            Score(id: 1, value: .infinity), Score(id: .infinity, value: 1), Score(id: -.infinity, value: 2),
            Score(id: 2, value: 0, date: .distantFuture),
        ]
        do {
            let cache = try open(kinds: kinds)
            cache.store(scores)
            cache.store(Score(id: 3, value: .nan))
            try cache.flush()
        }
        let cache = try open(kinds: kinds)
        #expect(scores.map { cache[Reference<Score>($0.id)] } == scores)
        #expect(cache[Reference<Score>(3)]?.value.isNaN == true)
    }

    @Test("A row has the id that earlier versions gave it, whose JSON escapes slashes")
    func idWithSlash() throws {
        let kinds = [CacheFile.Kind.entities(of: Author.self, named: "author")]
        do {
            let cache = try open(kinds: kinds)
            cache.store(Author(id: "https://a.example"))
            try cache.flush()
        }
        let id = #"author/"https:\/\/a.example""#
        let number = try SQLiteDatabase(.file(path)).execute("DELETE FROM feedback_cache WHERE id = \(id)")
        #expect(number == 1)
    }

    @Test("An entity whose id is a set has one row, though equal sets have different texts")
    func setAsID() throws {
        struct Mix: Entity, Codable {
            let id: Set<String>
            var name: String
        }
        let kinds = [CacheFile.Kind.entities(of: Mix.self, named: "mix")]
        let parts = Set((0..<12).map { "\($0)" })
        // A set of another capacity has another order, as one of another launch has.
        var others = Set<String>(minimumCapacity: 5_000)
        others.formUnion(parts)
        try #require(Array(parts) != Array(others))
        for mix in [Mix(id: parts, name: "old"), Mix(id: others, name: "new")] {
            let cache = try open(kinds: kinds)
            cache.store(mix)
            try cache.flush()
        }
        #expect(try SQLiteDatabase(.file(path)).rows("SELECT count(*) FROM feedback_cache") == [[.integer(1)]])
        #expect(try open(kinds: kinds)[Reference<Mix>(parts)]?.name == "new")
    }

    @Test("A confirmed change is in the file when the one before it is rolled back, also if nobody sees that")
    func confirmedBehindRolledBack() throws {
        let kinds = [CacheFile.Kind.entities(of: Author.self, named: "author")]
        let author = Reference<Author>("a")
        do {
            let cache = try open(kinds: kinds)
            cache.store(Author(id: "a", name: "old"))
            let refused = cache.apply { $0.update(author) { $0.name = "refused" } }
            cache.confirm(cache.apply { $0.update(author) { $0.name = "new" } })
            try cache.flush()
            cache.rollBack(refused)
            #expect(cache[author]?.name == "new")
            try cache.flush()
        }
        #expect(try open(kinds: kinds)[author]?.name == "new")
    }

    @Test("An answer is in the file also if a pending change hides what it has changed")
    func answerBelowChange() throws {
        let kinds = [CacheFile.Kind.entities(of: Author.self, named: "author")]
        let author = Reference<Author>("a")
        do {
            let cache = try open(kinds: kinds)
            cache.store(Author(id: "a", name: "old"))
            _ = cache.apply { $0.update(author) { $0.name = "pending" } }
            try cache.flush()
            cache.store(Author(id: "a", name: "new"))
            try cache.flush()
        }
        #expect(try open(kinds: kinds)[author]?.name == "new")
    }

    /// Makes a file with two authors, of whom the first one does not decode.
    private func makeUnreadable(_ kinds: [CacheFile.Kind]) throws -> SQLiteDatabase {
        do {
            let cache = try open(kinds: kinds)
            cache.store([Author(id: "a"), Author(id: "b")])
            try cache.flush()
        }
        let database = try SQLiteDatabase(.file(path))
        try database.execute("UPDATE feedback_cache SET body = x'7B' WHERE id = 'author/\"a\"'")
        return database
    }

    @Test("A row that does not decode is deleted, and no other")
    func unreadableIsDeleted() throws {
        let kinds = [CacheFile.Kind.entities(of: Author.self, named: "author")]
        let database = try makeUnreadable(kinds)
        #expect(try open(kinds: kinds).count == 1)
        #expect(try database.rows("SELECT id FROM feedback_cache") == [[.text("author/\"b\"")]])
    }

    @Test("What has expired since the last launch does not count as restored")
    func expiredSinceLastLaunch() throws {
        let kinds = [CacheFile.Kind.entities(of: Author.self, named: "author")]
        let time = Locked(Date(timeIntervalSince1970: 100_000))
        var limits = CacheLimits()
        limits.setTimeToLive(.seconds(60), of: Author.self)
        func launch() throws -> NormalizedCache {
            try NormalizedCache(
                limits: limits, file: CacheFile(at: path, kinds: kinds), now: { time.withLock { $0 } })
        }
        do {
            let cache = try launch()
            cache.store(Author(id: "a"))
            try cache.flush()
        }
        time.withLock { $0 += 61 }
        #expect(try launch().count == 0)
    }

    @Test("A copy inside another entity does not undo the entity's own row, also if it is restored later")
    func olderCopyInside() throws {
        let kinds = [
            CacheFile.Kind.entities(of: Author.self, named: "author"), .entities(of: Post.self, named: "post"),
        ]
        let time = Locked(Date(timeIntervalSince1970: 100_000))
        do {
            let cache = try NormalizedCache(file: CacheFile(at: path, kinds: kinds), now: { time.withLock { $0 } })
            let asked = cache.moment()
            cache.store(Author(id: "a", name: "new"))
            time.withLock { $0 += 1 }
            cache.store(Post(id: 1, author: Author(id: "a", name: "old")), asOf: asked)
            try cache.flush()
        }
        let cache = try open(kinds: kinds)
        #expect(cache[Reference<Post>(1)]?.author.name == "new")
    }

    @Test("Of entities that the file has only inside others, the one that was stored last is restored")
    func newestCopyInside() throws {
        let kinds = [CacheFile.Kind.entities(of: Post.self, named: "post")]
        let time = Locked(Date(timeIntervalSince1970: 100_000))
        do {
            let cache = try NormalizedCache(file: CacheFile(at: path, kinds: kinds), now: { time.withLock { $0 } })
            for (id, name) in [(2, "old"), (1, "new")] {
                cache.store(Post(id: id, author: Author(id: "a", name: name)))
                time.withLock { $0 += 1 }
            }
            try cache.flush()
        }
        let cache = try open(kinds: kinds)
        #expect(cache[Reference<Author>("a")]?.name == "new")
        #expect(cache[Reference<Post>(2)]?.author.name == "new")
    }

    @Test("A property that an entity no longer has does not come back from a copy inside another", arguments: [1, 3])
    func forgottenProperty(id: Int) throws {
        let kinds = [CacheFile.Kind.entities(of: Post.self, named: "post")]
        let quoted = Reference<Post>(2)
        do {
            let now = Date(timeIntervalSince1970: 100_000)
            let cache = try NormalizedCache(file: CacheFile(at: path, kinds: kinds), now: { now })
            cache.store(Post(id: id, quoted: Post(id: 2, isLiked: true)))
            cache.remove(quoted)
            cache.store(Post(id: 2))
            #expect(cache[quoted]?.isLiked == nil)
            try cache.flush()
        }
        let cache = try open(kinds: kinds)
        #expect(cache[quoted]?.isLiked == nil)
    }

    @Test("A type can be that of entities and that of keys of lists", arguments: [false, true])
    func entityAsKey(isListFirst: Bool) throws {
        struct Topic: Entity, ListKey, Codable {
            typealias Target = Author
            let id: Int
        }
        let kinds = [CacheFile.Kind.entities(of: Topic.self, named: "topic"), .lists(of: Topic.self, named: "experts")]
        do {
            let cache = try open(kinds: isListFirst ? kinds.reversed() : kinds)
            cache.store(Topic(id: 1))
            cache.updateList(Topic(id: 1)) { $0 = EntityList(["a"]) }
            try cache.flush()
        }
        let cache = try open(kinds: kinds)
        #expect(cache[Reference<Topic>(1)] == Topic(id: 1))
        #expect(cache.list(Topic(id: 1))?.ids == ["a"])
    }

    @Test("What was restored is not written again")
    func restoredIsNotWritten() throws {
        let kinds = [CacheFile.Kind.entities(of: Author.self, named: "author")]
        do {
            let cache = try open(kinds: kinds)
            cache.store(Author(id: "a", name: "own"))
            try cache.flush()
        }
        let cache = try open(kinds: kinds)
        let database = try SQLiteDatabase(.file(path))
        try database.execute("UPDATE feedback_cache SET kind = 'other'")
        try cache.flush()
        #expect(try database.rows("SELECT kind FROM feedback_cache") == [[.text("other")]])
    }

    @Test("If a row that does not decode cannot be deleted, the rest is restored")
    func unreadableInReadOnlyFile() throws {
        let kinds = [CacheFile.Kind.entities(of: Author.self, named: "author")]
        _ = try makeUnreadable(kinds)
        var configuration = SQLiteDatabase.Configuration()
        configuration.isReadOnly = true
        let file = try CacheFile(in: SQLiteDatabase(.file(path), configuration: configuration), kinds: kinds)
        let cache = try NormalizedCache(file: file)
        #expect(["a", "b"].map { cache[Reference<Author>($0)]?.id } == [nil, "b"])
    }

    @Test("A change that is confirmed after it was shown and the file was written is in the file, too")
    func confirmedAfterFlush() throws {
        let kinds = [CacheFile.Kind.entities(of: Author.self, named: "author")]
        let author = Reference<Author>("a")
        do {
            let cache = try open(kinds: kinds)
            cache.store(Author(id: "a", name: "old"))
            let change = cache.apply { $0.update(author) { $0.name = "new" } }
            try cache.flush()
            #expect(try open(kinds: kinds)[author]?.name == "old")
            cache.confirm(change)
            try cache.flush()
        }
        #expect(try open(kinds: kinds)[author]?.name == "new")
    }
}
