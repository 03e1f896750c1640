import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

@Suite("Every store")
struct StoreTests {
    private func films<S: Store>(_ store: S) throws -> [Film] where S.Object == Film { try store.all().result().get() }

    @Test("Nothing happens before a producer is started, and each start does it again", arguments: StoreKind.allCases)
    func coldness(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            let insert = store.insert(.fixture(id: 1))
            #expect(try films(store) == [])
            try insert.get()
            #expect(try films(store) == [.fixture(id: 1)])
            #expect(throws: StoreError.duplicate(id: "1")) { try insert.get() }
        }
        try kind.run { try check($0) }
    }

    @Test("Objects are inserted, updated, upserted and deleted, and emitted as stored", arguments: StoreKind.allCases)
    func writing(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            let film = Film.fixture(id: 1)
            let renamed = Film.fixture(id: 1, title: "Touch of Evil")
            let other = Film.fixture(id: 2)
            #expect(try store.insert(film).get() == film)
            #expect(try store.update(renamed).get() == renamed)
            #expect(try films(store) == [renamed])
            #expect(try store.upsert(film).get() == film)
            #expect(try store.upsert(other).get() == other)
            #expect(try films(store) == [film, other])
            try store.delete(film).run()
            try store.delete(film).run()
            #expect(try films(store) == [other])
        }
        try kind.run { try check($0) }
    }

    @Test("Inserting a stored or updating a missing object fails and changes nothing", arguments: StoreKind.allCases)
    func failing(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            try store.insert(.fixture(id: 1)).get()
            #expect(throws: StoreError.duplicate(id: "1")) { try store.insert(.fixture(id: 1, title: "x")).get() }
            #expect(throws: StoreError.missing(id: "2")) { try store.update(.fixture(id: 2)).get() }
            #expect(try films(store) == [.fixture(id: 1)])
        }
        try kind.run { try check($0) }
    }

    @Test("Updating a missing object fails and changes nothing, also if no property is indexed")
    func missingNote() throws {
        let sqlite = try SQLiteStore(Note.schema, in: SQLiteDatabase(.memory))
        for store in [AnyStore(MemoryStore(Note.schema)), AnyStore(sqlite)] {
            try store.insert(Note(id: "a", text: "1")).get()
            #expect(throws: StoreError.missing(id: "b")) {
                try store.update([Note(id: "a", text: "2"), Note(id: "b", text: "2")]).get()
            }
            #expect(try store.all().result().get() == [Note(id: "a", text: "1")])
        }
    }

    @Test("A batch is done whole or not at all", arguments: StoreKind.allCases)
    func batches(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            let films = (1...600).map { Film.fixture(id: $0) }
            #expect(try store.insert(films).get() == films)
            let clash = [Film.fixture(id: 1000), .fixture(id: 3, title: "x"), .fixture(id: 1001)]
            #expect(throws: StoreError.duplicate(id: "3")) { try store.insert(clash).get() }
            #expect(throws: StoreError.missing(id: "1000")) { try store.update([clash[1], clash[0]]).get() }
            #expect(try self.films(store) == films)
            #expect(try store.upsert(clash).get() == clash)
            #expect(try store.count(store.all()).get() == 602)
            #expect(try store.filter(where: \.title == "x").count().get() == 1)
            #expect(try store.delete(films).then(store.all().count()).get() == 2)
            #expect(try self.films(store).map(\.id) == [1000, 1001])
        }
        try kind.run { try check($0) }
    }

    @Test("Objects are deleted by a condition, and counted", arguments: StoreKind.allCases)
    func deletingByCondition(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            try store.insert((1...10).map { .fixture(id: $0, year: $0 % 2 == 0 ? nil : 1950) }).get()
            #expect(try store.delete(where: \.year == nil && \.id > 2).get() == 4)
            #expect(try store.delete(where: \.year == nil && \.id > 2).get() == 0)
            #expect(try films(store).map(\.id) == [1, 2, 3, 5, 7, 9])
            #expect(try store.filter(where: \.year != nil).page(limit: 1).count().get() == 5)
        }
        try kind.run { try check($0) }
    }

    @Test("After a merge, exactly the objects that it was given are stored", arguments: StoreKind.allCases)
    func merging(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            try store.insert((1...3).map { .fixture(id: $0) }).get()
            let merged = [Film.fixture(id: 2, title: "new"), .fixture(id: 3), .fixture(id: 4)]
            _ = try store.merge(merged).get()
            #expect(try store.sorted(by: \.id).result().get() == merged)
        }
        try kind.run { try check($0) }
    }

    @Test("A deletion of objects completes, whether or not they are stored", arguments: StoreKind.allCases)
    func deletionCompletes(_ kind: StoreKind) async throws {
        func check(_ store: some TestedStore) async throws {
            try await store.insert([.fixture(id: 1), .fixture(id: 2)])
            let completions = Locked(0)
            for _ in 0..<2 { store.delete([.fixture(id: 1)]).startWithCompleted { completions.withLock { $0 += 1 } } }
            await eventually("both have completed") { completions.withLock { $0 } == 2 }
            #expect(try await store.all().result().map(\.id) == [2])
        }
        try await kind.run { try await check($0) }
    }

    @Test("Every property comes back as it was written, extremes included", arguments: StoreKind.allCases)
    func roundTrip(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            var random = RandomFilms(seed: 11, hasZeroBytes: kind.hasZeroBytes)
            let films = random.films(500)
            try store.insert(films).get()
            for (read, written) in zip(try self.films(store), films) {
                for column in Film.schema.columns {
                    #expect(column.attribute.value(in: read) == column.attribute.value(in: written), "\(column.name)")
                }
            }
        }
        try kind.run { try check($0) }
    }

    @Test("Text that Swift holds equal is equal in conditions and as a key", arguments: StoreKind.allCases)
    func canonicalEquivalence(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            try store.insert(.fixture(id: 1, title: "Ame\u{301}lie")).get()
            #expect(try store.filter(where: \.title == "Am\u{E9}lie").count().get() == 1)
            #expect(try store.filter(where: .in(\.title, ["Am\u{E9}lie", "x"])).count().get() == 1)
        }
        try kind.run { try check($0) }
        let notes = try SQLiteStore(Note.schema, in: SQLiteDatabase(.memory))
        try notes.insert(Note(id: "e\u{301}", text: "a")).get()
        #expect(throws: StoreError.self) { try notes.insert(Note(id: "\u{E9}", text: "b")).get() }
        #expect(try notes.object(withId: "\u{E9}").get()?.text == "a")
    }

    @Test("Sorting is stable by several criteria, with nil where it was said to be", arguments: StoreKind.allCases)
    func sorting(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            try store.insert([
                .fixture(id: 1, title: "b", year: nil), .fixture(id: 2, title: "a", year: 1950),
                .fixture(id: 3, title: "a", year: nil), .fixture(id: 4, title: "b", year: 1940),
                .fixture(id: 5, title: "a", year: 1950),
            ]).get()
            func ids(_ query: Query<some Store<Film>>) throws -> [Int] { try query.result().get().map(\.id) }
            #expect(try ids(store.sorted(by: \.title).sorted(by: \.year)) == [2, 5, 3, 4, 1])
            #expect(try ids(store.sorted(by: \.title, inOrder: .descending).sorted(by: \.year)) == [4, 1, 2, 5, 3])
            #expect(try ids(store.sorted(by: \.year, nil: .first)) == [1, 3, 4, 2, 5])
            #expect(try ids(store.sorted(by: \.year, inOrder: .descending)) == [2, 5, 4, 1, 3])
            #expect(try ids(store.sorted(by: \.year, inOrder: .descending, nil: .first)) == [1, 3, 2, 5, 4])
        }
        try kind.run { try check($0) }
    }

    @Test("Pages by key neither repeat nor skip while rows come and go", arguments: StoreKind.allCases)
    func keysetPages(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            var random = RandomFilms(seed: 5, hasZeroBytes: kind.hasZeroBytes)
            let films = random.films(120)
            try store.insert(films).get()
            let query = store.sorted(by: \.length, inOrder: .descending, nil: .first).sorted(by: \.title)
            let everything = try query.result().get().map(\.id)
            var seen: [Int] = []
            var last: Film?
            while true {
                let page = try query.page(after: last, limit: 7).result().get()
                guard let end = page.last else { break }
                seen += page.map(\.id)
                last = end
                // One shown object goes, and another comes before it: neither may move the next page.
                try store.delete(page[0]).run()
                try store.insert(.fixture(id: 10_000 + seen.count, title: "", length: nil)).get()
            }
            #expect(seen.filter { $0 < 10_000 } == everything)
        }
        try kind.run { try check($0) }
    }

    private enum Discount: Double, OrderedPrimitive, Comparable, CaseIterable {
        case none = 0
        case third = 0.3
        case half = 0.5

        static func < (lhs: Discount, rhs: Discount) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    private struct Offer: Identifiable, Equatable, Sendable {
        var id: Int
        var discount: Discount

        static let schema = Schema<Offer>("offers", Offer.init, Column("id", \.id), Column("discount", \.discount))
    }

    @Test("Pages by a type that has only some numbers, and no infinity, come to their end")
    func pagesByFewNumbers() throws {
        func check(_ store: some Store<Offer>) throws {
            _ = try store.insert((0..<9).map { Offer(id: $0, discount: Discount.allCases[$0 % 3]) }).get()
            for order in [SortCriterion<Offer>.Order.ascending, .descending] {
                var pages: [[Int]] = []
                var last: Offer?
                repeat {
                    let page = try store.sorted(by: \.discount, inOrder: order).page(after: last, limit: 4).result()
                        .get()
                    pages.append(page.map(\.id))
                    last = page.last
                } while last != nil && pages.count < 9
                let groups = [[0, 3, 6], [1, 4, 7], [2, 5, 8]]
                #expect(pages.flatMap(\.self) == (order == .ascending ? groups : groups.reversed()).flatMap(\.self))
            }
        }
        try check(MemoryStore(Offer.schema))
        try check(SQLiteStore(Offer.schema, in: SQLiteDatabase(.memory)))
    }

    @Test("An object is found by its id", arguments: StoreKind.allCases)
    func byID(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            let films = stride(from: 0, to: 2000, by: 2).map { Film.fixture(id: $0) }
            try store.insert(films.shuffled()).get()
            for id in 0..<2000 {
                let found = try store.filter(where: \.id == id).result().get()
                #expect(found == (id % 2 == 0 ? [films[id / 2]] : []))
            }
            #expect(try store.filter(where: .in(\.id, [8, 2, 5, 2, 6])).result().get().map(\.id) == [2, 6, 8])
            #expect(try store.filter(where: \.id == 4).page(limit: 0).result().get() == [])
            #expect(try store.all().page(after: films[0], limit: 0).result().get() == [])
        }
        try kind.run { try check($0) }
    }

    @Test(
        "Conditions a thousand tests long or nested, and lists of any length, are answered", .onOwnThread,
        arguments: StoreKind.allCases
    )
    func largeConditions(_ kind: StoreKind) throws {
        func check(_ store: some TestedStore) throws {
            try store.insert((0..<50).map { .fixture(id: $0, budget: $0) }).get()
            let long: [Condition<Film>] = (0..<5000).map { number in \.budget != number * 2 }
            #expect(try store.filter(where: .all(of: long)).count().get() == 25)
            #expect(try store.filter(where: .in(\.budget, 10..<100_000)).count().get() == 40)
            var deep: Condition<Film> = \.budget < 10
            for number in 0..<200 {
                deep = number % 2 == 0 ? (deep || \.budget == number * 7 + 1) : (deep && \.budget != number)
            }
            let expected = MemoryStore(id: \Film.id).all()
            try expected.store.insert((0..<50).map { .fixture(id: $0, budget: $0) }).get()
            #expect(
                try store.filter(where: deep).page(limit: 5, offset: 2).result().get()
                    == expected.filter(where: deep).page(limit: 5, offset: 2).result().get())
            let left = try store.filter(where: !deep).count().get()
            #expect(try store.delete(where: deep).get() == 50 - left)
            #expect(try store.all().count().get() == left)
        }
        try kind.run { try check($0) }
    }

    @Test("Of several new values for one property, the last one is stored", arguments: StoreKind.allCases)
    func assignedTwice(_ kind: StoreKind) throws {
        func check<S: TestedStore>(_ store: S) throws {
            try store.insert([.fixture(id: 1), .fixture(id: 2)]).get()
            let assignments: [Assignment<Film>] = [
                .value(\.year, 1), .value(\.budget, 5), .value(\.year, nil), .value(\.year, 2),
            ]
            #expect(try store.update(where: \.id == 1, set: assignments).get() == 1)
            #expect(try store.object(withId: 1).get() == .fixture(id: 1, budget: 5, year: 2))
            #expect(try store.object(withId: 2).get() == .fixture(id: 2))
        }
        try kind.run { try check($0) }
    }
}

struct Note: Identifiable, Hashable, Sendable {
    var id: String
    var text: String

    static let schema = Schema<Note>("notes", Note.init, Column("id", \.id), Column("text", \.text))
}
