import CSQLite
import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

// One at a time: SQLite has one file system for all.
@Suite("Power cuts", .serialized)
struct PowerCutTests {
    /// The distance between the writes at which the power fails; `PERSISTENCE_CUTS=1` tries each of the 500.
    static let stride = ProcessInfo.processInfo.environment["PERSISTENCE_CUTS"].flatMap(Int.init) ?? 9

    @Test(
        "When the power fails at one of the first 500 writes of a transaction, the file holds all of it or nothing",
        .onOwnThread)
    func everyWrite() throws {
        let folder = try TemporaryFolder()
        try #require(PowerCut.registration == SQLITE_OK)
        defer { PowerCut.end() }
        let before = (0..<700).map { Film.fixture(id: $0, title: "before", poster: Data(count: 900)) }
        let original = folder.path("original.sqlite")
        try SQLiteStore(Film.schema, at: original).insert(before).get()
        let changed = before.map { film in
            var film = film
            film.title = "after"
            film.poster = Data(repeating: 1, count: 1_800)
            return film
        }
        var cuts = 0
        var kept = 0
        for number in Swift.stride(from: 1, through: 500, by: Self.stride) {
            let path = folder.path("\(PowerCut.mark)\(number).sqlite")
            try FileManager.default.copyItem(atPath: original, toPath: path)
            let error: StoreError?
            do {
                let films = try SQLiteStore(Film.schema, at: path)
                // Whole writes are lost at some cuts; at others the last one is torn.
                PowerCut.begin(atWrite: number, tearing: number % 2 == 0)
                do throws(StoreError) {
                    _ = try films.update(changed).values()
                    error = nil
                } catch let failure {
                    error = failure
                }
            }
            let wasCut = PowerCut.end()
            if wasCut { cuts += 1 }
            let found = try SQLiteStore(Film.schema, at: path)
            let films = try found.all().result().get()
            #expect(films == before || films == changed, "after the power failed at write \(number)")
            #expect(try found.database.checkIntegrity() == [])
            if error == nil {
                #expect(films == changed, "write \(number) was acknowledged, and is lost")
                kept += 1
            }
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        }
        #expect(
            cuts == 500 / Self.stride + (500 % Self.stride == 0 ? 0 : 1), "the transaction has fewer than 500 writes")
        #expect(kept == 0)
    }

    @Test(
        "When the power fails at a write of an update to a new version, the next one completes it, and repeats nothing",
        .onOwnThread)
    func migrating() throws {
        let folder = try TemporaryFolder()
        try #require(PowerCut.registration == SQLITE_OK)
        defer { PowerCut.end() }
        let original = folder.path("original.sqlite")
        do {
            let database = try SQLiteDatabase(.file(original))
            try database.execute("CREATE TABLE pages (id INTEGER NOT NULL PRIMARY KEY, text TEXT NOT NULL)")
            for id in 0..<60 { try database.execute("INSERT INTO pages VALUES (\(id), hex(zeroblob(800)))") }
        }
        // Neither may run twice.
        let migrations = [
            Migration(
                to: 2, "ALTER TABLE pages ADD COLUMN kind TEXT NOT NULL DEFAULT 'old'",
                "UPDATE pages SET text = text || '2'"),
            Migration(to: 3) { database throws(StoreError) in
                for row in try database.rows("SELECT id FROM pages") {
                    try database.execute("UPDATE pages SET text = text || '3', kind = 'new' WHERE id = \(row[0])")
                }
            },
        ]
        let text = String(repeating: "0", count: 1_600) + "23"
        let expected = (0..<60).map { [PrimitiveValue.integer($0), .text(text), .text("new")] }
        var failures = 0
        for number in Swift.stride(from: 1, through: 1_000, by: Self.stride) {
            let path = folder.path("\(PowerCut.mark)\(number).sqlite")
            try FileManager.default.copyItem(atPath: original, toPath: path)
            PowerCut.begin(atWrite: number, tearing: number % 2 == 0)
            if (try? SQLiteDatabase(.file(path), migrations: migrations)) == nil { failures += 1 }
            guard PowerCut.end() else { break }
            let database = try SQLiteDatabase(.file(path), migrations: migrations)
            #expect(
                try database.rows("SELECT id, text, kind FROM pages ORDER BY id") == expected,
                "after the power failed at write \(number)")
            #expect(try database.checkIntegrity() == [])
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        }
        #expect(failures > 100 / Self.stride, "only \(failures) updates were interrupted")
    }

    @Test("After an I/O error in a transaction its later steps fail, and nothing of it is kept", .onOwnThread)
    func laterSteps() throws {
        let folder = try TemporaryFolder()
        try #require(PowerCut.registration == SQLITE_OK)
        defer { PowerCut.end() }
        let films = try SQLiteStore(Film.schema, at: folder.path("\(PowerCut.mark)steps.sqlite"))
        let before = (0..<100).map { Film.fixture(id: $0, title: "before", poster: Data(count: 900)) }
        try films.insert(before).get()
        var failure: StoreError?
        do throws(StoreError) {
            try films.perform { films throws(StoreError) in
                // With few pages in memory, the steps themselves write to the disk.
                _ = try films.execute("PRAGMA cache_size = 2")
                try films.insert([.fixture(id: 200)])
                PowerCut.begin(atWrite: 1, tearing: false)
                #expect(throws: StoreError.self) {
                    try films.upsert((0..<100).map { .fixture(id: $0, title: "after", poster: Data(count: 1_800)) })
                }
                #expect(PowerCut.end(), "no step has written to the disk")
                // The disk is well again, but SQLite has ended the transaction.
                #expect(throws: StoreError.self) { try films.insert([.fixture(id: 201)]) }
                #expect(throws: StoreError.self) { try films.delete(ids: [1]) }
                #expect(throws: StoreError.self) { _ = try films.execute("DELETE FROM films") }
            }
        } catch {
            failure = error
        }
        #expect(failure != nil)
        #expect(try films.all().result().get() == before)
        try films.insert(.fixture(id: 202)).get()
        #expect(try films.all().count().get() == before.count + 1)
    }
}

/// SQLite's file system, whose power fails at a chosen write: that write and everything after it never reach the disk.
///
/// It wraps the methods of files with a mark in their name; those of other tests it leaves alone.
private enum PowerCut {
    static let mark = "power-cut-"

    private struct State {
        var remaining: Int?
        var isTearing = false
        var isCut = false
    }

    private static let state = Locked(State())

    static func begin(atWrite number: Int, tearing: Bool) {
        state.withLock { $0 = State(remaining: number, isTearing: tearing) }
    }

    /// Restores the power; returns whether it had failed.
    @discardableResult
    static func end() -> Bool {
        state.withLock { state in
            defer { state = State() }
            return state.isCut
        }
    }

    private enum Fate {
        case done
        case torn
        case lost
    }

    /// Counts a write of one of our files, and decides what becomes of it.
    private static func fateOfWrite() -> Fate {
        state.withLock { state in
            if state.isCut { return .lost }
            guard let remaining = state.remaining else { return .done }
            state.remaining = remaining - 1
            guard remaining <= 1 else { return .done }
            state.isCut = true
            return state.isTearing ? .torn : .lost
        }
    }

    private static var isCut: Bool { state.withLock(\.isCut) }

    private typealias Methods = UnsafePointer<sqlite3_io_methods>

    /// The file system that the shim replaces. Set once, by `registration`.
    private nonisolated(unsafe) static var standard: UnsafeMutablePointer<sqlite3_vfs>?
    /// Our methods by the original ones, and the reverse. Guarded by `lock`.
    private nonisolated(unsafe) static var wrapped: [Methods: Methods] = [:]
    private nonisolated(unsafe) static var originals: [Methods: Methods] = [:]
    private static let lock = NSLock()

    private static func original(
        _ file: UnsafeMutablePointer<sqlite3_file>?
    ) -> UnsafePointer<sqlite3_io_methods>? {
        guard let methods = file?.pointee.pMethods else { return nil }
        lock.lock()
        defer { lock.unlock() }
        return originals[methods]
    }

    /// Makes the shim the default file system, once.
    static let registration: Int32 = {
        guard let system = sqlite3_vfs_find(nil) else { return SQLITE_ERROR }
        standard = system
        let shim = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        shim.initialize(to: system.pointee)
        shim.pointee.pNext = nil
        shim.pointee.zName = UnsafePointer(strdup("power-cut"))
        shim.pointee.xOpen = { _, name, file, flags, outFlags in
            guard let standard = PowerCut.standard, let open = standard.pointee.xOpen else { return SQLITE_ERROR }
            let status = open(standard, name, file, flags, outFlags)
            if status == SQLITE_OK, let name, strstr(name, PowerCut.mark) != nil, let file,
                let methods = file.pointee.pMethods
            {
                file.pointee.pMethods = PowerCut.wrap(methods)
            }
            return status
        }
        return sqlite3_vfs_register(shim, 1)
    }()

    private static func wrap(_ methods: UnsafePointer<sqlite3_io_methods>) -> UnsafePointer<sqlite3_io_methods> {
        lock.lock()
        defer { lock.unlock() }
        if let ours = wrapped[methods] { return ours }
        let ours = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        ours.initialize(to: methods.pointee)
        ours.pointee.xWrite = { file, bytes, count, offset in
            guard let write = PowerCut.original(file)?.pointee.xWrite else { return SQLITE_IOERR }
            switch PowerCut.fateOfWrite() {
            case .done: return write(file, bytes, count, offset)
            case .torn:
                _ = write(file, bytes, count / 2, offset)
                return SQLITE_IOERR
            case .lost: return SQLITE_IOERR
            }
        }
        ours.pointee.xTruncate = { file, size in
            guard !PowerCut.isCut, let truncate = PowerCut.original(file)?.pointee.xTruncate else {
                return SQLITE_IOERR
            }
            return truncate(file, size)
        }
        ours.pointee.xSync = { file, flags in
            guard !PowerCut.isCut, let sync = PowerCut.original(file)?.pointee.xSync else { return SQLITE_IOERR }
            return sync(file, flags)
        }
        wrapped[methods] = UnsafePointer(ours)
        originals[UnsafePointer(ours)] = methods
        return UnsafePointer(ours)
    }
}
