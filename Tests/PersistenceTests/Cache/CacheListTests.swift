import Persistence
import Testing

@Suite("Lists in the normalized cache")
struct CacheListTests {
    private let cache = NormalizedCache()

    @Test("A list shows its entities in its order, and changes with both")
    func watching() {
        let (ids, disposable) = cache.watch(Feed.home).map { $0?.entities.map(\.text) }.collecting()
        cache.change { batch in
            batch.store([Post(id: 1, text: "a"), Post(id: 2, text: "b")])
            batch.setList(Feed.home, EntityList([2, 1, 3]))
        }
        cache.store(Post(id: 3, text: "c"))
        cache.store(Post(id: 4, text: "d"))
        cache.updateList(Feed.home) { $0.prepend([4], hasMore: false) }
        cache.store(Post(id: 1, text: "A"))
        cache.remove(Reference<Post>(2))
        cache.removeList(Feed.home)
        #expect(
            ids.all == [
                nil, ["b", "a"], ["b", "a", "c"], ["d", "b", "a", "c"], ["d", "b", "A", "c"], ["d", "A", "c"], nil,
            ])
        disposable.dispose()
    }

    @Test("A list holds each id once, also if the ids are in order, and if two texts differ only in their form")
    func repeatedIDs() {
        #expect(EntityList(["3", "2", "2", "1"]).ids == ["3", "2", "1"])
        #expect(EntityList(["1", "2", "3", "1"]).ids == ["1", "2", "3"])
        #expect(EntityList(["1", "1"]).ids == ["1"])
        #expect(EntityList(["a", "e\u{301}", "\u{e9}"]).ids.count == 2)
        #expect(EntityList(["1", "2", "10"]).ids == ["1", "2", "10"])
        #expect(EntityList(["9", "8", "7"]).ids == ["9", "8", "7"])
        #expect(EntityList([1, 2, 1]).ids == [1, 2])
    }

    @Test("A list holds each id once, also if Swift's < puts another text between two forms of one")
    func repeatedForms() {
        let ids = ["\u{1D15E}\u{212B}", "\u{1D157}\u{1D165}", "\u{1D157}\u{1D165}\u{212B}"]
        #expect(ids[0] == ids[2])
        #expect(EntityList(ids).ids == [ids[0], ids[1]])
    }

    @Test("Of the lists that are not watched, the one whose last watch or change is the longest ago goes first")
    func leastRecentlyUsed() {
        let cache = NormalizedCache(limits: CacheLimits(unwatchedLists: 2))
        let keys = ["a", "b", "c"].map { Feed.author($0) }
        for key in keys.prefix(2) { cache.updateList(key) { $0 = EntityList([1]) } }
        cache.watch(keys[0]).start().dispose()
        cache.updateList(keys[2]) { $0 = EntityList([1]) }
        #expect(keys.map { cache.list($0) != nil } == [true, false, true])
    }

    @Test("A list that is stored again is used last, also if it stays the same")
    func storedAgain() {
        let cache = NormalizedCache(limits: CacheLimits(unwatchedLists: 2))
        let keys = ["a", "b", "c"].map { Feed.author($0) }
        for key in keys.prefix(2) {
            cache.updateList(key) { $0 = EntityList([1]) }
            cache.watch(key).start().dispose()
        }
        for key in [keys[0], keys[2]] { cache.updateList(key) { $0 = EntityList([1]) } }
        #expect(keys.map { cache.list($0) != nil } == [true, false, true])
    }

    @Test("The ids of a list do not change with its entities")
    func watchingIDs() {
        let (lists, disposable) = cache.watchIDs(Feed.author("a")).map { $0?.ids }.collecting()
        cache.updateList(Feed.author("a")) { $0.append([1, 2], next: nil) }
        cache.store(Post(id: 1, text: "a"))
        cache.updateList(Feed.author("b")) { $0.append([7], next: nil) }
        cache.updateList(Feed.author("a")) { $0.remove(1) }
        #expect(lists.all == [nil, [1, 2], [2]])
        disposable.dispose()
    }

    @Test("A list can get another place for its next page while its ids stay")
    func place() {
        cache.store([Post(id: 1, text: "a"), Post(id: 2, text: "b")])
        let (lists, disposable) = cache.watch(Feed.home).map { [$0?.list.next, $0?.entities.last?.text] }.collecting()
        for place in ["3", "4", nil] { cache.updateList(Feed.home) { $0 = EntityList([1, 2], next: place) } }
        #expect(lists.all == [[nil, nil], ["3", "b"], ["4", "b"], [nil, "b"]])
        disposable.dispose()
    }

    @Test("Entities of a type are watched in the order of a property")
    func sorted() {
        cache.store((1...4).map { Post(id: $0, text: "\($0 % 3)") })
        let (texts, disposable) = cache.watch(Post.self, sortedBy: \.text, .reverse).map { $0.map(\.id) }.collecting()
        cache.store(Post(id: 3, text: "9"))
        cache.remove(Reference<Post>(2))
        cache.store(Post(id: 5, text: "1"))
        cache.store(Author(id: "x"))
        #expect(texts.all == [[2, 1, 4, 3], [3, 2, 1, 4], [3, 1, 4], [3, 1, 4, 5]])
        disposable.dispose()
    }

    @Test("A sorted watch with a limit is not woken by what it does not show")
    func sortedWithLimit() {
        cache.store((1...9).map { Post(id: $0, text: "\($0)") })
        let (ids, disposable) = cache.watch(Post.self, sortedBy: \.text, limit: 2).map { $0.map(\.id) }.collecting()
        cache.store(Post(id: 8, text: "88"))
        cache.store(Post(id: 9, text: "0"))
        cache.remove(Reference<Post>(1))
        #expect(ids.all == [[1, 2], [9, 1], [9, 2]])
        disposable.dispose()
    }

    @Test("A sorted watch does not show an entity again that was evicted behind its page")
    func evictedBehindPage() {
        let cache = NormalizedCache(limits: CacheLimits(count: 2))
        let (ids, disposable) = cache.watch(Author.self, sortedBy: \.id, limit: 1).map { $0.map(\.id) }.collecting()
        for id in ["a", "b", "c"] { cache.store(Author(id: id)) }
        cache.remove(Reference<Author>("a"))
        #expect(ids.all == [[], ["a"], ["c"]])
        disposable.dispose()
    }

    @Test("Entities whose values have no consistent order are shown once, and no longer than they are there")
    func inconsistentOrder() {
        struct Odd: Comparable {
            let id: Int

            static func < (lhs: Self, rhs: Self) -> Bool { true }
        }
        cache.store((1...4).map { Post(id: $0) })
        let (ids, disposable) = cache.watch(Post.self, sortedBy: { Odd(id: $0.id) }).map { $0.map(\.id).sorted() }
            .collecting()
        cache.store(Post(id: 2, text: "changed"))
        for id in [1, 3, 4] { cache.remove(Reference<Post>(id)) }
        #expect(ids.all.last == [2])
        disposable.dispose()
    }

    @Test("A sorted watch whose limit is below zero shows nothing, as a query does")
    func negativeLimit() {
        cache.store(Post(id: 1))
        let (ids, disposable) = cache.watch(Post.self, sortedBy: \.text, limit: -1).map { $0.map(\.id) }.collecting()
        cache.store(Post(id: 2))
        #expect(ids.all == [[]])
        disposable.dispose()
    }

    @Test(
        "NaN comes after every number in a sorted watch, and does not disturb their order",
        arguments: 0..<10 as Range<UInt64>)
    func sortedNumbers(seed: UInt64) {
        struct Score: Entity {
            let id: Int
            var value: Double
        }
        var numbers = SeededNumbers(seed: seed)
        func random() -> Double { Bool.random(using: &numbers) ? .nan : Double(Int.random(in: 0..<9, using: &numbers)) }
        let cache = NormalizedCache()
        var model: [Int: Double] = [:]
        for id in 0..<20 {
            model[id] = random()
            cache.store(Score(id: id, value: model[id]!))
        }
        let (up, end1) = cache.watch(Score.self, sortedBy: \.value).map { $0.map { "\($0.value) \($0.id)" } }
            .collecting()
        let (down, end2) = cache.watch(Score.self, sortedBy: \.value, .reverse).map {
            $0.map { "\($0.value) \($0.id)" }
        }
        .collecting()
        for _ in 0..<60 {
            let ascending = model.sorted { lhs, rhs in
                if lhs.value.isNaN || rhs.value.isNaN {
                    return lhs.value.isNaN && rhs.value.isNaN ? lhs.key < rhs.key : rhs.value.isNaN
                }
                return (lhs.value, lhs.key) < (rhs.value, rhs.key)
            }
            #expect(up.all.last == ascending.map { "\($0.value) \($0.key)" })
            let descending = ascending.map(\.value).reversed().map { "\($0)" }
            #expect(down.all.last?.map { $0.prefix { $0 != " " } }.map(String.init) == descending)
            let id = Int.random(in: 0..<20, using: &numbers)
            model[id] = random()
            cache.store(Score(id: id, value: model[id]!))
        }
        end1.dispose()
        end2.dispose()
    }

    @Test(
        "Values that differ although none is less stay in the order in which their entities came",
        arguments: 0..<10 as Range<UInt64>)
    func sortedRanks(seed: UInt64) {
        struct Rank: Comparable {
            let level: Int
            let name: String

            static func < (lhs: Self, rhs: Self) -> Bool { lhs.level < rhs.level }
        }
        struct Player: Entity {
            let id: Int
            var rank: Rank
        }
        var numbers = SeededNumbers(seed: seed)
        func random() -> Rank {
            Rank(level: .random(in: 0..<2, using: &numbers), name: "\(Int.random(in: 0..<9, using: &numbers))")
        }
        let cache = NormalizedCache()
        var model = (0..<6).map { Player(id: $0, rank: random()) }
        cache.store(model)
        let (players, disposable) = cache.watch(Player.self, sortedBy: \.rank).collecting()
        for _ in 0..<60 {
            #expect(players.all.last == model.sorted { ($0.rank.level, $0.id) < ($1.rank.level, $1.id) })
            let id = Int.random(in: 0..<6, using: &numbers)
            model[id].rank = random()
            cache.store(model[id])
        }
        disposable.dispose()
    }

    @Test("Random changes leave a sorted watch with what sorting says", arguments: 0..<20 as Range<UInt64>)
    func sortedRandomly(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        let (ids, disposable) = cache.watch(Post.self, sortedBy: \.text, limit: 5).map { $0.map(\.text) }.collecting()
        var model: [Int: String] = [:]
        for _ in 0..<300 {
            let id = Int.random(in: 0..<20, using: &numbers)
            if Int.random(in: 0..<3, using: &numbers) == 0 {
                cache.remove(Reference<Post>(id))
                model[id] = nil
            } else {
                model[id] = "\(Int.random(in: 0..<50, using: &numbers))"
                cache.store(Post(id: id, text: model[id] ?? ""))
            }
            #expect(ids.all.last == Array(model.values.sorted().prefix(5)))
        }
        disposable.dispose()
    }
}
