import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Networking
import Persistence
import Sync
import Testing

/// Answers that do not mean what their status says, or come from something else than the server.
struct RESTAnswerTests {
    private let alien = Book(id: 1, title: "Alien", pages: 300)
    private let aliens = Book(id: 1, title: "Aliens", pages: 300)

    private func synced(
        _ remote: RESTStore<Book, KongAuth>, version: Attribute<Book>? = nil
    ) async throws -> (SyncedStore<Book>, Outbox, ConflictLog) {
        let outbox = try Outbox(in: SQLiteDatabase(.memory))
        let conflicts = ConflictLog(outbox)
        let store = try SyncedStore(Book.schema, remote: remote, outbox: outbox, version: version)
        try await store.pull()
        return (store, outbox, conflicts)
    }

    // MARK: - A status from 200 to 299

    @Test("A change to which the server answers with the object as it was is parked", arguments: [false, true])
    func unchanged(hasVersion: Bool) async throws {
        try await withBooks([alien]) { server, session in
            let (store, outbox, _) = try await synced(.books(session), version: hasVersion ? Attribute(\.version) : nil)
            server.state.before.withLock { $0 = { [alien] in .json(alien) } }
            try await store.update(aliens)
            await eventually("it is parked, or done") { outbox.status.value.waiting == 0 }
            #expect(outbox.parked.value.map(\.cause) == [.refused])
            #expect(try await store.local.object(withId: 1) == aliens)
        }
    }

    @Test("A change that the server makes in its own way is done, also if the version stays the same")
    func sameVersion() async throws {
        try await withBooks([alien]) { server, session in
            let (store, outbox, _) = try await synced(.books(session), version: Attribute(\.version))
            server.state.before.withLock {
                $0 = { [aliens, state = server.state] in
                    state.change(aliens)
                    return .json(aliens)
                }
            }
            try await store.update(Book(id: 1, title: " Aliens ", pages: 300))
            await eventually("it is parked, or done") { outbox.status.value.waiting == 0 }
            #expect(outbox.parked.value.isEmpty)
            #expect(try await store.local.object(withId: 1) == aliens)
        }
    }

    @Test("A write is done if its answer cannot be read, and the server's object has changed")
    func unreadable() async throws {
        try await withBooks { server, session in
            let (store, outbox, _) = try await synced(.quietlyExpected(session))
            try await store.insert(alien)
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

    @Test("A write whose answer cannot be read is parked if the server's object is as it was")
    func unreadableAndUnchanged() async throws {
        try await withBooks { server, session in
            let (store, outbox, _) = try await synced(.books(session))
            server.state.before.withLock { $0 = { .json(["ok": false]) } }
            try await store.insert(alien)
            await eventually("it is parked, or done") { outbox.status.value.waiting == 0 }
            #expect(outbox.parked.value.map(\.cause) == [.refused])
        }
    }

    @Test(
        """
        A write is parked as unconfirmed if neither its answer nor the object can be read, and has the same key when it is sent \
        again
        """)
    func unconfirmed() async throws {
        try await withBooks([alien]) { server, session in
            let (store, outbox, _) = try await synced(.books(session))
            let isStrange = Locked(false)
            let keys = Locked<[String?]>([])
            let strange = Data(#"{"id":1,"title":"Aliens","pages":"many","version":2}"#.utf8)
            server.backend.get("/books/:id") { [alien, aliens] _ in
                if isStrange.withLock(\.self) { return .data(strange, contentType: "application/json") }
                return .json(keys.withLock(\.isEmpty) ? alien : aliens)
            }
            server.backend.patch("/books/:id") { request in
                keys.withLock { $0.append(request.headers["Idempotency-Key"]) }
                isStrange.withLock { $0 = true }
                return .data(strange, contentType: "application/json")
            }
            try await store.update(aliens)
            await eventually("it is parked") { outbox.status.value.waiting == 0 }
            #expect(outbox.parked.value.map(\.cause) == [.unconfirmed])
            #expect(outbox.status.value.isServerReached)
            // The object can still not be read, so it is still not known.
            try await outbox.retry(try #require(outbox.parked.value.first).id)
            await eventually("it is parked again") {
                outbox.parked.value.count == 1 && outbox.status.value.waiting == 0
            }
            #expect(outbox.parked.value.map(\.cause) == [.unconfirmed])
            isStrange.withLock { $0 = false }
            try await outbox.retry(try #require(outbox.parked.value.first).id)
            await eventually("it is done") { outbox.status.value.isInStep }
            #expect(keys.withLock(\.count) == 1)
            #expect(try await store.local.object(withId: 1) == aliens)
        }
    }

    // MARK: - The object is read after the write

    @Test(
        """
        If the server does not answer with the object, a later change conflicts with what another client has changed before \
        the object was read
        """)
    func changedBeforeReading() async throws {
        try await withBooks([alien]) { server, session in
            let (store, outbox, conflicts) = try await synced(.quiet(session), version: Attribute(\.version))
            server.backend.misbehave(.drop)
            try await store.update(aliens)
            try await store.update(Book(id: 1, title: "Aliens", pages: 320))
            server.state.after.withLock {
                $0 = { [state = server.state] book in
                    book = Book(id: 1, title: "Aliens", pages: 310, version: 3)
                    state.after.withLock { $0 = nil }
                }
            }
            server.backend.behave()
            outbox.networkIsBack()
            await eventually("all is sent") { outbox.status.value.waiting == 0 }
            #expect(conflicts.columns == [["pages"]])
        }
    }

    // MARK: - A response cache

    @Test("The server's object is read from the server, not from a response cache")
    func cached() async throws {
        try await withBooks([alien]) { server, session in
            let fresh: LocalBackend.Headers = ["Cache-Control": "max-age=300"]
            server.backend.get("/books") { [state = server.state] _ in
                .json(BookList(books: state.books.withLock { Array($0.values) }), headers: fresh)
            }
            server.backend.get("/books/:id") { [state = server.state] _ in
                .json(state.books.withLock { $0[1] }, headers: fresh)
            }
            let caching = BackendSession(
                environment: session.environment, credentials: FixedCredentials(.bearer("test")),
                transport: DefaultTransport().caching())
            let books = RESTStore.quiet(caching)
            let (store, outbox, conflicts) = try await synced(books)
            #expect(try await books.object(withId: 1) == alien)
            server.state.change(Book(id: 1, title: "Theirs", pages: 300))
            #expect(try await books.all().result().map(\.title) == ["Theirs"])
            #expect(try await books.object(withId: 1)?.title == "Theirs")
            try await store.update(aliens)
            await eventually("it is sent") { outbox.status.value.waiting == 0 }
            #expect(conflicts.columns == [["title"]])
        }
    }

    // MARK: - Web pages

    @Test("A web page with the status 404 does not say that an object was deleted", arguments: [404, 410])
    func pageNotFound(status: Int) async throws {
        let page = Data("<!DOCTYPE html><html><body>no backend</body></html>".utf8)
        try await withBooks([alien]) { server, session in
            let books = RESTStore.books(session)
            let (store, outbox, _) = try await synced(books, version: Attribute(\.version))
            server.backend.get("/books/:id") { _ in .data(page, contentType: "text/html", status: status) }
            await #expect(throws: StoreError.self) { try await books.object(withId: 1) }
            try await store.delete(alien)
            await eventually("the page has come, or it is done") {
                outbox.status.value.problem?.contains("a web page") == true || outbox.status.value.waiting == 0
            }
            #expect(outbox.status.value.waiting == 1)
            server.backend.get("/books/:id") { [state = server.state] _ in
                state.books.withLock { $0[1] }.map { .json($0) } ?? .status(404)
            }
            outbox.networkIsBack()
            await eventually("all is sent") { outbox.status.value.isInStep }
            #expect(server.state.books.withLock { $0.isEmpty })
        }
    }

    @Test("A web page with the status 404 is the server's right after it has deleted the object")
    func pageAfterDeletion() async throws {
        let page = Data("<!DOCTYPE html><html><body>no such book</body></html>".utf8)
        try await withBooks([alien]) { server, session in
            let (store, outbox, _) = try await synced(.quiet(session))
            server.backend.get("/books/:id") { [state = server.state] _ in
                state.books.withLock { $0[1] }.map { .json($0) } ?? .data(page, contentType: "text/html", status: 404)
            }
            try await store.delete(alien)
            await eventually("it is deleted") { outbox.status.value.isInStep }
            #expect(server.state.books.withLock { $0.isEmpty })
        }
    }
}
