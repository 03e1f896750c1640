import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Networking
import Persistence
import Testing

@testable import Sync

/// Objects of a server with values that this version of the program does not know.
struct UnreadableObjectTests {
    private let new = Day.week

    private func synced(_ server: TableServer<Day>) throws -> SyncedStore<OldDay> {
        let outbox = try Outbox(in: SQLiteDatabase(.memory))
        let remote = PostgRESTStore(OldDay.schema, accessible: server.session) { $0.rowsPerRequest = 3 }
        return try SyncedStore(OldDay.schema, remote: remote, outbox: outbox)
    }

    // MARK: - Pulls

    @Test("A pull brings the other objects, and reports those that cannot be read", arguments: [1_000, 3, 2, 1])
    func pulled(maximumRows: Int) async throws {
        try await withServer(of: Day.schema, new, maximumRows: maximumRows) { server in
            let store = try synced(server)
            try await store.pull()
            #expect(try await store.ids() == [1, 2, 4, 5, 7])
            #expect(store.unreadable.value == [.elated(3), .elated(6)])
            try await server.table.delete(new[0])
            try await server.table.update(new[2].calmed)
            try await store.pull()
            #expect(try await store.ids() == [2, 3, 4, 5, 7])
            #expect(store.unreadable.value == [.elated(6)])
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
            #expect(store.unreadable.value == [.elated(1)])
        }
    }

    @Test("Any number of objects that cannot be read holds up no others", arguments: [1_000, 10])
    func many(maximumRows: Int) async throws {
        let many = (100...400).map { Day(id: $0, name: "", mood: "elated", version: 0) }
        try await withServer(of: Day.schema, new + many, maximumRows: maximumRows) { server in
            try await server.table.insert(Day(id: 500, name: "last", mood: "calm", version: 500))
            let store = try synced(server)
            try await store.pull()
            #expect(try await store.ids() == [1, 2, 4, 5, 7, 500])
            #expect(store.unreadable.value.count == 303)
        }
    }

    @Test("If no object can be read, the pull fails, as with a schema that does not fit the table")
    func nothing() async throws {
        try await withServer(of: Day.schema, [new[2]]) { server in
            let store = try synced(server)
            await #expect(throws: UnreadableObject.elated(3).error) { try await store.pull() }
            await #expect(throws: UnreadableObject.elated(3).error) { try await store.fetch() }
            #expect(store.unreadable.value == [.elated(3)])
        }
    }

    @Test("If no object can be read any more, pulls and reads say so, and the local objects stay")
    func misfit() async throws {
        let days = Array(new.prefix(2))
        try await withServer(of: Day.schema, days) { server in
            let store = try synced(server)
            let known = try await store.fetch().value
            try await server.table.update(days.map(\.elated))
            await #expect(throws: UnreadableObject.elated(1).error) { try await store.pull() }
            let answer = try await store.fetch()
            #expect(answer.value == known)
            #expect(answer.source != .remote)
            try await server.table.update(days)
            #expect(try await store.fetch() == Sourced(known))
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
            #expect(store.unreadable.value.contains(.elated(3)))
            let second = try await store.fetch(sortedBy: [SortCriterion(\.name)], after: first.value.last, limit: 3)
            #expect(second.value.map(\.id) == [5, 7])
            #expect(store.unreadable.value == [.elated(3), .elated(6)])
        }
    }

    @Test("A page asks for more rows than are missing only as long as there are more that cannot be read")
    func growing() async throws {
        let days = (1...110).map { Day(id: $0, name: "", mood: $0 > 100 ? "calm" : "elated", version: $0) }
        try await withServer(of: Day.schema, days) { server in
            let remote = PostgRESTStore(OldDay.schema, accessible: server.session)
            let answer = try await remote.readable(remote.all().page(limit: 2))
            #expect(answer.objects.map(\.id) == [101, 102])
            let limits = server.backend.requests.flatMap(\.query.items).filter { $0.name == "limit" }.map(\.value)
            #expect(limits == ["2", "4", "8", "16", "32", "64"])
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
            #expect(store.unreadable.value == [.elated(3), .elated(6)])
        }
    }

    @Test("If no object of a read can be read, the read fails; a last page of such objects is the end of the list")
    func onlyUnreadable() async throws {
        try await withServer(of: Day.schema, Array(new.prefix(3))) { server in
            let store = try synced(server)
            let last = try await store.fetch(sortedBy: [SortCriterion(\.name)], limit: 2).value.last
            #expect(last?.id == 2)
            let end = try await store.fetch(sortedBy: [SortCriterion(\.name)], after: last, limit: 2)
            #expect(end == Sourced([]))
            await #expect(throws: UnreadableObject.elated(3).error) { try await store.fetch(where: \.id == 3) }
            #expect(store.unreadable.value == [.elated(3)])
        }
    }

    @Test("A question about one object is answered by its local copy, or fails with the column")
    func one() async throws {
        try await withServer(of: Day.schema, new) { server in
            let store = try synced(server)
            try await store.pull()
            await #expect(throws: UnreadableObject.elated(3).error) { try await store.object(withId: 3) }
            try await server.table.update(Day(id: 1, name: "new", mood: "elated", version: 1))
            let copy = try await store.object(withId: 1)
            #expect(copy.value?.name == "1")
            #expect(copy.source != .remote)
            #expect(store.unreadable.value == [.elated(1), .elated(3), .elated(6)])
            try await server.table.update(new[0])
            #expect(try await store.object(withId: 1).source == .remote)
            #expect(store.unreadable.value == [.elated(3), .elated(6)])
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
            await #expect(throws: UnreadableObject.elated(1).error) { try await store.update(mine) }
            await #expect(throws: UnreadableObject.elated(1).error) { try await store.delete(mine) }
            await #expect(throws: UnreadableObject.elated(1).error) { try await store.save([mine]) }
            #expect(store.outbox.status.value.isInStep)
            #expect(try await server.table.object(withId: 1) == theirs)
        }
    }

    @Test("A write is done if the server answers with an object that cannot be read, and stays on the screen")
    func answered() async throws {
        try await withServer(of: Day.schema, Array(new.prefix(2))) { server in
            let store = try synced(server)
            try await store.pull()
            try await server.table.update(new[0].elated)
            let mine = OldDay(id: 1, name: "mine", mood: .calm, version: 1)
            try await store.update(mine)
            await eventually("it is done, or parked") { store.outbox.status.value.waiting == 0 }
            #expect(store.outbox.parked.value == [])
            #expect(store.unreadable.value == [.elated(1)])
            try await store.pull()
            #expect(try await store.local.object(withId: 1) == mine)
            #expect(try await server.table.object(withId: 1)?.name == "mine")
        }
    }

    @Test("Writes that wait behind one whose object cannot be read are done, too; a deletion leaves nothing")
    func answeredInTurn() async throws {
        try await withServer(of: Day.schema, Array(new.prefix(2))) { server in
            let store = try synced(server)
            try await store.pull()
            server.backend.misbehave(.drop)
            for (day, name) in [(1, "mine"), (1, "last"), (2, "gone")] {
                try await store.update(OldDay(id: day, name: name, mood: .calm, version: day))
            }
            try await store.delete(OldDay(id: 2, name: "gone", mood: .calm, version: 2))
            try await server.table.update([new[0].elated, new[1].elated])
            server.backend.behave()
            store.outbox.networkIsBack()
            await eventually("all are done, or parked") { store.outbox.status.value.waiting == 0 }
            #expect(try await store.local.object(withId: 1)?.name == "last")
            #expect(try await server.table.object(withId: 1)?.name == "last")
            // Somebody else has changed the second object to one that this program cannot show before it deletes it.
            #expect(store.outbox.parked.value.map(\.entity) == ["days/2"])
        }
    }

    @Test(
        "If the server's object cannot be read, and does not have the write's values, the write is not taken for done")
    func notTaken() async throws {
        try await withServer(of: Day.schema, Array(new.prefix(2))) { server in
            let store = try synced(server)
            try await store.pull()
            try await server.table.update(Day(id: 1, name: "theirs", mood: "elated", version: 1))
            try await store.update(OldDay(id: 1, name: "mine", mood: .calm, version: 1))
            await eventually("it is parked") { store.outbox.parked.value.map(\.cause) == [.refused] }
            #expect(try await server.table.object(withId: 1)?.name == "theirs")
        }
    }

    @Test(
        "A write whose answer is not a list of rows is done if the server's object says so",
        arguments: ["{}", "", "[{}]"])
    func answeredWithoutRows(body: String) async throws {
        let backend = LocalBackend()
        let stored = Locked(new[0])
        backend.get("/days") { _ in
            .data(try Day.schema.json(of: [stored.withLock(\.self)]).get(), contentType: "application/json")
        }
        backend.patch("/days") { _ in
            stored.withLock { $0.name = "mine" }
            return .data(Data(body.utf8), contentType: "application/json")
        }
        try await withSession(backend) { session in
            let outbox = try Outbox(in: SQLiteDatabase(.memory))
            let store = try SyncedStore(
                OldDay.schema, remote: PostgRESTStore(OldDay.schema, accessible: session), outbox: outbox)
            _ = try await store.object(withId: 1)
            try await store.update(OldDay(id: 1, name: "mine", mood: .calm, version: 1))
            await eventually("it is done, or parked") { outbox.status.value.waiting == 0 }
            #expect(outbox.parked.value == [])
        }
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
