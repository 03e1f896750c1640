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
        await eventually("the others have left the queue") { outbox.status.value.waiting <= 1 }
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
