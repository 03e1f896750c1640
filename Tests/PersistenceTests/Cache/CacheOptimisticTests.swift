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
