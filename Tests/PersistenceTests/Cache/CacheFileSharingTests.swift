import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

@Suite("A cache in a database that others use too", .onOwnThread)
struct CacheFileSharingTests {
    private let database: SQLiteDatabase

    private static let kinds: [CacheFile.Kind] = [
        .entities(of: Post.self, named: "post"), .entities(of: Author.self, named: "author"),
    ]

    init() throws { database = try SQLiteDatabase(.memory) }

    private func open(_ table: String = "feedback_cache") throws -> NormalizedCache {
        try NormalizedCache(file: CacheFile(in: database, table: table, kinds: Self.kinds))
    }

    @Test("Two caches in tables of their own have nothing to do with each other")
    func twoCaches() throws {
        let (work, home) = (try open("work_cache"), try open("home_cache"))
        work.store(Post(id: 1, text: "work"))
        home.store(Post(id: 1, text: "home"))
        home.store(Post(id: 2))
        for cache in [work, home] { try cache.flush() }
        #expect(try open("work_cache")[Reference<Post>(1)]?.text == "work")
        #expect(try open("work_cache")[Reference<Post>(2)] == nil)
        work.removeAll()
        try work.flush()
        #expect(try open("work_cache").count == 0)
        #expect(try open("home_cache")[Reference<Post>(1)]?.text == "home")
    }

    @Test("A flush in the body of a transaction of the database fails, and does not wait for that transaction")
    func flushInTransaction() throws {
        let tags = try SQLiteStore(Tag.schema, in: database)
        let cache = try open()
        try tags.perform { tags throws(StoreError) in
            try tags.insert([Tag(id: 1, name: "")])
            // Each change is also written in the background, where it waits for the transaction.
            for id in 0..<100 {
                cache.store(Post(id: id))
                #expect(throws: StoreError.insideTransaction) { try cache.flush() }
            }
        }
        try cache.flush()
        #expect(try open().count == cache.count)
    }
}
