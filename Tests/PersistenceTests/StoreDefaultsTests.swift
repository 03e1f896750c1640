import Feedback
import Testing

@testable import Persistence

/// A store with no more than a store must have.
private final class SmallStore: Store {
    private let films = MemoryStore(id: \Film.id)

    func insert(_ film: Film) -> SignalProducer<Film, StoreError> { films.insert(film) }

    func update(_ film: Film) -> SignalProducer<Film, StoreError> { films.update(film) }

    func delete(_ film: Film) -> SignalProducer<Never, StoreError> { films.delete(film) }

    func execute(_ query: Query<SmallStore>) -> SignalProducer<[Film], StoreError> { query.asked(of: films).result() }
}

@Suite("A store of four functions")
struct StoreDefaultsTests {
    private let store = SmallStore()

    private func films() throws -> [Film] { try store.all().result().get() }

    @Test("It can do all that a store can")
    func defaults() throws {
        let films = (1...5).map { Film.fixture(id: $0) }
        #expect(try store.insert(films).get() == films)
        #expect(try store.upsert(.fixture(id: 5, title: "x")).get().title == "x")
        #expect(try store.upsert([.fixture(id: 6), .fixture(id: 1)]).get().map(\.id) == [6, 1])
        #expect(try store.update([.fixture(id: 6, title: "x")]).get().map(\.title) == ["x"])
        #expect(try store.filter(where: \.title == "x").page(limit: 1).count().get() == 2)
        #expect(try store.delete(where: \.title == "x").get() == 2)
        try store.delete([films[0], films[1]]).run()
        #expect(try self.films().map(\.id) == [3, 4])
        #expect(try store.delete(where: \.title == "nobody").get() == 0)
        #expect(try store.all().plan().get().description.hasPrefix("ASK"))
    }

    @Test("A failure ends a batch, and comes through")
    func failures() throws {
        try store.insert(.fixture(id: 2)).get()
        #expect(throws: StoreError.duplicate(id: "2")) { try store.insert([.fixture(id: 1), .fixture(id: 2)]).get() }
        #expect(throws: StoreError.missing(id: "7")) { try store.update([.fixture(id: 7)]).get() }
    }

    private struct Uncompared: Sendable {}

    @Test("Objects are equal if their type says so; objects of two types, or of one that says nothing, are not")
    func equality() {
        #expect(areEqual(1, 1))
        #expect(!areEqual(1, 2))
        #expect(areEqual("1" as any Sendable, "1"))
        #expect(!areEqual(1 as any Sendable, "1"))
        #expect(!areEqual(Uncompared(), Uncompared()))
    }
}
