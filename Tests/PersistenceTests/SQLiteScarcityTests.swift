import CSQLite
import FeedbackTesting
import Foundation
import Testing

@testable import Persistence

/// The limits are those of a process, so each test is a process of its own.
@Suite("A SQLite file if the system gives no more space, or no more files")
struct SQLiteScarcityTests {
    /// Lets no file of this process grow beyond `size` bytes.
    private static func limitFiles(to size: Int) {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: rlim_t(size), rlim_max: rlim_t(size))
        #if os(Linux)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #else
        setrlimit(RLIMIT_FSIZE, &limit)
        #endif
    }

    @Test("A write for which there is no space throws full, and those that were acknowledged are kept")
    func noSpace() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let path = folder.path("films.sqlite")
            Self.limitFiles(to: 400_000)
            let films = try SQLiteStore(Film.schema, at: path)
            var acknowledged = 0
            let error = #expect(throws: StoreError.self) {
                while acknowledged < 1_000 {
                    try films.insert(.fixture(id: acknowledged, poster: Data(count: 2_000))).get()
                    acknowledged += 1
                }
            }
            #expect(error == .full(file: path))
            #expect(acknowledged > 5)
            #expect(try films.all().count().get() == acknowledged)
            #expect(try SQLiteStore(Film.schema, at: path).all().count().get() == acknowledged)
        }
    }

    @Test("If it is the log that takes the space, the write after the one that has failed begins it anew")
    func fullLog() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let path = folder.path("films.sqlite")
            Self.limitFiles(to: 400_000)
            let films = try SQLiteStore(Film.schema, at: path)
            var failures = 0
            for number in 0..<1_000 {
                do {
                    try films.upsert(.fixture(id: 1, budget: number, poster: Data(count: 2_000))).get()
                    #expect(try films.object(withId: 1).get()?.budget == number)
                } catch StoreError.full(path) {
                    failures += 1
                    #expect(try films.object(withId: 1).get()?.budget == number - 1)
                }
            }
            #expect(failures > 0 && failures < 100, "\(failures)")
        }
    }

    @Test("A database for whose files there is no space throws full")
    func noSpaceToOpen() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let path = folder.path("films.sqlite")
            Self.limitFiles(to: 20_000)
            #expect(throws: StoreError.full(file: path)) { try SQLiteDatabase(.file(path)) }
        }
    }

    @Test("An error of the file system that has another cause is passed on with SQLite's code")
    func otherErrors() throws {
        // SQLITE_IOERR_FSYNC, SQLITE_IOERR_READ and SQLITE_IOERR_LOCK.
        let codes: [Int32] = [1034, 266, 3850]
        let errors = try SQLiteDatabase(.memory).read { connection in codes.map { connection.error($0) } }
        for (code, error) in zip(codes, errors) {
            guard case .sqlite(code, _) = error else {
                Issue.record("\(error) is another error")
                continue
            }
        }
    }

    @Test("If the process may open no more files, to open a database fails with that reason, and open ones go on")
    func noDescriptors() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let path = folder.path("films.sqlite")
            let films = try SQLiteStore(Film.schema, at: path)
            try films.insert(.fixture(id: 1)).get()
            var descriptors: [Int32] = []
            while case let descriptor = open("/dev/null", O_RDONLY), descriptor >= 0 { descriptors.append(descriptor) }
            let error = #expect(throws: StoreError.self) { try SQLiteDatabase(.file(path)) }
            try films.insert(.fixture(id: 2)).get()
            #expect(try films.all().count().get() == 2)
            for descriptor in descriptors { close(descriptor) }
            #expect(error == .cannotOpen(file: path, reason: String(cString: strerror(EMFILE))))
            #expect(try SQLiteStore(Film.schema, at: path).all().count().get() == 2)
        }
    }
}
