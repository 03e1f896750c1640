import FeedbackTesting
import Foundation
import Persistence
import Testing

@Suite("Statements of SQL on SQLite")
struct SQLiteStatementTests {
    private let database: SQLiteDatabase
    private let films: SQLiteStore<Film>

    init() throws {
        database = try SQLiteDatabase(.memory)
        films = try SQLiteStore(Film.schema, in: database)
        try films.insert([.fixture(id: 1), .fixture(id: 2), .fixture(id: 3)]).get()
    }

    // MARK: - The number of changed rows

    @Test(
        "A statement that changes no rows returns 0, whatever the statement before it changed",
        arguments: [
            "CREATE TABLE others (id INTEGER PRIMARY KEY)", "CREATE INDEX more ON films (score)",
            "ALTER TABLE films ADD COLUMN more TEXT", "CREATE TRIGGER t AFTER DELETE ON films BEGIN SELECT 1; END",
            "SELECT * FROM films", "PRAGMA user_version", "DELETE FROM films WHERE id > 3",
            "CREATE TABLE copies AS SELECT * FROM films",
        ] as [String])
    func noRows(_ statement: String) throws {
        #expect(try database.execute("UPDATE films SET budget = 5") == 3)
        #expect(try database.execute(SQL(stringLiteral: statement)) == 0)
        let counts = try films.perform { films throws(StoreError) in
            [
                try films.execute("UPDATE films SET budget = 6 WHERE id < 3"),
                try films.execute("DROP TABLE IF EXISTS others"),
            ]
        }
        #expect(counts == [2, 0])
    }

    @Test("A statement that writes is refused where rows are read, with a sentence that says what to use")
    func writingRows() throws {
        let database = try SQLiteDatabase(.memory)
        try database.execute("CREATE TABLE numbers (number INTEGER)")
        #expect {
            try database.rows("INSERT INTO numbers VALUES (1) RETURNING number")
        } throws: { error in
            guard case StoreError.refused(let reason) = error else { return false }
            return reason.contains("execute(_:)")
        }
        #expect(try database.rows("SELECT * FROM numbers").isEmpty)
        #expect(try database.rows("PRAGMA table_info(numbers)").count == 1)
        #expect(try database.rows("EXPLAIN INSERT INTO numbers VALUES (1)").isEmpty == false)
    }

    @Test("The rows that triggers change do not count")
    func triggers() throws {
        try database.execute("CREATE TABLE log (id)")
        try database.execute("CREATE TRIGGER t AFTER UPDATE ON films BEGIN INSERT INTO log VALUES (1), (2); END")
        #expect(try database.execute("UPDATE films SET budget = 6 WHERE id < 3") == 2)
        #expect(try database.execute("CREATE TABLE others (id)") == 0)
        #expect(try database.execute("INSERT INTO others VALUES (1) RETURNING id") == 1)
        try database.execute("CREATE VIEW shown AS SELECT * FROM others")
        try database.execute("CREATE TRIGGER u INSTEAD OF DELETE ON shown BEGIN DELETE FROM log; END")
        #expect(try database.execute("DELETE FROM shown") == 0)
        #expect(try database.rows("SELECT count(*) FROM log") == [[.integer(0)]])
    }

    @Test("A statement of a migration returns the number of rows that it changed itself")
    func migration() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("films.sqlite")
        try SQLiteStore(Film.schema, at: path).insert([.fixture(id: 1), .fixture(id: 2)]).get()
        _ = try SQLiteDatabase(
            .file(path),
            migrations: [
                Migration(to: 2) { database throws(StoreError) in
                    #expect(try database.execute("UPDATE films SET budget = 5") == 2)
                    #expect(try database.execute("CREATE TABLE others (id)") == 0)
                }
            ])
    }

    // MARK: - Refused statements

    @Test("A statement whose parameters have no value is refused: SQLite would take NULL for them")
    func missingValues() throws {
        let statements: [SQL] = [
            "UPDATE films SET title = ?", "UPDATE films SET title = :title", "DELETE FROM films WHERE budget IS NOT ?1",
        ]
        for sql in statements {
            expectRefused { try database.execute(sql) }
            expectRefused { try films.perform { films throws(StoreError) in try films.execute(sql) } }
        }
        expectRefused { try database.rows("SELECT id FROM films WHERE title IS NOT \("x") AND budget IS NOT ?") }
        // SQLite would take the value for both parameters.
        expectRefused { try database.rows("SELECT id FROM films WHERE budget IS NOT ? AND id = \(1)") }
        expectRefused { try database.execute("DELETE FROM films WHERE budget IS NOT ?1 AND id = \(1)") }
        expectRefused { try database.rows("SELECT id FROM films WHERE title IS NOT ?7 AND budget IS NOT \(5)") }
        expectRefused { try films.select("SELECT * FROM films WHERE subtitle IS ?").values() }
        #expect(try films.filter(where: \.title == "The Third Man").count().get() == 3)
        #expect(try database.rows("SELECT '?', \(5)") == [[.text("?"), .integer(5)]])
    }

    @Test("A statement of a migration whose parameters have no value is refused, and fails the migration")
    func missingValuesOfMigration() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("films.sqlite")
        try SQLiteStore(Film.schema, at: path).insert(.fixture(id: 1, subtitle: "a")).get()
        #expect(throws: StoreError.self) {
            try SQLiteDatabase(.file(path), migrations: [Migration(to: 2, "UPDATE films SET subtitle = ?")])
        }
        #expect(try SQLiteStore(Film.schema, at: path).all().result().get() == [.fixture(id: 1, subtitle: "a")])
    }

    @Test(
        "A statement that would hide a table on one connection is refused",
        arguments: [
            "CREATE TEMP TABLE films (id INTEGER PRIMARY KEY)", "CREATE TEMPORARY VIEW films AS SELECT 1 AS id",
            "CREATE TABLE temp.films AS SELECT 1 AS id", "CREATE VIRTUAL TABLE temp.films USING fts5(id)",
            "CREATE TEMP TRIGGER t AFTER DELETE ON films BEGIN SELECT 1; END",
        ] as [String])
    func temporary(_ statement: String) throws {
        expectRefused { try database.rows(SQL(stringLiteral: statement)) }
        expectRefused { try database.execute(SQL(stringLiteral: statement)) }
        try films.insert(.fixture(id: 4)).get()
        #expect(try films.all().count().get() == 4)
    }

    @Test(
        "A setting that one connection would have is refused",
        arguments: [
            "PRAGMA query_only = 1", "PRAGMA main.Query_Only(1)", "PRAGMA locking_mode = EXCLUSIVE",
            "PRAGMA ignore_check_constraints = 1", "PRAGMA recursive_triggers = 1", "PRAGMA case_sensitive_like = 1",
        ] as [String])
    func settings(_ statement: String) throws {
        let sql = SQL(stringLiteral: statement)
        expectRefused { try database.rows(sql) }
        expectRefused { try database.execute(sql) }
        try films.insert(.fixture(id: 4)).get()
    }

    @Test("A migration may change settings, which end with it")
    func settingsOfMigrations() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("films.sqlite")
        try SQLiteStore(Film.schema, at: path).insert(.fixture(id: 1)).get()
        let migration = Migration(to: 2) { database throws(StoreError) in
            try database.execute("PRAGMA recursive_triggers = 1")
            #expect(try database.rows("PRAGMA recursive_triggers") == [[.integer(1)]])
        }
        let migrated = try SQLiteStore(Film.schema, at: path, migrations: [migration])
        let setting = try migrated.perform { films throws(StoreError) in try films.rows("PRAGMA recursive_triggers") }
        #expect(setting == [[.integer(0)]])
    }

    @Test("A pragma that reads, or that writes to the file, is not refused")
    func pragmas() throws {
        #expect(try database.rows("PRAGMA query_only") == [[.integer(0)]])
        #expect(try database.rows("PRAGMA table_info(films)").isEmpty == false)
        #expect(try database.rows("SELECT name FROM pragma_table_info('films') LIMIT 1") == [[.text("id")]])
        try database.execute("PRAGMA user_version = 1")
        try database.execute("PRAGMA optimize")
    }

    @Test("No statement of a user is one of those that begin and end the parts of a transaction")
    func parts() throws {
        try films.perform { transaction throws(StoreError) in
            try transaction.withSavepoint { () throws(StoreError) in try transaction.insert([.fixture(id: 4)]) }
            try transaction.withSavepoint { () throws(StoreError) in
                try transaction.insert([.fixture(id: 5), .fixture(id: 6)])
                for text in ["SAVEPOINT part", "ROLLBACK TO part", "RELEASE part", "COMMIT", "BEGIN IMMEDIATE"] {
                    expectRefused { try transaction.rows(SQL(stringLiteral: text)) }
                    expectRefused { try transaction.execute(SQL(stringLiteral: text)) }
                }
            }
        }
        #expect(try films.all().count().get() == 6)
    }

    @Test(
        "Comments and semicolons around a statement are not another statement",
        arguments: ["; -- all", " /* all */ ;", ";\n;", "--", ";\u{A0}"])
    func comments(_ end: String) throws {
        #expect(try database.rows(SQL(stringLiteral: "/* ; */ SELECT count(*) FROM films" + end)) == [[.integer(3)]])
        try database.execute(SQL(stringLiteral: "UPDATE films SET budget = 7" + end))
        for text in ["SELECT 1; SELECT 2", "SELECT 1; nonsense", "-- nothing", ";", ""] {
            #expect(throws: StoreError.self) { try database.rows(SQL(stringLiteral: text)) }
        }
    }

    @Test("A value that is nil is bound as NULL")
    func optionals() throws {
        let (subtitle, year): (String?, Int?) = (nil, 1950)
        try database.execute("UPDATE films SET subtitle = \(subtitle), year = \(year) WHERE id = 2")
        #expect(
            try database.rows("SELECT id FROM films WHERE subtitle IS \(subtitle) AND year IS \(year)") == [
                [.integer(2)]
            ])
    }

    @Test("A statement that selects objects may end with a semicolon")
    func semicolon() throws {
        #expect(try films.select("SELECT * FROM films ORDER BY id DESC;\n").get().map(\.id) == [3, 2, 1])
    }

    @Test("A row that an outer join leaves empty fails as a row without an id, in a sentence that names the statement")
    func outerJoin() throws {
        let statement: SQL = "SELECT f.* FROM films LEFT JOIN films f ON f.id = films.id + 1 ORDER BY films.id"
        let error = #expect(throws: StoreError.unreadable(table: "films", id: nil, column: "id", found: "nil")) {
            try films.select(statement).get()
        }
        #expect(error?.description.contains("correct the row, or the statement that selected it") == true)
    }

    private func expectRefused<Value>(
        _ body: () throws -> Value, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation) { _ = try body() }
        if case .refused? = error { return }
        Issue.record("\(String(describing: error)) is another error", sourceLocation: sourceLocation)
    }

    // MARK: - Prepared statements

    @Test("Statements that differ only in the composition of their letters are different ones")
    func compositions() throws {
        for text in ["\u{E9}", "e\u{301}", "\u{E9}"] {
            let row = try #require(try database.rows(SQL(stringLiteral: "SELECT hex('\(text)')")).first)
            #expect(row == [.text(text.utf8.map { String($0, radix: 16, uppercase: true) }.joined())])
        }
    }

    @Test("Observers are told of all rows that a statement changes, also of those that SQLite does not report")
    func observedRows() throws {
        let notes = try SQLiteStore(Note.schema, in: database)
        try notes.insert([Note(id: "a", text: "1"), Note(id: "b", text: "2")]).get()
        let told = Observed(notes.all())
        try database.execute("UPDATE notes SET text = text || '!'")
        try notes.perform { notes throws(StoreError) in
            try notes.execute("DELETE FROM notes WHERE id = 'a'")
            #expect(told.emissions.all.count == 2)
        }
        try database.execute("DELETE FROM notes")
        #expect(told.emissions.all.map { $0.map(\.text) } == [["1", "2"], ["1!", "2!"], ["2!"], []])
    }
}
