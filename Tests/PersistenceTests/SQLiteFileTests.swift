import CSQLite
import ChildProcesses
import FeedbackTesting
import Foundation
import Persistence
import Testing

@Suite("SQLite files")
struct SQLiteFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("films.sqlite")
    }

    private func failure(_ body: () throws -> Void) -> StoreError? {
        #expect(throws: StoreError.self) { try body() }
    }

    @Test("Written objects are there when the file is opened again")
    func reopening() throws {
        let films = (0..<300).map { Film.fixture(id: $0) }
        try SQLiteStore(Film.schema, at: path).insert(films).get()
        #expect(try SQLiteStore(Film.schema, at: path).all().result().get() == films)
    }

    @Test("The file is one that the sqlite3 shell reads and writes", .enabled(if: Shell.exists))
    func shell() throws {
        let films = try SQLiteStore(Film.schema, at: path)
        try films.insert([
            .fixture(id: 1, title: "Amélie", score: .nan, studio: .zero), .fixture(id: 2, rating: .PG_13, year: nil),
        ]).get()
        #expect(
            try Shell.run(path, "SELECT id, title, rating, score, year IS NULL, studio FROM films ORDER BY title")
                == """
                1|Amélie|PG|NaN|0|00000000-0000-0000-0000-000000000000
                2|The Third Man|PG-13|8.1|1|00000000-0000-0000-0000-000000000000

                """)
        #expect(try Shell.run(path, "PRAGMA integrity_check") == "ok\n")
        #expect(try Shell.run(path, "UPDATE films SET title = 'Alphaville' WHERE id = 1; SELECT changes()") == "1\n")
        #expect(try films.filter(where: \.title == "Alphaville").count().get() == 1)
    }

    @Test("A relative path means the folder that is current when the file is opened, also for later connections")
    func relativePath() async {
        // In a process of its own: the current folder is the process's.
        await #expect(processExitsWith: .success) {
            let folders = [try TemporaryFolder(), try TemporaryFolder()]
            func enter(_ folder: TemporaryFolder) throws {
                try #require(FileManager.default.changeCurrentDirectoryPath(folder.path("")))
            }
            try enter(folders[0])
            let films = try SQLiteStore(Film.schema, at: "films.sqlite")
            try films.insert((0..<1_000).map { .fixture(id: $0) }).get()
            try enter(folders[1])
            // Reads at the same time need more connections.
            onThreadsBlocking(8) { _ in
                for _ in 0..<20 { #expect((try? films.all().result().get().count) == 1_000) }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folders[1].path("")).isEmpty)
        }
    }

    @Test("A file that is not a database throws corrupt, and is not changed")
    func noDatabase() throws {
        let text = Data(String(repeating: "This is not a database. ", count: 100).utf8)
        try text.write(to: URL(fileURLWithPath: path))
        guard case .corrupt(path, _)? = failure({ _ = try SQLiteDatabase(.file(path)) }) else {
            Issue.record("another error")
            return
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == text)
    }

    @Test("A damaged file throws corrupt when the damage is read")
    func damaged() throws {
        try SQLiteStore(Film.schema, at: path).insert((0..<3000).map { .fixture(id: $0) }).get()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        try #require(bytes.count > 100_000)
        for page in 4..<bytes.count / 4096 {
            bytes.replaceSubrange(page * 4096..<page * 4096 + 2048, with: Data(count: 2048))
        }
        try bytes.write(to: URL(fileURLWithPath: path))
        let error = failure {
            let films = try SQLiteStore(Film.schema, at: path)
            _ = try films.all().result().get()
        }
        guard case .corrupt(path, _)? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
    }

    @Test("A file that another process holds throws locked, and can be written once it is released")
    func locked() throws {
        var configuration = SQLiteDatabase.Configuration()
        configuration.patience = .milliseconds(20)
        let films = try SQLiteStore(Film.schema, in: SQLiteDatabase(.file(path), configuration: configuration))
        var other: OpaquePointer?
        defer { sqlite3_close_v2(other) }
        try #require(sqlite3_open(path, &other) == SQLITE_OK)
        try #require(sqlite3_exec(other, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
        #expect(failure { try films.insert(.fixture(id: 1)).get() } == .locked(file: path))
        #expect(try films.all().count().get() == 0)
        try #require(sqlite3_exec(other, "COMMIT", nil, nil, nil) == SQLITE_OK)
        try films.insert(.fixture(id: 1)).get()
    }

    @Test("A file opened read-only can be read, and throws readOnly when written")
    func readOnly() throws {
        let writable = try SQLiteStore(Film.schema, at: path)
        try writable.insert(.fixture(id: 1)).get()
        var configuration = SQLiteDatabase.Configuration()
        configuration.isReadOnly = true
        let database = try SQLiteDatabase(.file(path), configuration: configuration)
        let films = try SQLiteStore(Film.schema, in: database)
        #expect(try films.all().count().get() == 1)
        #expect(failure { try films.insert(.fixture(id: 2)).get() } == .readOnly(file: path))
        #expect(failure { _ = try SQLiteStore(Note.schema, in: database) } == .readOnly(file: path))
        #expect(try writable.all().count().get() == 1)
    }

    @Test("A file that another program made is read where it lies, read-only too")
    func foreignFile() throws {
        var other: OpaquePointer?
        try #require(sqlite3_open(path, &other) == SQLITE_OK)
        let sql = "CREATE TABLE notes (id TEXT PRIMARY KEY, text TEXT); INSERT INTO notes VALUES ('a', 'b')"
        try #require(sqlite3_exec(other, sql, nil, nil, nil) == SQLITE_OK)
        sqlite3_close_v2(other)
        var configuration = SQLiteDatabase.Configuration()
        configuration.isReadOnly = true
        let notes = try SQLiteStore(Note.schema, in: SQLiteDatabase(.file(path), configuration: configuration))
        #expect(try notes.all().result().get() == [Note(id: "a", text: "b")])
        #expect(try SQLiteStore(Note.schema, at: path).all().count().get() == 1)
    }

    @Test("A path in a missing folder, or of a folder, throws cannotOpen with the path and the reason")
    func cannotOpen() throws {
        let file = folder.path("file")
        try Data().write(to: URL(filePath: file))
        for (path, reason) in [
            (folder.path("no/such/folder.sqlite"), "its folder does not exist; make the folder first"),
            (folder.path(""), "it is a folder"), (file + "/a.sqlite", "\(file) is a file, not a folder"),
        ] {
            let error = failure { _ = try SQLiteDatabase(.file(path)) }
            #expect(error == .cannotOpen(file: path, reason: reason))
        }
    }

    @Test("A file whose header names a format of the future is damaged")
    func unknownFormat() throws {
        let path = folder.path("damaged.sqlite")
        _ = try SQLiteStore(Note.schema, at: path)
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes[47] = 99  // the last byte of the number of the format
        try bytes.write(to: URL(filePath: path))
        let error = failure { _ = try SQLiteStore(Note.schema, at: path) }
        #expect(error == .corrupt(file: path, reason: "unsupported file format"))
    }

    @Test("A file that is missing, and is opened only for reading, throws cannotOpen with the reason")
    func missing() {
        var configuration = SQLiteDatabase.Configuration()
        configuration.isReadOnly = true
        let path = folder.path("missing.sqlite")
        let error = failure { _ = try SQLiteDatabase(.file(path), configuration: configuration) }
        #expect(error == .cannotOpen(file: path, reason: "there is no such file"))
    }

    @Test("A full file throws full, keeps its content, and accepts smaller writes")
    func full() throws {
        var configuration = SQLiteDatabase.Configuration()
        configuration.maximumSize = 200_000
        let database = try SQLiteDatabase(.file(path), configuration: configuration)
        let films = try SQLiteStore(Film.schema, in: database)
        let (counts, observation) = films.all().observe().map(\.count).collecting()
        try films.insert((0..<100).map { .fixture(id: $0) }).get()
        let large = Film.fixture(id: 1000, poster: Data(count: 300_000))
        #expect(failure { try films.insert([.fixture(id: 999), large]).get() } == .full(file: path))
        #expect(failure { try films.upsert(large).get() } == .full(file: path))
        #expect(
            failure { try films.transaction { films throws(StoreError) in try films.insert([large]) }.get() }
                == .full(file: path))
        try films.insert(.fixture(id: 100)).get()
        #expect(try films.all().count().get() == 101)
        #expect(counts.all == [0, 100, 101])
        #expect(try database.checkIntegrity() == [])
        observation.dispose()
    }

    @Test("A row with a value of another type throws unreadable with its id and column, and other queries still work")
    func unreadableRows() throws {
        let films = try SQLiteStore(Film.schema, at: path)
        try films.insert([.fixture(id: 1), .fixture(id: 2)]).get()
        var other: OpaquePointer?
        defer { sqlite3_close_v2(other) }
        try #require(sqlite3_open(path, &other) == SQLITE_OK)
        try #require(sqlite3_exec(other, "UPDATE films SET rating = 'XXX' WHERE id = 2", nil, nil, nil) == SQLITE_OK)
        #expect(
            failure { _ = try films.all().result().get() }
                == .unreadable(table: "films", id: "2", column: "rating", found: "\"XXX\""))
        #expect(try films.filter(where: \.id == 1).result().get().count == 1)
    }

    // MARK: - Versions

    @Test("A file from a newer version is left alone")
    func newerVersion() throws {
        _ = try SQLiteStore(Film.schema, at: path, migrations: [Migration(to: 3, "SELECT 1")])
        #expect(
            failure { _ = try SQLiteDatabase(.file(path), migrations: [Migration(to: 2, "SELECT 1")]) }
                == .newerVersion(file: path, found: 3, supported: 2))
    }

    @Test("An older file is migrated step by step, a new one is made in its present shape")
    func migrations() throws {
        try SQLiteStore(OldNote.schema, at: path).insert([OldNote(id: "a"), OldNote(id: "b")]).get()
        guard case .schemaMismatch("notes", _)? = failure({ _ = try SQLiteStore(Note.schema, at: path) }) else {
            Issue.record("another error")
            return
        }
        let steps = [
            Migration(to: 3, "UPDATE notes SET text = text || ' c'"),
            Migration(to: 2, "ALTER TABLE notes ADD COLUMN text TEXT NOT NULL DEFAULT 'b'"),
        ]
        for _ in 0..<2 {
            let notes = try SQLiteStore(Note.schema, at: path, migrations: steps)
            #expect(try notes.all().result().get() == [Note(id: "a", text: "b c"), Note(id: "b", text: "b c")])
        }
        let new = try SQLiteStore(Note.schema, at: folder.path("new.sqlite"), migrations: steps)
        try new.insert(Note(id: "a", text: "b")).get()
        #expect(try new.all().result().get() == [Note(id: "a", text: "b")])
    }

    @Test("A migration that fails leaves the file at the version before it")
    func failingMigration() throws {
        try SQLiteStore(OldNote.schema, at: path).insert(OldNote(id: "a")).get()
        let steps = [
            Migration(to: 2, "ALTER TABLE notes ADD COLUMN text TEXT NOT NULL DEFAULT 'b'"),
            Migration(to: 3, "DELETE FROM notes", "no SQL at all"),
        ]
        guard case .migrationFailed(path, 3, _)? = failure({ _ = try SQLiteDatabase(.file(path), migrations: steps) })
        else {
            Issue.record("another error")
            return
        }
        let notes = try SQLiteStore(Note.schema, at: path, migrations: [steps[0]])
        #expect(try notes.all().result().get() == [Note(id: "a", text: "b")])
    }

    @Test("A table that does not fit the schema throws an error that says why")
    func mismatch() throws {
        var other: OpaquePointer?
        defer { sqlite3_close_v2(other) }
        try #require(sqlite3_open(path, &other) == SQLITE_OK)
        for (table, reason) in [
            ("id TEXT PRIMARY KEY, text TEXT, more TEXT NOT NULL", "more"), ("id TEXT, text TEXT", "primary key"),
            ("id TEXT PRIMARY KEY", "ADD COLUMN \"text\" TEXT NOT NULL"),
        ] {
            try #require(
                sqlite3_exec(other, "DROP TABLE IF EXISTS notes; CREATE TABLE notes (\(table))", nil, nil, nil) == 0)
            let error = failure { _ = try SQLiteStore(Note.schema, at: path) }
            #expect(error.map { "\($0)".contains(reason) } == true, "\(String(describing: error))")
        }
    }

    @Test("Every error prints as a sentence")
    func errorsPrint() {
        let errors: [StoreError] = [
            .duplicate(id: "1"), .missing(id: "1"), .corrupt(file: "f", reason: "r"), .locked(file: "f"),
            .readOnly(file: "f"),
            .full(file: "f"), .cannotOpen(file: "f", reason: "r"), .newerVersion(file: "f", found: 2, supported: 1),
            .migrationFailed(file: "f", version: 2, reason: "r"), .schemaMismatch(table: "t", reason: "r"),
            .unreadable(table: "t", id: "1", column: "c", found: "x"), .unknownProperty("p", table: "t"),
            .invalidPattern("(", reason: "r"), .tooDeep(limit: 1), .outOfRange(reason: "r"), .constraint(reason: "r"),
            .insideTransaction, .rolledBack(reason: "r"), .cancelled,
            .unreachable(reason: "r"), .refused(reason: "r"), .sqlite(code: 1, reason: "r"),
        ]
        for error in errors { #expect("\(error)".hasSuffix(".") && "\(error)".contains(" ")) }
    }
}

private struct OldNote: Identifiable, Sendable {
    var id: String

    static let schema = Schema<OldNote>("notes", OldNote.init, Column("id", \.id))
}

/// The `sqlite3` shell, if it is installed.
enum Shell {
    private static let path = ["/usr/bin/sqlite3", "/usr/local/bin/sqlite3"].first(
        where: FileManager.default.isExecutableFile)

    static var exists: Bool { path != nil }

    static func run(_ file: String, _ sql: String) throws -> String {
        let process = try ChildProcess(#require(path), ["-batch", "-init", "/dev/null", file, sql])
        let data = process.output.rest()
        #expect(process.wait() == .exit(0))
        return String(decoding: data, as: UTF8.self)
    }
}
