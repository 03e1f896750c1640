import CSQLite
import Feedback
import Foundation
@testable import Persistence
import Testing

@Suite("Migrations of SQLite files that go wrong")
struct SQLiteMigrationTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("notes.sqlite")
        try SQLiteStore(Note.schema, at: path).insert(Note(id: "1", text: "one")).get()
    }

    private func expectFailure(to version: Int, _ migration: Migration) throws {
        let error = #expect(throws: StoreError.self) { _ = try SQLiteDatabase(.file(path), migrations: [migration]) }
        guard case .migrationFailed(path, version, _)? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        #expect(try SQLiteStore(Note.schema, at: path).all().result().get() == [Note(id: "1", text: "one")])
    }

    @Test("A migration that goes on after SQLite has ended its transaction fails, and changes nothing")
    func endedTransaction() throws {
        let end: SQL = "INSERT OR ROLLBACK INTO notes VALUES ('1', 'again')"
        try expectFailure(
            to: 2,
            Migration(to: 2) { database throws(StoreError) in
                try database.execute("UPDATE notes SET text = 'two'")
                _ = try? database.execute(end)
                _ = try? database.execute("UPDATE notes SET text = 'three'")
                _ = try? database.rows("DELETE FROM notes RETURNING id")
            })
        try expectFailure(
            to: 2,
            Migration(to: 2) { database throws(StoreError) in
                _ = try? database.rows(end)
                _ = try? database.execute("UPDATE notes SET text = 'three'")
            })
    }

    @Test("A statement that fails while it runs, since a table that it does not name is missing, fails the migration")
    func missingContent() throws {
        let database = try SQLiteDatabase(.file(path))
        try database.execute("CREATE VIRTUAL TABLE titles USING fts5(title, content='films', content_rowid='id')")
        try expectFailure(
            to: 2, Migration(to: 2, "UPDATE notes SET text = text || '!'; DELETE FROM titles WHERE rowid = 1"))
    }

    @Test("A version that a file cannot hold is refused", arguments: [0, -1, 2_147_483_648, 20_261_122_093_000])
    func versions(_ version: Int) throws {
        try expectFailure(to: version, Migration(to: version, "UPDATE notes SET text = text || '!'"))
    }

    @Test("An error about a version names the largest one, if there is any")
    func versionLimits() throws {
        func reason(_ version: Int, upTo last: Int) -> String? {
            let error = #expect(throws: StoreError.self) { try [Migration(to: version)].inOrder(for: "f", upTo: last) }
            guard case .migrationFailed("f", version, let reason)? = error else { return nil }
            return reason
        }
        #expect(reason(9, upTo: 8) == "versions are numbers from 1 to 8")
        #expect(reason(0, upTo: .max) == "versions are numbers from 1")
        let migrations = [Migration(to: 8), Migration(to: 1), Migration(to: 3)]
        #expect(try migrations.inOrder(for: "f", upTo: 8).map(\.version) == [1, 3, 8])
    }

    @Test("The largest version is reached once")
    func largestVersion() throws {
        for _ in 0..<2 {
            let notes = try SQLiteStore(
                Note.schema, at: path, migrations: [Migration(to: 2_147_483_647, "UPDATE notes SET text = text || '!'")]
            )
            #expect(try notes.all().result().get().map(\.text) == ["one!"])
        }
    }

    @Test("A file that a newer program migrates while an older one opens it keeps its version, and is refused")
    func twoPrograms() throws {
        let newer = try SQLiteDatabase(.file(path))
        let place = try SQLiteConnection.Location(.file(path), patience: .seconds(5))
        func connect() throws(StoreError) -> SQLiteConnection {
            try SQLiteConnection(place, flags: SQLITE_OPEN_READWRITE)
        }
        let migration = Migration(to: 2, "UPDATE notes SET text = text || '!'")
        for (migrations, newest) in [([], 1), ([migration], 2), ([migration, Migration(to: 3)], 3)] {
            let migrator = try SQLiteMigrator(migrations, file: path)
            // The older program finds a version below its own, then the newer one has the lock.
            try newer.execute("PRAGMA user_version = 5")
            let connection = try connect()
            #expect(throws: StoreError.newerVersion(file: path, found: 5, supported: newest)) {
                try migrator.run(on: connection, connecting: connect)
            }
            #expect(!connection.isInTransaction)
            #expect(try newer.rows("PRAGMA user_version") == [[.integer(5)]])
        }
        // The newer program has the lock after the older one has begun.
        try newer.execute("PRAGMA user_version = 1")
        let migrator = try SQLiteMigrator([migration], file: path)
        #expect(throws: StoreError.newerVersion(file: path, found: 5, supported: 2)) {
            try migrator.run(on: try connect()) { () throws(StoreError) in
                try newer.execute("PRAGMA user_version = 5")
                return try connect()
            }
        }
        #expect(try newer.rows("SELECT text FROM notes") == [[.text("one")]])
    }

    @Test("A file that is new, or has the newest version, is not opened a second time to be migrated")
    func nothingToMigrate() throws {
        let migrator = try SQLiteMigrator([Migration(to: 2, "DELETE FROM notes")], file: path)
        let new = try SQLiteConnection.Location(.file(folder.path("new.sqlite")), patience: .seconds(5))
        let connection = try SQLiteConnection(new, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        for _ in 0..<2 {
            try migrator.run(on: connection) { () throws(StoreError) in
                throw .migrationFailed(file: "new.sqlite", version: 2, reason: "it was opened again")
            }
            #expect(try connection.rows("PRAGMA user_version") == [[.integer(2)]])
        }
    }

    @Test("A file that is only read opens with the migrations that it has had, and not with further ones")
    func readOnly() throws {
        let migrations = [2, 3].map { Migration(to: $0, "UPDATE notes SET text = text || '!'") }
        _ = try SQLiteDatabase(.file(path), migrations: [migrations[0]])
        var configuration = SQLiteDatabase.Configuration()
        configuration.isReadOnly = true
        let database = try SQLiteDatabase(.file(path), migrations: [migrations[0]], configuration: configuration)
        #expect(try SQLiteStore(Note.schema, in: database).all().result().get().map(\.text) == ["one!"])
        #expect(throws: StoreError.readOnly(file: path)) {
            try SQLiteDatabase(.file(path), migrations: migrations, configuration: configuration)
        }
    }

    @Test("A migration does not make the file larger than the configuration allows")
    func maximumSize() throws {
        var configuration = SQLiteDatabase.Configuration()
        configuration.maximumSize = 200_000
        let migration = Migration(to: 2, "UPDATE notes SET text = hex(zeroblob(300000))")
        #expect(throws: StoreError.self) {
            try SQLiteDatabase(.file(path), migrations: [migration], configuration: configuration)
        }
        #expect(try SQLiteStore(Note.schema, at: path).all().result().get() == [Note(id: "1", text: "one")])
    }

    @Test("A setting that a migration makes for its connection only does not outlive it")
    func temporaryTable() throws {
        let notes = try SQLiteStore(
            Note.schema, at: path,
            migrations: [
                Migration(
                    to: 2, "CREATE TEMP TABLE old AS SELECT * FROM notes", "DELETE FROM notes",
                    "INSERT INTO notes SELECT id, text || '!' FROM old", "ALTER TABLE old RENAME TO notes")
            ])
        try notes.insert(Note(id: "2", text: "two")).get()
        #expect(try notes.all().result().get().map(\.text) == ["one!", "two"])
    }

    @Test(
        "A statement that reaches a missing table only by a trigger or a view fails",
        arguments: ["UPDATE notes SET text = 'two'", "UPDATE notes SET text = 'in main.log'", "DELETE FROM shown"])
    func missingTableOfTrigger(_ statement: String) throws {
        let database = try SQLiteDatabase(.file(path))
        try database.execute("CREATE TABLE log (entry TEXT)")
        try database.execute("CREATE TRIGGER logging AFTER UPDATE ON notes BEGIN INSERT INTO log VALUES (1); END")
        try database.execute("CREATE VIEW shown AS SELECT * FROM log")
        try database.execute("CREATE TRIGGER hiding INSTEAD OF DELETE ON shown BEGIN SELECT 1; END")
        try database.execute("DROP TABLE log")
        try expectFailure(to: 2, Migration(to: 2, statement))
        try expectFailure(
            to: 2,
            Migration(to: 2) { database throws(StoreError) in try database.execute(SQL(stringLiteral: statement)) })
    }

    @Test("A statement about a missing table changes no rows, and reads none")
    func missingTableAlone() throws {
        let counts = MutableProperty<[Int]>([])
        let migration = Migration(to: 2) { database throws(StoreError) in
            let rows = try database.rows("SELECT * FROM log").count
            counts.value = [try database.execute("DELETE FROM log"), rows, try database.execute("DELETE FROM notes")]
        }
        _ = try SQLiteDatabase(.file(path), migrations: [migration])
        #expect(counts.value == [0, 0, 1])
    }

    @Test("A statement about a missing table is skipped, whatever name it is given")
    func missingTable() throws {
        let notes = try SQLiteStore(
            Note.schema, at: path,
            migrations: [
                Migration(
                    to: 2, "UPDATE log SET entry = 1; DELETE FROM main.log; INSERT INTO notes SELECT * FROM main.log",
                    "UPDATE notes SET text = text || '!'")
            ])
        #expect(try notes.all().result().get().map(\.text) == ["one!"])
    }

    @Test("A file has each migration once, and then only the later ones")
    func laterMigrations() throws {
        let migrations = [2, 3].map { Migration(to: $0, "UPDATE notes SET text = text || '\($0)'") }
        for count in 1...2 { _ = try SQLiteDatabase(.file(path), migrations: Array(migrations.prefix(count))) }
        let notes = try SQLiteStore(Note.schema, at: path, migrations: migrations)
        #expect(try notes.all().result().get().map(\.text) == ["one23"])
    }

    @Test("The statement behind one that is skipped runs, also without a space between them, and with semicolons in it")
    func behindSkipped() throws {
        let statements = "UPDATE log SET entry = 'a;b';UPDATE notes SET text = text || ';';DELETE FROM log"
        let notes = try SQLiteStore(Note.schema, at: path, migrations: [Migration(to: 2, statements)])
        #expect(try notes.all().result().get().map(\.text) == ["one;"])
    }

    @Test("Triggers run for the statement behind one that is skipped")
    func triggersBehindSkipped() throws {
        try SQLiteDatabase(.file(path)).execute(
            "CREATE TRIGGER marking AFTER INSERT ON notes BEGIN UPDATE notes SET text = text || '!' WHERE id = new.id; END"
        )
        let statements = "DELETE FROM log; INSERT INTO notes VALUES ('2', 'two')"
        let notes = try SQLiteStore(Note.schema, at: path, migrations: [Migration(to: 2, statements)])
        #expect(try notes.all().result().get().map(\.text) == ["one", "two!"])
    }
}
