import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Networking
import Persistence
import Testing

@testable import Sync

/// Local copies in a damaged file, or of a version of the program that knows other values.
struct LocalDamageTests {
    private let film = Film.fixture()
    private let other = Film.fixture(id: .fixture(2), title: "Alien")
    private static let damages = [
        "rating = 'X-17'", "budget = 'much'", "id = 'not a UUID'", "id = x'00'", "id = lower(id)",
    ]

    private func spoil(_ database: SQLiteDatabase, _ table: String, _ damage: String, _ row: String) throws {
        #expect(try database.execute(SQL(stringLiteral: "UPDATE \(table) SET \(damage) WHERE \(row)")) == 1)
    }

    // MARK: - Objects

    @Test("A pull replaces an object that cannot be read by the server's", arguments: damages)
    func pulled(damage: String) async throws {
        try await withFilms([film, other]) { server in
            let (store, outbox) = try server.synced()
            try await store.pull()
            try spoil(outbox.database, "films", damage, "title = 'Alien'")
            try await store.pull()
            #expect(Set(try await store.local.all().result().map(\.title)) == ["Amélie", "Alien"])
            #expect(try await store.local.object(withId: other.id) == other)
        }
    }

    @Test("An object that cannot be read and is gone from the server goes with a pull", arguments: damages)
    func pulledGone(damage: String) async throws {
        try await withFilms([film, other]) { server in
            let (store, outbox) = try server.synced()
            try await store.pull()
            try spoil(outbox.database, "films", damage, "title = 'Alien'")
            try await server.table.delete(other)
            try await store.pull()
            #expect(try await store.local.all().result() == [film])
        }
    }

    @Test("A read replaces an object that cannot be read by the server's", arguments: damages)
    func fetched(damage: String) async throws {
        try await withFilms([film, other]) { server in
            let (store, outbox) = try server.synced()
            try await store.pull()
            try spoil(outbox.database, "films", damage, "title = 'Alien'")
            let answer = try await store.fetch(sortedBy: [SortCriterion(\.title)])
            #expect(answer == Sourced([other, film]))
            #expect(try await store.local.all().count() == 2)
        }
    }

    @Test("Without the server, objects that cannot be read are kept for a version of the program that can")
    func offline() async throws {
        try await withFilms([film, other]) { server in
            let (store, outbox) = try server.synced()
            try await store.pull()
            try spoil(outbox.database, "films", "rating = 'X-17'", "title = 'Alien'")
            server.backend.misbehave(.drop)
            await #expect(throws: StoreError.self) { try await store.pull() }
            await #expect(throws: StoreError.self) { try await store.fetch() }
            #expect(try await store.local.all().count() == 2)
        }
    }

    @Test("An object that cannot be read comes back with the write that waits for it on top")
    func belowWrite() async throws {
        try await withFilms([film, other]) { server in
            let (store, outbox) = try server.synced()
            try await store.pull()
            server.backend.misbehave(.fail(rate: 1, status: 422), on: .patch)
            var mine = film
            mine.title = "Mine"
            try await store.update(mine)
            await eventually { outbox.parked.value.count == 1 }
            try spoil(outbox.database, "films", "rating = 'X-17'", "title = 'Mine'")
            var theirs = film
            theirs.year = 1900
            try await server.table.update(theirs)
            try await store.pull()
            mine.year = 1900
            #expect(try await store.local.object(withId: film.id) == mine)
            server.backend.behave()
            try await outbox.retry(1)
            await eventually { outbox.status.value.isInStep }
            #expect(try await server.table.object(withId: film.id) == mine)
        }
    }

    @Test("A read replaces only objects of its answer; the next pull replaces the others")
    func window() async throws {
        try await withNotes(1...5) { server in
            let store = try server.synced()
            try await store.pull()
            try spoil(store.outbox.database, "notes", "title = 'many'", "id = 3")
            try spoil(store.outbox.database, "notes", "title = 'many'", "id = 4")
            #expect(try await store.fetch(where: \.id == 3) == Sourced([note(3)]))
            let damaged = try store.outbox.database.rows("SELECT id FROM notes WHERE title = 'many'")
            #expect(damaged == [[.integer(4)]])
            try await store.pull()
            try await server.expectSame(store)
        }
    }

    @Test("If neither an object nor the write that waits for it can be read, the server's object is shown")
    func belowUnreadableWrite() async throws {
        try await withFilms([film, other]) { server in
            let (store, outbox) = try server.synced()
            try await store.pull()
            server.backend.misbehave(.fail(rate: 1, status: 422), on: .patch)
            var mine = film
            mine.title = "Mine"
            try await store.update(mine)
            await eventually { outbox.parked.value.count == 1 }
            try spoil(outbox.database, "films", "rating = 'X-17'", "title = 'Mine'")
            try spoil(outbox.database, "outbox", "body = x'00'", "number = 1")
            try await store.pull()
            #expect(try await store.local.object(withId: film.id) == film)
            try await outbox.giveUp(1)
            #expect(try await store.local.object(withId: film.id) == film)
        }
    }

    @Test("An object that is deleted on the server goes, also if its copy cannot be read")
    func deletedWhileRunning() async throws {
        try await withNotes(1...5) { server in
            let store = try server.synced()
            try await store.pull()
            // Now it is known that all objects can be read.
            try await server.change(note(1, title: 10))
            try await store.pull()
            try spoil(store.outbox.database, "notes", "title = 'many'", "id = 3")
            try await server.remote.delete(note(3))
            try await store.pull()
            try await server.expectSame(store)
        }
    }

    @Test(
        "The first pull of changes brings back an object that cannot be read, also if it has not changed, or the next one",
        arguments: [true, false])
    func numbered(failsFirst: Bool) async throws {
        try await withNotes(1...5) { server in
            let database = try SQLiteDatabase(.memory)
            let store = try server.synced(database)
            try await store.pull()
            try await store.close()
            try spoil(database, "notes", "title = 'many'", "id = 3")
            let again = try server.synced(database)
            if failsFirst {
                server.interrupt { $0.path == "/notes" ? 503 : nil }
                await #expect(throws: StoreError.self) { try await again.pull() }
                #expect(try database.rows("SELECT id FROM notes").count == 5)
                server.interrupt(nil)
            }
            try await again.pull()
            try await server.expectSame(again)
        }
    }

    @Test("The first pull of changes keeps them before it checks the local copies")
    func checkedLast() async throws {
        try await withNotes(1...5) { server in
            let database = try SQLiteDatabase(.memory)
            let store = try server.synced(database)
            try await store.pull()
            try await store.close()
            try spoil(database, "notes", "title = 'many'", "id = 3")
            try await server.change(note(1, title: 10))
            let again = try server.synced(database)
            // The comparison of all objects fails.
            server.interrupt { request in
                request.path == "/notes" && !request.query.items.contains { $0.name == "version" } ? 503 : nil
            }
            await #expect(throws: StoreError.self) { try await again.pull() }
            #expect(try await again.local.object(withId: 1)?.title == 10)
            server.interrupt(nil)
            try await again.pull()
            try await server.expectSame(again)
        }
    }

    @Test("A comparison of all objects, and a first pull into an empty store, have checked the local copies")
    func checked() async throws {
        try await withNotes(1...5) { server in
            let database = try SQLiteDatabase(.memory)
            let store = try server.synced(database)
            // The page of changes does not come.
            server.interrupt { $0.path == "/notes" ? 503 : nil }
            await #expect(throws: StoreError.self) { try await store.pull() }
            #expect(store.isChecked.withLock { $0 })
            server.interrupt(nil)
            try await store.pull()
            try await store.close()
            try database.execute("DELETE FROM pulls")
            let again = try server.synced(database)
            try await again.pull()
            #expect(again.isChecked.withLock { $0 })
        }
    }

    @Test("A mirror replaces objects that cannot be read by those of the remote store's answer", arguments: damages)
    func mirrored(damage: String) async throws {
        let database = try SQLiteDatabase(.memory)
        let local = try SQLiteStore(Film.schema, in: database)
        let films = MirroredStore(Film.schema, remote: try await FailingStore([film, other]), local: local)
        _ = try await films.fetch()
        try spoil(database, "films", damage, "title = 'Alien'")
        #expect(try await films.fetch().mirror == .complete)
        #expect(Set(try await local.all().result().map(\.title)) == ["Amélie", "Alien"])
    }

    @Test("A mirror that cannot keep an answer loses no objects that can be read")
    func mirrorIsFull() async throws {
        let database = try SQLiteDatabase(.memory)
        let local = try SQLiteStore(Film.schema, in: database)
        let films = MirroredStore(Film.schema, remote: try await FailingStore([film, other]), local: local)
        _ = try await films.fetch()
        try spoil(database, "films", "rating = 'X-17'", "title = 'Alien'")
        for step in ["INSERT", "UPDATE"] {
            let full = "CREATE TRIGGER no_\(step) BEFORE \(step) ON films BEGIN SELECT RAISE(ABORT, 'full'); END"
            try database.execute(SQL(stringLiteral: full))
        }
        #expect(try await films.fetch().mirror != .complete)
        #expect(try await local.object(withId: film.id) == film)
        for step in ["INSERT", "UPDATE"] { try database.execute(SQL(stringLiteral: "DROP TRIGGER no_\(step)")) }
        #expect(try await films.fetch().mirror == .complete)
        #expect(Set(try await local.all().result().map(\.title)) == ["Amélie", "Alien"])
    }

    @Test(
        "A mirror that cannot read an object takes over unique values of objects that are gone, or that cannot be read",
        arguments: ["budget = 'much'", "id = 'not a UUID'"])
    func mirroredUnique(damage: String) async throws {
        let schema = Schema<Film>(
            "films", { Film(id: $0, title: $1, rating: .R, budget: $2, year: nil, score: nil, tagline: nil) },
            Column("id", \.id), Column("title", \.title, isUnique: true), Column("budget", \.budget))
        let database = try SQLiteDatabase(.memory)
        let local = try SQLiteStore(schema, in: database)
        let remote = try await FailingStore([film, other])
        let films = MirroredStore(schema, remote: remote, local: local)
        _ = try await films.fetch()
        try spoil(database, "films", damage, "title = 'Alien'")
        // Another film has the title of one that is gone.
        try await remote.memory.delete(film).wait()
        _ = try await remote.memory.insert(.fixture(id: .fixture(3), title: film.title))
        #expect(try await films.fetch().mirror == .complete)
        #expect(Set(try await local.all().result().map(\.id)) == [.fixture(2), .fixture(3)])
        #expect(Set(try await local.all().result().map(\.title)) == ["Amélie", "Alien"])
    }

    // MARK: - What is known about them

    @Test("If the file does not say any more how far a table was pulled, a pull compares all objects")
    func cursor() async throws {
        try await withNotes(1...5) { server in
            let store = try server.synced()
            try await store.pull()
            try spoil(store.outbox.database, "pulls", "changes = 'all'", "id = 'notes'")
            try await store.update(note(2, title: 20))
            await eventually { store.outbox.status.value.waiting == 0 }
            #expect(store.outbox.parked.value.isEmpty)
            try spoil(store.outbox.database, "pulls", "changes = 'all'", "id = 'notes'")
            try await server.change(note(3, title: 30))
            try await store.pull()
            try await server.expectSame(store)
        }
    }

    @Test("A table is opened if the file does not say any more which columns its writes have")
    func form() async throws {
        try await withFilms([film]) { server in
            let (store, outbox) = try server.synced()
            try await store.pull()
            try await store.close()
            try spoil(outbox.database, "outbox_forms", "columns = x'00'", "id = 'films'")
            let again = try SyncedStore(Film.schema, remote: server.store, outbox: outbox)
            try await again.pull()
            #expect(try await again.local.all().result() == [film])
        }
    }

    @Test("A log of answers that cannot be read begins again")
    func answers() async throws {
        let database = try SQLiteDatabase(.memory)
        let date = Date(timeIntervalSinceReferenceDate: 1_000)
        try await AnswerLog(in: database).note("films: all", at: date)
        try spoil(database, "answers", "date = 'long ago'", "id = 'films: all'")
        let log = try AnswerLog(in: database)
        #expect(log.date(of: "films: all", now: .distantFuture) == nil)
        try await log.note("films: all", at: date)
        #expect(try AnswerLog(in: database).date(of: "films: all", now: .distantFuture) == date)
    }
}
