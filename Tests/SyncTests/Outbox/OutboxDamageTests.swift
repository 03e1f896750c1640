import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Networking
import Persistence
import Testing

@testable import Sync

/// The rows of an outbox in a damaged file.
struct OutboxDamageTests {
    private let film = Film.fixture()
    private let other = Film.fixture(id: .fixture(2), title: "Alien")

    @Test(
        "A row that the database cannot read is parked, and holds up no other",
        arguments: [
            "key = 'x'", "body = 'text'", "body = 5", "truth = 5", "uncertain = 'maybe'",
            "parking = 'lost'", "reason = x'FF'", "date = 'x'", "key = 'x', body = 5, date = 'x'",
        ])
    func damagedRow(damage: String) async throws {
        try await withDamagedRow(damage) { server in
            server.backend.misbehave(.drop)
        }
    }

    @Test("A parked row that the database cannot read stays parked, and does not hinder the opening of its store")
    func damagedParkedRow() async throws {
        try await withDamagedRow("key = 'x'") { server in
            server.backend.misbehave(.fail(rate: 1, status: 422), on: .patch)
        }
    }

    /// Makes a write to each of two films while the server misbehaves, damages the first one's row, and opens the store
    /// again. The second write must reach the server, and the first one can be given up.
    private func withDamagedRow(_ damage: String, misbehaving: (TableServer<Film>) -> Void) async throws {
        try await withFilms([film, other]) { server in
            let database = try SQLiteDatabase(.memory)
            let (store, outbox) = try server.synced(database)
            try await store.pull()
            misbehaving(server)
            var (mine, also) = (film, other)
            mine.title = "Mine"
            try await store.update(mine)
            also.title = "Also mine"
            try await store.update(also)
            await eventually { outbox.status.value.offlineSince != nil || outbox.status.value.parked == 2 }
            let areParked = outbox.status.value.parked == 2
            try await store.close()
            try spoil(database, damage)
            server.backend.behave()
            let again = try SyncedStore(Film.schema, remote: server.store, outbox: outbox)
            if areParked { try await outbox.retry(2) }
            outbox.networkIsBack()
            await eventually("the second write is done") { outbox.status.value.waiting == 0 }
            #expect(try await server.table.object(withId: other.id) == also)
            #expect(outbox.parked.value.map(\.id) == [1])
            #expect(outbox.parked.value.first?.cause == (damage.contains("key") ? .damaged : .unreadable))
            try await outbox.giveUp(1)
            #expect(outbox.parked.value.isEmpty)
            #expect(try outbox.rows.answerCount(outbox.rows.all()) == 0)
            try await again.pull()
            #expect(try await again.local.object(withId: film.id) == film)
        }
    }

    private func spoil(_ database: SQLiteDatabase, _ damage: String, number: Int = 1) throws {
        #expect(try database.execute(SQL(stringLiteral: "UPDATE outbox SET \(damage) WHERE number = \(number)")) == 1)
    }

    /// Damages the first of two requests. However often the outbox is opened, only a person sends it.
    private func staysParked(_ damage: String, _ check: (ParkedWrite) -> Void) async throws {
        let notes = try await Notes.unanswered(["one", "two"])
        try spoil(notes.database, damage)
        notes.isReached.value = true
        for _ in 1...3 {
            let requests = try notes.open()
            notes.outbox.networkIsBack()
            await eventually("no request waits") { notes.outbox.status.value.waiting == 0 }
            #expect(notes.sent.value.map(\.note) == ["two"])
            let parked = try #require(notes.outbox.parked.value.first)
            #expect(parked.cause == .damaged)
            check(parked)
            try await requests.close()
        }
        let requests = try notes.open()
        try await notes.outbox.retry(1)
        await eventually("a person has decided") { notes.outbox.status.value.isInStep }
        #expect(notes.sent.value.map(\.note) == ["two", "one"])
        try await requests.close()
    }

    // MARK: - Rows that do not say what they concern

    @Test(
        "A write whose row does not say which object it concerns is sent in its order, as its values say that",
        arguments: ["entity = x'00'", "entity = 'flims/1'", "entity = ''", "channel = x'00'", "channel = 'flims'"])
    func lostObject(damage: String) async throws {
        for damaged in [1, 3] {
            try await withFilms([film, other]) { server in
                let database = try SQLiteDatabase(.memory)
                let (store, outbox) = try server.synced(database)
                try await store.pull()
                server.backend.misbehave(.drop)
                var (mine, also) = (film, other)
                mine.title = "Mine"
                try await store.update(mine)
                also.title = "Also mine"
                try await store.update(also)
                mine.title = "Still mine"
                try await store.update(mine)
                await eventually { outbox.status.value.offlineSince != nil }
                try await store.close()
                try spoil(database, damage, number: damaged)
                server.backend.behave()
                let again = try SyncedStore(Film.schema, remote: server.store, outbox: outbox)
                #expect(outbox.status.value.waiting == 3)
                outbox.networkIsBack()
                await eventually("all is sent") { outbox.status.value.waiting == 0 }
                #expect(outbox.parked.value.isEmpty)
                #expect(try await server.table.object(withId: film.id) == mine)
                #expect(try await again.local.object(withId: film.id) == mine)
            }
        }
    }

    @Test(
        "A write whose row no longer says which object it concerns is sent in its order while the outbox is open",
        arguments: [
            "entity = x'00'", "entity = 'flims/1'", "entity = ''", "channel = x'00'", "channel = 'flims'",
            "channel = 5, entity = x'00'",
        ])
    func lostWhileOpen(damage: String) async throws {
        for damaged in [1, 3] {
            try await withFilms([film, other]) { server in
                let (store, outbox) = try server.synced()
                try await store.pull()
                server.backend.misbehave(.drop)
                var (mine, also) = (film, other)
                mine.title = "Mine"
                try await store.update(mine)
                also.title = "Also mine"
                try await store.update(also)
                mine.title = "Still mine"
                try await store.update(mine)
                await eventually { outbox.status.value.offlineSince != nil }
                try spoil(outbox.database, damage, number: damaged)
                server.backend.behave()
                outbox.networkIsBack()
                await eventually("all is sent") { outbox.status.value.waiting == 0 }
                #expect(outbox.status.value.isInStep)
                #expect(try outbox.rows.answerCount(outbox.rows.all()) == 0)
                #expect(try await server.table.all().sorted(by: \.title).result() == [also, mine])
                #expect(try await store.local.object(withId: film.id) == mine)
                // The change of the other film is sent beside those of this one.
                let bodies = server.backend.requests.filter { $0.method == .patch }
                    .map { String(decoding: $0.body, as: UTF8.self) }.filter { !$0.contains("Also mine") }
                #expect(bodies.last?.contains("Still mine") == true)
            }
        }
    }

    @Test("A durable request whose row no longer says what it is about is sent while the outbox is open")
    func lostSubjectWhileOpen() async throws {
        for damage in ["entity = x'00'", "channel = 'noets'", "channel = x'00', entity = 5"] {
            let notes = try await Notes.unanswered(["one", "two"])
            let requests = try notes.open()
            await eventually { notes.outbox.status.value.offlineSince != nil }
            try spoil(notes.database, damage)
            notes.isReached.value = true
            notes.outbox.networkIsBack()
            await eventually("both are sent", within: .seconds(10)) { notes.outbox.status.value.isInStep }
            #expect(Set(notes.sent.value.map(\.note)) == ["one", "two"])
            try await requests.close()
        }
    }

    @Test(
        "A durable request whose row does not say what it is, or what it is about, is parked until a person decides",
        arguments: [
            "entity = x'00'", "entity = 'noets/one'", "channel = x'00'", "channel = 'noets'",
            "channel = x'00', entity = 5",
            "channel = x'00', entity = x'00', key = 'x', body = CAST(body AS TEXT)",
        ])
    func lostSubject(damage: String) async throws {
        try await staysParked(damage) { #expect($0.summary.contains("one")) }
    }

    @Test(
        "A write that might be of any table changes no object when it is given up, also after a pull",
        arguments: [false, true])
    func lostTable(isPulled: Bool) async throws {
        try await withFilms([film]) { server in
            let database = try SQLiteDatabase(.memory)
            let (store, outbox) = try server.synced(database)
            try await store.pull()
            server.backend.misbehave(.drop)
            try await store.delete(film)
            try await store.save(film)
            try await store.close()
            try spoil(database, "channel = x'00', entity = x'00'", number: 2)
            let again = try SyncedStore(Film.schema, remote: server.store, outbox: outbox)
            #expect(outbox.parked.value.map(\.id) == [2])
            if isPulled {
                server.backend.behave()
                outbox.networkIsBack()
                await eventually("the deletion is sent") { outbox.status.value.waiting == 0 }
                try await server.table.insert(film)
                try await again.pull()
            }
            try await outbox.giveUp(2)
            #expect(try await again.local.object(withId: film.id) == film)
        }
    }

    @Test(
        "The last row does not hinder the opening of the outbox",
        arguments: ["key = 'x'", "body = 5", "entity = x'00'"])
    func damagedLastRow(damage: String) async throws {
        let notes = try await Notes.unanswered(["one"])
        try spoil(notes.database, damage)
        let outbox = try Outbox(in: notes.database)
        let requests = try DurableRequests<String>("notes", in: outbox) { (_, _) throws(CoreError) in throw .webPage }
        // It may be sent, and refused, meanwhile, so each state is looked at once.
        var status = outbox.status.value
        #expect(status.waiting + status.parked == 1)
        try await requests.send("two", about: "two")
        status = outbox.status.value
        #expect(status.waiting + status.parked == 2)
    }

    @Test("A row without a word on whether it is parked is parked, and holds up no other")
    func noParking() async throws {
        let database = try SQLiteDatabase(.memory)
        // As a table looks that a tool has made of a damaged one.
        try database.execute(
            """
            CREATE TABLE outbox (
                number INTEGER PRIMARY KEY, entity TEXT, channel TEXT, body BLOB, truth BLOB, key TEXT,
                uncertain INTEGER, parking TEXT, reason TEXT, date REAL)
            """)
        let notes = try await Notes.unanswered(["one", "two"], in: database)
        try spoil(database, "parking = NULL")
        notes.isReached.value = true
        _ = try notes.open()
        notes.outbox.networkIsBack()
        await eventually("no request waits") { notes.outbox.status.value.waiting == 0 }
        #expect(notes.sent.value.map(\.note) == ["two"])
        #expect(notes.outbox.parked.value.map(\.cause) == [.unreadable])
        try await notes.outbox.giveUp(1)
        #expect(notes.outbox.status.value.isInStep)
    }

    @Test("If a row has the greatest number there is, writes are refused, and none is lost")
    func greatestNumber() async throws {
        let notes = try await Notes.unanswered(["one"])
        try spoil(notes.database, "number = \(Int.max)")
        let outbox = try Outbox(in: notes.database)
        let requests = try DurableRequests<String>("notes", in: outbox) { (_, _) throws(CoreError) in throw .webPage }
        await #expect(throws: StoreError.self) { try await requests.send("two", about: "two") }
        #expect(outbox.status.value.waiting == 1)
    }

    // MARK: - Durable requests

    @Test("A durable request whose row the database cannot read is parked, also later, and holds up no other")
    func damagedRequest() async throws {
        let notes = try await Notes.unanswered(["one", "two"])
        try spoil(notes.database, "body = 5")
        notes.isReached.value = true
        let requests = try notes.open()
        notes.outbox.networkIsBack()
        await eventually("the second request is sent") {
            notes.sent.value.map(\.note) == ["two"] && notes.outbox.status.value.waiting == 0
        }
        #expect(notes.outbox.parked.value.map(\.id) == [1])
        try await requests.close()
        try spoil(notes.database, "key = 'x'")
        _ = try notes.open()
        #expect(notes.outbox.parked.value.map(\.id) == [1])
    }

    @Test(
        "A durable request whose key is lost stays parked until a person decides, since the server may do it twice",
        arguments: ["key = 'x'", "key = 5", "body = CAST(body AS TEXT), key = 'x', date = 'x'"])
    func lostKey(damage: String) async throws {
        try await staysParked(damage) { #expect($0.reason.contains("key is lost") && $0.reason.contains("twice")) }
    }

    @Test("A key in small letters is kept, and its request is sent with it")
    func smallLetters() async throws {
        let notes = try await Notes.unanswered(["one"])
        try spoil(notes.database, "key = lower(key)")
        notes.isReached.value = true
        _ = try notes.open()
        notes.outbox.networkIsBack()
        await eventually("it is sent") { notes.outbox.status.value.isInStep }
        #expect(notes.sent.value.map(\.key) == Array(notes.tried.value.prefix(1)))
    }
}

/// Durable requests to a server that is not reached at first.
private struct Notes: Sendable {
    let database: SQLiteDatabase
    let outbox: Outbox
    let isReached = MutableProperty(false)
    let tried = MutableProperty<[UUID]>([])
    let sent = MutableProperty<[(note: String, key: UUID)]>([])

    func open() throws(StoreError) -> DurableRequests<String> {
        try DurableRequests<String>("notes", in: outbox) { [isReached, tried, sent] (note, key) throws(CoreError) in
            tried.modify { $0.append(key) }
            guard isReached.value else { throw .webPage }
            sent.modify { $0.append((note, key)) }
        }
    }

    /// Sends notes, of which one at least is tried, and closes the requests.
    static func unanswered(_ texts: [String], in database: SQLiteDatabase? = nil) async throws -> Notes {
        let database = try database ?? SQLiteDatabase(.memory)
        let notes = Notes(database: database, outbox: try Outbox(in: database))
        let requests = try notes.open()
        for text in texts { try await requests.send(text, about: text) }
        await eventually { notes.outbox.status.value.problem != nil }
        try await requests.close()
        return notes
    }
}
