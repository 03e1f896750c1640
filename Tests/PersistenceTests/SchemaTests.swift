import Feedback
import Foundation
import Persistence
import Testing

@Suite("Schemas")
struct SchemaTests {
    private struct Pair: Identifiable, Equatable, Sendable {
        var id: Int
        var a: String
        var b: Int?
    }

    private struct Loose: Identifiable, Sendable {
        var id: Int64?
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func failure(_ body: () throws -> Void) -> StoreError? { #expect(throws: StoreError.self) { try body() } }

    @Test("Indexes whose names could be confused are all made")
    func indexNames() throws {
        let database = try SQLiteDatabase(.memory)
        let first = Schema<Pair>(
            "a", Pair.init, Column("id", \.id), Column("b_c", \.a, isIndexed: true), Column("x", \.b))
        let second = Schema<Pair>(
            "a_b", Pair.init, Column("id", \.id), Column("c", \.a, isIndexed: true), Column("x", \.b))
        let third = Schema<Pair>("a_b_c", Pair.init, Column("id", \.id), Column("c", \.a), Column("x", \.b))
        for schema in [first, second, third] {
            let store = try SQLiteStore(schema, in: database)
            try store.insert(Pair(id: 1, a: "x")).get()
            let plan = try store.filter(where: \.a == "x").plan().get().description
            #expect(plan.contains("USING INDEX") == (schema.name != "a_b_c"), "\(plan)")
        }
    }

    @Test("An index is not unique unless it says so")
    func plainIndex() {
        #expect(!ColumnIndex("a", "b").isUnique && !ColumnIndex(columns: ["a", "b"]).isUnique)
        #expect(ColumnIndex("a", isUnique: true).isUnique && ColumnIndex(columns: ["a"], isUnique: true).isUnique)
    }

    @Test("A unique column and a unique index of several forbid a second object, except with nil")
    func unique() throws {
        let schema = Schema<Pair>(
            "pairs", Pair.init, Column("id", \.id), Column("a", \.a, isUnique: true), Column("b", \.b))
        let both = Schema<Pair>(
            "both", Pair.init, Column("id", \.id), Column("a", \.a), Column("b", \.b),
            indexes: [ColumnIndex("a", "b", isUnique: true)])
        let database = try SQLiteDatabase(.memory)
        for store in [AnyStore(MemoryStore(schema)), AnyStore(try SQLiteStore(schema, in: database))] {
            try store.insert(Pair(id: 1, a: "é")).get()
            guard case .constraint = failure({ try store.insert(Pair(id: 2, a: "e\u{301}")).get() }) else {
                Issue.record("another error")
                return
            }
            try store.upsert(Pair(id: 1, a: "é", b: 3)).get()
            try store.insert(Pair(id: 2, a: "f")).get()
            #expect(failure { try store.update(Pair(id: 2, a: "é")).get() } != nil)
            #expect(failure { try store.insert([Pair(id: 3, a: "g"), Pair(id: 4, a: "f")]).get() } != nil)
            #expect(try store.all().count().get() == 2)
            try store.delete(Pair(id: 1, a: "é")).run()
            try store.insert(Pair(id: 5, a: "é")).get()
        }
        for store in [AnyStore(MemoryStore(both)), AnyStore(try SQLiteStore(both, in: database))] {
            try store.insert([Pair(id: 1, a: "a", b: 1), Pair(id: 2, a: "a", b: 2)]).get()
            try store.insert([Pair(id: 3, a: "a"), Pair(id: 4, a: "a")]).get()
            #expect(failure { try store.insert(Pair(id: 5, a: "a", b: 1)).get() } != nil)
        }
    }

    @Test(
        "A table whose columns cannot hold the properties is refused when it is opened",
        arguments: [
            ("id INTEGER PRIMARY KEY, a INTEGER NOT NULL, b INTEGER", "type INTEGER"),
            ("id INTEGER PRIMARY KEY, a TEXT NOT NULL, b TEXT", "type TEXT"),
            ("id INTEGER PRIMARY KEY, a TEXT COLLATE NOCASE NOT NULL, b INTEGER", "NOCASE"),
            ("id INTEGER PRIMARY KEY, a TEXT NOT NULL, b INTEGER NOT NULL", "NOT NULL"),
        ])
    func wrongColumns(_ columns: String, _ reason: String) throws {
        let database = try SQLiteDatabase(.memory)
        try database.execute(SQL(stringLiteral: "CREATE TABLE pairs (\(columns))"))
        let schema = Schema<Pair>("pairs", Pair.init, Column("id", \.id), Column("a", \.a), Column("b", \.b))
        let error = failure { _ = try SQLiteStore(schema, in: database) }
        #expect(error.map { "\($0)".contains(reason) } == true, "\(String(describing: error))")
    }

    @Test("A model whose id may be nil is refused by every store")
    func optionalID() async {
        await #expect(processExitsWith: .failure) { _ = Schema<Loose>("loose", Loose.init, Column("id", \.id)) }
        await #expect(processExitsWith: .failure) { _ = MemoryStore(id: \Loose.id) }
    }

    @Test("A nullable column is accepted unless a row holds NULL", arguments: ["a CHAR, b BIGINT", "a, b BLOB"])
    func nullableColumn(_ columns: String) throws {
        let database = try SQLiteDatabase(.memory)
        try database.execute(SQL(stringLiteral: "CREATE TABLE pairs (id INTEGER PRIMARY KEY, \(columns))"))
        let schema = Schema<Pair>("pairs", Pair.init, Column("id", \.id), Column("a", \.a), Column("b", \.b))
        try SQLiteStore(schema, in: database).insert(Pair(id: 1, a: "x")).get()
        try database.execute("INSERT INTO pairs (id) VALUES (2)")
        #expect(failure { _ = try SQLiteStore(schema, in: database) } != nil)
    }

    @Test("To insert an object again fails with duplicate, also if its unique value is taken, too")
    func insertedAgain() throws {
        let schema = Schema<Note>("notes", Note.init, Column("id", \.id), Column("text", \.text, isUnique: true))
        let stores = [
            AnyStore(MemoryStore(schema)), AnyStore(try SQLiteStore(schema, in: SQLiteDatabase(.memory))),
        ]
        let notes = [Note(id: "1", text: "a"), Note(id: "2", text: "b")]
        for store in stores {
            try store.insert(notes).get()
            for text in ["a", "b", "c"] {
                #expect(throws: StoreError.duplicate(id: "1")) { try store.insert(Note(id: "1", text: text)).get() }
            }
            let new = Note(id: "3", text: "c")
            #expect(throws: StoreError.duplicate(id: "3")) { try store.insert([new, new]).get() }
            let error = #expect(throws: StoreError.self) { try store.insert(Note(id: "3", text: "b")).get() }
            guard case .constraint? = error else {
                Issue.record("\(String(describing: error)) is another error")
                continue
            }
            #expect(try store.sorted(by: \.id).result().get() == notes)
        }
    }

    @Test("A merge may swap unique values, and pass them on, in any order")
    func swappedUniqueValues() throws {
        let schema = Schema<Note>("notes", Note.init, Column("id", \.id), Column("text", \.text, isUnique: true))
        let stores = [
            AnyStore(MemoryStore(schema)), AnyStore(try SQLiteStore(schema, in: SQLiteDatabase(.memory))),
        ]
        for store in stores {
            try store.insert([Note(id: "1", text: "a"), Note(id: "2", text: "b"), Note(id: "3", text: "c")]).get()
            for texts in ["bac", "bca", "cab", "abc", "bcd", "abd", "dab"] {
                let notes = zip(["1", "2", "3"], texts).map { Note(id: $0, text: String($1)) }
                for notes in [notes, notes.reversed()] {
                    try store.merge(notes).get()
                    #expect(try store.sorted(by: \.id).result().get().map(\.text) == texts.map { String($0) })
                }
            }
            // One takes the value of an object that is deleted, another that of one that changes.
            let result = try store.merge([Note(id: "2", text: "d"), Note(id: "4", text: "a")]).get()
            #expect(
                result.updated.map(\.id) == ["2"] && result.inserted.map(\.id) == ["4"] && result.deleted.count == 2)
            #expect(try store.sorted(by: \.id).result().get().map(\.text) == ["d", "a"])
            #expect(throws: StoreError.self) {
                try store.merge([Note(id: "2", text: "e"), Note(id: "4", text: "e")]).get()
            }
            #expect(try store.sorted(by: \.id).result().get().map(\.text) == ["d", "a"])
        }
    }

    @Test("A merge replaces no row whose unique value is free when its turn comes")
    func updatedInOrder() throws {
        let schema = Schema<Note>("notes", Note.init, Column("id", \.id), Column("text", \.text, isUnique: true))
        let database = try SQLiteDatabase(.memory)
        let store = try SQLiteStore(schema, in: database)
        try store.insert("abcd".map { Note(id: "\($0)", text: "\($0)") }).get()
        try database.execute("ALTER TABLE notes ADD COLUMN mark TEXT")
        try database.execute("UPDATE notes SET mark = 'ours'")
        // The first is deleted, and each other takes the value of the one before it.
        try store.merge(zip("bcd", "abc").map { Note(id: "\($0)", text: "\($1)") }).get()
        #expect(try store.sorted(by: \.id).result().get().map(\.text) == ["a", "b", "c"])
        #expect(try database.rows("SELECT count(*) FROM notes WHERE mark = 'ours'") == [[.integer(3)]])
    }

    @Test("A model whose equality says less than its columns is merged and observed by its columns")
    func laxEquality() throws {
        struct Lax: Identifiable, Equatable, Sendable {
            var id: Int
            var text: String

            static func == (lhs: Lax, rhs: Lax) -> Bool { lhs.id == rhs.id }
        }
        let schema = Schema<Lax>("lax", Lax.init, Column("id", \.id), Column("text", \.text))
        func check<S: SynchronousStore<Lax>>(_ store: S) throws {
            try store.insert(Lax(id: 1, text: "a")).get()
            let (emissions, disposable) = store.all().observe().map { $0.map(\.text) }.collecting()
            #expect(try store.merge([Lax(id: 1, text: "b")]).get().updated.count == 1)
            try store.update(Lax(id: 1, text: "c")).get()
            #expect(emissions.all == [["a"], ["b"], ["c"]])
            disposable.dispose()
        }
        try check(MemoryStore(schema))
        try check(SQLiteStore(schema, in: SQLiteDatabase(.memory)))
    }

    @Test("Migrations change rows with Swift, and skip tables that the file does not have")
    func swiftMigrations() throws {
        let path = folder.path("pairs.sqlite")
        // Version 1, whose table of pairs was never made.
        try SQLiteStore(Note.schema, at: path).insert([Note(id: "1", text: "one"), Note(id: "2", text: "two")]).get()
        let migrations = [
            Migration(to: 2, "ALTER TABLE pairs ADD COLUMN b INTEGER; UPDATE notes SET text = text || '!'"),
            Migration(to: 4) { database throws(StoreError) in
                for row in try database.rows("SELECT id, text FROM notes") {
                    guard case .text(let text) = row[1] else { continue }
                    try database.execute("UPDATE notes SET text = \(text.uppercased()) WHERE id = \(row[0])")
                }
                #expect(try database.rows("SELECT * FROM pairs").isEmpty)
            },
        ]
        let database = try SQLiteDatabase(.file(path), migrations: migrations)
        #expect(try SQLiteStore(Note.schema, in: database).all().result().get().map(\.text) == ["ONE!", "TWO!"])
        let schema = Schema<Pair>("pairs", Pair.init, Column("id", \.id), Column("a", \.a), Column("b", \.b))
        try SQLiteStore(schema, in: database).insert(Pair(id: 1, a: "x")).get()
    }

    @Test(
        "A statement of a migration about a missing table is skipped whole, whatever semicolons are in it",
        arguments: [
            "UPDATE missing SET note = 'a; DELETE FROM notes; --'",
            "CREATE TRIGGER t AFTER DELETE ON missing BEGIN UPDATE notes SET text = 'x'; DELETE FROM notes; END",
            "DELETE FROM missing -- ; DELETE FROM notes\nWHERE /* ; DELETE FROM notes; */ \"a;\" = 1",
        ])
    func skippedStatement(_ statement: String) throws {
        let path = folder.path("notes.sqlite")
        try SQLiteStore(Note.schema, at: path).insert(Note(id: "1", text: "one")).get()
        for (version, ending) in ["", ";", ";\nUPDATE notes SET text = text || '!'"].enumerated() {
            let migrations = (0...version).map { Migration(to: $0 + 2, $0 == version ? statement + ending : "") }
            let notes = try SQLiteStore(Note.schema, at: path, migrations: migrations)
            #expect(try notes.all().result().get().map(\.text) == [version == 2 ? "one!" : "one"])
        }
    }

    @Test("A migration that ends its own transaction fails, and changes nothing")
    func committingMigration() throws {
        let path = folder.path("notes.sqlite")
        try SQLiteStore(Note.schema, at: path).insert(Note(id: "1", text: "one")).get()
        let migrations = [Migration(to: 2, "DELETE FROM notes; COMMIT; no SQL at all")]
        guard
            case .migrationFailed(path, 2, _) = failure({ _ = try SQLiteDatabase(.file(path), migrations: migrations) })
        else {
            Issue.record("another error")
            return
        }
        #expect(try SQLiteStore(Note.schema, at: path).all().count().get() == 1)
    }

    @Test("A file of version 1 without any table opens with migrations of later tables")
    func emptyOldFile() throws {
        let path = folder.path("empty.sqlite")
        _ = try SQLiteDatabase(.file(path))
        let notes = try SQLiteStore(
            Note.schema, at: path, migrations: [Migration(to: 3, "ALTER TABLE notes ADD COLUMN more TEXT")])
        #expect(try notes.all().count().get() == 0)
    }

    @Test("Two migrations to one version are refused, and a duplicate key in one names it")
    func wrongMigrations() throws {
        let path = folder.path("notes.sqlite")
        try SQLiteStore(Note.schema, at: path).insert(Note(id: "a", text: "b")).get()
        let twice = [Migration(to: 2, "SELECT 1"), Migration(to: 2, "SELECT 2")]
        guard case .migrationFailed(path, 2, _) = failure({ _ = try SQLiteDatabase(.file(path), migrations: twice) })
        else {
            Issue.record("another error")
            return
        }
        let clash = [Migration(to: 2, "INSERT INTO notes VALUES ('a', 'c')")]
        guard case .migrationFailed(path, 2, _) = failure({ _ = try SQLiteDatabase(.file(path), migrations: clash) })
        else {
            Issue.record("another error")
            return
        }
    }

    @Test("Names of SQLite's own and paths with a zero byte are refused")
    func paths() {
        for path in [":memory:", "", "file:x.sqlite", "a\u{0}b"] {
            guard case .cannotOpen = failure({ _ = try SQLiteDatabase(.file(path)) }) else {
                Issue.record("\(path) gives another error")
                return
            }
        }
    }

    @Test("A select of SQL finds columns by name, and binds its values")
    func selecting() async throws {
        let films = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        try await films.insert([.fixture(id: 1, title: "a"), .fixture(id: 2, title: "'b'"), .fixture(id: 3)])
        let title = "'b'"
        #expect(try await films.select("SELECT * FROM films WHERE title = \(title)").map(\.id) == [2])
        #expect(
            try await films.select("SELECT * FROM \(name: "films") WHERE id > \(1) ORDER BY id DESC").map(\.id) == [
                3, 2,
            ])
        #expect(failure { _ = try films.select("SELECT id FROM films").values() } != nil)
        #expect(failure { _ = try films.select("DELETE FROM films").values() } != nil)
        // SQLite would take the name of a missing column for a text.
        let notes = try SQLiteStore(Note.schema, in: films.database)
        try await notes.insert(Note(id: "a", text: "b"))
        #expect(failure { _ = try notes.select("SELECT id FROM notes").values() } != nil)
        #expect(try films.database.rows("SELECT count(*), \(1.5) FROM films") == [[.integer(3), .real(1.5)]])
    }
}
