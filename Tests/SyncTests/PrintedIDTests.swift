import Foundation
import LocalBackend
import Networking
import Persistence
import Testing

@testable import Sync

/// Ids whose own descriptions are unusual, long, or not those of one value alone.
struct PrintedIDTests {
    private struct Code: RawRepresentable, Primitive, Codable {
        var rawValue: String
    }

    private struct Item<ID: Primitive & Codable>: Identifiable, Equatable, Codable {
        var id: ID
        var name = ""

        static var schema: Schema<Item> {
            Schema("items", { Item(id: $0, name: $1) }, Column("id", \.id), Column("name", \.name))
        }
    }

    private let item = Item(id: Code(rawValue: "a"))

    private func rules<ID: Primitive & Codable>(_ ids: ID.Type) -> OutboxRules<Item<ID>> {
        OutboxRules(schema: Item<ID>.schema, versionColumn: nil, serverRemembersKeys: false)
    }

    @Test("A table on a server names the id as other stores do")
    func table() async throws {
        try await withServer(of: Item<Code>.schema) { server in
            await #expect(throws: StoreError.missing(id: "a")) { try await server.store.update(item) }
            await #expect(throws: StoreError.missing(id: "a")) { try await server.store.update([item]) }
        }
    }

    @Test("A REST server's store names the id as other stores do")
    func resources() async throws {
        try await withServer(of: Item<Code>.schema) { server in
            let store = RESTStore(
                Item<Code>.schema, accessible: server.session,
                list: { _ in BackendResource<Void, [Item<Code>], KongAuth>(path: .api(.core, "/items"), method: .GET) },
                object: { _ in BackendResource<Void, Item<Code>, KongAuth>(path: .api(.core, "/none"), method: .GET) })
            await #expect(throws: StoreError.missing(id: "a")) { try await store.update(item) }
        }
    }

    @Test("A synced store names the id as other stores do")
    func synced() async throws {
        try await withServer(of: Item<Code>.schema) { server in
            server.backend.misbehave(.drop)
            let store = try SyncedStore(
                Item<Code>.schema, remote: server.store, outbox: Outbox(in: SQLiteDatabase(.memory)))
            await #expect(throws: StoreError.missing(id: "a")) { try await store.update(item) }
            try await store.insert(item)
            await #expect(throws: StoreError.duplicate(id: "a")) { try await store.insert(item) }
        }
    }

    @Test("A write about an id that no server can keep is refused by its name")
    func refused() throws {
        // No server has dates so far away, and Foundation would trap on the description.
        let item = Item(id: Date(timeIntervalSinceReferenceDate: 1e20))
        let write = OutboxWrite(inserting: item, in: Item<Date>.schema)
        #expect(throws: StoreError.refused(reason: "items 1e+20 s since 2001 has a value that no server can keep")) {
            try write.encoded()
        }
    }

    @Test("An outbox tells ids apart whose descriptions are equal")
    func entities() {
        let date = Date(timeIntervalSinceReferenceDate: 1_000)
        let dates = rules(Date.self)
        #expect(dates.entity(date) == dates.entity(date))
        #expect(dates.entity(date) != dates.entity(date.addingTimeInterval(0.25)))
        let bytes = rules(Data.self)
        #expect(bytes.entity(Data([1, 2])) != bytes.entity(Data([1, 3])))
        #expect(rules(Code.self).entity(item.id) == "items/a")
        #expect(rules(UUID.self).entity(.fixture(1)) == "items/\(UUID.fixture(1).uuidString)")
    }

    @Test("An answer about one id is not taken for one about another whose description is equal")
    func questions() async throws {
        try await unasked(Date(timeIntervalSinceReferenceDate: 1_000), Date(timeIntervalSinceReferenceDate: 1_000.25))
        try await unasked(Data([1, 2]), Data([1, 3]))
    }

    /// Asks for an id, and, when the server is gone, for another one.
    private func unasked<ID: Primitive & Codable>(_ asked: ID, _ other: ID) async throws {
        try await withServer(of: Item<ID>.schema) { server in
            let mirrored = MirroredStore(
                Item<ID>.schema, remote: server.store, local: MemoryStore(Item<ID>.schema))
            let synced = try SyncedStore(
                Item<ID>.schema, remote: server.store, outbox: Outbox(in: SQLiteDatabase(.memory)))
            for store in [mirrored, synced] as [any SourcedReading<Item<ID>>] {
                #expect(try await store.object(withId: asked).value == nil)
            }
            server.backend.misbehave(.drop)
            for store in [mirrored, synced] as [any SourcedReading<Item<ID>>] {
                #expect(try await store.object(withId: asked).value == nil)
                await #expect(throws: StoreError.self) { try await store.object(withId: other) }
            }
        }
    }

    @Test("A question about an id is the same one by whichever key path it names it, and whenever the program runs")
    func addresses() throws {
        let store = MemoryStore(Film.schema)
        let isAsked = try #require(Condition<Film>(.id, .equal, .uuid(.fixture(7))))
        let generic = store.filter(where: isAsked).sorted(by: SortCriterion(.id))
        let plain = store.filter(where: \.id == .fixture(7)).sorted(by: \.id)
        #expect(generic.words(in: Film.schema) == plain.words(in: Film.schema))
        #expect(!generic.words(in: Film.schema).contains("0x"))
    }

    @Test("Pages after one object are told apart if it has another value by which they are sorted")
    func pages() {
        let store = MemoryStore(Film.schema)
        let (one, other) = (Film.fixture(title: "a"), Film.fixture(title: "b"))
        func words(_ last: Film, _ query: Query<MemoryStore<Film>>) -> String {
            query.page(after: last, limit: 20).words(in: Film.schema)
        }
        #expect(words(one, store.sorted(by: \.title)) != words(other, store.sorted(by: \.title)))
        #expect(words(one, store.all()) == words(other, store.all()))
    }

    @Test("Two questions are told apart if a text of one has quotation marks, and reads as the other")
    func quotations() {
        let store = MemoryStore(Film.schema)
        let one = store.filter(where: \.title == "a" && \.tagline == "b")
        let other = store.filter(where: \.title == #"a" && \Film.tagline == "b"#)
        #expect(one.description == other.description)
        #expect(one.words(in: Film.schema) != other.words(in: Film.schema))
    }
}
