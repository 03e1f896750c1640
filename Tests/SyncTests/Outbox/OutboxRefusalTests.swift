import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Networking
import Persistence
import Testing

@testable import Sync

/// Refusals that a server does not call so, and objects of which it refuses more than the local store would.
struct OutboxRefusalTests {
    private let film = Film.fixture()

    @Test("A write that the server silently ignores is parked after two requests", arguments: [false, true])
    func ignored(isDeletion: Bool) async throws {
        let backend = LocalBackend()
        let row = Film.schema.truth(film)
        let rows = Data("[".utf8) + row + Data("]".utf8)
        backend.get("/films") { request in
            let isLater = request.query.items.contains { $0.value.contains("gt.") }
            return .data(isLater ? Data("[]".utf8) : rows, contentType: "application/json")
        }
        // As a server with row-level security does.
        backend.patch("/films") { _ in .data(Data("[]".utf8), contentType: "application/json") }
        backend.delete("/films") { _ in .data(Data("[]".utf8), contentType: "application/json") }
        try await withSession(backend) { session in
            let outbox = try Outbox(in: SQLiteDatabase(.memory))
            let store = try SyncedStore(
                Film.schema, remote: PostgRESTStore(Film.schema, accessible: session), outbox: outbox)
            try await store.pull()
            var mine = film
            mine.title = "Mine"
            if isDeletion { try await store.delete(film) } else { try await store.update(mine) }
            await eventually { outbox.parked.value.count == 1 }
            #expect(outbox.parked.value.first?.cause == .refused)
            #expect(outbox.parked.value.first?.reason.contains("leaves films \(film.id) as it is") == true)
            #expect(backend.requests.filter { $0.method != .get }.count == 2)
            try await outbox.giveUp(try #require(outbox.parked.value.first).id)
            #expect(try await store.local.all().result() == [film])
        }
    }

    @Test("An object with a number that is none can be changed and deleted")
    func notANumber() async throws {
        let films = [Film.fixture(score: .nan), .fixture(id: .fixture(2), score: .nan)]
        try await withFilms(films) { server in
            let (store, outbox) = try server.synced()
            try await store.pull()
            var changed = films[0]
            changed.score = 9
            try await store.update(changed)
            try await store.delete(films[1])
            await eventually { outbox.status.value.waiting == 0 }
            #expect(outbox.parked.value.isEmpty)
            #expect(try await server.table.all().result() == [changed])
        }
    }

    @Test("An object with a number of few digits, in a column of many, can be changed")
    func fewDigits() async throws {
        try await withServer(of: Precise.schema, [Precise(id: 1, weight: 0.1)]) { server in
            let outbox = try Outbox(in: SQLiteDatabase(.memory))
            let store = try SyncedStore(
                Rough.schema, remote: PostgRESTStore(Rough.schema, accessible: server.session), outbox: outbox)
            try await store.pull()
            try await store.update(Rough(id: 1, weight: 0.2))
            await eventually { outbox.status.value.waiting == 0 }
            #expect(outbox.parked.value.isEmpty)
            #expect(try await store.local.all().result() == [Rough(id: 1, weight: 0.2)])
        }
    }

    @Test("A number of few digits that another device has changed is a conflict, also in a column of many")
    func changedFewDigits() async throws {
        let weights: [Float] = [0.1, 0, -0.3, 1, 16_777_216, .leastNonzeroMagnitude, .greatestFiniteMagnitude]
        for weight in weights {
            let row = Precise(id: 1, weight: Double("\(weight)") ?? 0)
            try await withServer(of: Precise.schema, [row]) { server in
                let outbox = try Outbox(in: SQLiteDatabase(.memory))
                let conflicts = Locked<[ConflictEvent]>([])
                outbox.conflicts.observeValues { event in conflicts.withLock { $0.append(event) } }
                let store = try SyncedStore(
                    Rough.schema, remote: PostgRESTStore(Rough.schema, accessible: server.session), outbox: outbox)
                try await store.pull()
                try await store.update(Rough(id: 1, weight: 2.5))
                await eventually { outbox.status.value.waiting == 0 }
                #expect(conflicts.withLock { $0.isEmpty } && outbox.parked.value.isEmpty, "\(weight)")
                try await server.table.update(Precise(id: 1, weight: 7))
                try await store.update(Rough(id: 1, weight: 3.5))
                await eventually { outbox.status.value.waiting == 0 }
                #expect(conflicts.withLock { $0.map(\.columns) } == [["weight"]], "\(weight)")
            }
        }
    }

    @Test("A number of few digits is found in a column of as few")
    func sameDigits() async throws {
        for weight in [Float(0.1), 0.3, 0, -2.7, .leastNormalMagnitude] {
            try await withServer(of: Rough.schema, [Rough(id: 1, weight: weight)]) { server in
                let outbox = try Outbox(in: SQLiteDatabase(.memory))
                let store = try SyncedStore(Rough.schema, remote: server.store, outbox: outbox)
                try await store.pull()
                try await store.update(Rough(id: 1, weight: 2.5))
                await eventually { outbox.status.value.waiting == 0 }
                #expect(outbox.parked.value.isEmpty, "\(weight)")
                #expect(try await server.table.all().result() == [Rough(id: 1, weight: 2.5)])
            }
        }
    }

    @Test("A write by an id of few digits changes its object, and no other")
    func fewDigitsID() async throws {
        let doses = [Dose(id: 0.25, name: "a"), Dose(id: 0.5, name: "a"), Dose(id: 0.75, name: "a")]
        try await withServer(of: Dose.schema, doses) { server in
            let outbox = try Outbox(in: SQLiteDatabase(.memory))
            let store = try SyncedStore(Dose.schema, remote: server.store, outbox: outbox)
            try await store.pull()
            try await store.update(Dose(id: 0.5, name: "mine"))
            try await store.delete(doses[2])
            await eventually { outbox.status.value.waiting == 0 }
            #expect(outbox.parked.value.isEmpty)
            let rows = try await server.table.all().sorted(by: \.id).result()
            #expect(rows == [doses[0], Dose(id: 0.5, name: "mine")])
        }
    }

    // MARK: - Unique columns

    @Test("A pull brings an object that has the unique value of a deleted one, and objects that have swapped theirs")
    func unique() async throws {
        try await withServer(of: Page.schema, (1...3).map { Page(id: $0, slug: "\($0)") }) { server in
            let outbox = try Outbox(in: SQLiteDatabase(.memory))
            let store = try SyncedStore(Page.schema, remote: server.store, outbox: outbox)
            try await store.pull()
            try await server.table.delete(Page(id: 1, slug: "1"))
            try await server.table.insert(Page(id: 4, slug: "1"))
            for page in [Page(id: 2, slug: ""), Page(id: 3, slug: "2"), Page(id: 2, slug: "3")] {
                try await server.table.update(page)
            }
            try await store.pull()
            let expected = [Page(id: 2, slug: "3"), Page(id: 3, slug: "2"), Page(id: 4, slug: "1")]
            #expect(try await store.local.sorted(by: \.id).result() == expected)
        }
    }

    @Test("A file in which an earlier version has made a column unique can be pulled into")
    func uniqueIndexOfOldFile() async throws {
        try await withServer(of: Page.schema, [Page(id: 1, slug: "1"), Page(id: 2, slug: "2")]) { server in
            let database = try SQLiteDatabase(.memory)
            let old = try SQLiteStore(Page.schema, in: database)
            try await old.insert([Page(id: 1, slug: "2"), Page(id: 2, slug: "1")])
            let store = try SyncedStore(Page.schema, remote: server.store, outbox: Outbox(in: database))
            try await store.pull()
            #expect(try await store.local.sorted(by: \.id).result().map(\.slug) == ["1", "2"])
        }
    }

    @Test("An index that has made a column unique before its table and column were renamed is removed, too")
    func uniqueIndexOfRenamedTable() async throws {
        try await withServer(of: Page.schema, [Page(id: 1, slug: "1"), Page(id: 2, slug: "2")]) { server in
            let database = try SQLiteDatabase(.memory)
            let schema = Schema<Page>(
                "leaves", Page.init, Column("id", \.id), Column("word", \.slug, isUnique: true))
            try await SQLiteStore(schema, in: database).insert([Page(id: 1, slug: "2"), Page(id: 2, slug: "1")])
            try database.execute("ALTER TABLE leaves RENAME TO pages")
            try database.execute("ALTER TABLE pages RENAME COLUMN word TO slug")
            let store = try SyncedStore(Page.schema, remote: server.store, outbox: Outbox(in: database))
            try await store.pull()
            #expect(try await store.local.sorted(by: \.id).result().map(\.slug) == ["1", "2"])
        }
    }

    @Test("A write with a unique value that the server has given to another object is parked, and pulls go on")
    func uniqueAndParked() async throws {
        try await withServer(of: Page.schema) { server in
            let outbox = try Outbox(in: SQLiteDatabase(.memory))
            let store = try SyncedStore(Page.schema, remote: server.store, outbox: outbox)
            try await server.table.insert(Page(id: 1, slug: "a"))
            try await store.insert(Page(id: 2, slug: "a"))
            await eventually { outbox.parked.value.count == 1 }
            try await store.pull()
            #expect(try await store.local.sorted(by: \.id).result().map(\.id) == [1, 2])
        }
    }

    // MARK: - One outbox

    @Test("An outbox refuses a second synced store of a table, and requests with its name")
    func twoOfOneName() async throws {
        try await withFilms { server in
            let (store, outbox) = try server.synced()
            #expect(throws: StoreError.self) {
                try SyncedStore(Film.schema, remote: server.store, outbox: outbox)
            }
            #expect(throws: StoreError.self) {
                try DurableRequests<Int>("films", in: outbox) { _, _ throws(CoreError) in }
            }
            try await store.insert(film)
            await eventually { outbox.status.value.isInStep }
        }
    }

    @Test("A request that is refused after another process has taken it out of the file holds up nothing")
    func takenRequest() async throws {
        let outbox = try Outbox(in: SQLiteDatabase(.memory))
        let requests = try DurableRequests<Int>("numbers", in: outbox) { number, _ async throws(CoreError) in
            guard number == 1 else { return }
            do { try await outbox.rows.delete(where: .always) } catch { Issue.record(error) }
            throw .status(StatusFailure(code: 422))
        }
        try await requests.send(1, about: "a")
        await eventually { outbox.status.value.isInStep }
        try await requests.send(2, about: "a")
        await eventually { outbox.status.value.isInStep }
        #expect(outbox.status.value.problem == nil)
    }
}

/// A row with a number of many digits, and one that holds fewer of them.
private struct Precise: Identifiable, Equatable, Sendable {
    var id: Int
    var weight: Double

    static let schema = Schema<Precise>("weights", Precise.init, Column("id", \.id), Column("weight", \.weight))
}

private struct Rough: Identifiable, Equatable, Sendable {
    var id: Int
    var weight: Float

    static let schema = Schema<Rough>("weights", Rough.init, Column("id", \.id), Column("weight", \.weight))
}

private struct Dose: Identifiable, Equatable, Sendable {
    var id: Float
    var name: String

    static let schema = Schema<Dose>("doses", Dose.init, Column("id", \.id), Column("name", \.name))
}

private struct Page: Identifiable, Equatable, Sendable {
    var id: Int
    var slug: String

    static let schema = Schema<Page>("pages", Page.init, Column("id", \.id), Column("slug", \.slug, isUnique: true))
}
