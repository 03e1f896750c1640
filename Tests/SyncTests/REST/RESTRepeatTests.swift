import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Networking
import Persistence
import Testing

@testable import Sync

/// Writes that are sent again after their answer was lost.
struct RESTRepeatTests {
    private let alien = Book(id: 1, title: "Alien", pages: 300)
    private let aliens = Book(id: 1, title: "Aliens", pages: 300)

    private func synced(_ remote: RESTStore<Book, KongAuth>) async throws -> (SyncedStore<Book>, Outbox) {
        let outbox = try Outbox(in: SQLiteDatabase(.memory))
        let store = try SyncedStore(Book.schema, remote: remote, outbox: outbox)
        try await store.pull()
        return (store, outbox)
    }

    @Test("An insertion whose answer was lost is read before it is sent again, as the server may not refuse a known id")
    func insertion() async throws {
        try await withBooks { server, session in
            let (store, outbox) = try await synced(.quiet(session))
            server.backend.misbehave(.truncate(), on: .post, times: 1)
            try await store.insert(Book(id: 1, title: "Alien", pages: 100))
            await eventually("it is sent, or parked") { outbox.status.value.waiting == 0 }
            #expect(outbox.parked.value.isEmpty)
            #expect(server.backend.requests.filter { $0.method == .post }.count == 1)
        }
    }

    @Test("A change that may have been done and was then refused overwrites nobody when a person sends it again")
    func overwrittenAfterRefusal() async throws {
        try await withBooks([alien]) { server, session in
            let (store, outbox) = try await synced(.books(session))
            server.backend.misbehave(.truncate(), on: .patch, times: 1)
            // The change is done and its answer lost. Then another client changes the title, and the session expires.
            server.state.after.withLock {
                $0 = { [backend = server.backend] book in
                    book?.title = "Theirs"
                    backend.misbehave(.fail(rate: 1, status: 403), on: .get)
                }
            }
            try await store.update(aliens)
            await eventually("it is refused") { outbox.parked.value.map(\.cause) == [.refused] }
            server.backend.behave()
            server.state.after.withLock { $0 = nil }
            try await outbox.retry(try #require(outbox.parked.value.first).id)
            await eventually("it is sent, or a conflict") {
                outbox.status.value.isInStep || outbox.parked.value.map(\.cause) == [.conflict]
            }
            #expect(server.state.books.withLock { $0[1]?.title } == "Theirs")
            // The person has seen the conflict, and decides.
            try await outbox.retry(try #require(outbox.parked.value.first).id)
            await eventually("all is sent") { outbox.status.value.isInStep }
            #expect(server.state.books.withLock { $0[1]?.title } == "Aliens")
        }
    }

    @Test("A request that may still be under way keeps its key when a person sends it again")
    func keyOfInsertion() async throws {
        try await withBooks { server, session in
            let (store, outbox) = try await synced(.books(session))
            server.backend.misbehave(.truncate(), on: .post, times: 1)
            server.state.before.withLock { $0 = { .status(409) } }
            try await store.insert(alien)
            await eventually("it is refused") { outbox.parked.value.map(\.cause) == [.refused] }
            server.state.before.withLock { $0 = nil }
            try await outbox.retry(try #require(outbox.parked.value.first).id)
            await eventually("all is sent") { outbox.status.value.isInStep }
            let keys = server.backend.requests.filter { $0.method == .post }.map { $0.headers["Idempotency-Key"] }
            #expect(keys.count == 3)
            #expect(Set(keys).count == 1)
        }
    }

    // MARK: - The rules

    private let entity = "notes/1"
    private let old = Note(id: 1, title: 1, body: 1, version: 1)
    private let new = Note(id: 1, title: 2, body: 1, version: 1)

    /// Returns the row of a change that got these answers, and that a person has then sent again.
    private func row(
        after answers: [OutboxAnswer<Note>], marksSentWrites: Bool, pulling theirs: Note? = nil
    ) throws -> (before: OutboxRow, after: OutboxRow) {
        let rules = OutboxRules(schema: Note.schema, versionColumn: 3, serverRemembersKeys: !marksSentWrites)
        let disk = SimulatedDisk()
        disk.notes[1] = old
        let before = try #require(try rules.record(.update(new), number: 1, key: UUID(), at: Date(), in: disk))
        for answer in answers {
            let wasUncertain = try #require(disk.rows[1]).isUncertain
            if marksSentWrites { disk.markUncertain(1) }
            _ = try rules.settle(1, of: entity, answer, wasUncertain: wasUncertain, key: UUID(), in: disk)
        }
        if let theirs {
            try rules.merge(
                [theirs], replacing: [new], settledMeanwhile: [], hasWrites: { _ in true }, in: disk)
        }
        _ = try rules.retry(1, of: entity, key: UUID(), in: disk)
        return (before, try #require(disk.rows[1]))
    }

    @Test(
        "A write whose answer was lost before it was refused is sent again as it was, with its key",
        arguments: [true, false])
    func lostAndRefused(marksSentWrites: Bool) throws {
        let theirs = Note(id: 1, title: 3, body: 1, version: 3)
        let (before, after) = try row(
            after: [.unreachable(reason: "lost"), .refused(reason: "no")], marksSentWrites: marksSentWrites,
            pulling: theirs)
        #expect(after.key == before.key && after.body == before.body)
        #expect(after.isUncertain && after.parking == .none)
    }

    @Test(
        "A write whose content was refused after a lost answer gets another key, since the server may remember the refusal",
        arguments: [true, false])
    func lostAndRefusedContent(marksSentWrites: Bool) throws {
        let (before, after) = try row(
            after: [.unreachable(reason: "lost"), .refused(reason: "no", isOfContent: true)],
            marksSentWrites: marksSentWrites)
        #expect(after.key != before.key)
        // A server that remembers keys would have repeated the answer of an attempt that was done.
        #expect(after.isUncertain == marksSentWrites && after.parking == .none)
    }

    @Test(
        "A write whose answer was lost may still have been done after the server was busy, or was not reached",
        arguments: [
            OutboxAnswer<Note>.busy(reason: "busy", mayBeDone: false),
            .unreachable(reason: "offline", mayBeDone: false),
        ])
    func lostAndPostponed(answer: OutboxAnswer<Note>) throws {
        let rules = OutboxRules(schema: Note.schema, versionColumn: 3, serverRemembersKeys: true)
        let disk = SimulatedDisk()
        disk.notes[1] = old
        _ = try rules.record(.update(new), number: 1, key: UUID(), at: Date(), in: disk)
        for answer in [.unreachable(reason: "lost"), answer] {
            let wasUncertain = try #require(disk.rows[1]).isUncertain
            let settlement = try rules.settle(
                1, of: entity, answer, wasUncertain: wasUncertain, key: UUID(), in: disk)
            #expect(settlement == .postponed)
        }
        #expect(try #require(disk.rows[1]).isUncertain)
    }

    @Test("A refused change whose object is deleted meanwhile is another request, with a key of its own")
    func deletedMeanwhile() throws {
        let rules = OutboxRules(schema: Note.schema, versionColumn: 3, serverRemembersKeys: true)
        let disk = SimulatedDisk()
        disk.notes[1] = old
        let before = try #require(try rules.record(.update(new), number: 1, key: UUID(), at: Date(), in: disk))
        for answer in [OutboxAnswer<Note>.unreachable(reason: "lost"), .refused(reason: "no")] {
            let wasUncertain = try #require(disk.rows[1]).isUncertain
            _ = try rules.settle(1, of: entity, answer, wasUncertain: wasUncertain, key: UUID(), in: disk)
        }
        try rules.merge(
            [], replacing: [new], settledMeanwhile: [], hasWrites: { _ in true }, parked: [entity], in: disk)
        let row = try #require(disk.rows[1])
        #expect(row.parking == .refused)
        #expect(row.key != before.key && !row.isUncertain)
    }

    @Test(
        "A write that was only refused gets another key, since the server may remember the refusal",
        arguments: [true, false])
    func refused(marksSentWrites: Bool) throws {
        let (before, after) = try row(
            after: [.unreachable(reason: "offline", mayBeDone: false), .refused(reason: "no")],
            marksSentWrites: marksSentWrites)
        #expect(after.key != before.key)
        #expect(!after.isUncertain && after.parking == .none)
    }
}
