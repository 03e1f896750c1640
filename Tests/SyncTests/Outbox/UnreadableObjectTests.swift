import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Networking
import Persistence
import Testing

@testable import Sync
@testable import TableBackend

/// Objects of a server with values that this version of the program does not know.
struct UnreadableObjectTests {
    private let new = (1...7).map { number in
        Day(id: number, name: "\(number)", mood: number.isMultiple(of: 3) ? "elated" : "calm", version: number)
    }

    private func synced(_ server: TableServer<Day>) throws -> SyncedStore<OldDay> {
        let outbox = try Outbox(in: SQLiteDatabase(.memory))
        let remote = PostgRESTStore(OldDay.schema, accessible: server.session) { $0.rowsPerRequest = 3 }
        return try SyncedStore(OldDay.schema, remote: remote, outbox: outbox)
    }

    private func ids(_ store: SyncedStore<OldDay>) async throws -> [Int] {
        try await store.local.all().sorted(by: \.id).result().map(\.id)
    }

    private func elated(_ id: Int) -> UnreadableObject {
        UnreadableObject(table: "days", objectID: "\(id)", column: "mood", found: "\"elated\"")
    }

    // MARK: - Pulls

    @Test("A pull brings the other objects, and reports those that cannot be read", arguments: [1_000, 3, 2, 1])
    func pulled(maximumRows: Int) async throws {
        try await withServer(of: Day.schema, new, maximumRows: maximumRows) { server in
            let store = try synced(server)
            try await store.pull()
            #expect(try await ids(store) == [1, 2, 4, 5, 7])
            #expect(store.unreadable.value == [elated(3), elated(6)])
            try await server.table.delete(new[0])
            try await server.table.update(new[2].calmed)
            try await store.pull()
            #expect(try await ids(store) == [2, 3, 4, 5, 7])
            #expect(store.unreadable.value == [elated(6)])
        }
    }

    @Test("An object that can no longer be read keeps its local copy, and others go that are gone from the server")
    func known() async throws {
        try await withServer(of: Day.schema, Array(new.prefix(2))) { server in
            let store = try synced(server)
            try await store.pull()
            try await server.table.update(Day(id: 1, name: "new", mood: "elated", version: 1))
            try await server.table.delete(new[1])
            try await server.table.insert(new[3])
            try await store.pull()
            #expect(try await store.local.all().sorted(by: \.id).result().map(\.name) == ["1", "4"])
            #expect(store.unreadable.value == [elated(1)])
        }
    }

    @Test("Any number of objects that cannot be read holds up no others", arguments: [1_000, 10])
    func many(maximumRows: Int) async throws {
        let many = (100...400).map { Day(id: $0, name: "", mood: "elated", version: 0) }
        try await withServer(of: Day.schema, new + many, maximumRows: maximumRows) { server in
            try await server.table.insert(Day(id: 500, name: "last", mood: "calm", version: 500))
            let store = try synced(server)
            try await store.pull()
            #expect(try await ids(store) == [1, 2, 4, 5, 7, 500])
            #expect(store.unreadable.value.count == 303)
        }
    }

    @Test("If no object can be read, the pull fails, as with a schema that does not fit the table")
    func nothing() async throws {
        try await withServer(of: Day.schema, [new[2]]) { server in
            let store = try synced(server)
            await #expect(throws: elated(3).error) { try await store.pull() }
            await #expect(throws: elated(3).error) { try await store.fetch() }
            #expect(store.unreadable.value == [elated(3)])
        }
    }

    // MARK: - Reads

    @Test("A page has as many objects as one without objects that cannot be read")
    func page() async throws {
        try await withServer(of: Day.schema, new) { server in
            let store = try synced(server)
            let first = try await store.fetch(sortedBy: [SortCriterion(\.name)], limit: 3)
            #expect(first.value.map(\.id) == [1, 2, 4])
            #expect(first.source == .remote)
            #expect(store.unreadable.value.contains(elated(3)))
            let second = try await store.fetch(sortedBy: [SortCriterion(\.name)], after: first.value.last, limit: 3)
            #expect(second.value.map(\.id) == [5, 7])
            #expect(store.unreadable.value == [elated(3), elated(6)])
        }
    }

    @Test("Objects are paged by a column with values that cannot be read", arguments: [1_000, 1])
    func sortedByMood(maximumRows: Int) async throws {
        let days = new + [Day(id: 8, name: "8", mood: "sleepy", version: 8)]
        try await withServer(of: Day.schema, days, maximumRows: maximumRows) { server in
            let store = try synced(server)
            let answer = try await store.fetch(sortedBy: [SortCriterion(\.mood, .descending)])
            #expect(answer == Sourced(try await store.local.all().sorted(by: \.mood, inOrder: .descending).result()))
            #expect(answer.value.map(\.id) == [8, 1, 2, 4, 5, 7])
            #expect(store.unreadable.value == [elated(3), elated(6)])
        }
    }

    @Test("A read whose objects all cannot be read is answered without them, and a last page is the end of the list")
    func onlyUnreadable() async throws {
        try await withServer(of: Day.schema, Array(new.prefix(3))) { server in
            let store = try synced(server)
            let last = try await store.fetch(sortedBy: [SortCriterion(\.name)], limit: 2).value.last
            #expect(last?.id == 2)
            let end = try await store.fetch(sortedBy: [SortCriterion(\.name)], after: last, limit: 2)
            #expect(end == Sourced([]))
            #expect(try await store.fetch(where: \.id == 3) == Sourced([]))
            #expect(store.unreadable.value == [elated(3)])
        }
    }

    @Test("A question about one object is answered by its local copy, or fails with the column")
    func one() async throws {
        try await withServer(of: Day.schema, new) { server in
            let store = try synced(server)
            try await store.pull()
            await #expect(throws: elated(3).error) { try await store.object(withId: 3) }
            try await server.table.update(Day(id: 1, name: "new", mood: "elated", version: 1))
            let copy = try await store.object(withId: 1)
            #expect(copy.value?.name == "1")
            #expect(copy.source != .remote)
            #expect(store.unreadable.value == [elated(1), elated(3), elated(6)])
            try await server.table.update(new[0])
            #expect(try await store.object(withId: 1).source == .remote)
            #expect(store.unreadable.value == [elated(3), elated(6)])
        }
    }

    // MARK: - Writes

    @Test("A write to an object that was left out fails at once, and is not sent")
    func written() async throws {
        try await withServer(of: Day.schema, Array(new.prefix(2))) { server in
            let store = try synced(server)
            try await store.pull()
            let theirs = Day(id: 1, name: "theirs", mood: "elated", version: 1)
            try await server.table.update(theirs)
            try await store.pull()
            let mine = OldDay(id: 1, name: "mine", mood: .calm, version: 1)
            await #expect(throws: elated(1).error) { try await store.update(mine) }
            await #expect(throws: elated(1).error) { try await store.delete(mine) }
            await #expect(throws: elated(1).error) { try await store.save([mine]) }
            #expect(store.outbox.status.value.isInStep)
            #expect(try await server.table.object(withId: 1) == theirs)
        }
    }

    @Test("If the answer to a write cannot be read, the write is parked, and stays on the screen")
    func answered() async throws {
        try await withServer(of: Day.schema, [new[0]]) { server in
            let store = try synced(server)
            try await store.pull()
            try await server.table.update(Day(id: 1, name: "1", mood: "elated", version: 1))
            let mine = OldDay(id: 1, name: "mine", mood: .calm, version: 1)
            try await store.update(mine)
            await eventually { store.outbox.parked.value.count == 1 }
            try await store.pull()
            #expect(try await store.local.object(withId: 1) == mine)
            #expect(store.outbox.parked.value.count == 1)
        }
    }

    // MARK: - Changes

    @Test("Pulls of changes go on after objects that cannot be read, and ask for these again until they can be read")
    func history() async throws {
        try await withDays(new) { backend, table, session in
            let database = try SQLiteDatabase(.memory)
            let store = try OldDay.store(session, database)
            try await store.pull()
            #expect(try await ids(store) == [1, 2, 4, 5, 7])
            #expect(store.unreadable.value == [elated(3), elated(6)])
            try await store.close()

            let again = try OldDay.store(session, database)
            #expect(again.unreadable.value == [elated(3), elated(6)])
            backend.forgetRequests()
            try await again.pull()
            let asked = backend.requests.filter { $0.path == "/days" }.flatMap(\.query.items).map(\.name)
            #expect(asked.contains("id") && !asked.contains("version"))
            // As another version of the program reads it: it has not changed on the server.
            try await table.update(new[2].calmed)
            try await table.delete(new[5])
            try await again.pull()
            #expect(try await ids(again) == [1, 2, 3, 4, 5, 7])
            #expect(again.unreadable.value.isEmpty)
            backend.forgetRequests()
            try await again.pull()
            #expect(!backend.requests.contains { $0.path == "/days" })
        }
    }

    @Test("A pull asks again for a limited number of objects, and the next ones for the others")
    func limited() async throws {
        let count = 2 * SyncedStore<OldDay>.retriedAtOnce + 1
        let many = (100..<100 + count).map { Day(id: $0, name: "", mood: "elated", version: $0) }
        try await withDays(new + many) { _, table, session in
            let store = try OldDay.store(session, SQLiteDatabase(.memory))
            try await store.pull()
            try await table.update((new + many).map(\.calmed))
            for _ in 1...3 { try await store.pull() }
            #expect(store.unreadable.value.isEmpty)
            #expect(try await store.local.all().count() == new.count + many.count)
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
            #expect(try await ids(again) == [1, 2, 3, 4, 5, 7])
            #expect(again.unreadable.value == [elated(6)])
        }
    }

    @Test("An object whose id is not of the id's type is left out, and so is its deletion")
    func unknownIDs() async throws {
        let tags = ["a", "b", "new"].enumerated().map { Tag(id: $1, version: $0 + 1) }
        try await withHistory(Tag.schema, tags, numberedBy: \.version) { _, table, session in
            let remote = PostgRESTStore(OldTag.schema, accessible: session)
            let store = try SyncedStore(
                OldTag.schema, remote: remote, outbox: Outbox(in: SQLiteDatabase(.memory)),
                history: remote.history(numberedBy: \.version))
            try await store.pull()
            #expect(try await store.local.all().sorted(by: \.id).result().map(\.id) == [.a, .b])
            #expect(store.unreadable.value.map(\.objectID) == ["new"])
            let newer = PostgRESTStore(Tag.schema, accessible: session)
            for tag in [tags[0], tags[2]] { try await newer.delete(tag) }
            try await store.pull()
            #expect(try await store.local.all().result().map(\.id) == [.b])
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

    // MARK: - Rows

    @Test("A page knows the places of its rows, also of those that are left out")
    func places() throws {
        let body = """
            [{"id":1,"name":"a","mood":"elated","version":1},{"id":2,"name":"b","mood":"calm","version":2},
            {"id":3,"mood":"calm","version":3},{"id":4,"name":null,"mood":"elated","version":"four"}]
            """
        let page = try OldDay.schema.readableRows(fromJSON: Data(body.utf8)).get()
        #expect(page.objects.map(\.id) == [2])
        #expect(page.unreadable.map(\.object.column) == ["mood", "name", "name"])
        #expect(page.unreadable.map(\.object.found) == ["\"elated\"", "nothing", "null"])
        #expect((1...5).map { page.index(of: .integer($0)) } == [0, 1, 2, 3, nil])
        #expect(page.firstID == .integer(1))
        #expect(page.dropFirst(1).firstID == .integer(2))
        #expect(page.dropFirst(2).index(of: .integer(4)) == 1)
        #expect(page.removing(.integer(2)).index(of: .integer(3)) == 1)
        let (version, id) = (Attribute<OldDay>(\.version), OldDay.schema.id.attribute)
        #expect(page.last([id], in: OldDay.schema) == [.integer(4)])
        #expect(page.last([version, id], in: OldDay.schema) == [.integer(3), .integer(3)])
        #expect(page.last([Attribute(\.name), id], in: OldDay.schema) == [.text("b"), .integer(2)])
    }

    @Test("A row whose id is not of the kind of ids fails the answer")
    func noID() {
        let body = Data(#"[{"id":"one","name":"a","mood":"calm","version":1}]"#.utf8)
        #expect(throws: CoreError.self) { try OldDay.schema.readableRows(fromJSON: body).get() }
    }
}

/// A row as the server has it, and as a client reads it that knows fewer moods.
private struct Day: Identifiable, Equatable, Sendable {
    var id: Int
    var name: String
    var mood: String
    var version: Int

    var calmed: Day { Day(id: id, name: name, mood: "calm", version: version) }

    static let schema = Schema<Day>(
        "days", Day.init, Column("id", \.id), Column("name", \.name), Column("mood", \.mood),
        Column("version", \.version))
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

private struct OldDay: Identifiable, Equatable, Sendable {
    enum Mood: String, Primitive { case calm, sleepy }

    var id: Int
    var name: String
    var mood: Mood
    var version: Int

    static let schema = Schema<OldDay>(
        "days", OldDay.init, Column("id", \.id), Column("name", \.name), Column("mood", \.mood),
        Column("version", \.version))

    /// A store that follows the server's history, two changes at a time.
    static func store(_ session: BackendSession, _ database: SQLiteDatabase) throws -> SyncedStore<OldDay> {
        let remote = PostgRESTStore(schema, accessible: session) { $0.rowsPerRequest = 3 }
        var history = remote.history(numberedBy: \.version)
        history.pageSize = 2
        return try SyncedStore(schema, remote: remote, outbox: Outbox(in: database), history: history)
    }
}
