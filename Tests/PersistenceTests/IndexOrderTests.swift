import Feedback
import Persistence
import Testing

/// A store in memory reads the first objects in the order of an index, whose entries are in blocks. Objects with the same
/// value may be in several blocks, or end with one.
@Suite("Answers in the order of an index")
struct IndexOrderTests {
    private struct Item: Identifiable, Hashable, Sendable {
        var id: Int
        var group: Int?
        var rank: Int

        static let schema = Schema<Item>(
            "items", Item.init, Column("id", \.id), Column("group", \.group, isIndexed: true), Column("rank", \.rank))
    }

    /// As many items that follow each other in the order of their ids are in each group; the first ones are in none.
    private func items(inGroupsOf size: Int) -> [Item] {
        (0..<2_048).map { Item(id: $0, group: $0 < size ? nil : $0 / size, rank: $0 * 7_919 % 2_048) }
    }

    private func isBefore(_ lhs: Item, _ rhs: Item, descending: Bool) -> Bool {
        if lhs.group == rhs.group { return lhs.rank > rhs.rank }
        // Without a group is last in either order.
        guard let left = lhs.group, let right = rhs.group else { return lhs.group != nil }
        return descending ? left > right : left < right
    }

    @Test(
        "Groups of any size are each sorted by the other criteria, in either order and on any page",
        arguments: [1, 3, 5, 43, 64, 127, 128, 129, 256], [false, true])
    func pages(size: Int, descending: Bool) throws {
        let items = items(inGroupsOf: size)
        let store = MemoryStore(Item.schema)
        try store.insert(items).get()
        let sorted = items.sorted { isBefore($0, $1, descending: descending) }
        let query = store.sorted(by: \.group, inOrder: descending ? .descending : .ascending)
            .sorted(by: \.rank, inOrder: .descending)
        for offset in [0, 1, 63, 64, 127, 200] {
            let page = query.page(limit: 30, offset: offset)
            #expect(try page.plan().get().steps[0].hasPrefix("READ in the order of the index"))
            #expect(try page.result().get() == Array(sorted.dropFirst(offset).prefix(30)))
        }
        for place in stride(from: 0, to: sorted.count, by: 61) {
            let page = try query.page(after: sorted[place], limit: 30).result().get()
            #expect(page == Array(sorted.dropFirst(place + 1).prefix(30)), "after \(place)")
        }
    }

    @Test("A page is right if nearly all objects before it in the index do not match", arguments: [1, 2])
    func rareMatches(limit: Int) throws {
        let store = MemoryStore(Item.schema)
        try store.insert((0..<40_000).map { Item(id: $0, group: $0 / 10, rank: $0 < 39_990 ? 0 : 1) }).get()
        for order in [SortCriterion<Item>.Order.ascending, .descending] {
            let query = store.filter(where: \.rank == 1).sorted(by: \.group, inOrder: order).page(limit: limit)
            #expect(try query.plan().get().steps[0].hasPrefix("READ in the order of the index"))
            #expect(try query.result().get().map(\.id) == Array(39_990..<39_990 + limit))
        }
    }

    @Test("Matches behind thousands of other objects come before those without a value", arguments: [false, true])
    func lateMatches(descending: Bool) throws {
        let (first, last) = (Array(0..<10), Array(39_980..<39_990))
        let rare = Set(first + last)
        let store = MemoryStore(Item.schema)
        try store.insert(
            (0..<40_000).map { id in
                let isLast = id >= 39_990
                return Item(id: id, group: isLast ? nil : id / 10, rank: isLast || rare.contains(id) ? 1 : 0)
            }
        ).get()
        let query = store.filter(where: \.rank == 1).sorted(by: \.group, inOrder: descending ? .descending : .ascending)
            .page(limit: 15)
        #expect(try query.plan().get().steps[0].hasPrefix("READ in the order of the index"))
        #expect(try query.result().get().map(\.id) == Array((descending ? last + first : first + last).prefix(15)))
    }

    @Test("An object that has changed is found in its new place only, and one that has gone in none")
    func changed() throws {
        let store = MemoryStore(Item.schema)
        try store.insert(items(inGroupsOf: 2)).get()
        let page = store.sorted(by: \.group).page(limit: 4)
        #expect(try page.result().get().map(\.id) == [2, 3, 4, 5])
        try store.update([Item(id: 2, group: 3, rank: 0), Item(id: 3, group: nil, rank: 0)]).get()
        try store.delete(ids: [4]).get()
        #expect(try page.result().get().map(\.id) == [5, 2, 6, 7])
        #expect(try store.filter(where: .in(\.group, [1, 2])).plan().get().steps[0].hasPrefix("SEARCH 1 of"))
        #expect(try store.filter(where: \.group == 3).result().get().map(\.id) == [2, 6, 7])
    }

    @Test("All objects with one value are found, also if the index has them in two blocks")
    func groupsInTwoBlocks() throws {
        let store = MemoryStore(Item.schema)
        try store.insert(items(inGroupsOf: 200)).get()
        for group in 1..<10 {
            let query = store.filter(where: \.group == group)
            #expect(try query.plan().get().steps[0].hasPrefix("SEARCH 200 of"))
            #expect(try query.result().get().map(\.id) == Array(group * 200..<(group + 1) * 200))
        }
        // Those of the last whole group are not looked at.
        #expect(try store.filter(where: \.group > 9).plan().get().steps[0].hasPrefix("SEARCH 48 of"))
    }

    // MARK: - The objects that are looked at

    private struct Counted: Identifiable {
        var id: Int
        var group: Int
        let looks = MutableProperty(0)
        var isWanted: Bool {
            looks.value += 1
            return true
        }

        init(_ id: Int, _ group: Int) { (self.id, self.group) = (id, group) }

        static let schema = Schema<Counted>(
            "counted", Counted.init, Column("id", \.id), Column("group", \.group, isIndexed: true))
    }

    /// Expects the ids of a page, and how many objects are looked at for it.
    private func expect(
        _ ids: [Int], lookingAt count: Int, inGroupsOf size: Int = 1,
        _ page: (Query<MemoryStore<Counted>>) -> Query<MemoryStore<Counted>>,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let store = MemoryStore(Counted.schema)
        try store.insert((0..<2_000).map { Counted($0, $0 / size) }).get()
        let found = try page(store.filter(where: \.isWanted == true)).result().get()
        #expect(found.map(\.id) == ids, sourceLocation: sourceLocation)
        let looks = try store.all().result().get().count { $0.looks.value > 0 }
        #expect(looks == count, sourceLocation: sourceLocation)
    }

    @Test("Only as many objects are looked at as a page needs")
    func stops() throws {
        try expect([1_999, 1_998, 1_997], lookingAt: 3) { $0.sorted(by: \.group, inOrder: .descending).page(limit: 3) }
        try expect([1_990, 1_991, 1_992], lookingAt: 3, inGroupsOf: 10) {
            $0.sorted(by: \.group, inOrder: .descending).page(limit: 3)
        }
    }

    @Test("If a page is sorted by something else, too, all objects of its groups are looked at, and no others")
    func stopsAfterGroup() throws {
        try expect(Array((0..<10).reversed()), lookingAt: 10, inGroupsOf: 10) {
            $0.sorted(by: \.group).sorted(by: \.id, inOrder: .descending).page(limit: 10)
        }
        try expect([1_999, 1_998, 1_997], lookingAt: 10, inGroupsOf: 10) {
            $0.sorted(by: \.group, inOrder: .descending).sorted(by: \.id, inOrder: .descending).page(limit: 3)
        }
    }

    @Test("The order of an index is given up when an eighth of the objects is not enough")
    func givesUp() throws {
        final class Looks: Sendable {
            let counts = Locked([Int](repeating: 0, count: 64_000))
        }
        struct Seen: Identifiable {
            var id: Int
            var group: Int
            let looks: Looks
            var isRare: Bool {
                looks.counts.withLock { $0[id] += 1 }
                return id == 63_000
            }
        }
        let looks = Looks()
        let schema = Schema<Seen>(
            "seen", { Seen(id: $0, group: $1, looks: looks) }, Column("id", \.id),
            Column("group", \.group, isIndexed: true))
        let store = MemoryStore(schema)
        try store.insert((0..<64_000).map { Seen(id: $0, group: $0, looks: looks) }).get()
        #expect(try store.filter(where: \.isRare == true).sorted(by: \.group).page(limit: 1).result().get().count == 1)
        // All objects are looked at afterwards, so these once more.
        let lookedAtTwice = looks.counts.withLock { $0.count { $0 == 2 } }
        #expect((8_000..<8_500).contains(lookedAtTwice))
    }

    @Test("Without an order, objects are looked at a block at a time until the page is full")
    func stopsInScan() throws {
        try expect([2, 3], lookingAt: 256) { $0.page(limit: 2, offset: 2) }
        try expect(Array(0..<256), lookingAt: 256) { $0.page(limit: 256) }
        try expect(Array(0..<257), lookingAt: 512) { $0.page(limit: 257) }
    }

    @Test("The objects with the largest ids are found without comparing ids")
    func largestIDs() throws {
        struct Numbered: Identifiable {
            let number: Int
            let reads: MutableProperty<Int>
            var id: Int {
                reads.value += 1
                return number
            }
        }
        let reads = MutableProperty(0)
        let store = MemoryStore(id: \Numbered.id)
        try store.insert((0..<1_000).map { Numbered(number: $0, reads: reads) }).get()
        let newest = store.sorted(by: \.id, inOrder: .descending)
        let before = reads.value
        let page = try newest.page(limit: 3, offset: 1).result().get()
        #expect(reads.value == before)
        #expect(page.map(\.number) == [998, 997, 996])
        #expect(try newest.page(after: page[2], limit: 2).result().get().map(\.number) == [995, 994])
    }

    @Test("The largest ids come first only among objects with the same values of the criteria before them")
    func largestIDsOfValues() throws {
        let store = MemoryStore(Item.schema)
        try store.insert((0..<20).map { Item(id: $0, group: nil, rank: $0 / 5) }).get()
        let page = store.sorted(by: \.rank).sorted(by: \.id, inOrder: .descending).page(limit: 3)
        #expect(try page.result().get().map(\.id) == [4, 3, 2])
    }
}
