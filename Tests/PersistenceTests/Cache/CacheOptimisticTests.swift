import Feedback
import Persistence
import Testing

@Suite("Optimistic changes in the normalized cache")
struct CacheOptimisticTests {
    private let cache = NormalizedCache()
    private let first = Reference<Post>(1)

    init() { cache.store(Post(id: 1, text: "a", isLiked: false)) }

    private func like(_ isLiked: Bool = true) -> OptimisticChangeID {
        cache.apply { $0.update(first) { $0.isLiked = isLiked } }
    }

    @Test("A change is at once in every value that shows the entity, and gone from all when it is rolled back")
    func everywhere() {
        cache.change { batch in
            batch.store(Post(id: 2, quoted: Post(id: 1, text: "a")))
            batch.setList(Feed.home, EntityList([1, 2]))
        }
        let (alone, end1) = cache.watch(first).map { $0?.isLiked }.collecting()
        let (quoted, end2) = cache.watch(Reference<Post>(2)).map { $0?.quoted?.isLiked }.collecting()
        let (listed, end3) = cache.watch(Feed.home).map { $0?.entities.first?.isLiked }.collecting()
        let change = like()
        for emissions in [alone, quoted, listed] { #expect(emissions.all == [false, true]) }
        cache.rollBack(change)
        for emissions in [alone, quoted, listed] { #expect(emissions.all == [false, true, false]) }
        for end in [end1, end2, end3] { end.dispose() }
    }

    @Test("Confirming a change is not seen, and its answer only if it is another")
    func confirming() {
        let (posts, disposable) = cache.watch(first).map { $0?.text }.collecting()
        let change = cache.apply { $0.update(first) { $0.text = " b " } }
        cache.confirm(change) { $0.store(Post(id: 1, text: "b", isLiked: false)) }
        let other = cache.apply { $0.update(first) { $0.text = "c" } }
        cache.confirm(other)
        #expect(posts.all == ["a", " b ", "b", "c"])
        disposable.dispose()
    }

    @Test("An answer that was asked for before a change was confirmed does not undo it")
    func lateAnswer() {
        let asked = cache.moment()
        let change = like()
        cache.store(Post(id: 1, text: "a", isLiked: false), asOf: asked)
        #expect(cache[first]?.isLiked == true)
        let askedMeanwhile = cache.moment()
        cache.confirm(change)
        cache.store(Post(id: 1, text: "a", isLiked: false), asOf: askedMeanwhile)
        #expect(cache[first]?.isLiked == true)
        cache.store(Post(id: 1, text: "a", isLiked: false))
        #expect(cache[first]?.isLiked == false)
    }

    @Test("A confirmed change of an entity that is not known yet is in the answer that was asked for before")
    func confirmedBeforeKnown() {
        let post = Reference<Post>(2)
        let asked = [cache.moment(), cache.moment()]
        let change = cache.apply { $0.update(post) { $0.isLiked = true } }
        cache.confirm(change)
        #expect(cache[post] == nil)
        for moment in asked {
            cache.store(Post(id: 2, text: "b", author: Author(id: "n"), isLiked: false), asOf: moment)
            #expect(cache[post] == Post(id: 2, text: "b", author: Author(id: "n"), isLiked: true))
        }
        cache.store(Post(id: 2, text: "b", isLiked: false))
        #expect(cache[post]?.isLiked == false)
    }

    @Test("Confirmed changes of an entity that is not known yet keep the order in which they were made")
    func orderBeforeKnown() {
        let post = Reference<Post>(2)
        let asked = cache.moment()
        let changes = ["a", "b", "c", "d"].map { text in
            cache.apply { $0.update(post) { if !$0.text.contains(text) { $0.text += text } } }
        }
        cache.confirm(changes[2])
        cache.confirm(changes[0])
        cache.rollBack(changes[1])
        cache.store(Post(id: 2, text: "-"), asOf: asked)
        #expect(cache[post]?.text == "-acd")
        cache.rollBack(changes[3])
        #expect(cache[post]?.text == "-ac")
    }

    @Test("An answer that was asked for after the confirmation of a change is not changed again")
    func answerAfterConfirmation() {
        let post = Reference<Post>(2)
        let change = cache.apply { $0.update(post) { $0.text += "!" } }
        cache.confirm(change)
        cache.store(Post(id: 2, text: "b!"))
        #expect(cache[post]?.text == "b!")
    }

    @Test("Several changes made as one of an entity that is not known yet are in the answer that was asked for before")
    func severalAtOnceBeforeKnown() {
        let post = Reference<Post>(2)
        let asked = cache.moment()
        let change = cache.apply { batch in
            batch.update(post) { $0.isLiked = true }
            for text in ["first", "second", "changed"] { batch.update(post) { $0.text = text } }
        }
        cache.confirm(change)
        cache.store(Post(id: 2, text: "b", isLiked: false), asOf: asked)
        #expect(cache[post] == Post(id: 2, text: "changed", isLiked: true))
    }

    @Test("An entity that is evicted before it is known forgets its confirmed changes")
    func evictedBeforeKnown() {
        let cache = NormalizedCache(limits: CacheLimits(count: 2))
        let asked = cache.moment()
        cache.confirm(cache.apply { $0.update(Reference<Post>(2)) { $0.isLiked = true } })
        cache.store(["x", "y"].map { Author(id: $0) })
        cache.store(Post(id: 2, isLiked: false), asOf: asked)
        #expect(cache[Reference<Post>(2)]?.isLiked == false)
    }

    @Test("A confirmed removal of an entity that is not known bars the answer that was asked for before")
    func removedBeforeKnown() {
        let asked = cache.moment()
        let change = cache.apply { $0.remove(Reference<Post>(2)) }
        cache.confirm(change)
        cache.store(Post(id: 2), asOf: asked)
        #expect(cache[Reference<Post>(2)] == nil)
    }

    @Test("A change puts an entity inside another one in the cache, also if somebody waits for it")
    func insideOfChange() {
        let quoted = Reference<Post>(10)
        let (posts, disposable) = cache.watch(quoted).map { $0?.text }.collecting()
        let change = cache.apply { $0.insert(Post(id: 9, quoted: Post(id: 10, text: "inside"))) }
        #expect(cache[Reference<Post>(9)]?.quoted?.text == "inside")
        #expect(posts.all == [nil, "inside"])
        cache.confirm(change)
        cache.update(first) { $0.quoted = Post(id: 11, text: "new") }
        #expect(cache[first]?.quoted?.text == "new")
        disposable.dispose()
    }

    @Test("Overlapping changes of one entity end independently")
    func overlapping() {
        let changes = [like(), like(false), like()]
        cache.rollBack(changes[2])
        #expect(cache[first]?.isLiked == false)
        cache.rollBack(changes[1])
        #expect(cache[first]?.isLiked == true)
        cache.rollBack(changes[0])
        #expect(cache[first]?.isLiked == false)
    }

    @Test("An entity that is inserted optimistically goes again when the server refuses, and so does a removal")
    func insertingAndRemoving() {
        let insertion = cache.apply { $0.insert(Post(id: 9, author: Author(id: "n"))) }
        let removal = cache.apply { $0.remove(first) }
        #expect(cache[Reference<Post>(9)]?.author.id == "n")
        #expect(cache[first] == nil)
        cache.rollBack(insertion)
        cache.rollBack(removal)
        #expect(cache[Reference<Post>(9)] == nil)
        #expect(cache[first]?.text == "a")
    }

    @Test("An earlier answer does not undo an insertion that waited for a change before it to be rolled back")
    func insertionBehindRefused() {
        let post = Reference<Post>(9)
        cache.store(Post(id: 9))
        cache.remove(post)
        let asked = cache.moment()
        let refused = cache.apply { $0.update(post) { $0.text = "refused" } }
        cache.confirm(cache.apply { $0.insert(Post(id: 9, isLiked: true)) })
        cache.rollBack(refused)
        cache.store(Post(id: 9, text: "late", isLiked: false), asOf: asked)
        #expect(cache[post] == Post(id: 9, isLiked: true))
    }

    @Test("An entity that is inserted optimistically takes the memory that it says, each time")
    func bytesOfInsertion() {
        let cache = NormalizedCache()
        let author = Author(id: "n")
        for _ in 1...2 {
            let insertion = cache.apply { $0.insert(author) }
            #expect(cache.byteCount == author.byteCount)
            cache.rollBack(insertion)
            #expect(cache.byteCount == 0)
        }
    }

    @Test("A request confirms its change with its answer, and rolls it back if it fails or is interrupted")
    func requests() {
        func request(_ request: SignalProducer<Post, CacheTestError>) -> (any Disposable) {
            cache.applying({ $0.update(first) { $0.isLiked = true } }, during: request) { $1.store($0) }.start()
        }
        let (answer, observer) = Signal<Post, CacheTestError>.pipe()
        var disposable = request(answer.producer)
        #expect(cache[first]?.isLiked == true)
        observer.send(error: CacheTestError())
        #expect(cache[first]?.isLiked == false)
        disposable = request(.never)
        #expect(cache[first]?.isLiked == true)
        disposable.dispose()
        #expect(cache[first]?.isLiked == false)
        _ = request(SignalProducer(value: Post(id: 1, text: "answered", isLiked: true)))
        #expect(cache[first] == Post(id: 1, text: "answered", isLiked: true))
    }
}

private struct CacheTestError: Error, Equatable {}
