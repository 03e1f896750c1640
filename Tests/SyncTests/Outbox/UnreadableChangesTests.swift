import Feedback
import FeedbackTesting
import LocalBackend
import Networking
import Persistence
import Testing

@testable import Sync
@testable import TableBackend

/// Pulls of changes from a server that has values which this version of the program does not know.
struct UnreadableChangesTests {
    private let new = Day.week

    @Test("Pulls of changes go on after objects that cannot be read, and ask for these again until they can be read")
    func history() async throws {
        try await withDays(new) { backend, table, session in
            let database = try SQLiteDatabase(.memory)
            let store = try OldDay.store(session, database)
            try await store.pull()
            #expect(try await store.ids() == [1, 2, 4, 5, 7])
            #expect(store.unreadable.value == [.elated(3), .elated(6)])
            try await store.close()

            let again = try OldDay.store(session, database)
            #expect(again.unreadable.value == [.elated(3), .elated(6)])
            backend.forgetRequests()
            try await again.pull()
            let asked = backend.requests.filter { $0.path == "/days" }.flatMap(\.query.items).map(\.name)
            #expect(asked.contains("id") && !asked.contains("version"))
            // As another version of the program reads it: it has not changed on the server.
            try await table.update(new[2].calmed)
            try await table.delete(new[5])
            try await again.pull()
            #expect(try await again.ids() == [1, 2, 3, 4, 5, 7])
            #expect(again.unreadable.value.isEmpty)
            backend.forgetRequests()
            try await again.pull()
            #expect(!backend.requests.contains { $0.path == "/days" })
        }
    }

    @Test("A pull asks again for a limited number of objects, and for all others if some of them can be read")
    func limited() async throws {
        let count = 2 * SyncedStore<OldDay>.retriedAtOnce + 1
        let many = (100..<100 + count).map { Day(id: $0, name: "", mood: "elated", version: $0) }
        try await withDays(new + many) { backend, table, session in
            let store = try OldDay.store(session, SQLiteDatabase(.memory))
            try await store.pull()
            #expect(store.unreadable.value.count == count + 2)
            backend.forgetRequests()
            try await store.pull()
            let asked = Set(backend.requests.flatMap(\.query.items).filter { $0.name == "id" }.map(\.value))
            #expect(asked.filter { $0.hasPrefix("in.") }.count == 1)
            try await table.update((new + many).map(\.calmed))
            try await store.pull()
            #expect(store.unreadable.value.isEmpty)
            #expect(try await store.local.all().count() == new.count + many.count)
        }
    }

    @Test("If a comparison of all objects finds none that can be read, it fails, and so does the next pull")
    func misfit() async throws {
        let days = Array(new.prefix(2))
        try await withDays(days) { _, table, session in
            let database = try SQLiteDatabase(.memory)
            let store = try OldDay.store(session, database)
            try await store.pull()
            try database.execute("DELETE FROM pulls")
            try await table.update(days.map(\.elated))
            for _ in 1...2 {
                await #expect(throws: UnreadableObject.elated(1).error) { try await store.pull() }
                #expect(try await store.ids() == [1, 2])
            }
            try await table.update(days)
            try await store.pull()
            #expect(store.unreadable.value.isEmpty)
        }
    }

    @Test("If the file does not say any more which objects were left out, a pull compares all objects")
    func damaged() async throws {
        try await withDays(new) { _, table, session in
            let database = try SQLiteDatabase(.memory)
            let store = try OldDay.store(session, database)
            try await store.pull()
            try await store.close()
            try database.execute("UPDATE outbox_unreadable SET found = x'00'")
            try await table.update(new[2].calmed)
            let again = try OldDay.store(session, database)
            try await again.pull()
            #expect(try await again.ids() == [1, 2, 3, 4, 5, 7])
            #expect(again.unreadable.value == [.elated(6)])
        }
    }

    @Test("A pull asks only for left-out objects, also if their ids are long, and not for ids that no URL can hold")
    func longIDs() async throws {
        func mark(_ id: String, _ mood: String) -> Mark { Mark(id: id, mood: mood, version: 1) }
        let long = (100...220).map { String(repeating: "x", count: 100) + "\($0)" }
        let unsendable = ["a\nb", String(repeating: "y", count: 3_000)]
        let marks = [mark("b", "calm")] + (long + unsendable).map { mark($0, "elated") }
        try await withHistory(Mark.schema, marks, numberedBy: \.version) { backend, table, session in
            let remote = PostgRESTStore(OldMark.schema, accessible: session)
            let store = try SyncedStore(
                OldMark.schema, remote: remote, outbox: Outbox(in: SQLiteDatabase(.memory)),
                history: remote.history(numberedBy: \.version))
            try await store.pull()
            #expect(store.unreadable.value.count == long.count + 2)
            try await table.update(marks.map { mark($0.id, "calm") })
            backend.forgetRequests()
            try await store.pull()
            let requests = backend.requests.filter { $0.path == "/marks" }
            #expect(!requests.isEmpty && requests.allSatisfy { $0.query.items.contains { $0.name == "id" } })
            #expect(Set(store.unreadable.value.map(\.objectID)) == Set(unsendable))
            #expect(try await store.local.all().count() == long.count + 1)
        }
    }

    @Test("An object with a waiting write is shown again after an older version of the program has used the file")
    func usedByOlder() async throws {
        try await withDays(new) { backend, _, session in
            let database = try SQLiteDatabase(.memory)
            func open() throws -> SyncedStore<Day> {
                let remote = PostgRESTStore(Day.schema, accessible: session)
                return try SyncedStore(
                    Day.schema, remote: remote, outbox: Outbox(in: database),
                    history: remote.history(numberedBy: \.version))
            }
            backend.misbehave(.drop, on: .patch)
            let store = try open()
            try await store.pull()
            var mine = new[2]
            mine.name = "mine"
            try await store.update(mine)
            try await store.close()
            let old = try OldDay.store(session, database)
            try await old.pull()
            #expect(try await old.ids() == [1, 2, 4, 5, 7])
            try await old.close()
            let again = try open()
            try await again.pull()
            #expect(try await again.local.object(withId: 3) == mine)
            #expect(again.unreadable.value.isEmpty)
        }
    }

    @Test("An object whose id is not of the id's type is left out, and so is its deletion")
    func unknownIDs() async throws {
        try await withTags { tags, session, store in
            try await store.pull()
            #expect(try await store.local.all().sorted(by: \.id).result().map(\.id) == [.a, .b])
            #expect(store.unreadable.value.map(\.objectID) == ["new"])
            let newer = PostgRESTStore(Tag.schema, accessible: session)
            for tag in [tags[0], tags[2]] { try await newer.delete(tag) }
            try await store.pull()
            #expect(try await store.local.all().result().map(\.id) == [.b])
        }
    }

    @Test("A read removes copies whose ids cannot be read, and the next pull brings back those outside of its answer")
    func lostIDs() async throws {
        try await withTags { _, _, store in
            try await store.pull()
            try store.outbox.database.execute("UPDATE tags SET id = '?' || id")
            let first = try await store.fetch(sortedBy: [SortCriterion(\.version)], limit: 1)
            #expect(first.value.map(\.id) == [.a])
            #expect(try await store.local.all().result().map(\.id) == [.a])
            try await store.pull()
            #expect(try await store.local.all().sorted(by: \.id).result().map(\.id) == [.a, .b])
        }
    }

    /// Runs a server of three tags while `body` does its work with a store that does not know the last one.
    private func withTags(
        _ body: ([Tag], BackendSession, SyncedStore<OldTag>) async throws -> Void
    ) async throws {
        let tags = ["a", "b", "new"].enumerated().map { Tag(id: $1, version: $0 + 1) }
        try await withHistory(Tag.schema, tags, numberedBy: \.version) { _, _, session in
            let remote = PostgRESTStore(OldTag.schema, accessible: session)
            let store = try SyncedStore(
                OldTag.schema, remote: remote, outbox: Outbox(in: SQLiteDatabase(.memory)),
                history: remote.history(numberedBy: \.version))
            try await body(tags, session, store)
        }
    }

    /// Runs a server that numbers the changes of days while `body` does its work.
    private func withDays(
        _ days: [Day], _ body: (LocalBackend, SQLiteStore<Day>, BackendSession) async throws -> Void
    ) async throws {
        try await withHistory(Day.schema, days, numberedBy: \.version, body)
    }

    private func withHistory<Object>(
        _ schema: Schema<Object>, _ objects: [Object], numberedBy number: WritableKeyPath<Object, Int> & Sendable,
        _ body: (LocalBackend, SQLiteStore<Object>, BackendSession) async throws -> Void
    ) async throws {
        let database = try SQLiteDatabase(.memory)
        let table = try SQLiteStore(schema, in: database)
        let extents = try SQLiteStore(HistoryExtent.schema(of: schema), in: database)
        let deletions = try SQLiteStore(Deletion.schema(of: schema), in: database)
        try await table.insert(objects)
        let last = objects.map { $0[keyPath: number] }.max() ?? 0
        try await extents.insert(HistoryExtent(id: schema.name, last: last, forgotten: 0))
        let backend = LocalBackend()
        let served = Table(table, schema)
            .numberingChanges(by: number, deletions: deletions, extents: extents, keeping: 100)
        backend.serve(served, at: "/\(schema.name)")
        try await withSession(backend) { session in try await body(backend, table, session) }
    }
}

/// A row whose ids an older version of the program does not all know.
private struct Tag: Identifiable, Equatable, Sendable {
    var id: String
    var version: Int

    static let schema = Schema<Tag>("tags", Tag.init, Column("id", \.id), Column("version", \.version))
}

private struct OldTag: Identifiable, Equatable, Sendable {
    enum ID: String, Primitive { case a, b }

    var id: ID
    var version: Int

    static let schema = Schema<OldTag>("tags", OldTag.init, Column("id", \.id), Column("version", \.version))
}

/// A row with an id of text, and as an older version of the program reads it.
private struct Mark: Identifiable, Equatable, Sendable {
    var id: String
    var mood: String
    var version: Int

    static let schema = Schema<Mark>(
        "marks", Mark.init, Column("id", \.id), Column("mood", \.mood), Column("version", \.version))
}

private struct OldMark: Identifiable, Equatable, Sendable {
    var id: String
    var mood: OldDay.Mood
    var version: Int

    static let schema = Schema<OldMark>(
        "marks", OldMark.init, Column("id", \.id), Column("mood", \.mood), Column("version", \.version))
}

extension OldDay {
    /// A store that follows the server's history, two changes at a time.
    fileprivate static func store(_ session: BackendSession, _ database: SQLiteDatabase) throws -> SyncedStore<OldDay> {
        let remote = PostgRESTStore(schema, accessible: session) { $0.rowsPerRequest = 3 }
        var history = remote.history(numberedBy: \.version)
        history.pageSize = 2
        return try SyncedStore(schema, remote: remote, outbox: Outbox(in: database), history: history)
    }
}
