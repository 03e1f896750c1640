import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Networking
import Persistence
import Testing

@testable import Sync

/// Servers whose answers an outbox must not take for something else.
struct OutboxServerTests {
    private let film = Film.fixture()

    // MARK: - Long values

    @Test("A long text that is not ASCII can be changed, and its object deleted")
    func longText() async throws {
        let films = [Film.fixture(tagline: String(repeating: "ж", count: 1_400)), .fixture(id: .fixture(2))]
        try await withFilms(films) { server in
            let (store, outbox) = try server.synced()
            try await store.pull()
            try await store.update(.fixture(tagline: String(repeating: "日", count: 1_000)))
            await eventually("all is sent, or parked") { outbox.status.value.waiting == 0 }
            try await store.delete(film)
            await eventually("all is sent, or parked") { outbox.status.value.waiting == 0 }
            #expect(outbox.parked.value.isEmpty)
            #expect(try await server.table.all().result() == [films[1]])
        }
    }

    @Test("The columns after a long value are compared with the server's")
    func afterLongText() async throws {
        let title = String(repeating: "x", count: 6_000)
        try await withFilms([.fixture(title: title)]) { server in
            let (store, outbox) = try server.synced()
            try await store.pull()
            try await server.table.update(.fixture(title: title, year: 1900))
            try await store.delete(film)
            await eventually("all is sent, or parked") { outbox.status.value.waiting == 0 }
            #expect(outbox.parked.value.map(\.cause) == [.conflict])
            #expect(try await server.table.all().count() == 1)
        }
    }

    // MARK: - Web pages

    @Test("A web page in place of the server's answer parks nothing; the writes are sent when it is gone")
    func webPage() async throws {
        let backend = LocalBackend()
        let isInTheWay = Locked(true)
        let rows = Data("[".utf8) + Film.schema.truth(film) + Data("]".utf8)
        let answer: @Sendable (LocalBackend.Request) async -> LocalBackend.Response = { _ in
            isInTheWay.withLock { $0 }
                ? .data(Data("<html>".utf8), contentType: "text/html; charset=utf-8")
                : .data(rows, contentType: "application/json")
        }
        backend.post("/films", answer)
        backend.get("/films", answer)
        try await withSession(backend) { session in
            let outbox = try Outbox(in: SQLiteDatabase(.memory))
            let remote = PostgRESTStore(Film.schema, accessible: session)
            let store = try SyncedStore(Film.schema, remote: remote, outbox: outbox)
            try await store.insert(film)
            await eventually("the page has come") { outbox.status.value.problem?.contains("a web page") == true }
            #expect(outbox.parked.value.isEmpty)
            await #expect(throws: StoreError.unreachable(reason: WebPage.reason)) {
                try await remote.object(withId: film.id)
            }
            isInTheWay.withLock { $0 = false }
            outbox.networkIsBack()
            await eventually("all is sent") { outbox.status.value.isInStep }
        }
    }

    // MARK: - Objects that cannot be read

    @Test("A write to an object that this version cannot read any more is parked, and the network is not called lost")
    func unreadableObject() async throws {
        try await withServer(of: Wide.schema, [Wide(id: 1, name: "a", mood: "calm")]) { server in
            let outbox = try Outbox(in: SQLiteDatabase(.memory))
            let store = try SyncedStore(
                Narrow.schema, remote: PostgRESTStore(Narrow.schema, accessible: server.session), outbox: outbox)
            try await store.pull()
            try await server.table.update(Wide(id: 1, name: "theirs", mood: "elated"))
            try await store.update(Narrow(id: 1, name: "mine", mood: .calm))
            await eventually("it is parked") { outbox.parked.value.map(\.cause) == [.refused] }
            #expect(outbox.parked.value.first?.reason.contains("mood") == true)
            #expect(outbox.status.value.offlineSince == nil)
            #expect(server.backend.requests.filter { $0.method == .patch }.count == 1)
        }
    }

    // MARK: - Remembered answers

    @Test("A write that the server remembers as one without effect is sent again with another key")
    func rememberedEmptyAnswer() async throws {
        let backend = LocalBackend()
        let row = Film.schema.truth(film)
        let keys = Locked<[String]>([])
        backend.get("/films") { _ in
            .data(Data("[".utf8) + row + Data("]".utf8), contentType: "application/json")
        }
        backend.patch("/films") { request in
            let key = request.headers["Idempotency-Key"] ?? ""
            let isFirst = keys.withLock { keys in
                keys.append(key)
                return key == keys[0]
            }
            // At the first request the title was another one; the server remembers its answer.
            return .data(
                isFirst ? Data("[]".utf8) : Data("[".utf8) + row + Data("]".utf8), contentType: "application/json")
        }
        try await withSession(backend) { session in
            let outbox = try Outbox(in: SQLiteDatabase(.memory))
            let store = try SyncedStore(
                Film.schema, remote: PostgRESTStore(Film.schema, accessible: session) { $0.remembersKeys = true },
                outbox: outbox)
            _ = try await store.object(withId: film.id)
            try await store.update(.fixture(title: "Mine"))
            await eventually("all is sent, or parked") { outbox.status.value.waiting == 0 }
            #expect(outbox.parked.value.isEmpty)
            #expect(Set(keys.withLock { $0 }).count == 2)
        }
    }

    // MARK: - The same rows for ever

    @Test("A server that answers each page with the same rows is refused, not asked for ever")
    func samePages() async throws {
        let backend = LocalBackend()
        let notes = try Note.schema.json(of: [note(1), note(2)]).get()
        let extent = try HistoryExtent.schema(of: Note.schema)
            .json(of: [HistoryExtent(id: "notes", last: 2, forgotten: 0)]).get()
        backend.get("/notes") { _ in .data(notes, contentType: "application/json") }
        backend.get("/notes_history") { _ in .data(extent, contentType: "application/json") }
        backend.get("/notes_deleted") { _ in .data(Data("[]".utf8), contentType: "application/json") }
        try await withSession(backend) { session in
            let remote = PostgRESTStore(Note.schema, accessible: session)
            await #expect(throws: StoreError.repeatedPage(of: "notes")) { try await remote.all().result() }
            var history = remote.history(numberedBy: \.version)
            history.pageSize = 0
            #expect(history.pageSize == 1)
            history.pageSize = 2
            let store = try SyncedStore(
                Note.schema, remote: remote, outbox: Outbox(in: SQLiteDatabase(.memory)), history: history)
            await #expect(throws: StoreError.repeatedPage(of: "notes")) { try await store.pull() }
        }
    }

    // MARK: - Failures that are not the network's

    @Test("A server that fails is not called a lost network")
    func failingServer() async throws {
        let outbox = try Outbox(in: SQLiteDatabase(.memory)) { $0.retryInterval = .milliseconds(2) }
        let error = Locked(CoreError.status(StatusFailure(code: 503)))
        let requests = try DurableRequests<Int>("numbers", in: outbox) { _, _ throws(CoreError) in
            throw error.withLock { $0 }
        }
        for number in 1...3 { try await requests.send(number, about: "\(number)") }
        await eventually("it is seen to fail") { outbox.status.value.offlineSince != nil }
        #expect(outbox.status.value.isServerReached)
        error.withLock { $0 = .network(NetworkFailure(.cannotConnect)) }
        await eventually("the network is lost") { !outbox.status.value.isServerReached }
        #expect(outbox.status.value.offlineSince != nil)
    }

    @Test("The server counts as reached as soon as the outbox is told that the network is back")
    func networkIsBack() async throws {
        let outbox = try Outbox(in: SQLiteDatabase(.memory)) { $0.retryInterval = .seconds(600) }
        let isLost = Locked(true)
        let (answers, answer) = AsyncStream<Void>.makeStream()
        let requests = try DurableRequests<Int>("numbers", in: outbox) { _, _ throws(CoreError) in
            if isLost.withLock({ $0 }) { throw .network(NetworkFailure(.cannotConnect)) }
            for await _ in answers {}
        }
        try await requests.send(1, about: "1")
        await eventually("the network is lost") { outbox.status.value.offlineSince != nil }
        #expect(!outbox.status.value.isServerReached)
        isLost.withLock { $0 = false }
        outbox.networkIsBack()
        await eventually("it counts as reached before it answers") { outbox.status.value.isServerReached }
        answer.finish()
        await eventually("all is sent") { outbox.status.value.isInStep }
    }

    // MARK: - Settings

    @Test("Writes are sent with any width", arguments: [.min, 0, .max])
    func width(_ width: Int) async throws {
        let outbox = try Outbox(in: SQLiteDatabase(.memory)) { $0.width = width }
        let requests = try DurableRequests<Int>("numbers", in: outbox) { _, _ throws(CoreError) in }
        for number in 1...40 { try await requests.send(number, about: "\(number)") }
        await eventually("all is sent") { outbox.status.value.isInStep }
    }

    @Test("A write that is sent again leaves the list of parked ones before it can be sent")
    func sentAgain() async throws {
        let outbox = try Outbox(in: SQLiteDatabase(.memory))
        let requests = try DurableRequests<Int>("numbers", in: outbox) { _, _ throws(CoreError) in
            throw .status(StatusFailure(code: 422))
        }
        try await requests.send(1, about: "1")
        await eventually("it is parked") { outbox.parked.value.count == 1 }
        let phases = Locked<[OutboxQueue.Phase?]>([])
        outbox.parked.signal.observeValues { _ in
            phases.withLock { $0.append(outbox.state.withLock { $0.queue.phase(of: 1) }) }
        }
        try await outbox.retry(1)
        await eventually("it is parked again") { phases.withLock { $0.count } == 2 }
        #expect(phases.withLock { $0[0] } == .parked)
        #expect(outbox.parked.value.count == 1)
    }
}

/// A row as the server has it, and as a client reads it that knows fewer moods.
private struct Wide: Identifiable, Equatable, Sendable {
    var id: Int
    var name: String
    var mood: String

    static let schema = Schema<Wide>(
        "moods", Wide.init, Column("id", \.id), Column("name", \.name), Column("mood", \.mood))
}

private struct Narrow: Identifiable, Equatable, Sendable {
    enum Mood: String, Primitive { case calm }

    var id: Int
    var name: String
    var mood: Mood

    static let schema = Schema<Narrow>(
        "moods", Narrow.init, Column("id", \.id), Column("name", \.name), Column("mood", \.mood))
}
