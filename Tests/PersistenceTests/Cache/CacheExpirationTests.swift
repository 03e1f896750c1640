import Feedback
import Foundation
import Persistence
import Testing

@Suite("Times to live in the normalized cache")
struct CacheExpirationTests {
    private let time = MutableProperty(Date(timeIntervalSince1970: 100_000))
    private let cache: NormalizedCache
    private let author = Reference<Author>("a")

    init() {
        var limits = CacheLimits()
        limits.setTimeToLive(.seconds(60), of: Author.self)
        limits.setTimeToLive(.seconds(60), of: Album.self)
        limits.setTimeToLive(.seconds(30), of: Song.self)
        cache = NormalizedCache(limits: limits, now: { [time] in time.value })
    }

    private func wait(_ seconds: TimeInterval) { time.value += seconds }

    @Test("An entity expires when its time is over, and not before")
    func end() {
        cache.store(Author(id: "a"))
        wait(60)
        cache.store(Post(id: 1, author: Author(id: "b")))
        #expect(cache[author] != nil)
        wait(1)
        #expect(cache[author] == nil)
    }

    @Test("An entity that comes twice in parts of one answer lives from the second part on")
    func secondPart() {
        let asked = cache.moment()
        for _ in 1...2 {
            cache.store(Author(id: "a"), asOf: asked)
            wait(40)
        }
        #expect(cache[author] != nil)
    }

    @Test("A removal is remembered as long as an entity, so that a late answer does not undo it")
    func removal() {
        let asked = cache.moment()
        cache.remove(author)
        for _ in 1...2 {
            cache.store(Author(id: "a"), asOf: asked)
            #expect(cache[author] == nil)
            wait(30)
        }
    }

    @Test("Expired entities that need each other in a chain go in one change, whatever the times of their types")
    func chain() {
        let inner = Song(id: 1, album: Album(id: 1, song: Song(id: 2, album: Album(id: 2))))
        cache.store(Album(id: 3, song: Song(id: 3, album: Album(id: 4, song: inner))))
        #expect(cache.count == 7)
        wait(61)
        cache.store(Author(id: "a"))
        #expect(cache.count == 1)
    }
}

private struct Album: Entity {
    let id: Int
    @Indirect var song: Song? = nil

    mutating func visitLinks(_ visitor: inout LinkVisitor) { visitor.visit(&_song) }
}

private struct Song: Entity {
    let id: Int
    @Indirect var album: Album? = nil

    mutating func visitLinks(_ visitor: inout LinkVisitor) { visitor.visit(&_album) }
}
