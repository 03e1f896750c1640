import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Postgres
import Synchronization
import Testing

@Suite("Errors of PostgreSQL")
struct PostgresErrorTests {
    /// The error that `body` throws.
    private func error(of body: () throws -> Void) -> StoreError? {
        do {
            try body()
            return nil
        } catch {
            return error as? StoreError
        }
    }

    // MARK: - Connecting

    @Test(
        "A server that is not there cannot be reached",
        arguments: ["postgresql:///films?host=/nonexistent", "host=/nonexistent"])
    func unreachable(_ address: String) {
        let error = error { _ = try PostgresDatabase(address) }
        guard case .unreachable? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        let text = error?.description ?? ""
        #expect(text.hasPrefix("The store cannot be reached: ") && text.hasSuffix(".") && !text.hasSuffix("?."))
        #expect(!text.contains("  ") && !text.contains { $0.isNewline || $0 == "\t" })
    }

    @Test(
        "An address that is not one is refused without repeating it",
        arguments: [
            "postgresql://anna:zeb@ra@host/films", "postgresql://anna:zeb/ra@host/films", "password=zeb ra x",
            "postgresql://anna:zeb%ra@host", "zeb ra", "postgresql://a\u{0}zeb", "postgresql://anna:1/ra@zeb/films",
            "postgresql://host?user=anna&password=zeb@ra", "postgresql://anna:a?b@zeb@host/films",
        ])
    func malformed(_ address: String) {
        let error = error { _ = try PostgresDatabase(address) }
        guard case .cannotOpen? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        #expect(error?.description.contains("zeb") == false && error?.description.contains("ra@") == false)
    }

    @Test("A wrong password is refused, and printed nowhere")
    func wrongPassword() throws {
        let server = try TestServer.running()
        try server.database().execute(
            "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'locked') THEN CREATE ROLE locked LOGIN PASSWORD 'right'; END IF; END $$"
        )
        var configuration = PostgresDatabase.Configuration()
        configuration.patience = .seconds(60)
        func open(_ password: String) throws(StoreError) -> PostgresDatabase {
            try PostgresDatabase(
                "postgresql://locked:\(password)@/postgres?host=\(server.folder)", configuration: configuration)
        }
        let error = error { _ = try open("secret-word") }
        guard case .refused? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        #expect(error?.description.contains("secret-word") == false)
        // The letters of a short one are in other words.
        let short = self.error { _ = try open("a") }
        #expect(short?.description.contains("password authentication failed") == true, "\(String(describing: short))")
        let database = try open("right")
        var dumped = "\(database)"
        dump(database, to: &dumped)
        #expect(!dumped.contains("right"))
    }

    @Test("A server whose connections are all in use cannot be reached for now, and is not one that refuses")
    func tooManyConnections() throws {
        let server = try TestServer.running()
        let owner = try server.database()
        try owner.execute("CREATE ROLE crowd LOGIN CONNECTION LIMIT 1")
        let address = "postgresql:///postgres?host=\(server.folder)&user=crowd"
        let first = try PostgresDatabase(address)
        #expect(try first.rows("SELECT 1") == [[.integer(1)]])
        var configuration = PostgresDatabase.Configuration()
        configuration.patience = .milliseconds(300)
        let start = ContinuousClock.now
        let error = error { _ = try PostgresDatabase(address, configuration: configuration) }
        guard case .unreachable? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        // A connection could have become free in that time.
        #expect(start.duration(to: .now) >= configuration.patience)
        #expect(try first.rows("SELECT 1") == [[.integer(1)]])
    }

    // MARK: - Tables

    @Test("A table that somebody has dropped is told by its name")
    func missingTable() throws {
        let database = try TestServer.running().database()
        let films = try PostgresStore(Film.schema, in: database)
        try database.execute("DROP TABLE films")
        for error in [error { try films.all().result().get() }, error { try films.insert(.fixture()).get() }] {
            guard case .schemaMismatch("films", let reason)? = error else {
                Issue.record("\(String(describing: error)) is another error")
                continue
            }
            #expect(reason.contains("films"))
        }
    }

    @Test(
        "A column of another type, another collation or with other rules is told",
        arguments: [
            "ALTER TABLE films ALTER budget TYPE text", "ALTER TABLE films ALTER title TYPE text COLLATE \"POSIX\"",
            "ALTER TABLE films ALTER title TYPE text COLLATE \"en-x-icu\"",
            "ALTER TABLE films ALTER premiere TYPE timestamptz USING now()", "ALTER TABLE films DROP votes",
            "ALTER TABLE films ALTER year SET NOT NULL", "ALTER TABLE films ALTER score DROP NOT NULL",
            "ALTER TABLE films ADD extra int NOT NULL", "ALTER TABLE films DROP CONSTRAINT films_pkey",
        ])
    func otherColumns(_ change: String) throws {
        let database = try TestServer.running().database()
        _ = try PostgresStore(Film.schema, in: database)
        try database.execute(SQL(stringLiteral: change))
        let error = error { _ = try PostgresStore(Film.schema, in: database) }
        if change.contains("POSIX") {
            // This collation is the same as C.
            #expect(error == nil)
        } else if case .schemaMismatch(table: "films", _)? = error {
        } else {
            Issue.record("\(String(describing: error)) is another error")
        }
    }

    @Test("A column whose type changes while stores are open is read anew")
    func changedType() throws {
        let database = try TestServer.running().database()
        let films = try PostgresStore(Film.schema, in: database)
        try films.insert(.fixture(id: 1)).get()
        #expect(try films.object(withId: 1).get() == .fixture(id: 1))
        try database.execute("ALTER TABLE films ALTER budget TYPE int")
        #expect(try films.object(withId: 1).get() == .fixture(id: 1))
        try films.update(.fixture(id: 1, budget: 5)).get()
        #expect(throws: StoreError.self) { try films.update(.fixture(id: 1, budget: .max)).get() }
        #expect(try films.all().result().get() == [.fixture(id: 1, budget: 5)])
    }

    @Test("Text with a zero byte is refused, and the transaction can go on")
    func zeroBytes() throws {
        let films = try PostgresStore(Film.schema, in: TestServer.running().database())
        let error = error { try films.insert(.fixture(title: "a\u{0}b")).get() }
        guard case .constraint? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        try films.transaction { films throws(StoreError) in
            try films.insert([.fixture(id: 1)])
            try? films.insert([.fixture(id: 2), .fixture(id: 3, title: "\u{0}")])
            try films.insert([.fixture(id: 4)])
            try? films.insert([.fixture(id: 4)])
            // The duplicate before it is forgotten.
            do throws(StoreError) {
                try films.insert([.fixture(id: 5, title: "\u{0}")])
            } catch .constraint {}
        }.get()
        #expect(try films.all().result().get().map(\.id) == [1, 4])
    }

    @Test("A violated unique index fails as a constraint, not as a duplicate")
    func unique() throws {
        let schema = Schema<Note>("notes", Note.init, Column("id", \.id), Column("text", \.text, isUnique: true))
        let notes = try PostgresStore(schema, in: TestServer.running().database())
        try notes.insert(Note(id: "a", text: "x")).get()
        let error = error { try notes.insert(Note(id: "b", text: "x")).get() }
        guard case .constraint? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        #expect(throws: StoreError.duplicate(id: "a")) { try notes.insert(Note(id: "a", text: "y")).get() }
    }

    @Test("A merge may swap unique values")
    func swappedUniqueValues() throws {
        let schema = Schema<Note>("notes", Note.init, Column("id", \.id), Column("text", \.text, isUnique: true))
        let notes = try PostgresStore(schema, in: TestServer.running().database())
        try notes.insert([Note(id: "1", text: "a"), Note(id: "2", text: "b"), Note(id: "3", text: "c")]).get()
        for texts in ["bac", "bca", "cab", "bcd", "dab"] {
            let merged = zip(["1", "2", "3"], texts).map { Note(id: $0, text: String($1)) }
            for merged in [merged, merged.reversed()] {
                try notes.merge(merged).get()
                #expect(try notes.sorted(by: \.id).result().get().map(\.text) == texts.map { String($0) })
            }
        }
    }

    @Test("Only numbers have a sum and an average")
    func notNumbers() throws {
        let films = try PostgresStore(Film.schema, in: TestServer.running().database())
        for attribute in [Attribute<Film>(\.title), Attribute(\.isColor), Attribute(\.premiere)] {
            let error = error { try films.aggregate(Aggregate(.sum, of: attribute), of: films.all()).get() }
            guard case .refused? = error else {
                Issue.record("\(String(describing: error)) is another error")
                continue
            }
        }
    }

    @Test("A page of any size is filled from texts that are matched in memory")
    func largePages() throws {
        let films = try PostgresStore(Film.schema, in: TestServer.running().database())
        try films.insert((0..<10).map { .fixture(id: $0, title: "a\($0)") }).get()
        let query = films.filter(where: .contains(\.title, "A", [.caseInsensitive]))
        #expect(try query.page(limit: .max, offset: 1).result().get().map(\.id) == Array(1..<10))
        #expect(try query.page(limit: 3, offset: 2).result().get().map(\.id) == [2, 3, 4])
    }

    @Test("A page with a row that cannot be read fails, and the transaction can ask for another page")
    func unreadablePage() throws {
        let films = try PostgresStore(Film.schema, in: TestServer.running().database())
        try films.insert((0..<10).map { .fixture(id: $0, title: "a\($0)") }).get()
        try films.database.execute("UPDATE films SET rating = 'XXX' WHERE id = 5")
        let query = films.filter(where: .contains(\.title, "A", [.caseInsensitive]))
        let ids = try films.perform { films throws(StoreError) in
            do throws(StoreError) {
                _ = try films.execute(query.page(limit: 5, offset: 4))
            } catch .unreadable {}
            try films.update(where: \.id == 5, set: [.value(\.rating, .G)])
            return try films.execute(query.page(limit: 5, offset: 4)).map(\.id)
        }
        #expect(ids == [4, 5, 6, 7, 8])
    }

    @Test(
        "Names are names and nothing else",
        arguments: ["\"; DROP TABLE films; --", "é\"\"'$1", "select"])
    func names(_ name: String) throws {
        let database = try TestServer.running().database()
        let schema = Schema(
            name, Note.init, Column("id \(name)", \.id), Column("\(name) text", \.text, isIndexed: true))
        let notes = try PostgresStore(schema, in: database)
        try notes.upsert(Note(id: "a", text: name)).get()
        #expect(try notes.filter(where: \.text == name).result().get() == [Note(id: "a", text: name)])
        _ = try PostgresStore(schema, in: database)
    }

    // MARK: - Transactions

    @Test("Transactions that meet are tried again, so that none overwrites what it has not read")
    func conflicts() throws {
        let films = try PostgresStore(Film.schema, in: TestServer.running().database())
        try films.insert(.fixture(id: 1, budget: 0)).get()
        onThreadsBlocking(4) { _ in
            for _ in 0..<15 {
                do throws(StoreError) {
                    try films.perform { films throws(StoreError) in
                        guard var film = try films.object(withId: 1) else { return }
                        film.budget += 1
                        try films.update([film])
                    }
                } catch {
                    Issue.record("\(error)")
                }
            }
        }
        #expect(try films.find(1)?.budget == 60)
    }

    @Test("A transaction that always meets another one fails in the end, and keeps nothing")
    func endlessConflict() throws {
        let server = try TestServer.running()
        let address = try server.address()
        let films = try PostgresStore(Film.schema, in: PostgresDatabase(address))
        let others = try PostgresStore(Film.schema, in: PostgresDatabase(address))
        try films.insert(.fixture(id: 1, budget: 0)).get()
        let attempts = Atomic(0)
        let error = error {
            try films.perform { films throws(StoreError) in
                attempts.add(1, ordering: .relaxed)
                _ = try films.object(withId: 1)
                let number = attempts.load(ordering: .relaxed)
                try others.perform { films throws(StoreError) in try films.update([.fixture(id: 1, budget: number)]) }
                // A body that swallows the error does not make it go away.
                try? films.update([.fixture(id: 1, budget: -1)])
            }
        }
        guard case .conflict? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        #expect((2...50).contains(attempts.load(ordering: .relaxed)))
        #expect(try films.find(1)?.budget == attempts.load(ordering: .relaxed))
    }

    @Test("A connection that is lost inside of a transaction costs another attempt")
    func lostInside() throws {
        let address = try TestServer.running().address()
        // Other tests have transactions on the same server.
        let name = "losing_\(UUID().uuidString.prefix(8))"
        let films = try PostgresStore(Film.schema, in: PostgresDatabase(address + "&application_name=\(name)"))
        let other = try PostgresDatabase(address)
        let attempts = Atomic(0)
        try films.perform { films throws(StoreError) in
            try films.insert([.fixture(id: 1)])
            if attempts.add(1, ordering: .relaxed).newValue == 1 {
                let sessions = try other.rows(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction' AND application_name = \(name)"
                )
                #expect(sessions.count == 1)
            }
            try films.insert([.fixture(id: 2)])
        }
        #expect(attempts.load(ordering: .relaxed) > 1)
        #expect(try films.all().result().get().map(\.id) == [1, 2])
    }
}
