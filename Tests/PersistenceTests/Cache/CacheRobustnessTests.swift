import Feedback
import Foundation
import Testing

@testable import Persistence

@Suite("The normalized cache in unusual situations")
struct CacheRobustnessTests {
    private let cache = NormalizedCache()

    // MARK: - Answers

    @Test("Of an id that stands twice in one answer the later value counts, and a watch sees only that")
    func sameIDTwice() {
        let (posts, disposable) = cache.watch(Reference<Post>(1)).map { $0?.text }.collecting()
        cache.store([Post(id: 1, text: "a", isLiked: true), Post(id: 1, text: "b", isLiked: false)])
        #expect(posts.all == [nil, "b"])
        #expect(cache[Reference<Post>(1)]?.isLiked == false)
        disposable.dispose()
    }

    @Test("An entity that stands twice inside one answer with different values is the same one in both places")
    func sameLinkTwice() {
        func answer(_ id: Int) -> Post {
            Post(
                id: id, author: Author(id: "x", name: "first"),
                quoted: Post(id: 100 + id, author: Author(id: "x", name: "second")),
                mentioned: [Author(id: "x", name: "third")])
        }
        for id in [1, 1, 2] {
            cache.store(answer(id))
            let post = cache[Reference<Post>(id)]
            #expect(post?.author.name == "third")
            #expect(post?.quoted?.author.name == "third")
            #expect(post?.mentioned.map(\.name) == ["third"])
        }
    }

    @Test("Entities that link in a circle are stored, shown, changed and evicted", arguments: [2, 3, 10])
    func circle(length: Int) {
        let cache = NormalizedCache(limits: CacheLimits(count: 20))
        for round in 0..<3 {
            for id in 0..<length { cache.store(Post(id: id, text: "\(round)", quoted: Post(id: (id + 1) % length))) }
        }
        for id in 0..<length {
            var post = cache[Reference<Post>(id)]
            var ids: Set<Int> = []
            while let shown = post {
                #expect(ids.insert(shown.id).inserted)
                post = shown.quoted
            }
        }
        let (posts, disposable) = cache.watch(Reference<Post>(0)).map { $0?.text }.collecting()
        cache.update(Reference<Post>(0)) { $0.text = "changed" }
        #expect(posts.all.last == "changed")
        disposable.dispose()
        // Each becomes the newest when the one before it goes.
        for id in 100..<500 { cache.store(Author(id: "\(id)")) }
        #expect(cache.count <= 20)
        #expect(cache[Reference<Post>(0)] == nil)
    }

    @Test("An entity that quotes itself in another version keeps its own")
    func itself() {
        cache.store(Post(id: 1, text: "outer", quoted: Post(id: 1, text: "inner", author: Author(id: "b"))))
        #expect(cache[Reference<Post>(1)] == Post(id: 1, text: "outer"))
    }

    private struct Letter: Entity {
        static let isSigned = Locked(false)

        let id: Int
        var sender: Author
        var receiver: Author
        var signer: Author

        mutating func visitLinks(_ visitor: inout LinkVisitor) {
            visitor.visit(&sender)
            visitor.visit(&receiver)
            if Self.isSigned.withLock({ $0 }) { visitor.visit(&signer) }
        }
    }

    @Test("If more links are visited when an entity is read than when it was stored, the others are shown as stored")
    func moreLinks() {
        let letter = Letter(
            id: 1, sender: Author(id: "a"), receiver: Author(id: "b"), signer: Author(id: "c", name: "old"))
        cache.store(letter)
        Letter.isSigned.withLock { $0 = true }
        cache.store(["a", "b", "c"].map { Author(id: $0, name: "new") })
        let shown = cache[Reference<Letter>(1)]
        #expect([shown?.sender.name, shown?.receiver.name, shown?.signer.name] == ["new", "new", "old"])
    }

    // MARK: - Lists

    @Test("A list of ids that are not there shows those that are, and each other one when it comes")
    func missingIDs() {
        cache.updateList(Feed.home) { $0 = EntityList([1, 2, 3]) }
        cache.store(Post(id: 2))
        let (lists, disposable) = cache.watch(Feed.home).map { $0?.entities.map(\.id) ?? [] }.collecting()
        cache.store(Post(id: 4))
        cache.store(Post(id: 1))
        cache.remove(Reference<Post>(2))
        #expect(lists.all == [[2], [1, 2], [1]])
        disposable.dispose()
    }

    @Test("Keys of different types are different lists, also if they are the same number")
    func keysOfDifferentTypes() {
        cache.store(PublicNumber(id: 1))
        cache.store(PublicName(id: "a"))
        cache.updateList(Int16(7)) { $0 = EntityList([1]) }
        cache.updateList(Int32(7)) { $0 = EntityList(["a"]) }
        #expect(cache.list(Int16(7))?.ids == [1])
        #expect(cache.list(Int32(7))?.ids == ["a"])
        cache.removeList(Int16(7))
        #expect(cache.list(Int32(7))?.ids == ["a"])
    }

    // MARK: - Observers

    @Test("An observer may change what it watches, and sees each change once and in order")
    func writingInCallback() {
        let cache = cache
        let reference = Reference<Author>("a")
        let (names, second) = cache.watch(reference).map { $0?.name.count }.collecting()
        let first = cache.watch(reference).startWithValues { author in
            guard let author, author.name.count < 5 else { return }
            cache.update(reference) { $0.name += "x" }
        }
        cache.store(Author(id: "a"))
        #expect(names.all == [nil, 0, 1, 2, 3, 4, 5])
        first.dispose()
        second.dispose()
    }

    @Test("An observer may end its own watch and others, which are told nothing any more")
    func disposingInCallback() {
        let cache = cache
        let reference = Reference<Author>("a")
        let watches = CompositeDisposable()
        let values = Emissions<String?>()
        for _ in 0..<3 {
            watches.add(
                cache.watch(reference).startWithValues { author in
                    values.append(author?.name)
                    if author != nil { watches.dispose() }
                })
        }
        cache.store(Author(id: "a", name: "first"))
        cache.store(Author(id: "a", name: "second"))
        #expect(values.all == [nil, nil, nil, "first"])
    }

    @Test("An observer may begin to watch, and close the last screen on the entity that it is told of")
    func watchingInCallback() {
        let cache = NormalizedCache(limits: CacheLimits(count: 1))
        let names = Emissions<String?>()
        let inner = CompositeDisposable()
        let outer = cache.watch(existing: Reference<Author>("a")).startWithValues { author in
            inner.add(cache.watch(Reference<Author>("b")).startWithValues { names.append($0?.name) })
            cache.store([Author(id: "b", name: author.name), Author(id: "c")])
        }
        cache.store(Author(id: "a", name: "x"))
        outer.dispose()
        inner.dispose()
        #expect(names.all == ["x"])
        #expect(cache.count <= 1)
    }

    @Test("A watch that ends while it reads leaves nothing behind")
    func endingWhileReading() {
        let own = Locked<(any Disposable)?>(nil)
        let disposable = cache.watch { reader -> Int in
            let author = reader[Reference<Author>("a")]
            own.withLock { $0.take() }?.dispose()
            let other = reader[Reference<Author>("b")]
            return reader.list(Feed.home)?.entities.count ?? (author == other ? 0 : 1)
        }.start()
        own.withLock { $0 = disposable }
        cache.store(Author(id: "a"))
        #expect(own.withLock { $0 == nil })
        #expect(cache.storage.withLock { $0.listTable(of: Feed.self).entries.isEmpty })
        #expect(cache.storage.withLock { $0.table(of: Author.self).entries.count } == 1)
    }

    @Test("A watch that has ended does not begin to read")
    func beginningAfterEnd() {
        for end in [{ $0.end() }, { $0.drop() }] as [(CacheWatch) -> (@Sendable (CacheWatch) -> Void)?] {
            let watch = CacheWatch { _ in }
            #expect(watch.begin())
            #expect(end(watch) != nil)
            #expect(!watch.begin() && end(watch) == nil)
        }
    }

    @Test("A cache without a file remembers no changes to write")
    func nothingToWrite() {
        cache.store(Post(id: 1))
        cache.removeAll()
        cache.updateList(Feed.home) { $0 = EntityList([1]) }
        #expect(cache.storage.withLock { !$0.isDirty })
    }

    @Test("Changes that are pending when all is removed leave nothing behind")
    func pendingWhenAllIsRemoved() {
        _ = cache.apply { $0.update(Reference<Post>(1)) { $0.text = "changed" } }
        cache.removeAll()
        #expect(cache.storage.withLock { $0.pending.isEmpty })
        #expect(cache.storage.withLock { $0.table(of: Post.self).entries.count } == 0)
    }
}

// Public, as keys of the standard library's types ask for it.
public struct PublicNumber: Entity { public let id: Int }
public struct PublicName: Entity { public let id: String }

extension Int16: ListKey { public typealias Target = PublicNumber }
extension Int32: ListKey { public typealias Target = PublicName }
