import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Networking
import Persistence
import Testing

@testable import Sync
@testable import TableBackend

/// Pulls from a server that numbers its changes, over real sockets.
struct IncrementalPullTests {
    @Test("The first pull fetches everything, and the next ones what has changed, been added or deleted since")
    func changesOnly() async throws {
        try await withNotes(1...50) { server in
            let store = try server.synced()
            try await store.pull()
            try await server.expectSame(store)
            server.backend.forgetRequests()

            try await server.remote.update(note(7, title: 70))
            try await server.remote.insert(note(51))
            try await server.remote.delete(note(9))
            try await store.pull()
            try await server.expectSame(store)
            #expect(server.asked("/notes").allSatisfy { $0.contains("version=gt.50") || $0.contains("and=") })
            #expect(server.asked("/notes_deleted").allSatisfy { $0.contains("number=gt.50") || $0.contains("and=") })
        }
    }

    @Test("A pull asks for one row if nothing has changed")
    func nothingNew() async throws {
        try await withNotes(1...5) { server in
            let store = try server.synced()
            try await store.pull()
            server.backend.forgetRequests()
            try await store.pull()
            #expect(server.asked("/notes").isEmpty && server.asked("/notes_deleted").isEmpty)
            #expect(server.asked("/notes_history").count == 1)
        }
    }

    @Test("After an old answer the next pull asks for all changes since, and after a later one for no more")
    func pulledAgain() async throws {
        try await withNotes(1...5) { server in
            let store = try server.synced()
            try await store.pull()
            for number in [9, 2] {
                try store.outbox.rows.perform { transaction throws(StoreError) in
                    try store.channel.tables(transaction).pullAgain(after: number)
                }
                server.backend.forgetRequests()
                try await store.pull()
                #expect(server.asked("/notes").isEmpty == (number == 9))
                try await server.expectSame(store)
            }
            #expect(server.asked("/notes").allSatisfy { $0.contains("version=gt.2") || $0.contains("and=") })
        }
    }

    @Test("A note that is added again after its deletion stays, and one that is deleted again goes")
    func addedAgain() async throws {
        try await withNotes(1...5) { server in
            let store = try server.synced()
            try await store.pull()
            for id in [5, 3] { try await server.remote.delete(note(id)) }
            try await store.pull()
            try await server.expectSame(store)
            #expect(try await store.local.all().count() == 3)

            try await server.remote.insert(note(3, title: 33))
            try await store.pull()
            #expect(try await store.local.object(withId: 3)?.title == 33)
            try await server.remote.delete(note(3))
            try await server.remote.insert(note(3, title: 34))
            try await server.remote.delete(note(3))
            try await store.pull()
            try await server.expectSame(store)
        }
    }

    @Test("The next run of the program goes on where the last one has ended")
    func nextRun() async throws {
        try await withNotes(1...5) { server in
            let database = try SQLiteDatabase(.memory)
            try await server.synced(database).pull()
            server.backend.forgetRequests()
            let store = try server.synced(database)
            try await server.remote.update(note(1, title: 10))
            try await store.pull()
            try await server.expectSame(store)
            #expect(server.asked("/notes").allSatisfy { $0.contains("version=gt.5") || $0.contains("and=") })
        }
    }

    @Test("A pull that is interrupted goes on with the changes that it has not kept yet", arguments: [0, 12])
    func interrupted(known: Int) async throws {
        try await withNotes(1...(known + 30)) { server in
            let store = try server.synced(pageSize: 8)
            if known > 0 {
                try await store.pull()
                for id in 1...30 { try await server.remote.update(note(id, title: -id)) }
            }
            // The server goes away in the middle of the changes.
            let count = Locked(0)
            server.interrupt { request in
                guard request.path == "/notes" else { return nil }
                return count.withLock { count in
                    count += 1
                    return count > 3 ? 503 : nil
                }
            }
            await #expect(throws: StoreError.self) { try await store.pull() }
            let kept = try await store.local.filter(where: known > 0 ? \.title < 0 : .always).count()
            #expect((1..<30).contains(kept))
            server.interrupt(nil)
            server.backend.forgetRequests()
            try await server.remote.delete(note(1))
            try await store.pull()
            try await server.expectSame(store)
            // The first question is for what comes after the changes that are kept.
            let first = try #require(server.asked("/notes").first)
            #expect(!first.contains("version=gt.\(known == 0 ? 0 : known + 30)&"))
        }
    }

    @Test("A server that has forgotten deletions since the last pull is asked for everything")
    func forgotten() async throws {
        try await withNotes(1...5, keeping: 3) { server in
            let store = try server.synced()
            try await store.pull()
            try await server.remote.delete(note(2))
            for step in 0..<5 { try await server.remote.update(note(1, title: step)) }
            try await server.remote.delete(note(3))
            #expect(try await server.deletions.all().result().map(\.id) == [3])
            server.backend.forgetRequests()
            try await store.pull()
            try await server.expectSame(store)
            #expect(server.asked("/notes").contains { !$0.contains("version") })
            // From then on, the history is long enough again.
            server.backend.forgetRequests()
            try await server.remote.delete(note(4))
            try await store.pull()
            try await server.expectSame(store)
            #expect(server.asked("/notes").allSatisfy { $0.contains("version") })
        }
    }

    @Test("Deletions that the server forgets while it is asked are not missed")
    func forgottenMeanwhile() async throws {
        try await withNotes(1...5) { server in
            let store = try server.synced()
            try await store.pull()
            try await server.remote.delete(note(2))
            try await server.remote.update(note(1, title: 10))
            // The server forgets them after it has said that it has not, and before it is asked for them.
            let (deletions, extents) = (server.deletions, server.extents)
            server.interrupt { request in
                guard request.path == "/notes_deleted" else { return nil }
                _ = try? await deletions.delete(where: .always)
                _ = try? await extents.update(HistoryExtent(id: "notes", last: 7, forgotten: 6))
                return nil
            }
            try await store.pull()
            try await server.expectSame(store)
        }
    }

    @Test("A server that was set up anew, with fewer changes, is asked for everything")
    func anotherServer() async throws {
        let database = try SQLiteDatabase(.memory)
        try await withNotes(1...50) { server in
            try await server.remote.update(note(2, title: 22))
            try await server.synced(database).pull()
        }
        try await withNotes(1...3) { server in
            let store = try server.synced(database)
            try await store.pull()
            try await server.expectSame(store)
        }
    }

    @Test("A pull of changes puts them below the writes that wait, and undoes none of these on the screen")
    func writesThatWait() async throws {
        try await withNotes(1...5) { server in
            let store = try server.synced()
            try await store.pull()
            server.backend.misbehave(.fail(rate: 1), on: .patch)
            try await store.update(note(1, title: 11))
            // Another client, which the failures do not concern.
            try await server.change(Note(id: 1, title: 1, body: 12, version: 6))
            try await store.pull()
            #expect(try await store.local.object(withId: 1) == Note(id: 1, title: 11, body: 12, version: 6))
            server.backend.behave()
            await eventually { store.outbox.status.value.isInStep }
            let stored = try #require(try await server.table.object(withId: 1))
            #expect(stored.title == 11 && stored.body == 12)
            try await store.pull()
            try await server.expectSame(store)
        }
    }

    @Test("A note that was deleted on the server while its write was parked goes when the write is given up")
    func deletedWhileParked() async throws {
        try await withNotes(1...5) { server in
            let store = try server.synced()
            try await store.pull()
            server.backend.misbehave(.fail(rate: 1, status: 422), on: .patch)
            try await store.update(note(1, title: 11))
            await eventually { store.outbox.status.value.parked == 1 }
            server.backend.behave()
            try await server.remote.delete(note(1))
            try await store.pull()
            #expect(try await store.local.object(withId: 1)?.title == 11)
            try await store.outbox.giveUp(try #require(store.outbox.parked.value.first).id)
            #expect(try await store.local.object(withId: 1) == nil)
        }
    }

    @Test("A note that was deleted on the server while its write waits is asked for again, until the write is settled")
    func deletedWhileWaiting() async throws {
        try await withNotes(1...5) { server in
            let store = try server.synced()
            try await store.pull()
            server.backend.misbehave(.fail(rate: 1), on: .patch)
            try await store.update(note(1, title: 11))
            try await server.remote.delete(note(1))
            try await server.change(note(2, title: 22))
            try await store.pull()
            #expect(try await store.local.object(withId: 1)?.title == 11)
            #expect(try await store.local.object(withId: 2)?.title == 22)
            // The server refuses the write, and nothing else will tell that the note is gone.
            server.backend.behave()
            server.backend.misbehave(.fail(rate: 1, status: 422), on: .patch)
            store.outbox.networkIsBack()
            await eventually { store.outbox.status.value.parked == 1 }
            try await store.pull()
            try await store.outbox.giveUp(try #require(store.outbox.parked.value.first).id)
            #expect(try await store.local.object(withId: 1) == nil)
        }
    }

    @Test(
        "A pull that a later page has overtaken still brings all that the page has not told about",
        arguments: [true, false])
    func overtaken(hasHistory: Bool) async throws {
        try await withNotes(1...5) { server in
            let store =
                hasHistory
                ? try server.synced()
                : try SyncedStore(Note.schema, remote: server.remote, outbox: Outbox(in: SQLiteDatabase(.memory)))
            let hasAsked = Locked(false)
            let mayGoOn = Locked(false)
            server.interrupt { request in
                guard request.path == "/notes", !hasAsked.withLock({ $0 }) else { return nil }
                hasAsked.withLock { $0 = true }
                await eventually("the page has come") { mayGoOn.withLock { $0 } }
                return nil
            }
            async let pull: Void = store.pull()
            await eventually { hasAsked.withLock { $0 } }
            #expect(try await store.fetch(where: \.id <= 2).value.count == 2)
            mayGoOn.withLock { $0 = true }
            try await pull
            try await server.expectSame(store)
        }
    }

    @Test("The table gives each change the next number, whatever a client says, and its history is read only")
    func numbers() async throws {
        try await withNotes(1...2) { server in
            try await server.remote.insert(Note(id: 3, title: 3, body: 3, version: 100))
            try await server.remote.delete(note(3))
            try await server.remote.upsert(note(1, title: 10))
            #expect(try await server.table.object(withId: 1)?.version == 5)
            let history = server.remote.history(numberedBy: \.version)
            #expect(try await history.deletions(after: 0) == [Deletion(id: 3, number: 4)])
            #expect(try await history.extent(of: "notes") == HistoryExtent(id: "notes", last: 5, forgotten: 0))
            let deletions = PostgRESTStore(Deletion.schema(of: Note.schema), accessible: server.session)
            await #expect(throws: StoreError.self) { try await deletions.insert(Deletion(id: 1, number: 9)) }
        }
    }

    @Test("After any changes of the server and of the device, by any number of pulls, both have the same")
    func manyChanges() async throws {
        for seed in 0..<4 as Range<UInt64> {
            try await withNotes(1...8, keeping: 10) { server in
                var random = SeededGenerator(seed: seed)
                let store = try server.synced(pageSize: 3)
                for step in 0..<60 {
                    let note = note(Int.random(in: 1...12, using: &random), title: step)
                    switch Int.random(in: 0..<6, using: &random) {
                    case 0: try await server.remote.delete(note)
                    case 1, 2: try await server.remote.upsert(note)
                    case 3: try await store.save(note)
                    case 4: _ = try await store.fetch(where: \.title >= step / 2, limit: 3)
                    default: try await store.pull()
                    }
                }
                while let parked = store.outbox.parked.value.first { try await store.outbox.giveUp(parked.id) }
                await eventually { store.outbox.status.value.waiting == 0 }
                while let parked = store.outbox.parked.value.first { try await store.outbox.giveUp(parked.id) }
                await eventually { store.outbox.status.value.isInStep }
                try await store.pull()
                try await server.expectSame(store)
            }
        }
    }
}
