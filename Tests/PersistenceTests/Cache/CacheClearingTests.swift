import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

@Suite("Removing all from the normalized cache")
struct CacheClearingTests {
    private let cache = NormalizedCache(limits: CacheLimits(count: 5))
    private let post = Reference<Post>(1)

    /// An answer of a page with one post.
    private func storePage(_ text: String, asOf moment: CacheMoment? = nil) {
        cache.change(asOf: moment) { batch in
            batch.store(
                Post(
                    id: 1, text: text, author: Author(id: "a", name: text),
                    quoted: Post(id: 2, author: Author(id: "b")), isLiked: false))
            batch.updateList(Feed.home) { $0 = EntityList([1], next: "2") }
        }
    }

    @Test("Nothing is left, each watch is told once, and goes on")
    func everything() {
        storePage("old")
        let other = Author(id: "b")
        cache.change { batch in
            batch.store([Post(id: 3, author: other), Post(id: 4, author: other, quoted: Post(id: 5, author: other))])
            batch.updateList(Feed.author("a")) { $0 = EntityList([3, 4]) }
        }
        let (posts, end1) = cache.watch(post).map { $0?.text }.collecting()
        let (lists, end2) = cache.watch(Feed.home).map { $0?.entities.map(\.text) }.collecting()
        let (ids, end3) = cache.watchIDs(Feed.home).map { $0?.ids }.collecting()
        let (sorted, end4) = cache.watch(Post.self, sortedBy: \.id, .reverse, limit: 2).map { $0.map(\.id) }
            .collecting()
        let (both, end5) = cache.watch { cache in
            [cache[post]?.text, cache[Reference<Author>("a")]?.name, cache.list(Feed.home)?.list.next]
        }.collecting()

        cache.removeAll()
        #expect(cache.count == 0 && cache.byteCount == 0)
        #expect(cache.list(Feed.home) == nil && cache.list(Feed.author("a")) == nil)
        storePage("new")
        #expect(posts.all == ["old", nil, "new"])
        #expect(lists.all == [["old"], nil, ["new"]])
        #expect(ids.all == [[1], nil, [1]])
        #expect(sorted.all == [[5, 4], [], [2, 1]])
        #expect(both.all == [["old", "old", "2"], [nil, nil, nil], ["new", "new", "2"]])

        // What was watched is evicted as before.
        for end in [end1, end2, end3, end4, end5] { end.dispose() }
        cache.removeList(Feed.home)
        for id in 100..<110 { cache.store(Author(id: "\(id)")) }
        #expect(cache.count == 5)
        #expect(cache[post] == nil)
    }

    @Test("A cache without entities tells nobody that all was removed")
    func nothing() {
        let (posts, end1) = cache.watch(post).collecting()
        let runs = Locked(0)
        let end2 = cache.watch { cache in
            runs.withLock { $0 += 1 }
            return cache.list(Feed.home)
        }.start()
        cache.removeAll()
        #expect(posts.all == [nil])
        #expect(runs.withLock { $0 } == 1)
        // What is only watched takes no place among the five.
        for id in 1...5 { cache.store(Author(id: "\(id)")) }
        #expect(cache.count == 5)
        for end in [end1, end2] { end.dispose() }
    }

    @Test("Answers that were asked for before do not fill the cache again, later ones do")
    func lateAnswers() {
        let askedBefore = cache.moment()
        storePage("old")
        cache.removeAll()
        let askedAfter = cache.moment()
        storePage("late", asOf: askedBefore)
        cache.store(Author(id: "b"), asOf: askedBefore)
        cache.store([Author(id: "c")], asOf: askedBefore)
        #expect(cache.count == 0)
        #expect(cache.list(Feed.home) == nil)
        storePage("new", asOf: askedAfter)
        storePage("late", asOf: askedBefore)
        #expect(cache[post]?.text == "new")
        #expect(cache[post]?.author.name == "new")
    }

    @Test("An object that was removed before all were does not bar an answer that was asked for after it")
    func removals() {
        cache.remove(post)
        let (posts, end) = cache.watch(post).map { $0?.text }.collecting()
        cache.removeAll()
        storePage("new", asOf: cache.moment())
        #expect(posts.all == [nil, "new"])
        end.dispose()
    }

    @Test("Optimistic changes are dropped, and how they end changes nothing", arguments: [true, false])
    func optimistic(isConfirmed: Bool) {
        storePage("old")
        func like() -> OptimisticChangeID { cache.apply { $0.update(post) { $0.isLiked = true } } }
        let ofKnown = like()
        let ofUnknown = cache.apply { $0.update(Reference<Post>(9)) { $0.isLiked = true } }
        let insertion = cache.apply { $0.insert(Post(id: 8)) }
        let confirmed = cache.apply { $0.update(Reference<Post>(7)) { $0.isLiked = true } }
        let asked = cache.moment()
        cache.confirm(confirmed)
        cache.removeAll()
        #expect(cache.count == 0)
        func end(_ change: OptimisticChangeID) {
            if isConfirmed {
                cache.confirm(change) { $0.store(Post(id: 1, text: "answer", isLiked: true)) }
            } else {
                cache.rollBack(change)
            }
        }
        end(insertion)
        end(ofUnknown)
        #expect(cache.count == 0)
        storePage("new")
        #expect(cache[post]?.isLiked == false)
        let change = like()
        end(ofKnown)
        #expect(cache[post]?.text == "new")
        #expect(cache[post]?.isLiked == true)
        cache.rollBack(change)
        #expect(cache[post]?.isLiked == false)
        cache.store(Post(id: 7, isLiked: false), asOf: asked)
        #expect(cache[Reference<Post>(7)] == nil)
        cache.store(Post(id: 7, isLiked: false))
        #expect(cache[Reference<Post>(7)]?.isLiked == false)
    }

    @Test("The answer to a request that was under way is passed on, but not stored")
    func underWay() {
        storePage("old")
        let (answers, server) = Signal<Post, NoError>.pipe()
        let (passedOn, end) = cache.applying(
            { $0.update(post) { $0.isLiked = true } }, during: answers.producer, storing: { $1.store($0) }
        ).collecting()
        #expect(cache[post]?.isLiked == true)
        cache.removeAll()
        server.send(value: Post(id: 1, text: "late"))
        server.sendCompleted()
        #expect(passedOn.all.map(\.text) == ["late"])
        #expect(cache.count == 0)
        end.dispose()
    }

    @Test("An object that is stored afterwards expires by its own time")
    func timeToLive() {
        let time = Locked(Date(timeIntervalSince1970: 0))
        var limits = CacheLimits()
        limits.setTimeToLive(.seconds(60), of: Author.self)
        let cache = NormalizedCache(limits: limits, now: { time.withLock { $0 } })
        cache.store([Author(id: "a"), Author(id: "b")])
        let watched = cache.watch(Reference<Author>("a")).start()
        time.withLock { $0 += 30 }
        cache.removeAll()
        cache.store([Author(id: "a"), Author(id: "b")])
        watched.dispose()
        time.withLock { $0 += 59 }
        cache.store(Author(id: "c"))
        #expect(["a", "b"].allSatisfy { cache[Reference<Author>($0)] != nil })
        time.withLock { $0 += 2 }
        cache.store(Author(id: "c"))
        #expect(["a", "b"].allSatisfy { cache[Reference<Author>($0)] == nil })
        #expect(cache.count == 1)
    }

    @Test("A confirmed insertion of a watched object lives by its own time, and takes its own memory")
    func insertionOfWatched() {
        let time = Locked(Date(timeIntervalSince1970: 0))
        var limits = CacheLimits()
        limits.setTimeToLive(.seconds(60), of: Author.self)
        let cache = NormalizedCache(limits: limits, now: { time.withLock { $0 } })
        cache.store(Author(id: "a"))
        let watched = cache.watch(Reference<Author>("a")).start()
        time.withLock { $0 += 30 }
        cache.removeAll()
        cache.confirm(cache.apply { $0.insert(Author(id: "a")) })
        #expect(cache.byteCount == Author(id: "a").byteCount)
        watched.dispose()
        time.withLock { $0 += 59 }
        #expect(cache[Reference<Author>("a")] != nil)
    }

    @Test("A watched object comes back inside one that is inserted optimistically")
    func insideOfInsertion() {
        storePage("old")
        let (texts, end) = cache.watch(post).map { $0?.text }.collecting()
        cache.removeAll()
        _ = cache.apply { $0.insert(Post(id: 9, quoted: Post(id: 1, text: "inside"))) }
        #expect(texts.all == ["old", nil, "inside"])
        #expect(cache[Reference<Post>(9)]?.quoted?.text == "inside")
        end.dispose()
    }

    @Test("An observer may remove all")
    func insideObserver() {
        let (posts, end1) = cache.watch(post).map { $0?.text }.collecting()
        let end2 = cache.watch(existing: post).startWithValues { _ in cache.removeAll() }
        storePage("new")
        #expect(posts.all == [nil, "new", nil])
        #expect(cache.count == 0)
        for end in [end1, end2] { end.dispose() }
    }
}
