import ChildProcesses
import Foundation
import Persistence
import Testing

/// Root may write to every file, so each of these tests runs in a process of its own, as a user who may not.
@Suite("SQLite files that cannot be written to")
struct ReadOnlyFileTests {
    @Test("A file without write permission can be read, and throws readOnly when written")
    func file() async {
        await #expect(processExitsWith: .success) {
            let path = try Self.filled(as: "films.sqlite")
            try Self.set(0o444, path)
            let films = try SQLiteStore(Film.schema, at: path)
            #expect(try films.all().count().get() == 1)
            #expect(throws: StoreError.readOnly(file: path)) { try films.insert(.fixture(id: 2)).get() }
        }
    }

    @Test("A file in a folder that cannot be written to is opened to be read", arguments: [false, true])
    func folder(_ hasEmptyLog: Bool) async {
        await #expect(processExitsWith: .success) { [hasEmptyLog] in
            let path = try Self.filled(as: "films.sqlite")
            if hasEmptyLog { try Data().write(to: URL(filePath: path + "-wal")) }
            try Self.set(0o555, Self.folder(of: path))
            let films = try SQLiteStore(Film.schema, at: path)
            #expect(try films.all().count().get() == 1)
            #expect(throws: StoreError.readOnly(file: path)) { try films.insert(.fixture(id: 2)).get() }
            try Self.set(0o755, Self.folder(of: path))
        }
    }

    @Test(
        "A file that can only be read opens without an index that only makes answers faster",
        arguments: ["file", "folder", "configuration"])
    func missingIndex(_ reason: String) async {
        await #expect(processExitsWith: .success) { [reason] in
            let path = try Self.filled(as: "films.sqlite")
            try Self.dropIndexes(path)
            var configuration = SQLiteDatabase.Configuration()
            switch reason {
            case "file": try Self.set(0o444, path)
            case "folder": try Self.set(0o555, Self.folder(of: path))
            default: configuration.isReadOnly = true
            }
            let database = try SQLiteDatabase(.file(path), configuration: configuration)
            let films = try SQLiteStore(Film.schema, in: database)
            #expect(try films.filter(where: \.title == "The Third Man").result().get().map(\.id) == [1])
            #expect(throws: StoreError.readOnly(file: path)) { try films.insert(.fixture(id: 2)).get() }
            try Self.set(0o755, Self.folder(of: path))
        }
    }

    @Test(
        "A file that can only be read does not open without an index that makes a column unique, or without the table")
    func missingUniqueIndex() async {
        await #expect(processExitsWith: .success) {
            let path = try Self.filled(as: "films.sqlite")
            let unique = Schema<Note>("notes", Note.init, Column("id", \.id), Column("text", \.text, isUnique: true))
            _ = try SQLiteStore(unique, at: path)
            try Self.dropIndexes(path)
            try Self.set(0o444, path)
            let database = try SQLiteDatabase(.file(path))
            #expect(throws: StoreError.readOnly(file: path)) { _ = try SQLiteStore(unique, in: database) }
            #expect(try SQLiteStore(Note.schema, in: database).all().count().get() == 0)
            let missing = Schema<Note>("missing", Note.init, Column("id", \.id), Column("text", \.text))
            #expect(throws: StoreError.readOnly(file: path)) { _ = try SQLiteStore(missing, in: database) }
        }
    }

    @Test("A file that becomes read-only while it is open loses nothing that was acknowledged")
    func whileOpen() async {
        await #expect(processExitsWith: .success) {
            let path = try Self.filled(as: "films.sqlite")
            var acknowledged = [1]
            do {
                let films = try SQLiteStore(Film.schema, at: path)
                for id in 2...3 {
                    do {
                        try films.insert(.fixture(id: id)).get()
                        acknowledged.append(id)
                    } catch StoreError.readOnly(path) {}
                    for file in [path, path + "-wal", path + "-shm"] { try Self.set(0o444, file) }
                    try Self.set(0o555, Self.folder(of: path))
                    #expect(try films.all().result().get().map(\.id) == acknowledged)
                }
            }
            let reopened = try SQLiteStore(Film.schema, at: path)
            #expect(try reopened.all().result().get().map(\.id) == acknowledged)
            #expect(throws: StoreError.readOnly(file: path)) { try reopened.insert(.fixture(id: 9)).get() }
            try Self.set(0o755, Self.folder(of: path))
        }
    }

    @Test(
        "A read-only copy of a file and its log is read whole, or fails with a reason if SQLite's index of the log is missing",
        arguments: [true, false])
    func copyWithLog(_ hasIndex: Bool) async {
        await #expect(processExitsWith: .success) { [hasIndex] in
            let path = try Self.filled(as: "films.sqlite")
            let films = try SQLiteStore(Film.schema, at: path)
            try films.insert(.fixture(id: 2)).get()
            let folder = Self.folder(of: path) + "/copy"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            let copy = folder + "/films.sqlite"
            for suffix in hasIndex ? ["", "-wal", "-shm"] : ["", "-wal"] {
                try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
                try Self.set(0o444, copy + suffix)
            }
            try Self.set(0o555, folder)
            defer { try? Self.set(0o755, folder) }
            if hasIndex {
                #expect(try SQLiteStore(Film.schema, at: copy).all().result().get().map(\.id) == [1, 2])
            } else {
                let error = #expect(throws: StoreError.self) { _ = try SQLiteStore(Film.schema, at: copy) }
                #expect(error?.description.contains("\(copy)-wal") == true, "\(String(describing: error))")
            }
        }
    }

    // MARK: - Their files

    /// Makes a file with one film, as a user without privileges.
    private static func filled(as name: String) throws -> String {
        let folder = try #require(OrdinaryUser.folder(), "\(OrdinaryUser.needs)")
        let path = folder.appendingPathComponent(name).path
        try SQLiteStore(Film.schema, at: path).insert(.fixture(id: 1)).get()
        return path
    }

    private static func dropIndexes(_ path: String) throws {
        let database = try SQLiteDatabase(.file(path))
        for row in try database.rows("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL") {
            if case .text(let name) = row[0] { try database.execute("DROP INDEX \(name: name)") }
        }
    }

    private static func folder(of path: String) -> String { (path as NSString).deletingLastPathComponent }

    private static func set(_ permissions: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path)
    }
}
