import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Networking
import Persistence
import Testing

@testable import Sync

/// Stores that an outbox has let go of.
struct ClosedStoreTests {
    private let film = Film.fixture()
    private let other = Film.fixture(id: .fixture(2), title: "Alien")

    @Test("The waiting writes of a closed store stay on the disk, and the next store of the table sends them")
    func kept() async throws {
        try await withFilms([film]) { server in
            let (store, outbox) = try server.synced()
            try await store.pull()
            server.backend.misbehave(.drop)
            var mine = film
            mine.title = "Mine"
            try await store.update(mine)
            try await store.insert(other)
            try await store.close()
            #expect(outbox.status.value.isInStep)
            #expect(try await store.local.all().count() == 2)

            server.backend.behave()
            let next = try SyncedStore(Film.schema, remote: server.store, outbox: outbox)
            #expect(outbox.status.value.waiting == 2)
            await eventually("all is sent") { outbox.status.value.isInStep }
            #expect(Set(try await server.table.all().result().map(\.title)) == ["Mine", "Alien"])
            #expect(try await next.local.all().count() == 2)
        }
    }

    @Test("A closed store refuses writes and pulls, which would hide the writes that wait on the disk")
    func refusal() async throws {
        try await withFilms([film]) { server in
            let (store, _) = try server.synced()
            try await store.pull()
            server.backend.misbehave(.drop, on: .patch)
            var mine = film
            mine.title = "Mine"
            try await store.update(mine)
            try await store.close()
            try await store.close()
            await #expect(throws: Outbox.closed("films")) { try await store.insert(other) }
            await #expect(throws: Outbox.closed("films")) { try await store.pull() }
            #expect(try await store.fetch().value == [mine])
            #expect(try await store.local.all().result() == [mine])
        }
    }

    @Test("Closing waits for the requests that are under way, and keeps their answers")
    func underWay() async throws {
        let outbox = try Outbox(in: SQLiteDatabase(.memory)) { $0.width = 1 }
        let ends = Locked<[CheckedContinuation<Void, Never>]>([])
        let sent = Locked<[Int]>([])
        func requests() throws -> DurableRequests<Int> {
            try DurableRequests("numbers", in: outbox) { number, _ async throws(CoreError) in
                if number == 1 { await withCheckedContinuation { end in ends.withLock { $0.append(end) } } }
                sent.withLock { $0.append(number) }
            }
        }
        let first = try requests()
        for number in 1...5 { try await first.send(number, about: "\(number)") }
        await eventually("a request is under way") { ends.withLock { $0.count } == 1 }
        let closing = Task { try await first.close() }
        await eventually("it waits") { outbox.state.withLock(\.stepWaiters.count) == 1 }
        #expect(outbox.status.value.waiting == 5)
        #expect(throws: StoreError.self) { _ = try requests() }
        ends.withLock { $0.removeFirst() }.resume()
        try await closing.value
        #expect(sent.withLock { $0 } == [1])
        let second = try requests()
        await eventually("all is sent") { outbox.status.value.isInStep }
        #expect(sent.withLock { $0.sorted() } == [1, 2, 3, 4, 5])
        await #expect(throws: Outbox.closed("numbers")) { try await first.send(6, about: "6") }
        try await second.send(6, about: "6")
    }

    @Test(
        "If the answer to a write does not fit on the disk, closing throws, and can be called again",
        .timeLimit(.minutes(1)))
    func fullDisk() async throws {
        try await withFilms([film]) { server in
            var configuration = SQLiteDatabase.Configuration()
            configuration.maximumSize = 200_000
            let database = try SQLiteDatabase(.memory, configuration: configuration)
            let (store, outbox) = try server.synced(database)
            try await store.pull()
            server.backend.misbehave(.drop)
            var mine = film
            mine.title = "Mine"
            try await store.update(mine)
            try database.execute("CREATE TABLE ballast (bytes)")
            for size in [50_000, 5_000, 500] {
                while (try? database.execute("INSERT INTO ballast VALUES (zeroblob(\(size)))")) != nil {}
            }
            let theirs = Film.fixture(tagline: String(repeating: "A long line. ", count: 5_000))
            try await server.table.update(theirs)
            server.backend.behave()
            await eventually { outbox.status.value.problem?.contains("no space") == true }
            let failure = await #expect(throws: StoreError.self) { try await store.close() }
            guard case .full = failure else {
                Issue.record("The disk should have been full, and not \(String(describing: failure)).")
                return
            }
            try database.execute("DROP TABLE ballast")
            try await store.close()
            #expect(try await store.local.object(withId: film.id)?.tagline == theirs.tagline)
        }
    }

    @Test("Closing sleeps while a request is under way")
    func sleeping() async throws {
        let scheduler = TestScheduler()
        let outbox = try Outbox(in: SQLiteDatabase(.memory), on: scheduler)
        let mayEnd = Locked(false)
        let requests = try DurableRequests<Int>("numbers", in: outbox) { _, _ async throws(CoreError) in
            await eventually("it may end") { mayEnd.withLock(\.self) }
        }
        try await requests.send(1, about: "1")
        scheduler.advance(by: .zero)
        await eventually("a request is under way") { !outbox.state.withLock(\.underWay.isEmpty) }
        let isClosed = Locked(false)
        let closing = Task {
            try await requests.close()
            isClosed.withLock { $0 = true }
        }
        await eventually("it waits") { outbox.state.withLock(\.stepWaiters.count) == 1 }
        for _ in 0..<5 {
            scheduler.advance(by: .seconds(1))
            #expect(outbox.state.withLock(\.stepWaiters.count) == 1)
        }
        mayEnd.withLock { $0 = true }
        await eventually("it is closed") {
            scheduler.advance(by: .seconds(1))
            return isClosed.withLock(\.self)
        }
        try await closing.value
        #expect(outbox.status.value.isInStep)
    }

    @Test("The answer to a write that is under way while its store is closed leaves a later write to its object alone")
    func laterWrite() async throws {
        try await withFilms([film]) { server in
            let begun = Locked(false)
            let mayEnd = Locked(false)
            let outbox = try Outbox(in: SQLiteDatabase(.memory))
            let remote = SlowTable(store: server.store) {
                begun.withLock { $0 = true }
                await eventually("the write may end") { mayEnd.withLock(\.self) }
            }
            let store = try SyncedStore(Film.schema, remote: remote, outbox: outbox)
            try await store.pull()
            var mine = film
            mine.title = "First"
            try await store.update(mine)
            await eventually("a request is under way") { begun.withLock(\.self) }
            mine.title = "Second"
            try await store.update(mine)
            let closing = Task { try await store.close() }
            await eventually("it waits") { outbox.state.withLock(\.stepWaiters.count) == 1 }
            mayEnd.withLock { $0 = true }
            try await closing.value
            #expect(outbox.status.value.isInStep)
            #expect(try await store.local.all().result() == [mine])
            #expect(try await server.table.all().result().map(\.title) == ["First"])

            let conflicts = Locked(0)
            let mayBeSent = Locked(false)
            _ = try SyncedStore(
                Film.schema,
                remote: SlowTable(store: server.store) {
                    await eventually("the later write may be sent") { mayBeSent.withLock(\.self) }
                }, outbox: outbox,
                resolve: { conflict in
                    conflicts.withLock { $0 += 1 }
                    return conflict.usualResolution
                })
            #expect(outbox.status.value.waiting == 1)
            mayBeSent.withLock { $0 = true }
            await eventually("all is sent") { outbox.status.value.isInStep }
            #expect(conflicts.withLock(\.self) == 0)
            #expect(outbox.parked.value.isEmpty)
            #expect(try await server.table.all().result() == [mine])
        }
    }

    @Test(
        "A pull that is under way while its store is closed leaves the local objects alone", arguments: [true, false])
    func pullMeanwhile(isPage: Bool) async throws {
        try await withNotes(1...5) { server in
            let held = Locked(false)
            let pullMayEnd = Locked(false)
            let writeMayEnd = Locked(false)
            let outbox = try Outbox(in: SQLiteDatabase(.memory)) { $0.width = 1 }
            let isSending = Locked(false)
            let remote = SlowTable(store: server.remote) {
                isSending.withLock { $0 = true }
                await eventually("the write may end") { writeMayEnd.withLock(\.self) }
            }
            let store = try SyncedStore(
                Note.schema, remote: remote, outbox: outbox, history: server.remote.history(numberedBy: \.version))
            try await store.pull()
            try await server.change(note(2, title: 20))
            let before = try await store.local.sorted(by: \.id).result()
            server.interrupt { request in
                guard request.path == "/notes" else { return nil }
                held.withLock { $0 = true }
                await eventually("the pull may end") { pullMayEnd.withLock(\.self) }
                return nil
            }
            let pull = Task {
                if isPage { _ = try await store.fetch(limit: 3) } else { try await store.pull() }
            }
            await eventually("the server is asked") { held.withLock(\.self) }
            try await store.update(note(1, title: 10))
            await eventually("a request is under way") { isSending.withLock(\.self) }
            for id in 2...3 { try await store.update(note(id, title: -id)) }
            try await store.insert(note(9))
            let mine = try await store.local.sorted(by: \.id).result()
            #expect(mine != before)
            let closing = Task { try await store.close() }
            await eventually("it waits") { outbox.state.withLock(\.stepWaiters.count) == 1 }
            let cursor = try await store.channel.cursors.all().result()
            pullMayEnd.withLock { $0 = true }
            let result = await pull.result
            if !isPage { #expect(throws: Outbox.closed("notes")) { try result.get() } }
            #expect(try await store.local.sorted(by: \.id).result() == mine)
            #expect(try await store.channel.cursors.all().result() == cursor)
            writeMayEnd.withLock { $0 = true }
            try await closing.value
            server.interrupt(nil)
        }
    }

    @Test("The parked writes of a closed store are not shown until there is another one")
    func parked() async throws {
        try await withFilms([film]) { server in
            let (store, outbox) = try server.synced()
            try await store.pull()
            server.backend.misbehave(.fail(rate: 1, status: 422), on: .patch, times: 1)
            try await store.update(.fixture(title: "Mine"))
            await eventually("it is parked") { outbox.parked.value.count == 1 }
            try await store.close()
            #expect(outbox.parked.value.isEmpty)
            _ = try SyncedStore(Film.schema, remote: server.store, outbox: outbox)
            #expect(outbox.parked.value.count == 1)
            try await outbox.retry(outbox.parked.value[0].id)
            await eventually("all is sent") { outbox.status.value.isInStep }
            #expect(try await server.table.all().result().map(\.title) == ["Mine"])
        }
    }
}

/// A server's table whose answers to writes wait for something.
private struct SlowTable<Object: Identifiable & Sendable>: Store, OutboxTable where Object.ID: Primitive {
    let store: PostgRESTStore<Object>
    let wait: @Sendable () async -> Void

    var remembersKeys: Bool { store.remembersKeys }

    func send(_ write: OutboxWrite<Object>, key: UUID) async -> OutboxAnswer<Object> {
        let answer = await store.send(write, key: key)
        await wait()
        return answer
    }

    func execute(_ query: Query<Self>) -> SignalProducer<[Object], StoreError> { query.asked(of: store).result() }
    func insert(_ object: Object) -> SignalProducer<Object, StoreError> { store.insert(object) }
    func update(_ object: Object) -> SignalProducer<Object, StoreError> { store.update(object) }
    func delete(_ object: Object) -> SignalProducer<Never, StoreError> { store.delete(object) }
}
