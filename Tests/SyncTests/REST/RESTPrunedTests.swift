import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Networking
import Persistence
import Testing

@testable import Sync

/// Lists whose resource leaves out the objects that do not decode.
struct RESTPrunedTests {
    private struct PrunedBooks: Decodable, Sendable { @Pruned var books: [Book] }

    private struct PrunedPages: Decodable, Sendable {
        @Pruned var books: [Book]
        var next: Int?
    }

    private static let strange = #"{"id":2,"title":"Brazil","pages":"many","version":1}"#
    private let alien = Book(id: 1, title: "Alien", pages: 300)
    private let brazil = Book(id: 2, title: "Brazil", pages: 100)
    private let heat = Book(id: 3, title: "Heat", pages: 200)

    private func books(_ session: BackendSession) -> RESTStore<Book, KongAuth> {
        RESTStore(
            Book.schema, accessible: session,
            list: { _ in
                BackendResource<Void, PrunedBooks, KongAuth>(path: .api(.core, "/books"), method: .GET).map(\.books)
            },
            object: { id in BooksService.fetchBook(id) })
    }

    private func list(_ rows: String...) -> @Sendable (LocalBackend.Request) -> LocalBackend.Response {
        let body = Data(#"{"books":[\#(rows.joined(separator: ","))]}"#.utf8)
        return { _ in .data(body, contentType: "application/json") }
    }

    private func json(_ book: Book) throws -> String { String(decoding: try JSONEncoder().encode(book), as: UTF8.self) }

    private func strange(_ id: Int) -> UnreadableObject {
        UnreadableObject(table: "books", objectID: "\(id)", column: "pages", found: "")
    }

    @Test("A pull leaves out an object that its list prunes, keeps its local copy, and reports it")
    func pulled() async throws {
        try await withBooks([alien, brazil, heat]) { server, session in
            let store = try SyncedStore(
                Book.schema, remote: books(session), outbox: Outbox(in: SQLiteDatabase(.memory)))
            try await store.pull()
            server.backend.get("/books", list(try json(alien), Self.strange))
            try await store.pull()
            #expect(try await store.local.all().sorted(by: \.id).result() == [alien, brazil])
            #expect(store.unreadable.value.map(\.id) == ["books/2"])
            #expect(store.unreadable.value.map(\.column) == ["pages"])
            let answer = try await store.fetch(where: \.title == "nothing")
            #expect(answer == Sourced([]))
            server.backend.get("/books", list(try json(alien), try json(heat)))
            try await store.pull()
            #expect(try await store.local.all().sorted(by: \.id).result() == [alien, heat])
            #expect(store.unreadable.value == [])
        }
    }

    @Test("If the id of an object that was left out cannot be found, the pull fails, and deletes nothing")
    func unknownID() async throws {
        try await withBooks([alien, brazil]) { server, session in
            let store = try SyncedStore(
                Book.schema, remote: books(session), outbox: Outbox(in: SQLiteDatabase(.memory)))
            try await store.pull()
            for row in [#"{"number":2}"#, "5", #"{"id":null}"#] {
                server.backend.get("/books", list(try json(alien), row))
                await #expect(throws: StoreError.self) { try await store.pull() }
                #expect(try await store.local.all().result().count == 2)
            }
        }
    }

    @Test("If no object of a list can be read, the pull fails, and the local objects stay")
    func nothing() async throws {
        try await withBooks([brazil]) { server, session in
            let store = try SyncedStore(
                Book.schema, remote: books(session), outbox: Outbox(in: SQLiteDatabase(.memory)))
            try await store.pull()
            server.backend.get("/books", list(Self.strange))
            await #expect(throws: StoreError.self) { try await store.pull() }
            #expect(try await store.local.all().result() == [brazil])
        }
    }

    @Test("Objects that are pruned from later pages are left out, too")
    func pages() async throws {
        try await withBooks { server, session in
            let first = Data(#"{"books":[\#(try json(alien))],"next":1}"#.utf8)
            let second = Data(#"{"books":[\#(Self.strange),\#(try json(heat))]}"#.utf8)
            server.backend.get("/pages/:number") { request in
                .data(
                    request.parameters["number"] == "0" ? first : second,
                    contentType: "application/json")
            }
            let remote = RESTStore(
                Book.schema, accessible: session,
                pages: { _, cursor in
                    BackendResource<Void, PrunedPages, KongAuth>(
                        path: .api(.core, "/pages/\(cursor ?? 0)"), method: .GET)
                }, objects: \.books, next: \.next, object: { id in BooksService.fetchBook(id) })
            let answer = try await remote.readable(remote.all())
            #expect(answer.objects == [alien, heat])
            #expect(answer.leftOut.map(\.id) == ["books/2"])
            #expect(try await remote.all().result() == [alien, heat])
        }
    }

    @Test("An object that was read is not taken for one that was left out, if a list in it was pruned")
    func nested() throws {
        let page = PrunedPage(schema: Book.schema)
        let body = Data(#"{"data":[{"books":[{"id":1,"tags":[{"id":7},{"id":8}]},{"id":2,"tags":[]}]}]}"#.utf8)
        let inner = SkippedElement(index: 1, path: "data[0].books[0].tags[1].name", reason: "no name")
        let outer = SkippedElement(index: 1, path: "data[0].books[1].title", reason: "no title")
        let leftOut = try page.leftOut([inner, outer], of: body, besides: [alien])
        #expect(leftOut == [UnreadableObject(table: "books", objectID: "2", column: "title", found: "no title")])
        let beyond = SkippedElement(index: 9, path: "data[0].books[9]", reason: "")
        #expect(throws: CoreError.self) { try page.leftOut([beyond], of: body, besides: []) }
        #expect(throws: CoreError.self) {
            try page.leftOut([SkippedElement(index: 0, path: "", reason: "")], of: body, besides: [])
        }
    }

    @Test("A list is found under a key with the signs that separate keys")
    func keysWithSigns() throws {
        let page = PrunedPage(schema: Book.schema)
        for key in ["a.b", "a[0]", "a.b[1].c", "."] {
            let body = Data(#"{"a":{},"\#(key)":[{"id":1},{"id":2}]}"#.utf8)
            let element = SkippedElement(index: 1, path: "\(key)[1].title", reason: "no title")
            let leftOut = try page.leftOut([element], of: body, besides: [])
            #expect(leftOut == [UnreadableObject(table: "books", objectID: "2", column: "title", found: "no title")])
        }
    }
}
