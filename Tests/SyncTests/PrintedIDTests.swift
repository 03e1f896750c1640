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
}
