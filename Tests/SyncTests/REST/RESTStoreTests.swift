import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Networking
import Persistence
import Sync
import Testing

struct RESTStoreTests {
    private let alien = Book(id: 1, title: "Alien", pages: 300)

    private func synced(
        _ session: BackendSession, _ database: SQLiteDatabase? = nil
    ) throws -> (SyncedStore<Book>, Outbox) {
        let outbox = try Outbox(in: try database ?? SQLiteDatabase(.memory))
        let store = try SyncedStore(
            Book.schema, remote: RESTStore.books(session), outbox: outbox, version: Attribute(\.version))
        return (store, outbox)
    }

    // MARK: - A store

    @Test("It reads and writes as every other store")
    func store() async throws {
        try await withBooks([alien]) { server, session in
            let books = RESTStore.books(session)
            try await books.insert(Book(id: 2, title: "Brazil", pages: nil))
            try await books.update(Book(id: 1, title: "Aliens", pages: 300))
            let found = try await books.filter(where: \.id <= 2).sorted(by: \.title, inOrder: .descending).result()
            #expect(found.map(\.title) == ["Brazil", "Aliens"])
            #expect(try await books.object(withId: 1)?.version == 2)
            #expect(try await books.object(withId: 3) == nil)
            try await books.delete(alien)
            #expect(server.state.books.withLock { Array($0.keys) } == [2])
            await #expect(throws: StoreError.duplicate(id: "2")) { try await books.insert(Book(id: 2, title: "")) }
            await #expect(throws: StoreError.missing(id: "1")) { try await books.update(alien) }
        }
    }

    @Test("A write for which there is no resource is refused")
    func noResource() async throws {
        try await withBooks { _, session in
            let books = RESTStore(
                Book.schema, accessible: session, list: { _ in BooksService.fetchBooks().map(\.books) },
                object: { BooksService.fetchBook($0) })
            await #expect(throws: StoreError.refused(reason: "there is no resource to add books")) {
                try await books.insert(alien)
            }
        }
    }

    @Test("Only the object with an id is asked for, also by generic code")
    func byID() async throws {
        try await withBooks([alien, Book(id: 2, title: "Brazil")]) { server, session in
            let books = RESTStore.books(session)
            let found = try await books.filter(where: \.id == 1).result()
            let foundByGenericCode = try await books.filter(where: Condition(id: 1)).result()
            #expect(found == [alien] && foundByGenericCode == [alien])
            #expect(server.backend.requests.map(\.path) == ["/books/1", "/books/1"])
        }
    }

    @Test("An object with another id than the one that was asked for is neither shown nor deleted")
    func otherObject() async throws {
        let brazil = Book(id: 2, title: "Brazil")
        let backend = LocalBackend()
        // The server has made one book of two.
        backend.get("/books") { _ in .json(BookList(books: [brazil])) }
        backend.get("/books/:id") { _ in .json(brazil) }
        backend.delete("/books/:id") { _ in .status(204) }
        try await withSession(backend) { session in
            let (store, outbox) = try synced(session)
            try await store.local.insert(alien)
            try await store.delete(alien)
            await eventually("it is parked") { outbox.parked.value.map(\.cause) == [.refused] }
            let books = RESTStore.books(session)
            await #expect(throws: StoreError.self) { try await books.object(withId: 1) }
            await #expect(throws: StoreError.self) { try await books.delete(alien) }
            #expect(backend.requests.allSatisfy { $0.method == .get })
        }
    }

    // MARK: - A server that does not send the object back

    @Test("Each write is sent once to a server that answers without the object, and sets and trims columns")
    func quiet() async throws {
        try await withBooks { server, session in
            let outbox = try Outbox(in: SQLiteDatabase(.memory))
            let store = try SyncedStore(Book.schema, remote: RESTStore.quiet(session), outbox: outbox)
            try await store.insert(Book(id: 1, title: "Alien"))
            await eventually("it is added, or parked") { outbox.status.value.waiting == 0 }
            #expect(try await store.local.all().result() == [Book(id: 1, title: "Alien", pages: 100)])
            try await store.update(Book(id: 1, title: " Aliens ", pages: 100))
            await eventually("it is changed, or parked") { outbox.status.value.waiting == 0 }
            #expect(try await store.local.all().result() == [Book(id: 1, title: "Aliens", pages: 100)])
            try await store.delete(Book(id: 1, title: "Aliens", pages: 100))
            await eventually("it is deleted, or parked") { outbox.status.value.waiting == 0 }
            #expect(outbox.parked.value.isEmpty)
            #expect(server.backend.requests.map(\.method).filter { $0 != .get } == [.post, .patch, .delete])
        }
    }

    @Test("A change that a server accepts and does not make is parked")
    func ignored() async throws {
        try await withBooks([alien]) { server, session in
            let outbox = try Outbox(in: SQLiteDatabase(.memory))
            let store = try SyncedStore(Book.schema, remote: RESTStore.quiet(session), outbox: outbox)
            try await store.pull()
            server.state.before.withLock { $0 = { .status(204) } }
            try await store.update(Book(id: 1, title: "Aliens", pages: 300))
            await eventually("it is parked") { outbox.parked.value.map(\.cause) == [.refused] }
        }
    }

    // MARK: - Through an outbox

    @Test("Writes made offline are sent when the network is back, with only the columns that were changed")
    func offline() async throws {
        try await withBooks([alien]) { server, session in
            let (store, outbox) = try synced(session)
            try await store.pull()
            server.backend.misbehave(.drop)
            try await store.update(Book(id: 1, title: "Aliens", pages: 300))
            try await store.insert(Book(id: 2, title: "Brazil", pages: nil))
            await eventually("the network is lost") { outbox.status.value.offlineSince != nil }
            #expect(try await store.local.sorted(by: \.title).result().map(\.title) == ["Aliens", "Brazil"])
            server.backend.behave()
            outbox.networkIsBack()
            await eventually("all is sent") { outbox.status.value.isInStep }
            #expect(server.state.books.withLock { $0[1] } == Book(id: 1, title: "Aliens", pages: 300, version: 2))
            #expect(server.state.books.withLock { $0[2]?.title } == "Brazil")
            let patch = try #require(server.backend.requests.last { $0.method == .patch })
            #expect(String(decoding: patch.body, as: UTF8.self) == #"{"title":"Aliens"}"#)
            #expect(try await store.local.all().result().first { $0.id == 1 }?.version == 2)
        }
    }

    @Test("A write whose answer is lost has its effect once", arguments: ["post", "patch", "delete"])
    func lostAnswer(method: String) async throws {
        try await withBooks(method == "post" ? [] : [alien]) { server, session in
            let (store, outbox) = try synced(session)
            try await store.pull()
            // The handler runs, and the connection ends before its answer is complete.
            server.backend.misbehave(.truncate(), on: .post, times: 1)
            server.backend.misbehave(.truncate(), on: .patch, times: 1)
            server.backend.misbehave(.truncate(), on: .delete, times: 1)
            switch method {
            case "post": try await store.insert(alien)
            case "patch": try await store.update(Book(id: 1, title: "Aliens", pages: 300))
            default: try await store.delete(alien)
            }
            await eventually("all is sent") { outbox.status.value.isInStep }
            #expect(server.state.writes.withLock(\.self) == 1)
            #expect(try await store.local.all().result() == server.state.books.withLock { Array($0.values) })
        }
    }

    @Test("A write that was sent when the program ended is not done again by the next run of the program")
    func killed() async throws {
        try await withBooks([alien]) { server, session in
            let database = try SQLiteDatabase(.memory)
            // The server does the write, and then nothing comes back any more.
            server.backend.misbehave(.truncate(), on: .patch)
            server.state.before.withLock {
                $0 = { [backend = server.backend] in
                    backend.misbehave(.drop, on: .get)
                    return nil
                }
            }
            do {
                let (store, outbox) = try synced(session, database)
                _ = try await store.object(withId: 1)
                try await store.update(Book(id: 1, title: "Aliens", pages: 300))
                await eventually("it is done") { server.state.writes.withLock(\.self) == 1 }
                _ = outbox
            }
            server.backend.behave()
            let (store, outbox) = try synced(session, database)
            await eventually("all is sent") { outbox.status.value.isInStep }
            #expect(server.state.writes.withLock(\.self) == 1)
            #expect(try await store.local.all().result() == [Book(id: 1, title: "Aliens", pages: 300, version: 2)])
        }
    }

    @Test("Changes of different columns are merged; a column that both have changed gets the later write")
    func conflict() async throws {
        try await withBooks([alien]) { server, session in
            let (store, outbox) = try synced(session)
            try await store.pull()
            server.state.change(Book(id: 1, title: "Alien 3", pages: 310, version: 2))
            try await store.update(Book(id: 1, title: "Aliens", pages: 300))
            await eventually("all is sent") { outbox.status.value.isInStep }
            #expect(server.state.books.withLock { $0[1] } == Book(id: 1, title: "Aliens", pages: 310, version: 3))
        }
    }

    @Test("A change between the reading and the writing is a conflict, too, since the server checks the version")
    func race() async throws {
        try await withBooks([alien]) { server, session in
            let (store, outbox) = try synced(session)
            try await store.pull()
            server.state.before.withLock {
                $0 = { [state = server.state] in
                    state.books.withLock { $0[1] = Book(id: 1, title: "Alien", pages: 310, version: 2) }
                    state.before.withLock { $0 = nil }
                    return nil
                }
            }
            try await store.update(Book(id: 1, title: "Aliens", pages: 300))
            await eventually("all is sent") { outbox.status.value.isInStep }
            #expect(server.state.books.withLock { $0[1] } == Book(id: 1, title: "Aliens", pages: 310, version: 3))
        }
    }

    @Test("A write to a book that was deleted meanwhile waits for a person")
    func deleted() async throws {
        try await withBooks([alien]) { server, session in
            let (store, outbox) = try synced(session)
            try await store.pull()
            server.state.books.withLock { $0[1] = nil }
            try await store.update(Book(id: 1, title: "Aliens", pages: 300))
            await eventually("it is parked") { outbox.parked.value.map(\.cause) == [.conflict] }
            #expect(try await store.local.all().result().map(\.title) == ["Aliens"])
        }
    }

    @Test(
        "A refused write is parked with its reason; so is a 409, if the object is as expected", arguments: [400, 409])
    func refused(status: Int) async throws {
        try await withBooks([alien]) { server, session in
            let (store, outbox) = try synced(session)
            try await store.pull()
            server.state.before.withLock { $0 = { .status(status) } }
            try await store.update(Book(id: 1, title: "Aliens", pages: 300))
            await eventually("it is parked") { outbox.parked.value.map(\.cause) == [.refused] }
            #expect(outbox.parked.value.first?.reason.contains("\(status)") == true)
            #expect(outbox.status.value.offlineSince == nil)
        }
    }

    @Test("A login page parks nothing; the writes wait")
    func loginPage() async throws {
        let page = Data("<html>Log in</html>".utf8)
        try await withBooks { server, session in
            let (store, outbox) = try synced(session)
            server.state.before.withLock { $0 = { .data(page, contentType: "text/html") } }
            try await store.insert(alien)
            await eventually("the page has come") { outbox.status.value.problem?.contains("a web page") == true }
            #expect(outbox.parked.value.isEmpty)
            server.state.before.withLock { $0 = nil }
            outbox.networkIsBack()
            await eventually("all is sent") { outbox.status.value.isInStep }
            #expect(server.state.books.withLock { $0[1] } == alien)
        }
    }
}
