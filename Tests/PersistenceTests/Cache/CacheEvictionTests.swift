import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

@Suite("Eviction from the normalized cache", .onOwnThread)
struct CacheEvictionTests {
    @Test("Beyond the limit the oldest go first")
    func oldestFirst() {
        let cache = NormalizedCache(limits: CacheLimits(count: 3))
        for name in ["a", "b", "c", "a", "d"] { cache.store(Author(id: name)) }
        #expect(["a", "b", "c", "d"].map { cache[Reference<Author>($0)] != nil } == [true, false, true, true])
    }

    @Test("The limit in bytes counts what entities say of themselves")
    func bytes() {
        let cache = NormalizedCache(limits: CacheLimits(bytes: 1000))
        for id in 1...50 {
            cache.store(Post(id: id, text: String(repeating: "x", count: 100), author: Author(id: "a")))
        }
        #expect(cache.byteCount <= 1000)
        #expect(cache.byteCount > 500)
        cache.store(Post(id: 50, text: String(repeating: "x", count: 10_000)))
        #expect(cache.byteCount <= 1000)
    }

    @Test("A cache that is exactly full keeps everything")
    func exactlyFull() {
        let posts = (1...3).map { Post(id: $0) }
        let free = NormalizedCache()
        free.store(posts)
        let full = NormalizedCache(limits: CacheLimits(count: free.count, bytes: free.byteCount))
        full.store(posts)
        #expect(full.count == free.count)
    }

    @Test("An entity that is removed and stored again counts as before")
    func storedAgain() {
        let cache = NormalizedCache()
        let watched = cache.watch(Reference<Author>("a")).start()
        defer { watched.dispose() }
        cache.store(Author(id: "a", name: "Heron"))
        let bytes = cache.byteCount
        #expect(bytes > 0)
        for _ in 1...3 {
            cache.remove(Reference<Author>("a"))
            #expect(cache.byteCount == 0)
            cache.store(Author(id: "a", name: "Heron"))
            #expect(cache.byteCount == bytes)
        }
    }

    @Test("An entity that grows or shrinks counts as it is now")
    func changedSize() {
        let cache = NormalizedCache()
        cache.store(Post(id: 1, text: "some"))
        let bytes = cache.byteCount
        for (text, more) in [("something", 5), ("", -4), ("some", 0)] {
            cache.store(Post(id: 1, text: text))
            #expect(cache.byteCount == bytes + more)
        }
    }

    @Test("An entity that is watched, listed, linked to or changed optimistically is never evicted")
    func needed() {
        let cache = NormalizedCache(limits: CacheLimits(count: 1))
        let watched = cache.watch([Reference<Post>(1)]).start()
        cache.updateList(Feed.home) { $0.append([2], next: nil) }
        cache.store([1, 2].map { Post(id: $0, author: Author(id: "\($0)"), quoted: Post(id: $0 + 10)) })
        let change = cache.apply { $0.insert(Author(id: "p", name: "changed")) }
        for id in 100..<200 { cache.store(Author(id: "\(id)")) }
        #expect(cache[Reference<Post>(1)]?.quoted?.id == 11)
        #expect(cache[Reference<Post>(2)]?.quoted?.id == 12)
        #expect(cache[Reference<Author>("p")]?.name == "changed")
        watched.dispose()
        cache.removeList(Feed.home)
        cache.rollBack(change)
        #expect(cache.count <= 1)
    }

    @Test("A type's entities live as long as it says, and longer only while they are needed")
    func timeToLive() {
        let time = Locked(Date(timeIntervalSince1970: 0))
        var limits = CacheLimits()
        limits.setTimeToLive(.seconds(60), of: Author.self)
        let cache = NormalizedCache(limits: limits, now: { time.withLock { $0 } })
        let watched = cache.watch(Reference<Author>("watched")).start()
        cache.store([Author(id: "watched"), Author(id: "alone")])
        cache.store(Post(id: 1, author: Author(id: "linked")))
        time.withLock { $0 += 59 }
        #expect(cache[Reference<Author>("alone")] != nil)
        time.withLock { $0 += 2 }
        #expect(cache[Reference<Author>("alone")] == nil)
        #expect(cache[Reference<Author>("watched")] != nil)
        #expect(cache[Reference<Post>(1)]?.author.id == "linked")
        cache.store(Post(id: 2))
        #expect(cache.count == 5)
        watched.dispose()
        #expect(cache[Reference<Author>("watched")] == nil)
    }

    @Test("Expired entities go although others, which live longer, have been unneeded for longer")
    func expiredBehindOthers() {
        let time = Locked(Date(timeIntervalSince1970: 0))
        var limits = CacheLimits()
        limits.setTimeToLive(.seconds(60), of: Author.self)
        limits.setTimeToLive(.seconds(600), of: Post.self)
        let cache = NormalizedCache(limits: limits, now: { time.withLock { $0 } })
        cache.store(Count(id: 1, number: 0))
        cache.store(Post(id: 1, author: Author(id: "linked")))
        cache.store([Author(id: "alone"), Author(id: "watched")])
        let watched = cache.watch(Reference<Author>("watched")).start()
        time.withLock { $0 += 40 }
        cache.store(Author(id: "young"))
        watched.dispose()
        #expect(cache.count == 6)
        time.withLock { $0 += 30 }
        cache.store(Count(id: 2, number: 0))
        // The two counts, the post, its author, and the young author.
        #expect(cache.count == 5)
        time.withLock { $0 += 535 }
        cache.store(Count(id: 3, number: 0))
        #expect(cache.count == 3)
    }

    @Test("An entity that expires while it is needed goes when it is no longer needed")
    func expiredWhileNeeded() {
        let time = Locked(Date(timeIntervalSince1970: 0))
        var limits = CacheLimits()
        limits.setTimeToLive(.seconds(60), of: Author.self)
        let cache = NormalizedCache(limits: limits, now: { time.withLock { $0 } })
        cache.store(Author(id: "watched"))
        let watched = cache.watch(Reference<Author>("watched")).start()
        for id in 1...3 {
            time.withLock { $0 += 30 }
            cache.store(Count(id: id, number: 0))
        }
        cache.store(Author(id: "young"))
        #expect(cache.count == 5)
        watched.dispose()
        cache.store(Count(id: 4, number: 0))
        #expect(cache.count == 5)
        #expect(cache[Reference<Author>("young")] != nil)
    }

    @Test("A confirmed insertion lives as long as its type says")
    func confirmedInsertion() {
        let time = Locked(Date(timeIntervalSince1970: 100_000))
        var limits = CacheLimits()
        limits.setTimeToLive(.seconds(60), of: Author.self)
        let cache = NormalizedCache(limits: limits, now: { time.withLock { $0 } })
        let change = cache.apply { $0.insert(Author(id: "a", name: "new")) }
        cache.confirm(change)
        #expect(cache[Reference<Author>("a")]?.name == "new")
        time.withLock { $0 += 61 }
        #expect(cache[Reference<Author>("a")] == nil)
    }

    @Test("A sorted watch that meets an expired entity goes on, and its page is full", arguments: [Int.max, 2])
    func expiredInOrder(_ limit: Int) {
        let time = Locked(Date(timeIntervalSince1970: 0))
        var limits = CacheLimits()
        limits.setTimeToLive(.seconds(60), of: Author.self)
        let cache = NormalizedCache(limits: limits, now: { time.withLock { $0 } })
        cache.store(Author(id: "a", name: "a"))
        time.withLock { $0 += 30 }
        cache.store([Author(id: "b", name: "b"), Author(id: "c", name: "c")])
        time.withLock { $0 += 31 }
        let names = Emissions<[String]>()
        let watch = cache.watch(Author.self, sortedBy: \.name, limit: limit).map { $0.map(\.name) }
            .startWithValues { names.append($0) }
        #expect(names.all == [["b", "c"]])
        cache.store(Author(id: "0", name: "0"))
        #expect(names.all.last == (limit == 2 ? ["0", "b"] : ["0", "b", "c"]))
        watch.dispose()
    }

    @Test("A sorted watch that begins inside of an observer meets an expired entity, and goes on")
    func expiredInsideAnObserver() {
        let time = Locked(Date(timeIntervalSince1970: 0))
        var limits = CacheLimits()
        limits.setTimeToLive(.seconds(60), of: Author.self)
        let cache = NormalizedCache(limits: limits, now: { time.withLock { $0 } })
        cache.store(Author(id: "a", name: "a"))
        time.withLock { $0 += 61 }
        let names = Emissions<[String]>()
        let watches = CompositeDisposable()
        watches += cache.watch(Reference<Post>(1)).startWithValues { post in
            guard post == nil else { return }
            watches += cache.watch(Author.self, sortedBy: \.name).map { $0.map(\.name) }
                .startWithValues { names.append($0) }
        }
        cache.store(Author(id: "b", name: "b"))
        #expect(names.all == [[], ["b"]])
        watches.dispose()
    }

    @Test("A clock that is set back by more than a type's time to live does not make its entities live longer")
    func clockSetBack() {
        let time = Locked(Date(timeIntervalSince1970: 100_000))
        var limits = CacheLimits()
        limits.setTimeToLive(.seconds(60), of: Author.self)
        let cache = NormalizedCache(limits: limits, now: { time.withLock { $0 } })
        cache.store(Author(id: "a"))
        time.withLock { $0 -= 59 }
        #expect(cache[Reference<Author>("a")] != nil)
        time.withLock { $0 -= 2 }
        #expect(cache[Reference<Author>("a")] == nil)
    }

    @Test("Lists that nobody watches go beyond their limit, with what only they hold")
    func unwatchedLists() {
        let cache = NormalizedCache(limits: CacheLimits(count: 10, unwatchedLists: 2))
        let watched = cache.watch(Feed.home).start()
        cache.updateList(Feed.home) { $0.append([0], next: nil) }
        for id in 1...100 {
            cache.change { batch in
                batch.store(Post(id: id))
                batch.updateList(Feed.author("\(id)")) { $0.append([id], next: nil) }
            }
        }
        #expect(cache.list(Feed.home) != nil)
        #expect((1...100).filter { cache.list(Feed.author("\($0)")) != nil } == [99, 100])
        #expect(cache.count <= 10)
        watched.dispose()
    }

    /// The number of writes; `CACHE_WRITES` changes it.
    private static let writes = ProcessInfo.processInfo.environment["CACHE_WRITES"].flatMap(Int.init) ?? 300_000

    @Test(
        "Hundreds of thousands of writes stay under the limit of entities or bytes",
        arguments: [CacheLimits(count: 1000), CacheLimits(bytes: 100_000), CacheLimits(count: 1000, bytes: 100_000)])
    func manyWrites(_ limits: CacheLimits) {
        let cache = NormalizedCache(limits: limits)
        let watched = cache.watch((0..<40).map { Reference<Count>($0) }).start()
        var highest = (count: 0, bytes: 0)
        for round in 0..<Self.writes / 100 {
            cache.store((0..<100).map { Count(id: (round * 7919 + $0 * 31) % 50_000, number: round) })
            highest = (max(highest.count, cache.count), max(highest.bytes, cache.byteCount))
        }
        if let count = limits.count { #expect(highest.count <= count) }
        if let bytes = limits.bytes { #expect(highest.bytes <= bytes && highest.bytes > bytes / 2) }
        watched.dispose()
    }

    @Test("Ten thousand screens that were opened and closed leave nothing behind")
    func screens() {
        let cache = NormalizedCache(limits: CacheLimits(count: 100, unwatchedLists: 5))
        weak var held: Held?
        do {
            let object = Held()
            held = object
            for id in 0..<10_000 {
                let disposable = cache.watch(Feed.author("\(id)")).startWithValues { _ in
                    withExtendedLifetime(object) {}
                }
                cache.change { batch in
                    batch.store(Post(id: id, author: Author(id: "\(id)")))
                    batch.updateList(Feed.author("\(id)")) { $0.append([id], next: nil) }
                }
                disposable.dispose()
            }
        }
        #expect(held == nil)
        #expect(cache.count <= 100)
        #expect((0..<10_000).count { cache.list(Feed.author("\($0)")) != nil } <= 5)
    }

    @Test("A cache that is freed frees its entities, watched or not")
    func freedCache() {
        weak var held: Held?
        do {
            let object = Held()
            held = object
            let cache = NormalizedCache()
            cache.store([Holding(id: 1, object: object), Holding(id: 2, object: object)])
            cache.watch(Reference<Holding>(1)).start()
        }
        #expect(held == nil)
    }

    @Test("Each entity is found by its id after others were evicted, also if many ids have the same hash")
    func equalHashes() {
        let cache = NormalizedCache(limits: CacheLimits(count: 30))
        var numbers = SeededNumbers(seed: 1)
        var kept: [Int] = []
        for step in 0..<1_000 {
            let number = Int.random(in: 0..<100, using: &numbers)
            cache.store(Colliding(id: Colliding.ID(number: number), step: step))
            kept.removeAll { $0 == number }
            kept.append(number)
            if kept.count > 30 { kept.removeFirst() }
            let found = (0..<100).filter { cache[Reference<Colliding>(Colliding.ID(number: $0))] != nil }
            #expect(found == kept.sorted())
        }
    }
}

/// An entity whose ids have few different hashes.
private struct Colliding: Entity {
    struct ID: Hashable, Sendable {
        let number: Int

        func hash(into hasher: inout Hasher) { hasher.combine(number % 5) }
    }

    let id: ID
    var step: Int
}

private struct Count: Entity {
    let id: Int
    var number: Int

    // Each write changes the size.
    var byteCount: Int { 100 + number % 100 }
}

private final class Held: Sendable {}

private struct Holding: Entity {
    let id: Int
    let object: Held

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.id == rhs.id && lhs.object === rhs.object }
}
