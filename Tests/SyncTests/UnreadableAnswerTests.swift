import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Networking
import Persistence
import Testing

@testable import Sync

/// Writes that the server has done, and whose answers this version of the program cannot read.
struct UnreadableAnswerTests {
    private let mine = OldDay(id: 1, name: "mine", mood: .calm, version: 1)
    private let error = StoreError.unreadableAnswer(table: "days", id: "1", column: "mood", found: "\"elated\"")

    /// Runs a server that answers each write with `body`.
    private func withAnswers(
        _ body: String, _ work: (PostgRESTStore<OldDay>) async throws -> Void
    ) async throws {
        let backend = LocalBackend()
        let answer = LocalBackend.Response.data(Data(body.utf8), contentType: "application/json")
        backend.post("/days") { _ in answer }
        backend.patch("/days") { _ in answer }
        backend.delete("/days") { _ in answer }
        try await withSession(backend) { session in
            try await work(PostgRESTStore(OldDay.schema, accessible: session))
        }
    }

    private var elated: String {
        get throws { String(decoding: try Day.schema.json(of: [Day.week[0].elated]).get(), as: UTF8.self) }
    }

    // MARK: - PostgRESTStore

    @Test("The error of a write whose object cannot be read says that the write is done")
    func done() async throws {
        try await withAnswers(elated) { store in
            await #expect(throws: error) { try await store.insert(mine) }
            await #expect(throws: error) { try await store.insert([mine]) }
            await #expect(throws: error) { try await store.update(mine) }
            await #expect(throws: error) { try await store.upsert(mine) }
            await #expect(throws: error) { try await store.upsert([mine]) }
        }
    }

    @Test(
        "The error of a write whose answer is not a list of rows says that it may be done",
        arguments: ["{}", "", "[{}]"])
    func unknown(body: String) async throws {
        try await withAnswers(body) { store in
            await expectUnknown { () async throws(StoreError) in _ = try await store.insert(mine) }
            await expectUnknown { () async throws(StoreError) in _ = try await store.update(mine) }
            await expectUnknown { () async throws(StoreError) in _ = try await store.upsert([mine]) }
        }
    }

    @Test("A deletion whose answer does not say how many rows there were may be done")
    func deletion() async throws {
        try await withAnswers("") { store in
            await expectUnknown { () async throws(StoreError) in _ = try await store.delete(mine) }
            await expectUnknown { () async throws(StoreError) in _ = try await store.delete(where: \.id == 1) }
        }
    }

    private func expectUnknown(
        sourceLocation: SourceLocation = #_sourceLocation, _ write: () async throws(StoreError) -> Void
    ) async {
        do throws(StoreError) {
            try await write()
            Issue.record("no error", sourceLocation: sourceLocation)
        } catch {
            guard case .outcomeUnknown = error else {
                Issue.record("\(error)", sourceLocation: sourceLocation)
                return
            }
        }
    }

    // MARK: - MirroredStore

    @Test("A mirrored write whose object cannot be read is done, and the object is reported as unreadable")
    func mirrored() async throws {
        try await withAnswers(elated) { remote in
            let local = try SQLiteStore(OldDay.schema, in: SQLiteDatabase(.memory))
            let days = MirroredStore(OldDay.schema, remote: remote, local: local)
            let changes = MutableProperty(0)
            let observation = days.changes.observeValues { changes.modify { $0 += 1 } }
            #expect(try await days.save(mine) == Sourced(mine))
            #expect(days.unreadable.value == [.elated(1)])
            #expect(try await local.all().result() == [mine])
            #expect(changes.value == 1)
            // The next write would be based on an object that was never seen.
            await #expect(throws: UnreadableObject.elated(1).error) { try await days.update(mine) }
            observation?.dispose()
        }
    }

    // MARK: - Outbox

    @Test("A write that waits behind one whose object cannot be read is based on the version of that object")
    func version() async throws {
        let server = VersionedServer()
        try await server.run { store in
            server.backend.misbehave(.drop)
            try await store.update(OldDay(id: 1, name: "mine", mood: .calm, version: 1))
            try await store.update(OldDay(id: 1, name: "last", mood: .calm, version: 1))
            server.backend.behave()
            store.outbox.networkIsBack()
            await eventually("all are done, or parked") { store.outbox.status.value.waiting == 0 }
            #expect(store.outbox.parked.value == [])
            #expect(server.day.withLock(\.self) == Day(id: 1, name: "last", mood: "elated", version: 3))
            #expect(store.unreadable.value == [.elated(1)])
        }
    }

    @Test("It is, too, if the object was read after the answer was lost")
    func versionAfterLostAnswer() async throws {
        let server = VersionedServer()
        try await server.run { store in
            server.backend.misbehave(.drop)
            try await store.update(OldDay(id: 1, name: "mine", mood: .calm, version: 1))
            try await store.update(OldDay(id: 1, name: "last", mood: .calm, version: 1))
            server.backend.behave()
            server.losesAnswer.withLock { $0 = true }
            store.outbox.networkIsBack()
            await eventually("all are done, or parked") { store.outbox.status.value.waiting == 0 }
            #expect(store.outbox.parked.value == [])
            #expect(server.day.withLock(\.self) == Day(id: 1, name: "last", mood: "elated", version: 3))
        }
    }

    @Test("It is not if somebody else has changed what the waiting write changes")
    func othersVersion() async throws {
        let server = VersionedServer()
        try await server.run { store in
            server.backend.misbehave(.drop)
            var day = OldDay(id: 1, name: "mine", mood: .calm, version: 1)
            try await store.update(day)
            day.mood = .sleepy
            try await store.update(day)
            server.backend.behave()
            server.losesAnswer.withLock { $0 = true }
            store.outbox.networkIsBack()
            await eventually("all are done, or parked") { store.outbox.status.value.waiting == 0 }
            #expect(store.outbox.parked.value.map(\.cause) == [.refused])
            #expect(server.day.withLock(\.self) == Day(id: 1, name: "mine", mood: "elated", version: 2))
        }
    }
}

/// A server of one day that checks versions, and makes each day elated that it changes.
private final class VersionedServer: Sendable {
    let backend = LocalBackend()
    let day = Locked(Day.week[0])
    /// `true` if the next write is done and its answer lost.
    let losesAnswer = Locked(false)

    private struct Change: Decodable {
        let name: String?
    }

    func run(_ body: (SyncedStore<OldDay>) async throws -> Void) async throws {
        @Sendable func rows(_ days: [Day]) throws -> LocalBackend.Response {
            .data(try Day.schema.json(of: days).get(), contentType: "application/json")
        }
        backend.get("/days") { [self] _ in try rows([day.withLock(\.self)]) }
        backend.patch("/days") { [self] request in
            let change: Change = try request.decode()
            let changed = day.withLock { day -> Day? in
                guard request.query.items.contains(where: { $0.name == "version" && $0.value == "eq.\(day.version)" })
                else { return nil }
                day = Day(id: day.id, name: change.name ?? day.name, mood: "elated", version: day.version + 1)
                return day
            }
            if losesAnswer.withLock({ isLost in isLost && changed != nil }) {
                losesAnswer.withLock { $0 = false }
                return .init(status: 503)
            }
            return try rows(changed.map { [$0] } ?? [])
        }
        try await withSession(backend) { session in
            let outbox = try Outbox(in: SQLiteDatabase(.memory))
            let store = try SyncedStore(
                OldDay.schema, remote: PostgRESTStore(OldDay.schema, accessible: session), outbox: outbox,
                version: Attribute(\.version))
            _ = try await store.object(withId: 1)
            try await body(store)
        }
    }
}
