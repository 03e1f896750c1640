import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Persistence
import Testing

@testable import Sync

/// Writes that would overwrite what another device has changed, on a server with versions.
struct OutboxOverwriteTests {
    private let theirs = Note(id: 1, title: 1, body: 20, version: 0)

    /// Makes two writes without a network, while another device changes the body; then the network is back.
    private func conflicts(
        _ server: NoteServer, _ store: SyncedStore<Note>, _ second: () async throws -> Void
    ) async throws -> [ConflictEvent] {
        let conflicts = Locked<[ConflictEvent]>([])
        store.outbox.conflicts.observeValues { event in conflicts.withLock { $0.append(event) } }
        try await store.pull()
        server.backend.misbehave(.drop)
        try await store.update(note(1, title: 10))
        try await second()
        try await server.change(theirs)
        server.backend.behave()
        store.outbox.networkIsBack()
        await eventually("all is sent, or parked") { store.outbox.status.value.waiting == 0 }
        return conflicts.withLock { $0 }
    }

    @Test("The second of two waiting writes finds what another device has changed before the first one")
    func secondUpdate() async throws {
        try await withNotes(1...2) { server in
            let store = try server.synced()
            let conflicts = try await conflicts(server, store) {
                try await store.update(Note(id: 1, title: 10, body: 30, version: 1))
            }
            #expect(conflicts.map(\.columns) == [[], ["body"]])
            #expect(try await server.table.object(withId: 1)?.body == 30)
        }
    }

    @Test("An object that another device has changed is not deleted by the second of two waiting writes")
    func secondDeletion() async throws {
        try await withNotes(1...2) { server in
            let store = try server.synced()
            _ = try await conflicts(server, store) { try await store.delete(note(1)) }
            #expect(store.outbox.parked.value.map(\.cause) == [.conflict])
            #expect(try await server.table.object(withId: 1)?.body == 20)
        }
    }

    @Test("A write that goes on from an earlier one of the same device is not a conflict")
    func ownWrites() async throws {
        try await withNotes(1...2) { server in
            let store = try server.synced()
            let conflicts = Locked(0)
            store.outbox.conflicts.observeValues { _ in conflicts.withLock { $0 += 1 } }
            try await store.pull()
            server.backend.misbehave(.drop)
            for title in [10, 11] { try await store.update(note(1, title: title)) }
            try await store.update(Note(id: 1, title: 11, body: 30, version: 1))
            try await store.delete(note(1))
            server.backend.behave()
            store.outbox.networkIsBack()
            await eventually("all is sent") { store.outbox.status.value.isInStep }
            #expect(conflicts.withLock { $0 } == 0)
            #expect(try await server.table.object(withId: 1) == nil)
        }
    }

    @Test("A later write goes on from the answer to the earlier one, even if a newer object is known by then")
    func newerTruth() throws {
        let disk = SimulatedDisk()
        let rules = OutboxRules(schema: Note.schema, versionColumn: 3, serverRemembersKeys: true, isNumbered: true)
        disk.show(note(1), id: 1)
        let write = { (number: Int, title: Int) in
            _ = try rules.record(
                .update(note(1, title: title)), number: number, key: UUID(), at: Date(), in: disk)
        }
        try write(1, 10)
        try write(2, 11)
        // A pull has brought another device's title, which it has set after the first write was done.
        var first = disk.writes(of: "notes/1")[0]
        first.truth = Note.schema.truth(Note(id: 1, title: 50, body: 1, version: 9))
        disk.put(first)
        let answer = Note(id: 1, title: 10, body: 1, version: 8)
        #expect(try rules.settle(1, of: "notes/1", .accepted(answer), key: UUID(), in: disk) == .done)
        let second = try rules.write(disk.writes(of: "notes/1")[0])
        #expect(second.version == .integer(8))
        #expect(second.contestedColumns(in: Note(id: 1, title: 50, body: 1, version: 9)) == [1])
    }
}

/// Changes of an object that the person saw in an editor, while it was changed elsewhere.
struct OutboxEditingTests {
    @Test("An edited object is written only in the columns that the person has changed", arguments: [false, true])
    func edited(mends: Bool) async throws {
        try await withFilms([.fixture()]) { server in
            let (store, outbox) = try server.synced()
            try await store.pull()
            let seen = try #require(try await store.local.object(withId: .fixture(1)))
            try await server.table.update(.fixture(budget: 20, year: 1900))
            try await store.pull()
            var form = seen
            form.title = "Mine"
            if mends { try await store.mend(form, basedOn: seen) } else { try await store.update(form, basedOn: seen) }
            await eventually("all is sent") { outbox.status.value.isInStep }
            let expected = Film.fixture(title: "Mine", budget: 20, year: 1900)
            #expect(try await server.table.all().result() == [expected])
            #expect(try await store.local.all().result() == [expected])
        }
    }

    @Test("An edited column that another device has changed since the person saw it is a conflict")
    func contested() async throws {
        try await withNotes(1...2) { server in
            let store = try server.synced()
            let conflicts = Locked<[ConflictEvent]>([])
            store.outbox.conflicts.observeValues { event in conflicts.withLock { $0.append(event) } }
            try await store.pull()
            let seen = note(1)
            try await server.change(Note(id: 1, title: 1, body: 20, version: 0))
            try await store.pull()
            try await store.update(Note(id: 1, title: 1, body: 30, version: 1), basedOn: seen)
            await eventually("all is sent") { store.outbox.status.value.isInStep }
            #expect(conflicts.withLock { $0.map(\.columns) } == [["body"]])
            #expect(try await server.table.object(withId: 1)?.body == 30)
        }
    }

    @Test("An edited object that was deleted meanwhile is missing, and one that has all changes already is left alone")
    func withoutWrite() async throws {
        try await withFilms([.fixture()]) { server in
            let (store, outbox) = try server.synced()
            try await store.pull()
            try await server.table.update(.fixture(title: "Mine"))
            try await store.pull()
            try await store.update(.fixture(title: "Mine"), basedOn: .fixture())
            #expect(outbox.status.value.isInStep)
            try await server.table.delete(.fixture())
            try await store.pull()
            await #expect(throws: StoreError.missing(id: "\(UUID.fixture(1))")) {
                try await store.update(.fixture(title: "Again"), basedOn: .fixture())
            }
        }
    }

    /// Runs a server of a film while `body` does its work, after the server has refused a change of the title to "Wrong".
    private func withRefused(
        _ body: (TableServer<Film>, SyncedStore<Film>, Outbox) async throws -> Void
    ) async throws {
        try await withFilms([.fixture()]) { server in
            let (store, outbox) = try server.synced()
            try await store.pull()
            server.backend.misbehave(.fail(rate: 1, status: 422), on: .patch, times: 1)
            try await store.update(.fixture(title: "Wrong"))
            await eventually("it is parked") { outbox.parked.value.count == 1 }
            try await body(server, store, outbox)
        }
    }

    @Test("Mending a refused write keeps what another device has changed since the person saw the object")
    func mendingRefused() async throws {
        try await withRefused { server, store, outbox in
            let seen = Film.fixture(title: "Wrong")
            try await server.table.update(.fixture(budget: 20))
            try await store.pull()
            try await store.mend(.fixture(title: "Mended"), basedOn: seen)
            await eventually("all is sent") { outbox.status.value.isInStep }
            #expect(try await server.table.all().result() == [.fixture(title: "Mended", budget: 20)])
        }
    }

    @Test("A refused write that is mended to what the server has is gone")
    func mendedBack() async throws {
        try await withRefused { server, store, outbox in
            server.backend.forgetRequests()
            try await store.mend(.fixture())
            await eventually("nothing waits") { outbox.parked.value.isEmpty && outbox.status.value.isInStep }
            #expect(try await store.local.all().result() == [.fixture()])
            #expect(server.backend.requests.isEmpty)
        }
    }

    @Test("Mending an object leaves alone the write of a newer version of the program; the change waits behind it")
    func unreadable() async throws {
        try await withFilms([.fixture()]) { server in
            let database = try SQLiteDatabase(.memory)
            let rows = try SQLiteStore(OutboxRow.schema, in: database)
            let copy = try SQLiteStore(Film.schema, in: database)
            try await copy.insert(.fixture())
            let newer = OutboxRow(
                number: 1, entity: "films/\(UUID.fixture(1))", channel: "films",
                body: Data(#"{"kind":"update","id":"\#(UUID.fixture(1))","new":{"poster":"p"}}"#.utf8),
                truth: Film.schema.truth(.fixture()), key: UUID(), date: Date())
            try await rows.insert(newer)
            let (store, outbox) = try server.synced(database)
            await eventually("it is parked") { outbox.parked.value.map(\.cause) == [.unreadable] }
            try await store.mend(.fixture(title: "Mine"))
            #expect(try await rows.object(withId: 1)?.body == newer.body)
            #expect(outbox.parked.value.map(\.id) == [1])
            #expect(outbox.status.value.waiting == 1)
            #expect(try await store.local.all().result() == [.fixture(title: "Mine")])
        }
    }
}
