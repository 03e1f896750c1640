import CSQLite
import Feedback
import FeedbackTesting
import Foundation
import Testing

@testable import Persistence

@Suite("SQLite files that others change while they are open")
struct SQLiteForeignHandsTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("films.sqlite")
    }

    @Test("A write to a file that was deleted or replaced is not acknowledged", arguments: [false, true])
    func lostFile(_ isReplaced: Bool) throws {
        let films = try SQLiteStore(Film.schema, at: path)
        try films.insert(.fixture(id: 1)).get()
        for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + suffix) }
        if isReplaced { try SQLiteStore(Film.schema, at: path).insert(.fixture(id: 2)).get() }
        for write in [films.insert(.fixture(id: 3)), films.upsert(.fixture(id: 1, budget: 7))] {
            let error = #expect(throws: StoreError.self) { try write.get() }
            guard case .cannotOpen(path, let reason)? = error else {
                Issue.record("\(String(describing: error)) is another error")
                return
            }
            #expect(reason.contains("deleted or replaced"))
        }
        // The old connections must not harm the new file when they close.
        let reopened = try SQLiteStore(Film.schema, at: path)
        try reopened.insert(.fixture(id: 4)).get()
        #expect(try reopened.all().result().get().map(\.id) == (isReplaced ? [2, 4] : [4]))
    }

    @Test(
        "A write is not acknowledged after a file that SQLite keeps beside the database was deleted or replaced",
        arguments: ["-wal", "-shm"], [false, true])
    func lostLog(_ suffix: String, _ isReplaced: Bool) throws {
        do {
            let films = try SQLiteStore(Film.schema, at: path)
            try films.insert(.fixture(id: 1)).get()
            try FileManager.default.removeItem(atPath: path + suffix)
            if isReplaced { try Data().write(to: URL(fileURLWithPath: path + suffix)) }
            let error = #expect(throws: StoreError.self) { try films.insert(.fixture(id: 2)).get() }
            guard case .cannotOpen(path, let reason)? = error else {
                Issue.record("\(String(describing: error)) is another error")
                return
            }
            #expect(reason.contains("deleted or replaced"))
            #expect(throws: StoreError.self) { try films.database.compact() }
        }
        #expect(try SQLiteStore(Film.schema, at: path).all().result().get().map(\.id) == [1])
    }

    @Test("A write is not acknowledged after the log was cut", arguments: [0, 32, 4_000, -1])
    func cutLog(_ size: Int) throws {
        let films = try SQLiteStore(Film.schema, at: path)
        for id in 1...20 { try films.insert(.fixture(id: id)).get() }
        let log = try #require(try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int)
        #expect(truncate(path + "-wal", size < 0 ? log + size : size) == 0)
        let error = #expect(throws: StoreError.self) { try films.insert(.fixture(id: 21)).get() }
        guard case .cannotOpen(path, let reason)? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        #expect(reason.contains("its log was cut"))
        // From now on SQLite reads the pages that are missing.
        #expect(throws: StoreError.self) { try films.insert(.fixture(id: 22)).get() }
        #expect(throws: StoreError.self) { try films.database.compact() }
    }

    @Test("Writes go on after another connection has copied the log into the file, and emptied it")
    func emptiedLog() throws {
        let films = try SQLiteStore(Film.schema, at: path)
        for id in 1...20 { try films.insert(.fixture(id: id)).get() }
        let other = try SQLiteDatabase(.file(path))
        try other.withWriter { writer throws(StoreError) in
            let isEmptied = writer.connection.checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
            #expect(isEmptied)
        }
        #expect(try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int == 0)
        for id in 21...22 { try films.insert(.fixture(id: id)).get() }
        #expect(try SQLiteStore(Film.schema, in: other).all().result().get().count == 22)
    }

    @Test("A reader that opens a database whose log was deleted fails with the reason")
    func readingWithoutLog() throws {
        let films = try SQLiteStore(Film.schema, at: path)
        try films.insert(.fixture(id: 1)).get()
        try FileManager.default.removeItem(atPath: path + "-wal")
        // One read takes the connection that there is, and the other one needs a new one.
        try films.database.read { _ throws(StoreError) in
            let error = #expect(throws: StoreError.self) { _ = try films.answer(films.all()) }
            guard case .cannotOpen(path, let reason)? = error else {
                Issue.record("\(String(describing: error)) is another error")
                return
            }
            #expect(reason.contains("deleted or replaced"))
        }
    }

    @Test("Reads of a file that was replaced by another one never mix the two", .onOwnThread)
    func replacedWhileReading() throws {
        let films = try SQLiteStore(Film.schema, at: path)
        try films.insert(.fixture(id: 1)).get()
        let other = folder.path("other.sqlite")
        try SQLiteStore(Film.schema, at: other).insert(.fixture(id: 2)).get()
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        try FileManager.default.moveItem(atPath: other, toPath: path)
        // More reads at once than there are open connections.
        let answers = Locked<[Result<[Int], StoreError>]>([])
        let threads = (0..<8).map { _ in
            Thread {
                for _ in 0..<20 {
                    let answer = Result { () throws(StoreError) in
                        try films.answer(films.filter(where: .contains(\.title, "Third"))).map(\.id)
                    }
                    answers.withLock { $0.append(answer) }
                }
            }
        }
        for thread in threads { thread.start() }
        while answers.withLock({ $0.count }) < 160 { usleep(1_000) }
        for answer in answers.withLock({ $0 }) {
            switch answer {
            case .success(let ids): #expect(ids == [1])
            case .failure(.cannotOpen): continue
            case .failure(let error): Issue.record("\(error) is another error")
            }
        }
    }

    @Test("A file whose text is in UTF-16 is refused: SQLite would not compare it as the stores do")
    func otherEncoding() throws {
        var other: OpaquePointer?
        defer { sqlite3_close_v2(other) }
        try #require(sqlite3_open(path, &other) == SQLITE_OK)
        try #require(sqlite3_exec(other, "PRAGMA encoding = 'UTF-16'; CREATE TABLE t (x)", nil, nil, nil) == SQLITE_OK)
        let error = #expect(throws: StoreError.self) { _ = try SQLiteDatabase(.file(path)) }
        #expect(error?.description.contains("UTF-16") == true, "\(String(describing: error))")
    }

    @Test("A file on a file system without shared memory is refused: SQLite would keep no write-ahead log")
    func noLog() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let path = folder.path("films.sqlite")
            try #require(sqlite3_vfs_register(sqlite3_vfs_find("unix-dotfile"), 1) == SQLITE_OK)
            let error = #expect(throws: StoreError.self) { _ = try SQLiteDatabase(.file(path)) }
            guard case .cannotOpen(path, let reason)? = error else {
                Issue.record("\(String(describing: error)) is another error")
                return
            }
            #expect(reason.contains("write-ahead log"))
        }
    }

    @Test("A file that was cut short while it was open throws corrupt, and is not read as shorter")
    func truncated() throws {
        try SQLiteStore(Film.schema, at: path).insert((0..<3_000).map { .fixture(id: $0) }).get()
        let films = try SQLiteStore(Film.schema, at: path)
        #expect(try films.object(withId: 0).get() != nil)
        try #require(truncate(path, 16_384) == 0)
        let error = #expect(throws: StoreError.self) { try films.all().result().get() }
        guard case .corrupt(path, _)? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
    }

    @Test("If somebody renames a column, reads and writes fail: the column's name is not taken for its value")
    func renamedColumn() throws {
        let films = try SQLiteStore(Film.schema, at: path)
        try films.insert([.fixture(id: 1, title: "Heat"), .fixture(id: 2, title: "Alien")]).get()
        let others = try SQLiteDatabase(.file(path))
        try others.execute("ALTER TABLE films RENAME COLUMN title TO name")
        #expect(throws: StoreError.self) { try films.all().result().get() }
        #expect(throws: StoreError.self) { try films.filter(where: \.title == "title").count().get() }
        #expect(throws: StoreError.self) { try films.delete(where: \.title != "Heat").get() }
        #expect(throws: StoreError.self) { try films.update(where: \.title != "Heat", set: .value(\.budget, 0)).get() }
        #expect(try others.rows("SELECT name FROM films ORDER BY id") == [[.text("Heat")], [.text("Alien")]])
    }

    @Test("A statement with a zero character is refused: SQLite would run it without what follows")
    func zeroCharacter() throws {
        let database = try SQLiteDatabase(.file(path))
        let films = try SQLiteStore(Film.schema, in: database)
        try films.insert([.fixture(id: 1), .fixture(id: 2)]).get()
        #expect(throws: StoreError.self) { try database.execute("DELETE FROM films\0 WHERE id = 1") }
        #expect(throws: StoreError.self) { try database.rows("SELECT id FROM films\0 WHERE id = 1") }
        #expect(try films.all().count().get() == 2)
    }

    @Test("A write waits for the disk, unless the configuration says that it need not", arguments: [true, false])
    func waitsForDisk(_ waits: Bool) throws {
        var configuration = SQLiteDatabase.Configuration()
        if !waits { configuration.waitsForDisk = false }
        let films = try SQLiteStore(Film.schema, in: SQLiteDatabase(.file(path), configuration: configuration))
        let setting = try films.perform { films throws(StoreError) in try films.rows("PRAGMA synchronous") }
        // FULL and NORMAL.
        #expect(setting == [[.integer(waits ? 2 : 1)]])
    }

    @Test("A patience of any length is accepted")
    func longPatience() throws {
        var configuration = SQLiteDatabase.Configuration()
        configuration.patience = .seconds(Int64.max)
        #expect(try SQLiteDatabase(.file(path), configuration: configuration).rows("SELECT 1") == [[.integer(1)]])
    }

    @Test("A file of no bytes is a new database")
    func empty() throws {
        try Data().write(to: URL(fileURLWithPath: path))
        let films = try SQLiteStore(Film.schema, at: path)
        try films.insert(.fixture(id: 1)).get()
        #expect(try films.all().count().get() == 1)
    }

    @Test("A large value is stored and read whole")
    func largeValue() throws {
        let poster = Data(repeating: 31, count: 20_000_000)
        let films = try SQLiteStore(Film.schema, at: path)
        try films.insert(.fixture(id: 1, poster: poster)).get()
        #expect(try films.object(withId: 1).get()?.poster == poster)
    }

    @Test("Names that are words of SQL are names")
    func reservedWords() throws {
        let orders = try SQLiteStore(Order.schema, at: path)
        try orders.insert([Order(id: 1, from: "a", where: 3), Order(id: 2, from: "b", where: nil)]).get()
        #expect(try orders.filter(where: \.where == 3).sorted(by: \.from).result().get().map(\.id) == [1])
        #expect(try orders.update(where: \.from == "b", set: .value(\.where, 4)).get() == 1)
        #expect(try orders.all().sum(\.where).get() == 7)
        #expect(try SQLiteStore(Order.schema, at: path).all().count().get() == 2)
    }

    private struct Order: Identifiable, Hashable, Sendable {
        var id: Int
        var from: String
        var `where`: Int?

        static let schema = Schema<Order>(
            "order", Order.init, Column("select", \.id), Column("from", \.from, isIndexed: true),
            Column("where", \.where, isUnique: true), indexes: [ColumnIndex("from", "where")])
    }

    @Test("64 tasks write and read at once, and nothing is lost")
    func manyTasks() async throws {
        let films = try SQLiteStore(Film.schema, at: path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<64 {
                group.addTask {
                    for number in 0..<4 {
                        let film = Film.fixture(id: task * 10 + number)
                        try await films.insert(film)
                        #expect(try await films.object(withId: film.id) == film)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await films.all().count() == 256)
    }
}
