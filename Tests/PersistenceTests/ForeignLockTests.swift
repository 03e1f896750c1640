import CSQLite
import Dispatch
import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

@Suite("A foreign process that holds the file")
struct ForeignLockTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("films.sqlite")
    }

    private func store(patience: Duration) throws -> SQLiteStore<Film> {
        var configuration = SQLiteDatabase.Configuration()
        configuration.patience = patience
        return try SQLiteStore(Film.schema, in: SQLiteDatabase(.file(path), configuration: configuration))
    }

    /// A connection of somebody else.
    private final class Other {
        private var handle: OpaquePointer?

        init(_ path: String) throws {
            try #require(sqlite3_open(path, &handle) == SQLITE_OK)
            // A database that tries to open the file has it for moments.
            sqlite3_busy_timeout(handle, 60_000)
        }

        deinit { close() }

        func close() {
            sqlite3_close_v2(handle)
            handle = nil
        }

        func run(_ sql: String) throws { try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK) }
    }

    @Test("Many writers fail in the time promised, all of them, and write when the file is free", .onOwnThread)
    func manyWriters() throws {
        let films = try store(patience: .seconds(1))
        let other = try Other(path)
        try other.run("BEGIN IMMEDIATE")
        let outcomes = Locked<[(StoreError?, Duration)]>([])
        onThreadsBlocking(40) { id in
            let start = ContinuousClock.now
            var failure: StoreError?
            do throws(StoreError) {
                try films.perform { films throws(StoreError) in try films.insert([.fixture(id: id)]) }
            } catch {
                failure = error
            }
            outcomes.withLock { $0.append((failure, start.duration(to: .now))) }
        }
        #expect(outcomes.withLock { $0.count } == 40)
        for (failure, duration) in outcomes.withLock({ $0 }) {
            #expect(failure == .locked(file: path))
            // One after the other they would take 40 s.
            #expect(duration < .seconds(35), "\(duration)")
        }
        #expect(try films.all().count().get() == 0)
        try other.run("COMMIT")
        try films.insert(.fixture(id: 1)).get()
        #expect(try films.all().count().get() == 1)
    }

    @Test("A writer that comes after one has failed waits as long as is promised, too", .onOwnThread)
    func writersInTurn() throws {
        let films = try store(patience: .milliseconds(300))
        let other = try Other(path)
        try other.run("BEGIN IMMEDIATE")
        for id in 0..<2 {
            let start = ContinuousClock.now
            #expect(throws: StoreError.locked(file: path)) { try films.insert(.fixture(id: id)).get() }
            let duration = start.duration(to: .now)
            #expect(duration >= .milliseconds(250), "\(duration)")
        }
        try other.run("COMMIT")
        try films.insert(.fixture(id: 2)).get()
        #expect(try films.all().count().get() == 1)
    }

    @Test("A file that needs no migration is opened while somebody else writes")
    func openedWhileWritten() throws {
        let migrations = [Migration(to: 2, "CREATE TABLE others (id INTEGER PRIMARY KEY)")]
        var configuration = SQLiteDatabase.Configuration()
        configuration.patience = .milliseconds(1)
        let first = try SQLiteDatabase(.file(path), migrations: migrations)
        try withExtendedLifetime(first) {
            let other = try Other(path)
            try other.run("BEGIN IMMEDIATE")
            _ = try SQLiteDatabase(.file(path), migrations: migrations, configuration: configuration)
            other.close()
        }
    }

    @Test("A writer waits for a short lock, and writes")
    func shortLock() throws {
        let films = try store(patience: .seconds(60))
        let other = try Other(path)
        try other.run("BEGIN IMMEDIATE")
        try other.run("INSERT INTO films SELECT * FROM films")
        let began = DispatchSemaphore(value: 0)
        let writing = Locked(false)
        let thread = Thread {
            began.signal()
            try? films.perform { films throws(StoreError) in try films.insert([.fixture(id: 1)]) }
            writing.withLock { $0 = true }
        }
        thread.start()
        began.wait()
        #expect(!writing.withLock { $0 })
        try other.run("COMMIT")
        while !writing.withLock({ $0 }) { usleep(1_000) }
        #expect(try films.all().count().get() == 1)
    }

    @Test("A file that somebody holds for itself alone throws locked in time")
    func exclusive() throws {
        try store(patience: .seconds(5)).insert(.fixture(id: 1)).get()
        let other = try Other(path)
        try other.run("PRAGMA locking_mode = EXCLUSIVE")
        try other.run("BEGIN EXCLUSIVE; CREATE TABLE mine (id)")
        let error = #expect(throws: StoreError.self) { _ = try store(patience: .milliseconds(300)) }
        #expect(error == .locked(file: path))
        try other.run("COMMIT")
        other.close()
        #expect(try store(patience: .milliseconds(300)).all().count().get() == 1)
    }

    @Test(
        "Opening a file of somebody else waits for its lock as long as is promised",
        arguments: ["BEGIN IMMEDIATE", "BEGIN; SELECT * FROM mine", "BEGIN EXCLUSIVE"])
    func opening(_ lock: String) throws {
        let other = try Other(path)
        // This file does not have a write-ahead log yet.
        try other.run("CREATE TABLE mine (id); INSERT INTO mine VALUES (1)")
        try other.run(lock)
        let start = ContinuousClock.now
        let error = #expect(throws: StoreError.self) { _ = try store(patience: .milliseconds(600)) }
        let duration = start.duration(to: .now)
        #expect(error == .locked(file: path))
        #expect(duration >= .milliseconds(600), "\(duration)")
        try other.run("COMMIT")
        #expect(try store(patience: .seconds(60)).all().count().get() == 0)
    }

    @Test("A file of somebody else opens as soon as its lock is free", .onOwnThread)
    func openingAfterLock() throws {
        let other = try Other(path)
        try other.run("CREATE TABLE mine (id)")
        try other.run("BEGIN IMMEDIATE")
        let began = DispatchSemaphore(value: 0)
        let outcome = Locked<Result<Int, StoreError>?>(nil)
        let thread = Thread {
            began.signal()
            let result = Result { () throws(StoreError) in
                do {
                    return try store(patience: .seconds(60)).all().count().get()
                } catch let error as StoreError {
                    throw error
                } catch {
                    throw .refused(reason: "\(error)")
                }
            }
            outcome.withLock { $0 = result }
        }
        thread.start()
        began.wait()
        #expect(outcome.withLock { $0 } == nil)
        try other.run("COMMIT")
        while outcome.withLock({ $0 }) == nil { usleep(1_000) }
        #expect(outcome.withLock { $0 } == .success(0))
    }

    @Test("A reader that somebody else leaves open does not stop writes, and the log does not grow after it")
    func foreignReader() throws {
        var configuration = SQLiteDatabase.Configuration()
        configuration.waitsForDisk = false
        let films = try SQLiteStore(Film.schema, in: SQLiteDatabase(.file(path), configuration: configuration))
        let other = try Other(path)
        try other.run("BEGIN; SELECT * FROM films")
        for id in 0..<2_000 {
            try films.upsert(.fixture(id: id % 10, title: "\(id)", poster: Data(count: 2_000))).get()
        }
        func logSize() throws -> Int {
            (try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int) ?? 0
        }
        let large = try logSize()
        try other.run("COMMIT")
        for id in 0..<2_000 {
            try films.upsert(.fixture(id: id % 10, title: "\(id)", poster: Data(count: 2_000))).get()
        }
        #expect(try logSize() < large + large / 4)
    }

    @Test("SQL that is read neither leaves a transaction behind nor attaches a file")
    func rawReads() throws {
        let films = try store(patience: .milliseconds(300))
        try films.insert(.fixture(id: 1)).get()
        for (index, sql) in (["BEGIN", "SAVEPOINT a", "ATTACH ':memory:' AS other"] as [SQL]).enumerated() {
            let error = #expect(throws: StoreError.self) { try films.database.rows(sql) }
            guard case .refused? = error else {
                Issue.record("\(String(describing: error)) is another error")
                continue
            }
            try films.insert(.fixture(id: index + 2)).get()
            #expect(try films.all().count().get() == index + 2)
        }
    }
}
