import Feedback
import FeedbackTesting
import Persistence
import Testing

@Suite("Links in the normalized cache", .onOwnThread)
struct CacheLinkTests {
    private let cache = NormalizedCache()
    private let first = Reference<Post>(1)

    @Test("Storing an entity stores the entities inside it")
    func storesNested() {
        let quoted = Post(id: 2, author: Author(id: "b", name: "Bea"))
        cache.store(Post(id: 1, author: Author(id: "a", name: "Ann"), quoted: quoted))
        #expect(cache.count == 4)
        #expect(cache[Reference<Author>("b")]?.name == "Bea")
        #expect(cache[Reference<Post>(2)]?.author.name == "Bea")
        #expect(cache[first]?.quoted?.author.name == "Bea")
    }

    @Test("An entity that is renamed in one answer is renamed wherever it stands")
    func oneCopy() {
        cache.store(Post(id: 1, author: Author(id: "a", name: "Ann"), mentioned: [Author(id: "a", name: "Ann")]))
        cache.store(Post(id: 2, author: Author(id: "a", name: "Anne")))
        #expect(cache[first]?.author.name == "Anne")
        #expect(cache[first]?.mentioned.map(\.name) == ["Anne"])
        cache.update(Reference<Author>("a")) { $0.name = "Anna" }
        #expect(cache[first]?.author.name == "Anna")
    }

    @Test("A watch is told of a change two links away, and of no other")
    func watchesLinks() {
        cache.store(Post(id: 1, quoted: Post(id: 2, author: Author(id: "b", name: "Bea"))))
        cache.store(Author(id: "c"))
        let (names, disposable) = cache.watch(first).map { $0?.quoted?.author.name }.collecting()
        cache.store(Author(id: "b", name: "Beatrice"))
        cache.store(Author(id: "c", name: "Cleo"))
        cache.store(Post(id: 2, author: Author(id: "c", name: "Cleo")))
        cache.store(Author(id: "b", name: "no longer shown"))
        #expect(names.all == ["Bea", "Beatrice", "Cleo"])
        disposable.dispose()
    }

    @Test("Storing what is known already wakes nobody")
    func equalAgain() {
        let post = Post(id: 1, quoted: Post(id: 2), mentioned: [Author(id: "x"), Author(id: "y")])
        cache.store(post)
        let runs = Locked(0)
        let disposable = cache.watch { cache -> Post? in
            runs.withLock { $0 += 1 }
            return cache[Reference<Post>(1)]
        }.startWithValues { _ in }
        cache.store(post)
        cache.store([post, Post(id: 2)])
        #expect(runs.withLock { $0 } == 1)
        disposable.dispose()
    }

    @Test("An optional link or list is shown without a removed entity")
    func removedLink() {
        cache.store(Post(id: 1, quoted: Post(id: 2), mentioned: [Author(id: "x"), Author(id: "y")]))
        let (posts, disposable) = cache.watch(existing: first).collecting()
        cache.remove(Reference<Post>(2))
        cache.remove(Reference<Author>("x"))
        #expect(posts.all.last?.quoted == nil)
        #expect(posts.all.last?.mentioned.map(\.id) == ["y"])
        cache.remove(Reference<Author>("a"))
        #expect(posts.all.last?.author == Author(id: "a"))
        disposable.dispose()
    }

    @Test("A watch is told of an entity that comes after the link to it")
    func linkBeforeEntity() {
        let asked = [cache.moment(), cache.moment()]
        cache.store(Post(id: 1, quoted: Post(id: 2)), asOf: asked[0])
        for id in [2, 3] { cache.remove(Reference<Post>(id)) }
        let (texts, disposable) = cache.watch(first).map { $0?.quoted?.text }.collecting()
        // The post is shown as before, since the one that it quotes now was removed, too.
        cache.store(Post(id: 1, quoted: Post(id: 3)), asOf: asked[1])
        cache.store(Post(id: 3, text: "new"))
        #expect(texts.all == [nil, "new"])
        disposable.dispose()
    }

    @Test("A watch of an existing entity skips that it is not there")
    func existing() {
        let (posts, disposable) = cache.watch(existing: first).map(\.text).collecting()
        cache.store(Post(id: 1, text: "a"))
        cache.remove(first)
        cache.store(Post(id: 1, text: "a"))
        cache.store(Post(id: 1, text: "b"))
        #expect(posts.all == ["a", "b"])
        disposable.dispose()
    }

    @Test("A link that leads back to the entity itself is left out")
    func circles() {
        cache.store(Post(id: 1, quoted: Post(id: 1)))
        #expect(cache[first] == Post(id: 1))
        cache.store(Post(id: 2, quoted: Post(id: 3)))
        cache.store(Post(id: 3, quoted: Post(id: 2)))
        #expect(cache[Reference<Post>(3)]?.quoted?.quoted == nil)
        #expect(cache[Reference<Post>(2)]?.quoted?.id == nil || cache[Reference<Post>(3)]?.quoted?.id == nil)
    }

    @Test("A chain of links as long as one likes is shown to a certain depth")
    func depth() {
        for id in (1..<20_000) { cache.store(Post(id: id, quoted: Post(id: id + 1))) }
        #expect(links(below: cache[first]) == LinkVisitor.maximumDepth)
        #expect(cache[Reference<Post>(19_999)]?.quoted?.id == 20_000)
    }

    @Test("A chain of links in one answer is shown to the same depth, also from within", arguments: 1...12)
    func depthInOneAnswer(length: Int) {
        let chain = (1...length).reversed().reduce(Post(id: length + 1)) { Post(id: $1, quoted: $0) }
        cache.store(chain)
        for id in 1...length {
            #expect(links(below: cache[Reference<Post>(id)]) == min(length + 1 - id, LinkVisitor.maximumDepth))
        }
    }

    private func links(below post: Post?) -> Int { post?.quoted.map { 1 + links(below: $0) } ?? 0 }

    // MARK: - Changes that would link in a circle

    @Test("A link that a change makes to an entity that leads back is left out, also from a list, however far it is")
    func circlesByChange() {
        func node(_ id: Int) -> Reference<Node> { Reference(id) }
        cache.store((1...4).map { Node(id: $0) })
        cache.update(node(1)) { $0.parent = Node(id: 2) }
        cache.update(node(2)) { $0.children = [Node(id: 3), Node(id: 4)] }
        #expect(cache[node(1)]?.parent?.children.map(\.id) == [3, 4])
        cache.update(node(2)) { $0.parent = Node(id: 1) }
        #expect(cache[node(2)]?.parent == nil)
        cache.update(node(4)) { $0.children = [Node(id: 1), Node(id: 3), Node(id: 2)] }
        #expect(cache[node(4)]?.children.map(\.id) == [3])
        let changed = Emissions<[Int]>()
        cache.update(node(4)) { changed.append($0.children.map(\.id)) }
        #expect(changed.all == [[3]])
        cache.update(node(3)) { $0.parent = Node(id: 1) }
        #expect(cache[node(3)]?.parent == nil)
        #expect(cache[node(1)]?.parent?.children.map(\.id) == [3, 4])
    }

    @Test("A link to an entity that leads to more than 512 others is left out, as one that leads back is")
    func longWalk() {
        cache.store((0...520).map { Node(id: $0) })
        for id in 1...520 { cache.update(Reference<Node>(id)) { $0.parent = Node(id: id - 1) } }
        // The first one links to none, and is not counted.
        #expect((1...520).filter { cache[Reference<Node>($0)]?.parent == nil } == [514])
    }

    @Test("A watch is woken by the deepest entity that it shows, and by none below it")
    func deepest() {
        let cache = cache
        cache.store((0...12).map { Node(id: $0) })
        for id in 1...12 { cache.update(Reference<Node>(id)) { $0.parent = Node(id: id - 1) } }
        let runs = Locked(0)
        @Sendable func deepestName(of node: Node?) -> String? {
            var node = node
            for _ in 0..<LinkVisitor.maximumDepth { node = node?.parent }
            return node?.name
        }
        let (names, disposable) = cache.watch { reader -> Node? in
            runs.withLock { $0 += 1 }
            return reader[Reference<Node>(12)]
        }.map { deepestName(of: $0) }.collecting()
        let deepest = 12 - LinkVisitor.maximumDepth
        cache.update(Reference<Node>(deepest - 1)) { $0.name = "changed" }
        #expect(runs.withLock { $0 } == 1)
        cache.update(Reference<Node>(deepest)) { $0.name = "changed" }
        #expect(runs.withLock { $0 } == 2)
        #expect(names.all == ["", "changed"])
        disposable.dispose()
    }

    @Test("An entity in a box is shown as it is now")
    func boxed() {
        cache.store(Node(id: 1, parent: Node(id: 2, name: "old")))
        cache.store(Node(id: 2, name: "new"))
        #expect(cache[Reference<Node>(1)]?.parent?.name == "new")
        cache.store(Node(id: 1))
        #expect(cache[Reference<Node>(1)]?.parent == nil)
    }
}

/// An entity that visits the box of its parent itself.
private struct Node: Entity {
    let id: Int
    var name = ""
    @Indirect var parent: Node? = nil
    var children: [Node] = []

    mutating func visitLinks(_ visitor: inout LinkVisitor) {
        visitor.visit(&_parent)
        visitor.visit(&children)
    }
}
