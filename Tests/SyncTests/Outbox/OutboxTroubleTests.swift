import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Networking
import Persistence
import Testing

@testable import Sync

/// The outbox in unusual situations.
struct OutboxTroubleTests {
    private let film = Film.fixture()
    private let other = Film.fixture(id: .fixture(2), title: "Alien")

    // MARK: - The server

    @Test("An object that was deleted on the server while its write was parked goes when the write is given up")
    func deletedWhileParked() async throws {
        try await withFilms([film, other]) { server in
            let (store, outbox) = try server.synced()
            try await store.pull()
            server.backend.misbehave(.fail(rate: 1, status: 422), on: .patch)
            server.backend.misbehave(.fail(rate: 1, status: 422), on: .delete)
            var mine = film
            mine.title = "Mine"
            try await store.update(mine)
            try await store.delete(other)
            await eventually { outbox.parked.value.count == 2 }
            try await server.table.delete(film)
            try await server.table.delete(other)
            try await store.pull()
            #expect(try await store.local.all().result() == [mine])
            for write in outbox.parked.value { try await outbox.giveUp(write.id) }
            #expect(try await store.local.all().result().isEmpty)
        }
    }

    @Test("With a server that remembers keys, a write whose answer was lost is answered again, and done once")
    func rememberedKeys() async throws {
        try await withServer(of: Film.schema, [film], remembersKeys: true) { server in
            let (store, outbox) = try server.synced()
            try await store.pull()
            server.backend.misbehave(.reset(), on: .patch, times: 1)
            var mine = film
            mine.title = "Mine"
            try await store.update(mine)
            await eventually { outbox.status.value.isInStep }
            #expect(try await server.table.all().result() == [mine])
            #expect(server.backend.requests.filter { $0.method == .patch }.count == 2)
        }
    }

    @Test("An insertion that is answered with another object is parked, and not sent again")
    func wrongAnswer() async throws {
        let requests = Locked(0)
        let backend = LocalBackend()
        let answer = Film.schema.truth(other)
        backend.post("/films") { _ in
            requests.withLock { $0 += 1 }
            return .data(Data("[".utf8) + answer + Data("]".utf8), contentType: "application/json", status: 201)
        }
        try await withSession(backend) { session in
            let outbox = try Outbox(in: SQLiteDatabase(.memory))
            let store = try SyncedStore(
                Film.schema, remote: PostgRESTStore(Film.schema, accessible: session), outbox: outbox)
            try await store.insert(film)
            await eventually { outbox.parked.value.count == 1 }
            #expect(outbox.parked.value.first?.reason.contains("\(other.id)") == true)
            #expect(requests.withLock { $0 } == 1)
            #expect(try await store.local.all().result() == [film])
        }
    }

    @Test("An insertion that the server answers without storing it is parked")
    func notStored() async throws {
        let backend = LocalBackend()
        backend.post("/films") { _ in .data(Data("[]".utf8), contentType: "application/json", status: 201) }
        backend.get("/films") { _ in .data(Data("[]".utf8), contentType: "application/json") }
        try await withSession(backend) { session in
            let outbox = try Outbox(in: SQLiteDatabase(.memory))
            let store = try SyncedStore(
                Film.schema, remote: PostgRESTStore(Film.schema, accessible: session), outbox: outbox)
            try await store.insert(film)
            await eventually { outbox.status.value.waiting == 0 }
            #expect(outbox.parked.value.map(\.cause) == [.refused])
            #expect(try await store.local.all().result() == [film])
        }
    }

    @Test("A write that may have been done, and set back by somebody else, is not done again without asking")
    func setBack() throws {
        let rules = OutboxRules(schema: Note.schema, versionColumn: 3, serverRemembersKeys: false)
        let disk = SimulatedDisk()
        disk.notes[1] = Note(id: 1, title: 1, body: 1, version: 1)
        let change = OutboxRules<Note>.Change.update(Note(id: 1, title: 2, body: 1, version: 1))
        var row = try #require(try rules.record(change, number: 1, key: UUID(), at: Date(), in: disk))
        let setBack = Note(id: 1, title: 1, body: 1, version: 3)
        #expect(try rules.conflict(of: row, with: setBack)?.columns.isEmpty == true)
        row.isUncertain = true
        let conflict = try #require(try rules.conflict(of: row, with: setBack))
        #expect(ConflictEvent.Outcome(conflict.usualResolution) == .asked)
    }

    // MARK: - The disk

    @Test("If the file is full, a write is refused as a whole, and those that were acknowledged are sent")
    func fullFile() async throws {
        try await withFilms { server in
            server.backend.misbehave(.drop)
            var configuration = SQLiteDatabase.Configuration()
            configuration.maximumSize = 200_000
            let (store, outbox) = try server.synced(SQLiteDatabase(.memory, configuration: configuration))
            var acknowledged: Set<UUID> = []
            let tagline = String(repeating: "A long line. ", count: 300)
            var failure: StoreError?
            for number in 1...200 where failure == nil {
                let film = Film.fixture(id: .fixture(UInt32(number)), tagline: tagline)
                do throws(StoreError) {
                    try await store.insert(film)
                    acknowledged.insert(film.id)
                } catch {
                    failure = error
                }
            }
            guard case .full = failure else {
                Issue.record("The file should have been full, and not \(String(describing: failure)).")
                return
            }
            #expect(!acknowledged.isEmpty)
            #expect(outbox.status.value.waiting == acknowledged.count)
            #expect(Set(try await store.local.all().result().map(\.id)) == acknowledged)
            server.backend.behave()
            await eventually { outbox.status.value.isInStep }
            #expect(Set(try await server.table.all().result().map(\.id)) == acknowledged)
        }
    }

    @Test("A row that cannot be read is parked, and holds up no other")
    func unreadableRow() async throws {
        let end = try await endWithUnreadable(2) { $0.body = Data("not JSON".utf8) }
        #expect(end.parked == [2])
        #expect(end.film?.title == "Mine")
        #expect(end.film?.year == film.year)
        #expect(end.other?.title == "Also mine")
    }

    @Test("If the server's object below a write cannot be read, the write is sent, and those after it are")
    func unreadableTruth() async throws {
        let end = try await endWithUnreadable(1) { $0.truth = Data("not JSON".utf8) }
        #expect(end.parked.isEmpty)
        #expect(end.film?.title == "Mine")
        #expect(end.film?.year == 1900)
        #expect(end.other?.title == "Also mine")
    }

    /// Makes two writes to one film and one to another, spoils a row of them, and sends what can be sent.
    ///
    /// - Returns: What the server has then, and the writes that are parked.
    private func endWithUnreadable(
        _ number: Int, _ spoil: (inout OutboxRow) -> Void
    ) async throws -> (film: Film?, other: Film?, parked: [Int]) {
        var end: (Film?, Film?, [Int]) = (nil, nil, [])
        try await withFilms([film, other]) { server in
            let (store, outbox) = try server.synced()
            try await store.pull()
            server.backend.misbehave(.drop)
            var (mine, also) = (film, other)
            mine.title = "Mine"
            try await store.update(mine)
            mine.year = 1900
            try await store.update(mine)
            also.title = "Also mine"
            try await store.update(also)
            await eventually { outbox.status.value.offlineSince != nil }
            var row = try #require(try outbox.rows.find(number))
            spoil(&row)
            try await outbox.rows.update(row)
            server.backend.behave()
            await eventually { outbox.status.value.waiting == 0 }
            end = (
                try await server.table.object(withId: film.id), try await server.table.object(withId: other.id),
                outbox.parked.value.map(\.id)
            )
        }
        return end
    }

    @Test("Two outboxes that write to one file by mistake do not overwrite each other's writes")
    func twoOutboxes() async throws {
        try await withFilms { server in
            server.backend.misbehave(.drop)
            let database = try SQLiteDatabase(.memory)
            let (one, _) = try server.synced(database)
            let (two, _) = try server.synced(database)
            try await one.insert(film)
            try await two.insert(other)
            #expect(try await one.outbox.rows.all().result().map(\.number) == [1, 2])
        }
    }

    @Test("A number whose write has just gone hides no other write of the same object")
    func goneNumber() throws {
        let database = try SQLiteDatabase(.memory)
        let (rows, films) = (
            try SQLiteStore(OutboxRow.schema, in: database), try SQLiteStore(Film.schema, in: database)
        )
        let cursors = try SQLiteStore(PullCursor.schema, in: database)
        let found = try rows.perform { transaction throws(StoreError) in
            try transaction.insert(
                [3, 4].map {
                    OutboxRow(number: $0, entity: "films/1", channel: "films", body: Data(), key: UUID(), date: Date())
                })
            let tables = OutboxTables(
                outbox: transaction, objects: try transaction.with(films), cursors: try transaction.with(cursors),
                table: "films", numbers: { _, limit in Array([1, 2, 3, 4].prefix(limit)) },
                laterNumbers: { _, number in [1, 2, 3, 4].filter { $0 > number } }, setters: KnownSetters())
            return [
                try tables.writes(of: "films/1", limit: 1), try tables.writes(of: "films/1", limit: 2),
                try tables.writes(of: "films/1", limit: 5), try tables.writes(of: "films/1"),
                try tables.writes(of: "films/1", after: 1), try tables.writes(of: "films/1", after: 3),
            ]
        }
        #expect(found.map { $0.map(\.number) } == [[3], [3, 4], [3, 4], [3, 4], [3, 4], [4]])
    }

    // MARK: - The clock

    @Test("A probe or a pause that was planned before the clock was set back does not wait for the old time")
    func clockSetBack() {
        let now = Date(timeIntervalSinceReferenceDate: 86_400)
        let earlier = Date(timeIntervalSinceReferenceDate: 0)
        var link = OutboxLink()
        link.failed(at: now, isNetwork: true)
        #expect(link.nextProbe(after: now) != nil)
        #expect(link.nextProbe(after: earlier) == nil)
        var queue = OutboxQueue()
        queue.restore(1, of: "a", isParked: false)
        _ = queue.next(at: now)
        queue.postpone(1, at: now, DoublingDelay(first: 1, limit: 30))
        let (tooEarly, afterwards) = (queue.next(at: now), queue.next(at: earlier))
        #expect(tooEarly == nil)
        #expect(afterwards == 1)
    }

    @Test("The network's return is noticed within a second, however long it was away")
    func reconnection() async throws {
        let scheduler = TestScheduler()
        let isOpen = Locked(false)
        let sent = Locked<[Int]>([])
        let outbox = try Outbox(in: SQLiteDatabase(.memory), on: scheduler)
        let requests = try DurableRequests<Int>("numbers", in: outbox) { number, _ throws(CoreError) in
            let isOpen = isOpen.withLock { $0 }
            guard isOpen else { throw .network(NetworkFailure(.offline)) }
            sent.withLock { $0.append(number) }
        }
        try await requests.send(1, about: "a")
        try await requests.send(2, about: "b")
        // The network is away for 0.05 to 20 s, in steps so short that nothing else becomes due in one.
        for steps in [1, 3, 10, 37, 400] {
            isOpen.withLock { $0 = false }
            let number = sent.withLock(\.count) + 10
            try await requests.send(number, about: "a")
            for _ in 0..<steps { await advance(scheduler, outbox) }
            #expect(outbox.status.value.offlineSince != nil)
            isOpen.withLock { $0 = true }
            for _ in 0..<20 where outbox.status.value.waiting > 0 { await advance(scheduler, outbox) }
            #expect(outbox.status.value.isInStep, "it was noticed after more than a second, \(steps) steps away")
        }
    }

    /// Moves the time by a twentieth of a second, and lets requests end that have begun.
    private func advance(_ scheduler: TestScheduler, _ outbox: Outbox) async {
        scheduler.advance(by: .milliseconds(50))
        repeat {
            await eventually { outbox.state.withLock(\.underWay.isEmpty) }
            scheduler.advance(by: .zero)
        } while outbox.state.withLock { $0.isScheduled || !$0.underWay.isEmpty || !$0.results.isEmpty }
    }

    // MARK: - Much

    @Test("The cost of an answer does not grow with the writes to the same object that wait", arguments: [nil, 3])
    func manyWritesToOneObject(versionColumn: Int?) throws {
        let rules = OutboxRules(schema: Note.schema, versionColumn: versionColumn, serverRemembersKeys: true)
        let disk = SimulatedDisk()
        for number in 1...100 {
            let note = Note(id: 1, title: number, body: 0, version: 0)
            let row = try rules.record(.upsert(note), number: number, key: UUID(), at: Date(), in: disk)
            #expect(row != nil)
        }
        disk.rowsRead = 0
        let version = versionColumn == nil ? 0 : 7
        let answer = OutboxAnswer.accepted(Note(id: 1, title: 1, body: 0, version: version))
        let settlement = try rules.settle(1, of: rules.entity(1), answer, key: UUID(), in: disk)
        #expect(settlement == .done)
        #expect(disk.rowsRead <= 2)
        #expect(disk.notes[1] == Note(id: 1, title: 100, body: 0, version: version))
    }
}
