import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Networking
import Persistence
import Sync
import Testing

/// Dates that are not exact in microseconds, in which the outbox stores them.
struct RESTDatesTests {
    private func synced(
        _ session: BackendSession, version: Attribute<Meeting>? = nil
    ) async throws -> (SyncedStore<Meeting>, Outbox, ConflictLog) {
        let outbox = try Outbox(in: SQLiteDatabase(.memory))
        let conflicts = ConflictLog(outbox)
        let store = try SyncedStore(
            Meeting.schema, remote: RESTStore.meetings(session), outbox: outbox, version: version)
        try await store.pull()
        return (store, outbox, conflicts)
    }

    private func isDone(_ outbox: Outbox, _ conflicts: ConflictLog) async {
        await eventually("it is sent, parked, or in conflict") {
            outbox.status.value.waiting == 0 || !conflicts.events.isEmpty
        }
        #expect(conflicts.events == [])
        #expect(outbox.parked.value.isEmpty)
    }

    @Test("A change is sent to a server whose version is a date")
    func version() async throws {
        try await withMeeting { server, session in
            let (store, outbox, conflicts) = try await synced(session, version: Attribute(\.changed))
            var meeting = try #require(try await store.local.object(withId: 1))
            meeting.title = "Mine"
            try await store.update(meeting)
            await isDone(outbox, conflicts)
            #expect(server.meeting.withLock { $0?.title } == "Mine")
        }
    }

    @Test("A change of a date is sent, also of one that may be missing")
    func column() async throws {
        try await withMeeting { server, session in
            let (store, outbox, conflicts) = try await synced(session)
            var meeting = try #require(try await store.local.object(withId: 1))
            meeting.start = meeting.start?.addingTimeInterval(60)
            try await store.update(meeting)
            await isDone(outbox, conflicts)
            #expect(server.meeting.withLock { $0?.start } == SentMeeting.first.start.map { $0 + 60_000 })
        }
    }

    @Test("An object with dates can be deleted")
    func deletion() async throws {
        try await withMeeting { server, session in
            let (store, outbox, conflicts) = try await synced(session)
            try await store.delete(try #require(try await store.local.object(withId: 1)))
            await isDone(outbox, conflicts)
            #expect(server.meeting.withLock { $0 } == nil)
        }
    }

    @Test("A date that another client has changed by a millisecond is a conflict")
    func changed() async throws {
        try await withMeeting { server, session in
            let (store, outbox, conflicts) = try await synced(session)
            server.meeting.withLock { $0?.start = SentMeeting.first.start.map { $0 + 1 } }
            var meeting = try #require(try await store.local.object(withId: 1))
            meeting.start = nil
            try await store.update(meeting)
            await eventually("all is sent") { outbox.status.value.waiting == 0 }
            #expect(conflicts.columns == [["start"]])
        }
    }

    @Test("A write compares dates as the outbox stores them, also if it was never stored")
    func notStored() {
        let before = Meeting(SentMeeting.first)
        var after = before
        after.title = "Mine"
        var rounded = before
        rounded.changed = Date(
            timeIntervalSinceReferenceDate: (before.changed.timeIntervalSinceReferenceDate * 1e6).rounded() / 1e6)
        #expect(rounded.changed != before.changed)
        let change = OutboxWrite(changing: before, to: after, in: Meeting.schema, version: Attribute(\.changed))
        #expect(change.isExpected(rounded))
        #expect(OutboxWrite(deleting: before, in: Meeting.schema).isExpected(rounded))
        #expect(OutboxWrite(inserting: before, in: Meeting.schema).isDone(in: rounded))
    }
}

private struct Meeting: Identifiable, Equatable, Sendable {
    var id: Int
    var title: String
    var changed: Date
    var start: Date?

    static let schema = Schema<Meeting>(
        "meetings", { Meeting(id: $0, title: $1, changed: $2, start: $3) }, Column("id", \.id),
        Column("title", \.title), Column("changed", \.changed), Column("start", \.start))
}

extension Meeting {
    fileprivate init(_ sent: SentMeeting) {
        self.init(
            id: sent.id, title: sent.title, changed: .milliseconds(sent.changed),
            start: sent.start.map(Date.milliseconds))
    }
}

extension Date {
    fileprivate static func milliseconds(_ count: Int64) -> Date { Date(timeIntervalSince1970: Double(count) / 1_000) }

    fileprivate var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1_000).rounded()) }
}

/// A meeting as the server sends it, with dates in milliseconds. Many of them are not the `Date` that is nearest to
/// their decimal.
private struct SentMeeting: Codable, Equatable, Sendable {
    var id: Int
    var title: String
    var changed: Int64
    var start: Int64?

    static let first = SentMeeting(id: 1, title: "Theirs", changed: 1_763_900_000_123, start: 1_763_900_000_123)
}

private struct MeetingPatch: Codable, Sendable {
    var title: String?
    /// The date; an empty list to remove it.
    var start: [Int64]?
}

extension RESTStore where Object == Meeting, Auth == KongAuth {
    fileprivate static func meetings(_ session: BackendSession) -> RESTStore {
        RESTStore(
            Meeting.schema, accessible: session,
            list: { _ in
                BackendResource<Void, [SentMeeting], KongAuth>(path: .api(.core, "/meetings"), method: .GET)
                    .map { $0.map(Meeting.init) }
            },
            object: { id in
                BackendResource<Void, SentMeeting, KongAuth>(path: .api(.core, "/meetings/\(id)"), method: .GET)
                    .map(Meeting.init)
            }
        )
        .updating { meeting, changes in
            BackendResource<MeetingPatch, SentMeeting, KongAuth>(
                path: .api(.core, "/meetings/\(meeting.id)"), method: .PATCH
            )
            .sending(
                MeetingPatch(
                    title: changes[\.title], start: changes[\.start].map { $0.map { [$0.milliseconds] } ?? [] })
            )
            .map(Meeting.init)
        }
        .deleting { meeting in
            BackendResource<Void, Void, KongAuth>(path: .api(.core, "/meetings/\(meeting.id)"), method: .DELETE)
        }
    }
}

private final class MeetingServer: Sendable {
    let meeting = Locked<SentMeeting?>(.first)
}

private func withMeeting(_ body: (MeetingServer, BackendSession) async throws -> Void) async throws {
    let server = MeetingServer()
    let backend = LocalBackend()
    let answer: @Sendable () -> LocalBackend.Response = {
        server.meeting.withLock { $0 }.map { .json($0) } ?? .status(404)
    }
    backend.get("/meetings") { _ in .json(server.meeting.withLock { $0.map { [$0] } ?? [] }) }
    backend.get("/meetings/:id") { _ in answer() }
    backend.patch("/meetings/:id") { request in
        let patch: MeetingPatch = try request.decode()
        server.meeting.withLock { meeting in
            if let title = patch.title { meeting?.title = title }
            if let start = patch.start { meeting?.start = start.first }
            meeting?.changed += 1_000
        }
        return answer()
    }
    backend.delete("/meetings/:id") { _ in
        server.meeting.withLock { $0 = nil }
        return .status(204)
    }
    try await withSession(backend) { session in try await body(server, session) }
}
