import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Postgres
import Testing

@Suite("Migrations of PostgreSQL")
struct PostgresMigrationTests {
    @Test(
        "A semicolon in a quotation, a comment or a name does not end a statement of a migration",
        arguments: [
            #"UPDATE notes SET text = E'it\'s; one' || e'\\'"#, "/* one; /* two */; DELETE FROM notes; */",
            "DO $tag1$ BEGIN PERFORM 1; PERFORM 2; END $tag1$", "DO $\u{C0}$ BEGIN PERFORM 1; PERFORM 2; END $\u{C0}$",
            "UPDATE notes SET text = 'E' -- ; DELETE FROM notes",
            "-- one; two\rUPDATE notes SET text = 'x'; UPDATE notes SET text = 'y' -- ;\r\n",
            #"UPDATE notes SET text = 'a\'; UPDATE notes SET text = 'b;'"#,
            "CREATE TABLE a$b$ (c$b$ int); UPDATE notes SET text = 'x$b$;'",
            """
            CREATE OR REPLACE FUNCTION one(n int) RETURNS int BEGIN ATOMIC
                SELECT CASE WHEN n > 0 THEN 1 END; SELECT CASE n WHEN 1 THEN 1 ELSE CASE WHEN true THEN 2 END END;
            END; UPDATE notes SET text = 'x;'
            """,
            """
            CREATE PROCEDURE plain() BEGIN -- ;
            ATOMIC SELECT 1; SELECT 2; END
            """,
            """
            CREATE PROCEDURE odd() BEGIN /* ; */ atomic SELECT 1 AS case; SELECT 1 AS end, n.end FROM (SELECT 1 AS end) n;
            SELECT 2 AS "end;"; END
            """,
            "CREATE RULE deleting AS ON DELETE TO notes DO ALSO (NOTIFY a; NOTIFY b); UPDATE notes SET text = 'x)'",
            "CREATE FUNCTION begin() RETURNS int LANGUAGE sql AS 'SELECT 1; SELECT 2'; UPDATE notes SET text = 'x'",
        ])
    func semicolons(_ statements: String) throws {
        let address = try TestServer.running().address()
        try PostgresStore(Note.schema, in: PostgresDatabase(address)).insert(Note(id: "1", text: "one")).get()
        let migrations = [Migration(to: 2, statements + "\n; INSERT INTO notes VALUES ('2', 'two')")]
        let notes = try PostgresStore(Note.schema, in: PostgresDatabase(address, migrations: migrations))
        #expect(try notes.sorted(by: \.id).result().get().map(\.id) == ["1", "2"])
    }

    @Test("A migration that ends its own transaction fails, and changes nothing")
    func committing() throws {
        let address = try TestServer.running().address()
        let notes = try PostgresStore(Note.schema, in: PostgresDatabase(address))
        try notes.insert(Note(id: "1", text: "one")).get()
        for statements in [
            "DELETE FROM notes; COMMIT; no SQL at all", "DELETE FROM notes; COMMIT", "DELETE FROM notes; (; COMMIT",
            "DELETE FROM notes; CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; COMMIT",
            // To the server, the backslash escapes a quotation mark, so that this is three statements.
            #"DELETE FROM notes; SET standard_conforming_strings = off; SELECT 'a\' || '; COMMIT; SELECT 'b' -- '"#,
        ] {
            let error = #expect(throws: StoreError.self) {
                _ = try PostgresDatabase(address, migrations: [Migration(to: 2, statements)])
            }
            guard case .migrationFailed(_, 2, _)? = error else {
                Issue.record("\(String(describing: error)) is another error")
                return
            }
        }
        #expect(try notes.all().count().get() == 1)
    }

    private static let migrations = [
        Migration(
            to: 2, "ALTER TABLE notes ADD COLUMN text text COLLATE \"C\" NOT NULL DEFAULT 'a;b'",
            "ALTER TABLE nobody ADD x int; UPDATE notes SET text = $q$it's; new$q$ -- not; the end\n WHERE id = 'a'"),
        Migration(to: 3) { database throws(StoreError) in
            for row in try database.rows("SELECT id, text FROM notes WHERE id = \("a")") {
                guard case .text(let text) = row[1] else { continue }
                try database.execute("UPDATE notes SET text = \(text.uppercased()) WHERE id = \(row[0])")
            }
            try database.execute("INSERT INTO runs VALUES (3)")
            #expect(try database.rows("SELECT * FROM nobody").isEmpty)
            #expect(try database.execute("DELETE FROM nobody") == 0)
        },
    ]

    /// A database of before the migrations.
    private func oldDatabase() throws -> String {
        let address = try TestServer.running().address()
        let database = try PostgresDatabase(address)
        try database.execute("CREATE TABLE notes (id text COLLATE \"C\" PRIMARY KEY)")
        try database.execute("CREATE TABLE runs (number int)")
        try database.execute("INSERT INTO notes VALUES ('a'), ('b')")
        return address
    }

    @Test("An old database is brought to the newest version once, however many begin together", .onOwnThread)
    func once() throws {
        let address = try oldDatabase()
        onThreadsBlocking(10) { _ in
            do {
                let notes = try PostgresStore(
                    Note.schema, in: PostgresDatabase(address, migrations: Self.migrations))
                #expect(
                    try notes.all().result().get() == [Note(id: "a", text: "IT'S; NEW"), Note(id: "b", text: "a;b")])
            } catch {
                Issue.record("\(error)")
            }
        }
        let database = try PostgresDatabase(address, migrations: Self.migrations)
        #expect(try database.rows("SELECT count(*) FROM runs") == [[.integer(1)]])
    }

    @Test("A new database gets its tables as they are now, however many begin together", .onOwnThread)
    func new() throws {
        let address = try TestServer.running().address()
        onThreadsBlocking(10) { number in
            do {
                let database = try PostgresDatabase(address, migrations: Self.migrations)
                let notes = try PostgresStore(Note.schema, in: database)
                try notes.insert(Note(id: "\(number)", text: "x")).get()
            } catch {
                Issue.record("\(error)")
            }
        }
        let database = try PostgresDatabase(address, migrations: Self.migrations)
        #expect(try database.rows("SELECT count(*) FROM notes") == [[.integer(10)]])
        #expect(try database.rows("SELECT version FROM feedback_version") == [[.integer(3)]])
    }

    @Test("A step that fails leaves the database at the version before it")
    func failing() throws {
        let address = try oldDatabase()
        let migrations = [
            Self.migrations[0], Migration(to: 3, "UPDATE notes SET text = 'lost'; SELECT 1 / 0"),
        ]
        let error = #expect(throws: StoreError.self) { _ = try PostgresDatabase(address, migrations: migrations) }
        guard case .migrationFailed(_, version: 3, _)? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        let database = try PostgresDatabase(address, migrations: [Self.migrations[0]])
        #expect(try database.rows("SELECT version FROM feedback_version") == [[.integer(2)]])
        #expect(try database.rows("SELECT count(*) FROM notes WHERE text = 'lost'") == [[.integer(0)]])
    }

    @Test("A step that conflicts with another transaction is done again, and fails if it always does")
    func conflicts() throws {
        let address = try oldDatabase()
        // A sequence goes on although the transaction is rolled back.
        try PostgresDatabase(address).execute("CREATE SEQUENCE attempts")
        func conflicting(until attempt: Int, _ code: String) -> String {
            """
            INSERT INTO runs VALUES (2); DO $$ BEGIN IF nextval('attempts') < \(attempt) THEN
            RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '\(code)'; END IF; END $$
            """
        }
        let meeting = [
            Migration(to: 2, conflicting(until: 3, "40P01")), Migration(to: 3, conflicting(until: 5, "40001")),
        ]
        let database = try PostgresDatabase(address, migrations: meeting)
        #expect(try database.rows("SELECT count(*) FROM runs") == [[.integer(2)]])
        #expect(try database.rows("SELECT last_value FROM attempts") == [[.integer(5)]])
        let always = Migration(to: 4, conflicting(until: .max, "40P01"))
        let error = #expect(throws: StoreError.self) { try PostgresDatabase(address, migrations: meeting + [always]) }
        guard case .migrationFailed(_, version: 4, let reason)? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        #expect(reason.contains("deadlock detected"))
        #expect(try database.rows("SELECT version FROM feedback_version") == [[.integer(3)]])
    }

    @Test("Migrations may select all columns of a table before and after they change it")
    func selectingAllColumns() throws {
        let address = try oldDatabase()
        @Sendable func columns(_ database: MigratingDatabase) throws(StoreError) -> Int {
            try database.rows("SELECT * FROM notes")[0].count
        }
        let counts = Locked<[Int]>([])
        let migrations = [
            Migration(to: 2) { database throws(StoreError) in
                let before = try columns(database)
                try database.execute("ALTER TABLE notes ADD COLUMN text text COLLATE \"C\"")
                let after = try columns(database)
                counts.withLock { $0 += [before, after] }
            },
            Migration(to: 3, "ALTER TABLE notes ADD COLUMN more text"),
            Migration(to: 4) { database throws(StoreError) in
                let last = try columns(database)
                counts.withLock { $0.append(last) }
            },
        ]
        _ = try PostgresDatabase(address, migrations: migrations)
        #expect(counts.withLock(\.self) == [1, 2, 3])
    }

    @Test("However many statements a migration has, none keeps a lock of its own until the end")
    func locks() throws {
        let address = try oldDatabase()
        let counts = Locked<[[PrimitiveValue]]>([])
        let migration = Migration(to: 2) { database throws(StoreError) in
            for _ in 0..<3 { try database.execute("DELETE FROM nobody") }
            for number in 0..<5 { try database.execute("INSERT INTO runs VALUES (\(number))") }
            let rows = try database.rows(
                "SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'transactionid'")
            counts.withLock { $0 += rows }
        }
        let database = try PostgresDatabase(address, migrations: [migration])
        // That of the transaction. The server has room for some thousands only.
        #expect(counts.withLock(\.self) == [[.integer(1)]])
        #expect(try database.rows("SELECT count(*) FROM runs") == [[.integer(5)]])
    }

    @Test("Version 1 is the first one to which there can be a migration, and that of a program without any")
    func firstVersion() throws {
        let address = try oldDatabase()
        _ = try PostgresDatabase(address, migrations: [Migration(to: 1, "UPDATE notes SET id = id || '!'")])
        let database = try PostgresDatabase(address)
        #expect(try database.rows("SELECT version FROM feedback_version") == [[.integer(1)]])
        _ = try PostgresDatabase(address, migrations: [Migration(to: 2, "SELECT 1")])
        let error = #expect(throws: StoreError.self) { _ = try PostgresDatabase(address) }
        guard case .newerVersion(_, found: 2, supported: 1)? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
    }

    @Test("A migration to a version below 1 is refused", arguments: [0, -1])
    func versions(_ version: Int) throws {
        let address = try TestServer.running().address()
        let error = #expect(throws: StoreError.self) {
            _ = try PostgresDatabase(address, migrations: [Migration(to: version, "SELECT 1")])
        }
        guard case .migrationFailed(_, version: version, _)? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
    }

    @Test("A database of a newer program is left alone")
    func newer() throws {
        let address = try oldDatabase()
        _ = try PostgresDatabase(address, migrations: Self.migrations)
        let error = #expect(throws: StoreError.self) {
            _ = try PostgresDatabase(address, migrations: [Self.migrations[0]])
        }
        guard case .newerVersion(_, found: 3, supported: 2)? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
    }

    @Test(
        "A statement that names a table only in error, or reaches a missing one only by a trigger, fails",
        arguments: [
            "UPDATE notes SET text = n.text || 'x'", "SELECT nobody.id FROM notes",
            "SELECT id FROM notes AS n FOR UPDATE OF notes", "INSERT INTO notes VALUES ('c', 'x')",
        ])
    func tablesNamedInError(_ statement: String) throws {
        let address = try TestServer.running().address()
        let database = try PostgresDatabase(address)
        let notes = try PostgresStore(Note.schema, in: database)
        try database.execute(
            """
            CREATE FUNCTION logging() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN INSERT INTO missing_log VALUES (1); RETURN NULL; END'
            """)
        try database.execute(
            "CREATE TRIGGER logging AFTER INSERT ON notes FOR EACH ROW EXECUTE FUNCTION logging()")
        let error = #expect(throws: StoreError.self) {
            _ = try PostgresDatabase(address, migrations: [Migration(to: 2, statement)])
        }
        guard case .migrationFailed(_, version: 2, _)? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        #expect(try notes.all().count().get() == 0)
    }
}
