import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

@Suite("Removing all from the file of the normalized cache")
struct CacheFileClearingTests {
    private let folder: TemporaryFolder
    private let path: String

    private static let kinds: [CacheFile.Kind] = [
        .entities(of: Post.self, named: "post"), .entities(of: Author.self, named: "author"),
        .lists(of: Feed.self, named: "feed"),
    ]

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("cache.sqlite")
    }

    private func open(_ kinds: [CacheFile.Kind] = Self.kinds) throws -> NormalizedCache {
        try NormalizedCache(file: CacheFile(at: path, kinds: kinds))
    }

    /// Writes a file that has an author, a post and a list.
    private func writeFile() throws {
        let cache = try open()
        cache.store(Post(id: 1))
        cache.updateList(Feed.home) { $0 = EntityList([1]) }
        try cache.flush()
        #expect(try rowCount() == .integer(3))
    }

    private func rowCount() throws -> PrimitiveValue {
        try SQLiteDatabase(.file(path)).rows("SELECT count(*) FROM feedback_cache")[0][0]
    }

    @Test("The file is empty too, also of kinds that the cache does not know, and has what is stored afterwards")
    func everything() throws {
        try writeFile()
        try {
            let cache = try open([.entities(of: Author.self, named: "author")])
            cache.store(Author(id: "b"))
            cache.removeAll()
            cache.store(Author(id: "c"))
            try cache.flush()
        }()
        #expect(try rowCount() == .integer(1))
        #expect(try open()[Reference<Author>("c")] != nil)
    }

    @Test("Objects that were not written yet are never written, and the file is emptied without being asked for")
    func waiting() async throws {
        try writeFile()
        var configuration = SQLiteDatabase.Configuration()
        configuration.maximumSize = 200_000
        let cache = try NormalizedCache(
            file: CacheFile(in: SQLiteDatabase(.file(path), configuration: configuration), kinds: Self.kinds))
        cache.store(Post(id: 2, text: String(repeating: "x", count: 400_000)))
        #expect(throws: StoreError.full(file: path)) { try cache.flush() }
        cache.removeAll()
        await eventually("the file is empty") { (try? rowCount()) == .integer(0) }
        try cache.flush()
        #expect(try rowCount() == .integer(0))
    }

    @Test("A file that cannot be emptied now is emptied with the next write")
    func locked() throws {
        try writeFile()
        var configuration = SQLiteDatabase.Configuration()
        configuration.patience = .zero
        let cache = try NormalizedCache(
            file: CacheFile(in: SQLiteDatabase(.file(path), configuration: configuration), kinds: Self.kinds))
        // Another table of the same file.
        try SQLiteStore(Tag.schema, at: path).perform { tags throws(StoreError) in
            try tags.insert([Tag(id: 1, name: "")])
            cache.removeAll()
            #expect(throws: StoreError.locked(file: path)) { try cache.flush() }
            cache.store(Author(id: "c"))
            #expect(throws: StoreError.locked(file: path)) { try cache.flush() }
        }
        #expect(try rowCount() == .integer(3))
        try cache.flush()
        #expect(try rowCount() == .integer(1))
        #expect(try open()[Reference<Author>("c")] != nil)
    }
}
