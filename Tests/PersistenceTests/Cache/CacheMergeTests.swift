import Persistence
import Testing

@Suite("Merging in the normalized cache")
struct CacheMergeTests {
    private let cache = NormalizedCache()
    private let first = Reference<Post>(1)

    @Test("A property that an answer leaves out is kept")
    func partial() {
        cache.store(Post(id: 1, text: "a", isLiked: true))
        cache.store(Post(id: 1, text: "b"))
        #expect(cache[first] == Post(id: 1, text: "b", isLiked: true))
        cache.store(Post(id: 1, text: "b", isLiked: false))
        #expect(cache[first]?.isLiked == false)
    }

    @Test("An answer that arrives late does not undo one that was asked for after it")
    func late() {
        let asked = cache.moment()
        cache.store(Post(id: 1, text: "new", isLiked: true))
        cache.store(Post(id: 1, text: "old", isLiked: false), asOf: asked)
        #expect(cache[first] == Post(id: 1, text: "new", isLiked: true))
    }

    @Test("A late answer adds what the newer one has left out")
    func lateAndPartial() {
        let asked = cache.moment()
        cache.store(Post(id: 1, text: "new"))
        cache.store(Post(id: 1, text: "old", isLiked: true), asOf: asked)
        #expect(cache[first] == Post(id: 1, text: "new", isLiked: true))
    }

    @Test("A late answer adds what no answer has had so far, also to an entity that was changed meanwhile")
    func lateAfterChange() {
        cache.store(Post(id: 1, text: "old"))
        cache.store(Post(id: 2, text: "old"))
        let second = Reference<Post>(2)
        let asked = cache.moment()
        cache.update(first) { $0.text = "new" }
        cache.confirm(cache.apply { $0.update(second) { $0.text = "new" } })
        for id in [1, 2] {
            cache.store(Post(id: id, text: "old", isLiked: true), asOf: asked)
            #expect(cache[Reference<Post>(id)] == Post(id: id, text: "new", isLiked: true))
        }
    }

    @Test("A late answer does not undo a change of a property that answers may leave out")
    func lateAfterPartialChange() {
        cache.store(Post(id: 1))
        let asked = cache.moment()
        cache.update(first) { $0.isLiked = true }
        cache.store(Post(id: 1, isLiked: false), asOf: asked)
        #expect(cache[first]?.isLiked == true)
    }

    @Test("A late answer adds a property that a change has taken away")
    func lateAfterTakingAway() {
        let asked = cache.moment()
        cache.store(Post(id: 1, text: "a", isLiked: true))
        cache.update(first) { $0.isLiked = nil }
        cache.store(Post(id: 1, text: "b", isLiked: false), asOf: asked)
        #expect(cache[first] == Post(id: 1, text: "a", isLiked: false))
    }

    @Test("A late answer does not undo a property that another one of a later moment has confirmed")
    func lateAfterConfirmation() {
        struct Film: Entity {
            let id: Int
            var stars: Int?

            static var partialProperties: [PartialProperty<Film>] { [PartialProperty(\.stars)] }
        }
        cache.store(Film(id: 1, stars: 3))
        let asked = [cache.moment(), cache.moment()]
        for stars in [nil, 3] { cache.store(Film(id: 1, stars: stars), asOf: asked[1]) }
        cache.store(Film(id: 1, stars: 1), asOf: asked[0])
        #expect(cache[Reference<Film>(1)]?.stars == 3)
    }

    @Test("An answer that leaves out what equality does not look at keeps the moment of that property")
    func lateAfterEqual() {
        struct Film: Entity {
            let id: Int
            var stars: Int?

            static var partialProperties: [PartialProperty<Film>] { [PartialProperty(\.stars)] }

            static func == (lhs: Film, rhs: Film) -> Bool { lhs.id == rhs.id }
        }
        let asked = (0..<3).map { _ in cache.moment() }
        cache.store(Film(id: 1, stars: 3), asOf: asked[1])
        cache.store(Film(id: 1, stars: nil), asOf: asked[2])
        cache.store(Film(id: 1, stars: 1), asOf: asked[0])
        #expect(cache[Reference<Film>(1)]?.stars == 3)
    }

    @Test("Each property is as of the newest answer that has it, whatever the order of arrival")
    func byProperty() {
        let moments = (0..<3).map { _ in cache.moment() }
        let answers = [
            Post(id: 1, text: "0", isLiked: true), Post(id: 1, text: "1", isLiked: false), Post(id: 1, text: "2"),
        ]
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let cache = NormalizedCache()
            for index in order { cache.store(answers[index], asOf: moments[index]) }
            #expect(cache[first] == Post(id: 1, text: "2", isLiked: false), "\(order)")
        }
    }

    @Test("The entities inside a late answer do not undo newer ones either")
    func lateNested() {
        let asked = cache.moment()
        cache.store(Author(id: "a", name: "Anne"))
        cache.store(Post(id: 1, author: Author(id: "a", name: "Ann")), asOf: asked)
        #expect(cache[first]?.author.name == "Anne")
    }

    @Test("A late answer does not bring back what was removed meanwhile")
    func lateAfterRemoval() {
        let asked = cache.moment()
        cache.store(Post(id: 1))
        cache.remove(first)
        cache.store(Post(id: 1), asOf: asked)
        #expect(cache[first] == nil)
        cache.store(Post(id: 1, text: "again"))
        #expect(cache[first]?.text == "again")
    }

    @Test("A late answer does not show an entity inside it that was removed meanwhile")
    func lateAfterRemovalInside() {
        let asked = cache.moment()
        cache.store(Author(id: "b"))
        cache.remove(Reference<Author>("b"))
        cache.store(Post(id: 1, mentioned: [Author(id: "b")]), asOf: asked)
        #expect(cache[first]?.mentioned == [])
    }

    @Test("An entity inside a property that an answer leaves out is shown as it is now")
    func partialLink() {
        struct Letter: Entity {
            let id: Int
            var text = ""
            var sender: Author?

            mutating func visitLinks(_ visitor: inout LinkVisitor) { visitor.visit(&sender) }

            static var partialProperties: [PartialProperty<Letter>] { [PartialProperty(\.sender)] }
        }
        cache.store(Letter(id: 1, sender: Author(id: "b", name: "Ben")))
        cache.store(Letter(id: 1, text: "Hello"))
        cache.store(Author(id: "b", name: "Benjamin"))
        #expect(cache[Reference<Letter>(1)]?.sender?.name == "Benjamin")
        #expect(cache[Reference<Letter>(1)]?.text == "Hello")
    }

    @Test("An entity that is evicted forgets when it was asked for")
    func lateAfterEviction() {
        let cache = NormalizedCache(limits: CacheLimits(count: 2))
        let asked = cache.moment()
        cache.store(Post(id: 1))
        cache.store([Author(id: "b"), Author(id: "c")])
        #expect(cache[first] == nil)
        cache.store(Post(id: 1, text: "late"), asOf: asked)
        #expect(cache[first]?.text == "late")
    }

    @Test("A property that an answer leaves out may be a part of another one, or computed")
    func computedPartialProperty() {
        struct Film: Entity {
            let id: Int
            var seen: Int
            var stars: Int? {
                get { seen < 0 ? nil : seen }
                set { seen = newValue ?? -1 }
            }

            static var partialProperties: [PartialProperty<Film>] { [PartialProperty(\.stars)] }
        }
        let cache = NormalizedCache()
        cache.store(Film(id: 1, seen: 4))
        cache.store(Film(id: 1, seen: -1))
        #expect(cache[Reference<Film>(1)]?.stars == 4)
        cache.store(Film(id: 1, seen: 5))
        #expect(cache[Reference<Film>(1)]?.stars == 5)
    }
}
