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

    // MARK: - Other columns

    @Test("A table that demands a value which the schema does not have is refused, unless the column has a default")
    func demandedValue() throws {
        func makeTable(_ constraint: String) throws {
            try database.execute("DROP TABLE IF EXISTS tags")
            let definition =
                "CREATE TABLE tags (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, color TEXT \(constraint))"
            try database.execute(SQL(stringLiteral: definition))
        }
        try makeTable("NOT NULL")
        let reason = "it demands a value for color, which the schema does not have"
        #expect(throws: StoreError.schemaMismatch(table: "tags", reason: reason)) {
            try SQLiteStore(Tag.schema, in: database)
        }
        for constraint in ["NOT NULL DEFAULT 'red'", ""] {
            try makeTable(constraint)
            try SQLiteStore(Tag.schema, in: database).insert(Tag(id: 1, name: "a")).get()
        }
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

    }

    @Test(
        "A UUID in small letters behind the rows that opening looks at makes only reads of its row fail, which say how to mend it"
    )
    func smallLettersFurtherDown() throws {
        try database.execute("CREATE TABLE devices (id TEXT NOT NULL PRIMARY KEY, owner TEXT)")
        let readable = (0..<30).map { _ in Device(id: UUID(), owner: UUID()) }
        try SQLiteStore(Device.schema, in: database).insert(readable).get()
        let (id, owner) = (UUID().uuidString, "00000000-0000-0000-0000-00000000000a")
        try database.execute("INSERT INTO devices VALUES (\(id), \(owner))")
        let devices = try SQLiteStore(Device.schema, in: database)
        for device in readable { #expect(try devices.object(withId: device.id).get() == device) }
        let found = """
            "\(owner)" (a UUID in small letters, which no condition would find; mend all of them with \
            UPDATE "devices" SET "owner" = upper("owner"))
            """
        let error = StoreError.unreadable(table: "devices", id: "\"\(id)\"", column: "owner", found: found)
        #expect(throws: error) { try devices.all().result().get() }
        let uuid = try #require(UUID(uuidString: id))
        #expect(throws: error) { try devices.object(withId: uuid).get() }
        // Nor may a list of the values have one that no condition would find.
        for distinct in [
            { _ = try devices.all().distinct(\.owner).get() }, { _ = try devices.all().count(by: \.owner).get() },
        ] {
            #expect(throws: StoreError.unreadable(table: "devices", id: nil, column: "owner", found: found)) {
                try distinct()
            }
        }
        try database.execute("UPDATE \"devices\" SET \"owner\" = upper(\"owner\")")
        #expect(try devices.all().distinct(\.owner).get().count == 31)
        try database.execute("UPDATE devices SET id = lower(id) WHERE id = \(id)")
        let error2 = #expect(throws: StoreError.self) { try devices.all().result().get() }
        #expect("\(try #require(error2))".contains(id.lowercased()))
    }

    // MARK: - Numbers

    @Test(
        "A number that a Float can only hold as infinity or as zero is unreadable",
        arguments: [1e39, -1e300, 1e-60] as [Double])
    func narrowNumbers(number: Double) throws {
        let parcels = try SQLiteStore(Parcel.schema, in: database)
        try parcels.insert([Parcel(id: 1, weight: .infinity), Parcel(id: 2, weight: 0)]).get()
        #expect(try parcels.all().result().get().map(\.weight) == [.infinity, 0])
        try database.execute("UPDATE parcels SET weight = \(number) WHERE id = 2")
        #expect(throws: StoreError.unreadable(table: "parcels", id: "2", column: "weight", found: "\(number)")) {
            try parcels.all().result().get()
        }
    }

    // MARK: - Triggers

    @Test("An upsert leaves the words of the triggers alone, such as OR REPLACE", arguments: [false, true])
    func upsertWithTriggers(_ isIndexed: Bool) throws {
        let schema = Schema<Tag>("tags", Tag.init, Column("id", \.id), Column("name", \.name, isIndexed: isIndexed))
        let tags = try SQLiteStore(schema, in: database)
        try database.execute("CREATE TABLE log (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL)")
        for event in ["INSERT", "UPDATE"] {
            try database.execute(
                SQL(
                    stringLiteral: """
                        CREATE TRIGGER logging_\(event) AFTER \(event) ON tags BEGIN
                            INSERT OR REPLACE INTO log VALUES (new.id, new.name);
                        END
                        """))
        }
        let told = Observed(tags.all())
        for name in ["a", "b", "b", "c"] { try tags.upsert([Tag(id: 1, name: name), Tag(id: 2, name: name)]).get() }
        #expect(try database.rows("SELECT * FROM log") == [[.integer(1), .text("c")], [.integer(2), .text("c")]])
        #expect(told.emissions.all.last == [Tag(id: 1, name: "c"), Tag(id: 2, name: "c")])
    }

    @Test("An upsert also leaves alone what a trigger writes to its own table", arguments: [false, true])
    func upsertWithTriggersOfOwnTable(_ isIndexed: Bool) throws {
        let schema = Schema<Tag>("tags", Tag.init, Column("id", \.id), Column("name", \.name, isIndexed: isIndexed))
        let tags = try SQLiteStore(schema, in: database)
        try database.execute("CREATE UNIQUE INDEX names ON tags (name)")
        for event in ["INSERT", "UPDATE"] {
            try database.execute(
                SQL(
                    stringLiteral: """
                        CREATE TRIGGER logging_\(event) AFTER \(event) ON tags WHEN new.id < 100 BEGIN
                            INSERT OR IGNORE INTO tags VALUES (new.id + 100, 'latest');
                            UPDATE OR REPLACE tags SET name = 'latest' WHERE id = new.id + 200;
                        END
                        """))
        }
        try tags.insert([Tag(id: 201, name: "x"), Tag(id: 202, name: "y")]).get()
        for name in ["a", "b"] { try tags.upsert([Tag(id: 1, name: name), Tag(id: 2, name: name + "2")]).get() }
        #expect(
            try tags.all().result().get()
                == [Tag(id: 1, name: "b"), Tag(id: 2, name: "b2"), Tag(id: 202, name: "latest")])
    }

    private struct Page: Identifiable, Equatable, Sendable {
        var id: Int
        var text: String
        var version: Int

        static let schema = Schema<Page>(
            "pages", Page.init, Column("id", \.id), Column("text", \.text), Column("version", \.version))
    }

    @Test("A column that a trigger sets before an update keeps that value after an upsert that does not change it")
    func upsertWithTriggerBefore() throws {
        let pages = try SQLiteStore(Page.schema, in: database)
        try database.execute(
            """
            CREATE TRIGGER numbering BEFORE UPDATE OF text ON pages BEGIN
                UPDATE pages SET version = version + 1 WHERE id = new.id;
            END
            """)
        for text in ["a", "b"] { try pages.upsert(Page(id: 1, text: text, version: 1)).get() }
        #expect(try pages.object(withId: 1).get() == Page(id: 1, text: "b", version: 2))
    }

    @Test(
        "An upsert leaves the words of a trigger alone that somebody has made since the last one",
        arguments: [false, true])
    func upsertWithNewTrigger(_ isOfAnotherProcess: Bool) throws {
        let folder = try TemporaryFolder()
        let tags = try SQLiteStore(Tag.schema, at: folder.path("tags.sqlite"))
        let others = isOfAnotherProcess ? try SQLiteDatabase(.file(folder.path("tags.sqlite"))) : tags.database
        try tags.upsert([Tag(id: 1, name: "a")]).get()
        try others.execute("CREATE TABLE log (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL)")
        try others.execute(
            """
            CREATE TRIGGER logging AFTER UPDATE ON tags BEGIN
                INSERT OR REPLACE INTO log VALUES (1, new.name);
                INSERT OR REPLACE INTO log VALUES (1, new.name || '!');
            END
            """)
        try tags.upsert([Tag(id: 1, name: "b")]).get()
        #expect(try others.rows("SELECT name FROM log") == [[.text("b!")]])
    }

    // MARK: - Collations

    @Test(
        "A text key that is compared by a collation is refused, whatever its column says",
        arguments: [
            "(id TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (id COLLATE NOCASE))",
            "(id TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (id COLLATE NOCASE)) WITHOUT ROWID",
            "(id TEXT COLLATE NOCASE NOT NULL, text TEXT NOT NULL, PRIMARY KEY (id COLLATE BINARY))",
        ])
    func collationOfKey(_ definition: String) throws {
        try database.execute(SQL(stringLiteral: "CREATE TABLE notes \(definition)"))
        let error = #expect(throws: StoreError.self) { _ = try SQLiteStore(Note.schema, in: database) }
        guard case .schemaMismatch("notes", let reason)? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        #expect(reason.contains("id is compared by NOCASE"))
    }

    @Test(
        "A key that is compared by its bytes is accepted",
        arguments: [
            "(id TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (id COLLATE BINARY))",
            "(id TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (id DESC)) WITHOUT ROWID",
            "(id TEXT PRIMARY KEY, text TEXT NOT NULL, UNIQUE (id COLLATE NOCASE))",
        ])
    func keyByBytes(_ definition: String) throws {
        try database.execute(SQL(stringLiteral: "CREATE TABLE notes \(definition)"))
        let notes = try SQLiteStore(Note.schema, in: database)
        try notes.upsert([Note(id: "b", text: ""), Note(id: "a", text: "")]).get()
        #expect(try notes.all().result().get().map(\.id) == ["a", "b"])
    }

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

private struct Parcel: Identifiable, Equatable {
    var id: Int
    var weight: Float

    static let schema = Schema<Parcel>("parcels", Parcel.init, Column("id", \.id), Column("weight", \.weight))
}
