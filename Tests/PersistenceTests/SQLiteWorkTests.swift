import CSQLite
import Feedback
import FeedbackTesting
import Foundation
import Testing

@testable import Persistence

@Suite("Statements that a SQLite store runs to write")
struct SQLiteWorkTests {
    private let database: SQLiteDatabase
    private let notes: SQLiteStore<Note>
    private let films: SQLiteStore<Film>

    init() throws {
        database = try SQLiteDatabase(.memory)
        notes = try SQLiteStore(Note.schema, in: database)
        films = try SQLiteStore(Film.schema, in: database)
        try notes.insert([Note(id: "a", text: "1"), Note(id: "b", text: "2")]).get()
        try films.insert([.fixture(id: 1), .fixture(id: 2)]).get()
    }

    /// Returns the statements that the writer runs meanwhile, without their names and values.
    private func statements(of other: SQLiteDatabase? = nil, _ body: () throws -> Void) throws -> [String] {
        let database = other ?? database
        let log = Log()
        try database.withWriter { writer in
            sqlite3_trace_v2(
                writer.connection.handle, UInt32(SQLITE_TRACE_STMT),
                { _, log, _, text in
                    guard let log, let text else { return 0 }
                    let statement = String(cString: text.assumingMemoryBound(to: CChar.self))
                    Unmanaged<Log>.fromOpaque(log).takeUnretainedValue().texts.append(statement)
                    return 0
                }, Unmanaged.passUnretained(log).toOpaque())
        }
        try body()
        try database.withWriter { writer in sqlite3_trace_v2(writer.connection.handle, 0, nil, nil) }
        // Those of triggers are in comments.
        return log.texts.filter { !$0.hasPrefix("--") }.map { text in
            text.prefix { $0.isLetter || " _".contains($0) }.trimmingCharacters(in: .whitespaces)
        }
    }

    private final class Log {
        var texts: [String] = []
    }

    private func note(_ id: String, _ text: String = "") -> Note { Note(id: id, text: text) }

    /// The statements of a transaction with these steps, of which several are a part of it.
    private func transaction(_ steps: String...) -> [String] { ["BEGIN IMMEDIATE"] + steps + ["COMMIT"] }
    private func part(_ steps: String...) -> [String] {
        ["BEGIN IMMEDIATE", "SAVEPOINT part"] + steps + ["RELEASE part", "COMMIT"]
    }

    @Test("One object is written by one statement, several by one each in a part of their own")
    func writes() throws {
        #expect(try statements { try notes.insert(note("c")).get() } == transaction("INSERT INTO"))
        #expect(try statements { try notes.update(note("c", "1")).get() } == transaction("UPDATE"))
        #expect(try statements { try notes.upsert(note("c", "2")).get() } == transaction("INSERT INTO"))
        #expect(try statements { _ = try notes.delete(ids: ["c"]).get() } == transaction("DELETE FROM"))
        let several = [note("c"), note("d")]
        #expect(try statements { try notes.insert(several).get() } == part("INSERT INTO", "INSERT INTO"))
        #expect(try statements { try notes.update(several).get() } == part("UPDATE", "UPDATE"))
        #expect(try statements { try notes.upsert(several).get() } == part("INSERT INTO", "INSERT INTO"))
        #expect(try statements { _ = try notes.delete(ids: ["c", "d"]).get() } == part("DELETE FROM", "DELETE FROM"))
    }

    @Test("In a transaction, steps that change one object need no part of their own")
    func steps() throws {
        let steps = try statements {
            try notes.perform { notes throws(StoreError) in
                try notes.insert([note("c")])
                try notes.update([note("c", "1")])
                try notes.upsert([note("c", "2")])
                try notes.delete(ids: ["c"])
            }
        }
        #expect(steps == transaction("INSERT INTO", "UPDATE", "INSERT INTO", "DELETE FROM"))
    }

    @Test("Objects that match a condition are changed without being read, unless there is nothing to set")
    func matching() throws {
        #expect(try statements { _ = try notes.delete(where: \.text == "9").get() } == part("DELETE FROM"))
        let set = Assignment.value(\Note.text, "0")
        #expect(try statements { _ = try notes.update(where: \.text == "9", set: set).get() } == part("UPDATE"))
        #expect(try statements { _ = try notes.update(where: \.text == "9", set: []).get() } == part("SELECT"))
    }

    @Test("A merge reads what matches, and then objects with known ids, and writes only what differs")
    func merges() throws {
        let same = try statements { _ = try notes.merge([note("a", "1"), note("b", "2")], where: .always).get() }
        #expect(same == part("SELECT"))
        let others = [note("a", "1"), note("b", "3"), note("c", "1")]
        let statements = try statements { _ = try notes.merge(others, where: \.text == "1").get() }
        #expect(statements == part("SELECT", "SELECT", "SELECT", "UPDATE", "INSERT INTO"))
    }

    @Test("An object in a table with indexes is read first, so that only columns that differ are written")
    func indexed() throws {
        #expect(try statements { try films.insert(.fixture(id: 3)).get() } == transaction("INSERT INTO"))
        #expect(try statements { try films.update(.fixture(title: "x")).get() } == transaction("SELECT", "UPDATE"))
        #expect(try statements { try films.upsert(.fixture(title: "y")).get() } == transaction("SELECT", "UPDATE"))
        #expect(try statements { try films.upsert(.fixture(id: 4)).get() } == transaction("SELECT", "INSERT INTO"))
    }

    @Test("An object is read before it is put in its place if that would run triggers")
    func triggers() throws {
        try database.execute("CREATE TRIGGER t AFTER UPDATE ON notes BEGIN UPDATE films SET budget = 0; END")
        #expect(try statements { try notes.upsert(note("a", "3")).get() } == transaction("SELECT", "UPDATE"))
        #expect(try statements { try notes.update(note("a", "4")).get() } == transaction("UPDATE"))
    }

    @Test("An object is read before it is put in its place if that would run the action of a foreign key")
    func foreignKeys() throws {
        try database.execute("CREATE UNIQUE INDEX texts ON notes (text)")
        try database.execute("CREATE TABLE remarks (text TEXT REFERENCES notes (text) ON UPDATE CASCADE)")
        let steps = try statements { try notes.upsert(note("a", "3")).get() }
        // SQLite calls the action by the name of the statement that runs it.
        #expect(Set(steps.dropFirst(3).dropLast()).isSubset(of: ["UPDATE"]))
        #expect(steps.prefix(3) == ["BEGIN IMMEDIATE", "SELECT", "UPDATE"])
    }

    @Test("Observed objects are read before they change, and after it only if the change concerns an observer")
    func observed() throws {
        let observed = Observed(notes.filter(where: \.text == "z"))
        #expect(try statements { try notes.insert(note("c")).get() } == transaction("INSERT INTO"))
        #expect(try statements { try notes.update(note("c", "1")).get() } == transaction("SELECT", "UPDATE"))
        #expect(try statements { try notes.upsert(note("c", "2")).get() } == transaction("SELECT", "INSERT INTO"))
        #expect(try statements { _ = try notes.delete(where: \.text == "9").get() } == part("SELECT"))
        #expect(try statements { _ = try notes.delete(ids: ["c"]).get() } == transaction("SELECT", "DELETE FROM"))
        // Objects of another table have no observer.
        #expect(try statements { try films.update(.fixture(title: "x")).get() } == transaction("SELECT", "UPDATE"))
        #expect(try statements { try notes.insert(note("z", "z")).get() } == transaction("INSERT INTO", "SELECT"))
        let change = try statements { try notes.update(note("z", "y")).get() }
        #expect(change == transaction("SELECT", "UPDATE", "SELECT"))
        #expect(observed.emissions.all.map { $0.map(\.id) } == [[], ["z"], []])
    }

    @Test("Nothing is read for an observer that has ended")
    func ended() throws {
        let (emissions, disposable) = notes.all().observe().collecting()
        #expect(try statements { try notes.update(note("a", "3")).get() } == transaction("SELECT", "UPDATE", "SELECT"))
        disposable.dispose()
        #expect(try statements { try notes.update(note("a", "4")).get() } == transaction("UPDATE"))
        #expect(emissions.all.count == 2)
    }

    @Test("Up to 32 changed objects are read again for the observers; if there are more, these ask again")
    func manyObserved() throws {
        let observed = Observed(notes.all())
        func readings(_ count: Int) throws -> Int {
            let many = (0..<count).map { note("\(count) \($0)") }
            return try statements { try notes.insert(many).get() }.count { $0 == "SELECT" }
        }
        #expect(try readings(32) == 32)
        #expect(try readings(33) == 0)
        #expect(observed.emissions.all.map(\.count) == [2, 34, 67])
    }

    @Test("An observer does not ask again if a trigger changes other tables than the observer's")
    func otherTriggers() throws {
        let goods = try SQLiteStore(Good.schema, in: database)
        try goods.insert(Good(id: 1, price: Price(rawValue: 77_001))).get()
        try database.execute("CREATE TABLE log (text)")
        try database.execute(
            """
            CREATE TRIGGER t AFTER UPDATE ON films BEGIN
            INSERT INTO log VALUES (new.year); UPDATE goods SET price = 77002 WHERE id = new.year; END
            """)
        let observed = Observed(goods.all())
        let made = Price.timesMade(77_001..<77_003)
        try films.update(.fixture(year: 9)).get()
        #expect(Price.timesMade(77_001..<77_003) == made)
        try films.update(.fixture(year: 1)).get()
        #expect(observed.emissions.all.map { $0.map(\.price.rawValue) } == [[77_001], [77_002]])
    }

    @Test("An observer asks again only if a trigger may have changed its table in the same transaction")
    func earlierTriggers() throws {
        let goods = try SQLiteStore(Good.schema, in: database)
        try goods.insert((79_000..<79_100).map { Good(id: $0, price: Price(rawValue: $0)) }).get()
        try database.execute("CREATE TABLE log (text)")
        func update() throws { _ = try films.update(where: \.id == 1, set: .value(\.budget, 1)).get() }
        try update()
        try database.execute(
            "CREATE TRIGGER t AFTER UPDATE ON films BEGIN UPDATE goods SET price = 0 WHERE id = 0; END")
        // SQLite prepares the statement again.
        try update()
        try database.execute("DROP TRIGGER t")
        try database.execute("CREATE TRIGGER u AFTER UPDATE ON notes BEGIN INSERT INTO log VALUES (new.text); END")
        let observed = Observed(goods.all())
        let made = Price.timesMade(79_000..<79_200)
        try notes.update(note("a", "3")).get()
        try notes.perform { notes throws(StoreError) in
            try notes.update([note("a", "4")])
            try notes.with(goods).update((79_000..<79_003).map { Good(id: $0, price: Price(rawValue: 79_150)) })
        }
        #expect(Price.timesMade(79_000..<79_200) - made < 60)
        #expect(observed.emissions.all.map { $0.count { $0.price.rawValue == 79_150 } } == [0, 3])
    }

    @Test("If a list of ids is too long for one statement, only the rows that it names are read all the same")
    func longList() throws {
        let goods = try SQLiteStore(Good.schema, in: database)
        try goods.insert((0..<100).map { Good(id: $0 * 1_000, price: Price(rawValue: 76_000 + $0)) }).get()
        let made = Price.timesMade(76_000..<76_100)
        let found = try goods.filter(where: .in(\.id, Array(1...40_000))).result().get()
        #expect(found.map(\.price.rawValue) == Array(76_001...76_040))
        #expect(Price.timesMade(76_000..<76_100) - made == 40)
    }

    @Test("After another connection has written, the writer asks whether the schema has changed, and reads it if so")
    func otherWriters() throws {
        let folder = try TemporaryFolder()
        let notes = try SQLiteStore(Note.schema, at: folder.path("notes.sqlite"))
        let others = try SQLiteStore(Note.schema, at: folder.path("notes.sqlite"))
        func insertion(_ id: String) throws -> [String] {
            try statements(of: notes.database) { try notes.insert(note(id)).get() }
        }
        #expect(try insertion("a") == transaction("INSERT INTO"))
        try others.insert(note("b")).get()
        // The table that it has made itself is new to it, too.
        #expect(try insertion("c") == transaction("PRAGMA schema_version", "SELECT count", "INSERT INTO"))
        try others.insert(note("d")).get()
        #expect(try insertion("e") == transaction("PRAGMA schema_version", "INSERT INTO"))
        try others.database.execute("CREATE TABLE log (text)")
        #expect(try insertion("f") == transaction("PRAGMA schema_version", "SELECT count", "INSERT INTO"))
    }

    @Test("After the file was made compact, the writer does not look for changes of others, nor for triggers")
    func compact() throws {
        try notes.upsert(note("a", "3")).get()
        try database.compact()
        #expect(try statements { try notes.insert(note("c")).get() } == transaction("INSERT INTO"))
        for text in ["4", "5"] {
            #expect(try statements { try notes.upsert(note("a", text)).get() } == transaction("INSERT INTO"))
        }
    }

    private struct Ware: Identifiable, Hashable, Sendable {
        var id: String
        var price: Price
    }

    @Test("An observer of a table whose changes SQLite does not report asks again only if it must")
    func withoutRowIDs() throws {
        let schema = Schema<Ware>("wares", Ware.init, Column("id", \.id), Column("price", \.price))
        let wares = try SQLiteStore(schema, in: database)
        try wares.insert((78_000..<78_100).map { Ware(id: "\($0)", price: Price(rawValue: $0)) }).get()
        let observed = Observed(wares.all())
        let made = Price.timesMade(78_000..<78_200)
        for price in 78_100..<78_105 { try wares.update(Ware(id: "78000", price: Price(rawValue: price))).get() }
        #expect(Price.timesMade(78_000..<78_200) - made < 60)
        #expect(observed.emissions.all.map { $0.first?.price.rawValue } == [78_000] + Array(78_100..<78_105))
        // What a trigger changes is told, whichever write runs it.
        try database.execute("CREATE TRIGGER t AFTER UPDATE ON films BEGIN UPDATE wares SET price = 78150; END")
        try database.execute("CREATE TRIGGER u AFTER DELETE ON films BEGIN UPDATE wares SET price = 78160; END")
        _ = try films.update(where: \.id == 1, set: .value(\.budget, 7)).get()
        #expect(observed.emissions.all.last?.map(\.price.rawValue) == Array(repeating: 78_150, count: 100))
        _ = try films.delete(ids: [1]).get()
        #expect(observed.emissions.all.last?.map(\.price.rawValue) == Array(repeating: 78_160, count: 100))
    }

    @Test("The last id is looked for only if the next one follows from it")
    func generatedIDs() throws {
        struct Ticket: Identifiable {
            let id: UUID
            let seat: Int
        }
        let schema = Schema<Ticket>("tickets", Ticket.init, Column("id", \.id), Column("seat", \.seat))
        let tickets = try SQLiteStore(schema, in: database)
        #expect(
            try statements { _ = try tickets.insert { Ticket(id: $0, seat: 1) }.get() } == transaction("INSERT INTO"))
        let film = try statements { _ = try films.insert { .fixture(id: $0) }.get() }
        #expect(film == transaction("SELECT", "INSERT INTO"))
    }
}
