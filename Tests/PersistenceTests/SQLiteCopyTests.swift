import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

@Suite("Copies of SQLite databases, and their compaction")
struct SQLiteCopyTests {
    private let folder: TemporaryFolder
    private let path: String
    private let copy: String

    init() throws {
        folder = try TemporaryFolder()
        (path, copy) = (folder.path("films.sqlite"), folder.path("copy.sqlite"))
    }

    private var files: Set<String> {
        get throws { Set(try FileManager.default.contentsOfDirectory(atPath: folder.path(""))) }
    }

    @Test("A copy has what was there, also what is only in the log, and nothing that is written later")
    func copying() throws {
        let films = try SQLiteStore(Film.schema, at: path)
        try films.insert((0..<500).map { .fixture(id: $0) }).get()
        try films.database.copy(to: copy)
        try films.insert(.fixture(id: 500)).get()
        try films.delete(ids: [0]).get()

        #expect(try files.isDisjoint(with: ["copy.sqlite-wal", "copy.sqlite-journal"]))
        let copied = try SQLiteStore(Film.schema, at: copy)
        #expect(try copied.all().result().get().map(\.id) == Array(0..<500))
        #expect(try copied.database.checkIntegrity() == [])
        try copied.insert(.fixture(id: 501)).get()
        #expect(try copied.all().count().get() == 501)
    }

    @Test("A copy that is made while another thread writes has all or nothing of each transaction")
    func copyingBesideAWriter() throws {
        let films = try SQLiteStore(Film.schema, at: path)
        try films.insert([.fixture(id: 0), .fixture(id: 1)]).get()
        onThreadsBlocking(2) { thread in
            for number in 0..<40 {
                do {
                    if thread == 0 {
                        try films.insert([.fixture(id: 2 * number + 2), .fixture(id: 2 * number + 3)]).get()
                    } else if number < 10 {
                        try films.database.copy(to: copy + "\(number)")
                    }
                } catch {
                    Issue.record(error)
                }
            }
        }
        for number in 0..<10 {
            let copied = try SQLiteStore(Film.schema, at: copy + "\(number)")
            let ids = try copied.all().result().get().map(\.id)
            #expect(ids.count >= 2 && ids.count.isMultiple(of: 2) && ids == Array(0..<ids.count))
        }
    }

    @Test("A database in memory can be kept in a file")
    func copyingMemory() throws {
        let films = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        try films.insert([.fixture(id: 1), .fixture(id: 2)]).get()
        try films.database.copy(to: copy)
        let copied = try SQLiteStore(Film.schema, at: copy)
        #expect(try copied.all().result().get() == [.fixture(id: 1), .fixture(id: 2)])
    }

    @Test("No file is overwritten, and no log of another database is taken for the copy's")
    func refusals() throws {
        let films = try SQLiteStore(Film.schema, at: path)
        try films.insert(.fixture(id: 1)).get()
        func refusal(_ path: String) -> String? {
            #expect(throws: StoreError.self) { try films.database.copy(to: path) }?.description
        }
        try Data("precious".utf8).write(to: URL(filePath: copy))
        #expect(refusal(copy)?.contains("there is a file at this path already") == true)
        #expect(try Data(contentsOf: URL(filePath: copy)) == Data("precious".utf8))
        #expect(refusal(path)?.contains("there is a file at this path already") == true)
        try Data("log".utf8).write(to: URL(filePath: folder.path("other.sqlite-wal")))
        #expect(refusal(folder.path("other.sqlite"))?.contains("other.sqlite-wal belongs to another database") == true)
        #expect(try !files.contains("other.sqlite"))
        let tooLong = folder.path(String(repeating: "a", count: 300))
        #expect(refusal(tooLong)?.contains(String(cString: strerror(ENAMETOOLONG))) == true)
        #expect(refusal(folder.path("missing/copy.sqlite"))?.contains("its folder does not exist") == true)
        #expect(refusal(":memory:") != nil)
        #expect(refusal("") != nil)
        #expect(try films.all().result().get() == [.fixture(id: 1)])
        try films.transaction { _ throws(StoreError) in
            #expect(throws: StoreError.insideTransaction) { try films.database.copy(to: folder.path("inside.sqlite")) }
            #expect(throws: StoreError.insideTransaction) { try films.database.compact() }
        }.get()
    }

    @Test("A program whose standard input is closed can make a copy")
    func withoutStandardInput() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let films = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
            close(0)
            try films.database.copy(to: folder.path("copy.sqlite"))
            #expect(try SQLiteStore(Film.schema, at: folder.path("copy.sqlite")).all().count().get() == 0)
        }
    }

    #if os(Linux)
    @Test("A copy that finds no room leaves no file")
    func noRoom() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let films = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
            try films.insert((0..<5_000).map { .fixture(id: $0) }).get()
            signal(SIGXFSZ, SIG_IGN)
            // The first limit is between two pages, and the other one within a page, of which SQLite writes a part.
            for size in [102_400, 100_000] as [rlim_t] {
                var limit = rlimit(rlim_cur: size, rlim_max: size)
                #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
                let copy = folder.path("copy.sqlite")
                #expect(throws: StoreError.full(file: copy)) { try films.database.copy(to: copy) }
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")) == [])
            }
        }
    }
    #endif

    @Test("Compacting makes the file smaller, and everything goes on", arguments: [true, false])
    func compacting(isInFile: Bool) throws {
        let films = try SQLiteStore(Film.schema, in: SQLiteDatabase(isInFile ? .file(path) : .memory))
        let counts = Locked<[Int]>([])
        let watching = films.all().observe().startWithResult { result in
            counts.withLock { $0.append((try? result.get().count) ?? -1) }
        }
        defer { watching.dispose() }
        try films.insert((0..<5_000).map { .fixture(id: $0) }).get()
        try films.delete(where: \.id >= 10).get()
        func size() throws -> Int {
            let pages = try films.database.rows("PRAGMA page_count")
            guard case .integer(let count)? = pages.first?.first else { return 0 }
            return Int(count)
        }
        let before = try size()
        try films.database.compact()
        #expect(try size() < before / 10)
        if isInFile {
            let bytes = try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
            #expect(try #require(bytes).intValue < 200_000)
        }
        try films.insert(.fixture(id: 10)).get()
        #expect(try films.all().result().get().map(\.id) == Array(0...10))
        #expect(counts.withLock { $0 } == [0, 5_000, 10, 11])
    }

    @Test("Compacting gives the space of the file back at once, if nobody reads")
    func compactingAtOnce() throws {
        try SQLiteStore(Film.schema, at: path).insert((0..<50).map { .fixture(id: $0, poster: Data(count: 9_000)) })
            .get()
        func size() throws -> Int {
            let bytes = try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
            return try #require(bytes).intValue
        }
        #expect(try size() > 450_000)
        let films = try SQLiteStore(Film.schema, at: path)
        try films.delete(where: \.id > 0).get()
        try films.database.compact()
        #expect(try size() < 200_000)
        #expect(try films.all().result().get().map(\.id) == [0])
    }
}
