import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

@Suite("SQLite tables that others have made")
struct SQLiteForeignTableTests {
    private let database: SQLiteDatabase

    init() throws { database = try SQLiteDatabase(.memory) }

    // MARK: - Conflict clauses

    @Test(
        "Whatever the definition of a table says about conflicts, a write that a constraint forbids fails and changes nothing",
        arguments: ["REPLACE", "IGNORE", "FAIL", "ROLLBACK", "ABORT"])
    func conflictClauses(_ word: String) throws {
        let definition = """
            CREATE TABLE tags (id INTEGER NOT NULL PRIMARY KEY ON CONFLICT WORD,
            name TEXT NOT NULL UNIQUE on/* the */conflict -- of names
            WORD)
            """
        try database.execute(SQL(stringLiteral: definition.replacing("WORD", with: word)))
        let tags = try SQLiteStore(Tag.schema, in: database)
        let stored = [Tag(id: 1, name: "a"), Tag(id: 2, name: "b")]
        try tags.insert(stored).get()
        let told = Observed(tags.all())
        #expect(throws: StoreError.duplicate(id: "1")) { try tags.insert(Tag(id: 1, name: "c")).get() }
        #expect(throws: StoreError.duplicate(id: "1")) {
            try tags.insert([Tag(id: 3, name: "c"), Tag(id: 1, name: "d")]).get()
        }
        try expectConstraint { try tags.insert(Tag(id: 3, name: "b")).get() }
        try expectConstraint { try tags.update(Tag(id: 2, name: "a")).get() }
        try expectConstraint { try tags.upsert(Tag(id: 2, name: "a")).get() }
        try expectConstraint { try tags.upsert(Tag(id: 3, name: "a")).get() }
        try expectConstraint { try tags.update(where: \.id == 2, set: .value(\.name, "a")).get() }
        #expect(try tags.all().result().get() == stored)
        try tags.transaction { tags throws(StoreError) in
            try tags.upsert([Tag(id: 1, name: "c")])
            _ = try? tags.insert([Tag(id: 4, name: "b")])
        }.get()
        #expect(told.emissions.all == [stored, [Tag(id: 1, name: "c"), Tag(id: 2, name: "b")]])
    }

    private func expectConstraint(_ write: () throws -> Void, at place: SourceLocation = #_sourceLocation) throws {
        let error = #expect(throws: StoreError.self, sourceLocation: place, performing: write)
        guard case .constraint? = error else {
            Issue.record("\(String(describing: error)) is another error", sourceLocation: place)
            return
        }
    }

    @Test("A table that mentions such a clause in a text, a name or a comment leaves the words of its triggers alone")
    func mentionedClause() throws {
        try database.execute(
            """
            CREATE TABLE tags (id INTEGER NOT NULL PRIMARY KEY, -- ON CONFLICT REPLACE
            name TEXT NOT NULL DEFAULT 'it''s ON CONFLICT FAIL', "on conflict ignore" TEXT, [on conflict] TEXT,
            `on conflict abort` TEXT /* ON CONFLICT ROLLBACK */)
            """)
        try database.execute("CREATE TABLE log (name TEXT NOT NULL PRIMARY KEY)")
        try database.execute(
            "CREATE TRIGGER logging AFTER INSERT ON tags BEGIN INSERT OR IGNORE INTO log VALUES (new.name); END")
        let tags = try SQLiteStore(Tag.schema, in: database)
        try tags.insert([Tag(id: 1, name: "a"), Tag(id: 2, name: "a")]).get()
        #expect(try tags.all().count().get() == 2)
    }

    // MARK: - UUIDs

    private struct Device: Identifiable, Equatable, Sendable {
        var id: UUID
        var owner: UUID?

        static let schema = Schema<Device>("devices", Device.init, Column("id", \.id), Column("owner", \.owner))
    }

    @Test(
        "UUIDs in small letters, which no condition would find, are refused when the store is made and when they are read"
    )
    func smallLetters() throws {
        let device = Device(id: UUID(), owner: UUID())
        let owner = try #require(device.owner)
        try database.execute("CREATE TABLE devices (id TEXT NOT NULL PRIMARY KEY, owner TEXT)")
        let insertion: SQL = """
            INSERT INTO devices VALUES (\(device.id.uuidString.lowercased()), \(owner.uuidString.lowercased()))
            """
        try database.execute(insertion)
        for column in ["id", "owner"] {
            let error = #expect(throws: StoreError.self) { _ = try SQLiteStore(Device.schema, in: database) }
            guard case .schemaMismatch("devices", let reason)? = error else {
                Issue.record("\(String(describing: error)) is another error")
                return
            }
            #expect(reason.contains("UPDATE \"devices\" SET \"\(column)\" = upper(\"\(column)\")"))
            try database.execute("UPDATE devices SET \(name: column) = upper(\(name: column))")
        }
        let devices = try SQLiteStore(Device.schema, in: database)
        #expect(try devices.object(withId: device.id).get() == device)
        #expect(try devices.filter(where: \.owner == owner).result().get() == [device])

        try database.execute(insertion)
        let error = #expect(throws: StoreError.self) { try devices.all().result().get() }
        guard case .unreadable("devices", "id", _)? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        try database.execute("DELETE FROM devices WHERE id <> upper(id)")
        try database.execute("UPDATE devices SET owner = lower(owner)")
        #expect(throws: StoreError.self) { try devices.object(withId: device.id).get() }
        try database.execute("UPDATE devices SET owner = NULL")
        #expect(try devices.object(withId: device.id).get() == Device(id: device.id, owner: nil))
    }

    // MARK: - Collations

    @Test("An index of numbers is made once, and used, also if their column is declared with a collation")
    func collationOfNumbers() throws {
        try database.execute(
            """
            CREATE TABLE goods (id INTEGER NOT NULL PRIMARY KEY COLLATE RTRIM, price INTEGER NOT NULL COLLATE NOCASE)
            """)
        let schema = Schema<Good>("goods", Good.init, Column("id", \.id), Column("price", \.price, isUnique: true))
        for _ in 0..<3 {
            let goods = try SQLiteStore(schema, in: database)
            let plan = try goods.filter(where: \.price == Price(rawValue: 30_000)).plan().get()
            #expect(plan.description.contains("SEARCH goods USING"), "\(plan)")
        }
        #expect(try database.rows("SELECT name FROM pragma_index_list('goods')").count == 1)
    }
}
