import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Persistence
import Testing

@testable import Sync

extension SyncedStoreTests {
    @Test("Different columns that two devices change are both kept")
    func differentColumns() async throws {
        try await withFilms([film]) { server in
            let (store, outbox) = try server.synced()
            try await store.pull()
            try await store.change(film, on: server) { $0.year = 1900 }
            await isInStep(outbox)
            #expect(try await film(server)?.title == "Mine")
            #expect(try await film(server)?.year == 1900)
            #expect(try await store.local.object(withId: film.id)?.year == 1900)
        }
    }

    @Test("The last write of a column wins, and the conflict is reported")
    func sameColumn() async throws {
        try await withFilms([film]) { server in
            let (store, outbox) = try server.synced()
            try await store.pull()
            let conflicts = Locked<[ConflictEvent]>([])
            outbox.conflicts.observeValues { event in conflicts.withLock { $0.append(event) } }
            try await store.change(film, on: server) { $0.title = "Theirs" }
            await isInStep(outbox)
            #expect(try await film(server)?.title == "Mine")
            #expect(
                conflicts.withLock { $0 } == [
                    ConflictEvent(table: "films", id: "\(film.id)", columns: ["title"], outcome: .keptMine)
                ])
        }
    }

    @Test("A feature can merge what both have changed")
    func merging() async throws {
        try await withFilms([film]) { server in
            let outbox = try Outbox(in: SQLiteDatabase(.memory))
            let store = try SyncedStore(Film.schema, remote: server.store, outbox: outbox) { conflict in
                guard var merged = conflict.theirs, let mine = conflict.mine else { return .ask }
                merged.title += " & \(mine.title)"
                return .merge(merged)
            }
            try await store.pull()
            try await store.change(film, on: server) { $0.title = "Theirs" }
            await isInStep(outbox)
            #expect(try await film(server)?.title == "Theirs & Mine")
            #expect(try await store.local.object(withId: film.id)?.title == "Theirs & Mine")
        }
    }

    @Test("A merge that is the server's object is done, and nothing more is sent")
    func mergingToTheirs() async throws {
        try await withFilms([film]) { server in
            let outbox = try Outbox(in: SQLiteDatabase(.memory))
            let store = try SyncedStore(Film.schema, remote: server.store, outbox: outbox) { conflict in
                conflict.theirs.map { .merge($0) } ?? .ask
            }
            try await store.pull()
            try await store.change(film, on: server) { $0.title = "Theirs" }
            await isInStep(outbox)
            #expect(try await film(server)?.title == "Theirs")
            #expect(try await store.local.object(withId: film.id)?.title == "Theirs")
            #expect(outbox.parked.value.isEmpty)
        }
    }

    @Test("A change of an object that was deleted on the server is parked, and adds it again if a person wants that")
    func deletedMeanwhile() async throws {
        try await withFilms([film]) { server in
            let (store, outbox) = try server.synced()
            try await store.pull()
            try await server.table.delete(film)
            var mine = film
            mine.title = "Mine"
            try await store.update(mine)
            await eventually { outbox.parked.value.count == 1 }
            let parked = try #require(outbox.parked.value.first)
            #expect(parked.cause == .conflict)
            #expect(try await store.local.object(withId: film.id) == mine)
            try await outbox.retry(parked.id)
            await isInStep(outbox)
            #expect(try await film(server) == mine)
        }
    }
}

extension SyncedStore<Film> {
    /// Changes a film on the server, then its title on the device, which does not know of the change.
    fileprivate func change(
        _ film: Film, on server: TableServer<Film>, theirs change: (inout Film) -> Void
    ) async throws {
        var theirs = film
        change(&theirs)
        try await server.table.update(theirs)
        var mine = film
        mine.title = "Mine"
        try await update(mine)
    }
}
