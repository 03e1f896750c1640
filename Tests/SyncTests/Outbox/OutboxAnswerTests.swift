import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Networking
import Persistence
import Testing

@testable import Sync

/// Unusual answers of a server, and what a person does meanwhile.
struct OutboxAnswerTests {
    private let film = Film.fixture()
    private let other = Film.fixture(id: .fixture(2), title: "Alien")

    // MARK: - The server

    @Test("An insertion whose answer was lost is not taken for refused if the second answer is a 409 that says nothing")
    func conflictWithoutBody() async throws {
        try await withFilms { server in
            let (store, outbox) = try server.synced()
            // The first request is done and its answer lost; a gateway answers the second one.
            server.backend.misbehave(.reset(), on: .post, times: 1)
            server.backend.misbehave(.fail(rate: 1, status: 409), on: .post, times: 1)
            try await store.insert(film)
            await eventually { outbox.status.value.waiting == 0 }
            #expect(outbox.parked.value.isEmpty)
            #expect(try await server.table.all().result() == [film])
            #expect(try await store.local.all().result() == [film])
        }
    }

    @Test("A 409 that says nothing parks an insertion of an object that the server does not have")
    func conflictWithoutObject() async throws {
        try await withFilms { server in
            let (store, outbox) = try server.synced()
            server.backend.misbehave(.fail(rate: 1, status: 409), on: .post)
            try await store.insert(film)
            await eventually { outbox.parked.value.count == 1 }
            #expect(outbox.parked.value.first?.cause == .refused)
        }
    }

    @Test(
        "An insertion that was answered without its object may be done if the server then turns the question for it away",
        arguments: [401, 407, 425, 429])
    func acceptedAndTurnedAway(status: Int) async throws {
        let backend = LocalBackend()
        backend.post("/films") { _ in .data(Data("[]".utf8), contentType: "application/json", status: 201) }
        backend.get("/films") { _ in .init(status: status) }
        try await withSession(backend) { session in
            let store = PostgRESTStore(Film.schema, accessible: session)
            for replaces in [false, true] {
                let write = OutboxWrite.insert(film, Film.schema, versionColumn: nil, replaces: replaces)
                let answer = await store.send(write, key: UUID())
                guard case .busy(_, _, mayBeDone: true) = answer else {
                    Issue.record("\(answer)")
                    continue
                }
            }
        }
    }

    @Test("Credentials that are refused in the middle of many writes park none of them")
    func unauthorized() async throws {
        try await withFilms { server in
            let (store, outbox) = try server.synced()
            let films = (1...40).map { Film.fixture(id: .fixture($0)) }
            server.backend.misbehave(.fail(rate: 0.5, status: 401), on: .post)
            try await store.save(films)
            await eventually { outbox.status.value.problem != nil }
            server.backend.behave()
            outbox.networkIsBack()
            await eventually { outbox.status.value.isInStep }
            #expect(outbox.parked.value.isEmpty)
            #expect(try await server.table.all().count() == 40)
        }
    }

    @Test("A server that asks to be left alone gets no request for that time, and all of them afterwards")
    func retryAfter() async throws {
        let scheduler = TestScheduler()
        let isBusy = Locked(true)
        let sent = Locked(0)
        let outbox = try Outbox(in: SQLiteDatabase(.memory), on: scheduler)
        let requests = try DurableRequests<Int>("numbers", in: outbox) { _, _ throws(CoreError) in
            sent.withLock { $0 += 1 }
            if isBusy.withLock({ $0 }) {
                throw .status(StatusFailure(code: 429, headers: ["Retry-After": "20"]))
            }
        }
        for number in 1...3 { try await requests.send(number, about: "\(number)") }
        await advance(scheduler, outbox, by: 0)
        let first = sent.withLock { $0 }
        #expect(first == 3)
        isBusy.withLock { $0 = false }
        // Somebody else's request is answered meanwhile.
        outbox.noteSuccess()
        for _ in 0..<19 { await advance(scheduler, outbox, by: 1) }
        #expect(sent.withLock { $0 } == first)
        #expect(outbox.status.value.waiting == 3)
        for _ in 0..<3 { await advance(scheduler, outbox, by: 1) }
        #expect(outbox.status.value.isInStep)
        #expect(sent.withLock { $0 } == first + 3)
    }

    @Test("A time to be left alone that began before the clock was set back is over, and none is longer than an hour")
    func pauses() {
        let now = Date(timeIntervalSinceReferenceDate: 86_400)
        var link = OutboxLink()
        link.pause(for: 1e12, at: now)
        #expect(link.nextProbe(after: now) == now.addingTimeInterval(3_600))
        #expect(link.nextProbe(after: now.addingTimeInterval(3_600)) == nil)
        #expect(link.nextProbe(after: now.addingTimeInterval(-60)) == nil)
        link.pause(for: 5, at: now)
        #expect(link.nextProbe(after: now) == now.addingTimeInterval(3_600))
    }

    @Test("Ids that mean something in a URL or in a condition reach the server as they are", arguments: Tag.ids)
    func ids(id: String) async throws {
        try await withServer(of: Tag.schema, [Tag(id: "other", title: "other")]) { server in
            let outbox = try Outbox(in: SQLiteDatabase(.memory))
            let store = try SyncedStore(Tag.schema, remote: server.store, outbox: outbox)
            try await store.pull()
            try await store.insert(Tag(id: id, title: "new"))
            await eventually { outbox.status.value.waiting == 0 }
            try await store.update(Tag(id: id, title: id))
            await eventually { outbox.status.value.waiting == 0 }
            #expect(try await server.table.object(withId: id)?.title == id)
            try await store.update(Tag(id: id, title: "last"))
            try await store.delete(Tag(id: id, title: "last"))
            await eventually { outbox.status.value.waiting == 0 }
            #expect(outbox.parked.value.isEmpty)
            #expect(try await server.table.all().result().map(\.id) == ["other"])
        }
    }

    @Test("A server that answers with a new conflict each time is asked less and less often")
    func endlessConflict() async throws {
        let scheduler = TestScheduler()
        let sent = Locked(0)
        let database = try SQLiteDatabase(.memory)
        let outbox = try Outbox(in: database, on: scheduler)
        let notes = try SQLiteStore(Note.schema, in: database)
        try await notes.insert(Note(id: 1, title: 1, body: 0, version: 1))
        let (changes, observer) = Signal<Void, NoError>.pipe()
        let channel = try TableChannel(
            rules: OutboxRules(schema: Note.schema, versionColumn: 3, serverRemembersKeys: true), objects: notes,
            remote: BusyCounter { sent.withLock { $0 += 1 } }, resolve: { _ in .keepMine }, outbox: outbox,
            changeObserver: observer)
        try outbox.add(channel)
        try outbox.write([OutboxRules.Change.upsert(Note(id: 1, title: 2, body: 0, version: 1))]) {
            change, number, transaction throws(StoreError) in
            try channel.rules.record(change, number: number, key: UUID(), at: Date(), in: channel.tables(transaction))
        }
        for _ in 0..<30 { await turn(scheduler, outbox) }
        #expect(sent.withLock { $0 } == 3)
        for _ in 0..<60 {
            scheduler.advance(by: .seconds(1))
            await turn(scheduler, outbox)
        }
        #expect((5...20).contains(sent.withLock { $0 }))
        #expect(outbox.status.value.waiting == 1)
        withExtendedLifetime(changes) {}
    }

    @Test("A write that was not sent says nothing about the network")
    func notSent() async throws {
        let database = try SQLiteDatabase(.memory)
        let scheduler = TestScheduler()
        let rows = try SQLiteStore(OutboxRow.schema, in: database)
        try await rows.insert(
            OutboxRow(
                number: 1, entity: "numbers/a", channel: "numbers", body: Data("not JSON".utf8), truth: nil,
                key: UUID(), date: Date()))
        let outbox = try Outbox(in: database, on: scheduler)
        let requests = try DurableRequests<Int>("numbers", in: outbox) { _, _ throws(CoreError) in
            throw .request(RequestFailure("it has no URL"))
        }
        try await requests.send(2, about: "b")
        await advance(scheduler, outbox, by: 1)
        #expect(outbox.parked.value.map(\.id) == [1, 2])
        #expect(outbox.status.value.lastSuccess == nil)
        #expect(!outbox.status.value.isServerReached)
    }

    @Test("A write that cannot be sent does not end the time without a network")
    func notSentOffline() async throws {
        try await withServer(of: Tag.schema) { server in
            server.backend.misbehave(.drop)
            let outbox = try Outbox(in: SQLiteDatabase(.memory))
            let store = try SyncedStore(Tag.schema, remote: server.store, outbox: outbox)
            try await store.insert(Tag(id: "a", title: "a"))
            await eventually("the network is lost") { outbox.status.value.offlineSince != nil }
            let since = outbox.status.value.offlineSince
            let requests = try DurableRequests<Int>("numbers", in: outbox) { _, _ throws(CoreError) in
                throw .request(RequestFailure("it has no URL"))
            }
            try await requests.send(1, about: "a")
            await eventually("it is parked") { outbox.parked.value.count == 1 }
            #expect(outbox.status.value.offlineSince == since)
            #expect(outbox.status.value.lastSuccess == nil)
        }
    }

    // MARK: - A person

    @Test("A write that was sent again cannot be edited or given up any more")
    func editedTooLate() async throws {
        try await withFilms([film]) { server in
            let (store, outbox) = try server.synced()
            try await store.pull()
            server.backend.misbehave(.fail(rate: 1, status: 422), on: .patch)
            var mine = film
            mine.title = "Mine"
            try await store.update(mine)
            await eventually { outbox.parked.value.count == 1 }
            let id = try #require(outbox.parked.value.first).id
            server.backend.behave()
            server.backend.misbehave(.stall(), on: .patch, times: 1)
            try await outbox.retry(id)
            mine.year = 1900
            await #expect(throws: StoreError.missing(id: "\(id)")) { try await store.edit(id, to: mine) }
            await #expect(throws: StoreError.missing(id: "\(id)")) { try await outbox.giveUp(id) }
            #expect(try await store.local.all().result().map(\.year) == [film.year])
        }
    }

    @Test("A parked write that is given up without a network leaves what the server was last known to have")
    func givenUpOffline() async throws {
        try await withFilms([film]) { server in
            let (store, outbox) = try server.synced()
            try await store.pull()
            server.backend.misbehave(.fail(rate: 1, status: 422), on: .patch)
            var mine = film
            mine.title = "Mine"
            try await store.update(mine)
            await eventually { outbox.parked.value.count == 1 }
            server.backend.behave()
            server.backend.misbehave(.drop)
            mine.year = 1900
            try await store.update(mine)
            try await outbox.giveUp(try #require(outbox.parked.value.first).id)
            var rest = film
            rest.year = 1900
            #expect(try await store.local.all().result() == [rest])
            server.backend.behave()
            outbox.networkIsBack()
            await eventually { outbox.status.value.isInStep }
            #expect(try await server.table.all().result() == [rest])
        }
    }

    @Test("A film that is deleted while its insertion is parked is gone at once, and for good when that is given up")
    func deletedBehindParkedInsertion() async throws {
        try await withFilms { server in
            let (store, outbox) = try server.synced()
            server.backend.misbehave(.fail(rate: 1, status: 422), on: .post)
            try await store.insert(film)
            await eventually { outbox.parked.value.count == 1 }
            try await store.delete(film)
            #expect(try await store.local.all().result().isEmpty)
            try await outbox.giveUp(try #require(outbox.parked.value.first).id)
            #expect(outbox.status.value.isInStep)
            #expect(try await store.local.all().result().isEmpty)
            #expect(server.backend.requests.allSatisfy { $0.method != .delete })
        }
    }

    // MARK: - Ids with slashes

    @Test("An object whose table and id together are the name of another thing neither waits for it nor changes it")
    func sameName() async throws {
        try await withServer(of: Tag.schema) { server in
            let outbox = try Outbox(in: SQLiteDatabase(.memory))
            let likes = try DurableRequests<Int>("tags/likes", in: outbox) { _, _ async throws(CoreError) in
                throw .status(StatusFailure(code: 422))
            }
            try await likes.send(1, about: "5")
            await eventually("the request is parked") { outbox.parked.value.count == 1 }
            let store = try SyncedStore(Tag.schema, remote: server.store, outbox: outbox)
            try await store.insert(Tag(id: "likes/5", title: "a"))
            try await store.mend(Tag(id: "likes/5", title: "b"))
            await eventually("both writes are sent") { outbox.status.value.waiting == 0 }
            #expect(try await server.table.all().result() == [Tag(id: "likes/5", title: "b")])
            #expect(outbox.parked.value.map(\.table) == ["tags/likes"])
        }
    }

    // MARK: - Versions of the program

    @Test("Writes of a newer version of the program are kept for it, and hold up no others")
    func newerFile() async throws {
        let database = try SQLiteDatabase(.memory)
        try await withServer(of: Tag.schema) { server in
            let rows = try SQLiteStore(OutboxRow.schema, in: database)
            let newer = OutboxRow(
                number: 1, entity: "tags/a", channel: "tags", body: Data(#"{"kind":"move","id":"a"}"#.utf8),
                truth: .noObject, key: UUID(), date: Date())
            let unknown = OutboxRow(
                number: 2, entity: "places/a", channel: "places", body: Data(), truth: nil, key: UUID(), date: Date())
            try await rows.insert([newer, unknown])
            let outbox = try Outbox(in: database)
            let store = try SyncedStore(Tag.schema, remote: server.store, outbox: outbox)
            try await store.insert(Tag(id: "b", title: "b"))
            await eventually { outbox.status.value.waiting == 0 }
            #expect(outbox.parked.value.map(\.id) == [1])
            #expect(try await server.table.all().result() == [Tag(id: "b", title: "b")])
            #expect(try await rows.all().result().map(\.number).sorted() == [1, 2])
        }
    }
}

/// Moves the time, and lets requests end that have begun.
private func advance(_ scheduler: TestScheduler, _ outbox: Outbox, by seconds: Int) async {
    scheduler.advance(by: .seconds(seconds))
    repeat {
        await eventually { outbox.state.withLock(\.underWay.isEmpty) }
        scheduler.advance(by: .zero)
    } while outbox.state.withLock { $0.isScheduled || !$0.underWay.isEmpty || !$0.results.isEmpty }
}

/// Lets the steps run that are due now, and the requests that they begin.
private func turn(_ scheduler: TestScheduler, _ outbox: Outbox) async {
    scheduler.advance(by: .zero)
    await eventually { outbox.state.withLock(\.underWay.isEmpty) }
}

/// A table whose only object has another version each time that it is read.
private struct BusyCounter: OutboxTable {
    let willAnswer: @Sendable () -> Void

    var remembersKeys: Bool { true }

    func send(_ write: OutboxWrite<Note>, key: UUID) async -> OutboxAnswer<Note> {
        willAnswer()
        guard case let .integer(version) = write.version else { return .refused(reason: "it has no version") }
        return .conflict(Note(id: 1, title: 1, body: 0, version: Int(version) + 1))
    }
}

private struct Tag: Identifiable, Equatable, Sendable {
    var id: String
    var title: String

    static let schema = Schema<Tag>("tags", Tag.init, Column("id", \.id), Column("title", \.title))
    static let ids = [
        "a b", "a,b", "a.b", "(a)", "\"a\"", "a\\b", "a&b=c", "a/b?c#d", "a+b%20", "é日本", "null", "*", "eq.a", "",
    ]
}
