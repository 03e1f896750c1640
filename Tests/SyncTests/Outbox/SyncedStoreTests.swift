import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Persistence
import Testing

@testable import Sync

/// A synced store and its server, over real sockets.
struct SyncedStoreTests {
    let film = Film.fixture()
    let other = Film.fixture(id: .fixture(2), title: "Alien")

    func film(_ server: TableServer<Film>, _ id: UUID = .fixture(1)) async throws -> Film? {
        try await server.table.object(withId: id)
    }

    func isInStep(_ outbox: Outbox) async {
        await eventually { outbox.status.value.isInStep }
    }

    // MARK: - Sending

    @Test("A write is on the screen at once, and on the server soon")
    func sending() async throws {
        try await withFilms { server in
            let (store, outbox) = try server.synced()
            try await store.insert(film)
            #expect(try await store.local.all().result() == [film])
            await isInStep(outbox)
            #expect(try await film(server) == film)
            #expect(outbox.status.value.lastSuccess != nil)
        }
    }

    @Test("Writes without a network are sent in their order when it is back")
    func offline() async throws {
        try await withFilms([other]) { server in
            let (store, outbox) = try server.synced()
            try await store.pull()
            server.backend.misbehave(.drop)
            try await store.insert(film)
            var changed = film
            for year in 2002...2005 {
                changed.year = year
                try await store.update(changed)
            }
            try await store.delete(other)
            await eventually { outbox.status.value.offlineSince != nil }
            #expect(outbox.status.value.waiting == 6)
            #expect(try await store.fetch().value == [changed])
            server.backend.behave()
            await isInStep(outbox)
            #expect(try await server.table.all().result() == [changed])
            #expect(outbox.status.value.offlineSince == nil)
        }
    }

    @Test("Writes that were not sent are sent by the next run of the program")
    func restarting() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("films.sqlite").path
        try await withFilms { server in
            server.backend.misbehave(.drop)
            do {
                let (store, outbox) = try server.synced(SQLiteDatabase(.file(path)))
                try await store.insert(film)
                try await store.insert(other)
                await eventually { outbox.status.value.waiting == 2 }
            }
            server.backend.behave()
            let (_, outbox) = try server.synced(SQLiteDatabase(.file(path)))
            await isInStep(outbox)
            #expect(Set(try await server.table.all().result().map(\.id)) == [film.id, other.id])
        }
    }

    @Test("A write whose answer was lost is recognized by what the server holds, and done once")
    func lostAnswer() async throws {
        try await withFilms { server in
            let (store, outbox) = try server.synced()
            server.backend.misbehave(.reset(), on: .post, times: 1)
            try await store.insert(film)
            await isInStep(outbox)
            var changed = film
            changed.title = "Changed"
            server.backend.misbehave(.reset(), on: .patch, times: 1)
            try await store.update(changed)
            await isInStep(outbox)
            #expect(try await server.table.all().result() == [changed])
            #expect(outbox.parked.value.isEmpty)
        }
    }

    @Test("An insertion whose answer was lost is not refused because its object cannot be read at once")
    func lostAnswerAndFailingRead() async throws {
        try await withFilms { server in
            let (store, outbox) = try server.synced()
            server.backend.misbehave(.reset(), on: .post, times: 1)
            server.backend.misbehave(.fail(rate: 1), on: .get, times: 1)
            try await store.insert(film)
            await isInStep(outbox)
            #expect(try await server.table.all().result() == [film])
            #expect(outbox.parked.value.isEmpty)
        }
    }

    @Test("A server that fails is tried again until it does its work")
    func failingServer() async throws {
        try await withFilms { server in
            let (store, outbox) = try server.synced()
            server.backend.misbehave(.fail(rate: 1), times: 2)
            try await store.insert(film)
            await isInStep(outbox)
            #expect(try await film(server) == film)
        }
    }

    // MARK: - Refusals

    @Test("A refused write is parked and shown, others go on, and it is sent when it is mended")
    func parking() async throws {
        try await withFilms([film]) { server in
            let (store, outbox) = try server.synced()
            try await store.pull()
            server.backend.misbehave(.fail(rate: 1, status: 422), on: .patch, times: 1)
            var wrong = film
            wrong.title = "Wrong"
            try await store.update(wrong)
            await eventually { outbox.parked.value.count == 1 }
            let parked = try #require(outbox.parked.value.first)
            #expect(parked.cause == .refused)
            #expect(parked.summary == "update title: \"Wrong\"")
            #expect(store.objectID(of: parked) == film.id)
            wrong.year = 1999
            try await store.update(wrong)
            try await store.insert(other)
            await eventually { outbox.status.value.waiting == 1 }
            #expect(try await film(server, other.id) == other)
            #expect(try await film(server) == film)
            #expect(try await store.local.object(withId: film.id) == wrong)

            var mended = film
            mended.title = "Mended"
            try await store.edit(parked.id, to: mended)
            await isInStep(outbox)
            mended.year = 1999
            #expect(try await film(server) == mended)
            #expect(outbox.parked.value.isEmpty)
            #expect(try await store.local.object(withId: film.id) == mended)
        }
    }

    @Test("A parked write that is given up leaves the server's object on the screen")
    func givingUp() async throws {
        try await withFilms([film]) { server in
            let (store, outbox) = try server.synced()
            try await store.pull()
            server.backend.misbehave(.fail(rate: 1, status: 403), on: .delete, times: 1)
            try await store.delete(film)
            #expect(try await store.local.all().result().isEmpty)
            await eventually { outbox.parked.value.count == 1 }
            let changes = Locked(0)
            let observing = store.changes.observeValues { changes.withLock { $0 += 1 } }
            defer { observing?.dispose() }
            try await outbox.giveUp(try #require(outbox.parked.value.first).id)
            #expect(changes.withLock { $0 } > 0)
            #expect(try await store.local.all().result() == [film])
            #expect(outbox.status.value.isInStep || outbox.parked.value.isEmpty)
        }
    }

    @Test("A parked insertion takes with it the changes of the object that never was")
    func givingUpInsertion() async throws {
        try await withFilms { server in
            let (store, outbox) = try server.synced()
            server.backend.misbehave(.fail(rate: 1, status: 400), on: .post, times: 1)
            try await store.insert(film)
            var changed = film
            changed.year = 1
            try await store.update(changed)
            await eventually { outbox.parked.value.count == 1 }
            try await outbox.giveUp(try #require(outbox.parked.value.first).id)
            await isInStep(outbox)
            #expect(try await store.local.all().result().isEmpty)
            #expect(try await server.table.all().result().isEmpty)
        }
    }

    // MARK: - Reading

    @Test("An answer of the server goes below the writes that wait, and never undoes them on the screen")
    func pulling() async throws {
        try await withFilms([film, other]) { server in
            let (store, outbox) = try server.synced()
            try await store.pull()
            server.backend.misbehave(.drop, on: .patch)
            server.backend.misbehave(.drop, on: .delete)
            var mine = film
            mine.title = "Mine"
            try await store.update(mine)
            try await store.delete(other)
            var theirs = film
            theirs.year = 1900
            try await server.table.update(theirs)
            mine.year = 1900
            #expect(try await store.fetch(sortedBy: [SortCriterion(\.title)], limit: 1) == Sourced([mine]))
            #expect(try await store.local.all().result() == [mine])
            server.backend.behave()
            await isInStep(outbox)
            #expect(try await server.table.all().result() == [mine])
        }
    }

    @Test("Without the network reads are answered with the copy, with the writes that wait")
    func readingOffline() async throws {
        try await withFilms([film]) { server in
            let (store, _) = try server.synced()
            _ = try await store.fetch()
            server.backend.misbehave(.drop)
            try await store.insert(other)
            let answer = try await store.fetch()
            #expect(Set(answer.value.map(\.id)) == [film.id, other.id])
            #expect(answer.source != .remote)
        }
    }

    @Test("Without the network, an unknown answer of no objects and the next page of a list are failures")
    func unknownOffline() async throws {
        try await withFilms([film]) { server in
            let (store, _) = try server.synced()
            try await store.pull()
            server.backend.misbehave(.drop)
            #expect(try await store.fetch(where: \.title == film.title).value == [film])
            await #expect(throws: StoreError.self) { try await store.fetch(where: \.title == "no such title") }
            await #expect(throws: StoreError.self) { try await store.fetch(after: other, limit: 5) }
        }
    }

    @Test(
        "A page of no objects changes nothing in the local store, and the largest page has all",
        arguments: [0, -1, .max])
    func unusualPages(limit: Int) async throws {
        try await withFilms([film, other]) { server in
            let (store, _) = try server.synced()
            try await store.pull()
            server.backend.misbehave(.drop, on: .post)
            try await store.insert(.fixture(id: .fixture(3)))
            #expect(try await store.fetch(limit: limit).value.count == (limit > 0 ? 3 : 0))
            #expect(try await store.local.all().count() == 3)
        }
    }

    @Test("If the local store fails, too, a read throws the server's error")
    func readingNowhere() async throws {
        try await withFilms([film]) { server in
            let (store, outbox) = try server.synced()
            _ = try await store.fetch()
            server.backend.misbehave(.drop)
            try outbox.rows.perform { transaction throws(StoreError) in
                _ = try transaction.execute("ALTER TABLE films RENAME TO lost")
            }
            do throws(StoreError) {
                _ = try await store.fetch()
                Issue.record("There is no store that could have answered.")
            } catch {
                guard case .unreachable = error else {
                    Issue.record("The error should be the server's, and not: \(error)")
                    return
                }
            }
        }
    }
}
