import Feedback
import LocalBackend
import Networking
import Persistence
import Testing

@testable import Sync
@testable import TableBackend

/// Pages by offset: the server orders text by rules of its own, and the ids are texts.
struct PostgRESTPagesTests {
    private struct Tag: Identifiable, Equatable, Sendable {
        var id: String

        static let schema = Schema<Tag>("tags", { Tag(id: $0) }, Column("id", \.id))
    }

    /// Runs a server of the tags `b` to `g`. Before it answers the second request, `change` is called.
    private func withTags(
        maximumRows: Int? = nil, _ change: @escaping @Sendable (SQLiteStore<Tag>) async throws -> Void,
        _ body: (PostgRESTStore<Tag>, LocalBackend) async throws -> Void
    ) async throws {
        let store = try SQLiteStore(Tag.schema, in: SQLiteDatabase(.memory))
        try await store.insert("bcdefg".map { Tag(id: "\($0)") })
        let table = Table(store, Tag.schema, maximumRows: maximumRows)
        let backend = LocalBackend()
        let requests = Locked(0)
        backend.get("/tags") { request in
            let count = requests.withLock { count in
                count += 1
                return count
            }
            if count == 2 {
                do { try await change(store) } catch { Issue.record(error) }
            }
            return await table.respond(to: request, table.read)
        }
        try await withSession(backend) { session in
            try await body(
                PostgRESTStore(Tag.schema, accessible: session) { ($0.textOrder, $0.rowsPerRequest) = (.other, 2) },
                backend)
        }
    }

    private func ids(_ store: PostgRESTStore<Tag>) async throws -> String {
        try await store.all().result().map(\.id).joined()
    }

    @Test("All rows are fetched, each once", arguments: [nil, 1, 2, 3])
    func all(maximumRows: Int?) async throws {
        try await withTags(maximumRows: maximumRows, { _ in }) { store, _ in
            let found = try await ids(store)
            #expect(found == "bcdefg")
        }
    }

    @Test(
        "Rows that are added before the next page shift it, and no row is fetched twice",
        arguments: ["a", "ab", "aabc"])
    func added(added: String) async throws {
        let new = added.enumerated().map { Tag(id: "a\($0.offset)") }
        try await withTags({ try await $0.insert(new) }) { store, _ in
            let found = try await ids(store)
            #expect(found == "bcdefg")
        }
    }

    @Test(
        "If rows were removed before the next page, so that others may be missing, the query fails",
        arguments: ["b", "c"])
    func removed(id: String) async throws {
        try await withTags({ try await $0.delete(Tag(id: id)) }) { store, _ in
            await #expect(throws: StoreError.shiftedPage(of: "tags")) { try await ids(store) }
        }
    }

    @Test("A server that does not count rows is refused, not asked for ever")
    func withoutCounting() async throws {
        let backend = LocalBackend()
        let rows = try Tag.schema.json(of: [Tag(id: "a"), Tag(id: "b")]).get()
        backend.get("/tags") { _ in .data(rows, contentType: "application/json") }
        try await withSession(backend) { session in
            let store = PostgRESTStore(Tag.schema, accessible: session) { $0.textOrder = .other }
            await #expect(throws: StoreError.repeatedPage(of: "tags")) { try await ids(store) }
            #expect(backend.requests.count < 10)
        }
    }

    @Test("A server that has rows after the greatest offset does not end the program", arguments: [true, false])
    func greatestOffset(sortsTexts: Bool) async throws {
        let backend = LocalBackend()
        let rows = try Tag.schema.json(of: [Tag(id: "a"), Tag(id: "b")]).get()
        backend.get("/tags") { _ in .data(rows, contentType: "application/json") }
        try await withSession(backend) { session in
            let store = PostgRESTStore(Tag.schema, accessible: session) {
                $0.textOrder = sortsTexts ? .codePoints : .other
            }
            await #expect(throws: StoreError.repeatedPage(of: "tags")) {
                try await store.all().page(limit: nil, offset: .max).result()
            }
        }
    }
}
