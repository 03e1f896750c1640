import CSQLite
import Testing

@testable import Persistence

@Suite("A file in memory")
struct MemoryFileTests {
    private let file = MemoryFile()
    private let one = Connection()
    private let other = Connection()

    private final class Connection {
        var id: ObjectIdentifier { ObjectIdentifier(self) }
    }

    private func write(_ bytes: [UInt8], at offset: Int) {
        bytes.withUnsafeBytes { file.write($0, at: offset) }
    }

    private func read(_ count: Int, at offset: Int) -> (bytes: [UInt8], isWhole: Bool) {
        var bytes = [UInt8](repeating: 9, count: count)
        let isWhole = bytes.withUnsafeMutableBytes { file.read(into: $0, at: offset) }
        return (bytes, isWhole)
    }

    @Test("What was written is read, also across writes, and what is not there is zero")
    func bytes() {
        #expect(read(2, at: 0) == ([0, 0], false))
        write([1, 2, 3], at: 0)
        #expect(read(3, at: 0) == ([1, 2, 3], true))
        #expect(read(3, at: 1) == ([2, 3, 0], false))
        #expect(read(1, at: 3) == ([0], false))
        write([7, 8], at: 2)
        #expect(read(4, at: 0) == ([1, 2, 7, 8], true))
        // A write behind the end leaves a gap.
        write([5], at: 100_000)
        #expect(file.count == 100_001)
        #expect(read(4, at: 0) == ([1, 2, 7, 8], true))
        #expect(read(99_996, at: 4).bytes.allSatisfy { $0 == 0 })
        #expect(read(2, at: 100_000) == ([5, 0], false))
        #expect(read(2, at: 200_000) == ([0, 0], false))
    }

    @Test("A file that was made shorter is zero where it was cut, if it grows again")
    func truncated() {
        write([1, 2, 3, 4], at: 0)
        file.truncate(to: 9)
        #expect(file.count == 4)
        file.truncate(to: 1)
        #expect(file.count == 1)
        write([6], at: 3)
        #expect(read(4, at: 0) == ([1, 0, 0, 6], true))
    }

    @Test("Many may read, one may prepare to write while others read, and one writes alone")
    func locks() {
        func lock(_ level: Int32, _ connection: Connection) -> Bool { file.lock(level, by: connection.id) }
        func unlock(_ level: Int32, _ connection: Connection) { file.unlock(to: level, by: connection.id) }
        #expect(lock(SQLITE_LOCK_SHARED, one) && lock(SQLITE_LOCK_SHARED, other))
        #expect(lock(SQLITE_LOCK_RESERVED, one))
        #expect(!lock(SQLITE_LOCK_RESERVED, other))
        #expect(!lock(SQLITE_LOCK_EXCLUSIVE, one))
        unlock(SQLITE_LOCK_NONE, other)
        #expect(lock(SQLITE_LOCK_SHARED, other))
        // To ask for less than one has does not lower the lock.
        #expect(lock(SQLITE_LOCK_SHARED, one) && !lock(SQLITE_LOCK_RESERVED, other))
        unlock(SQLITE_LOCK_NONE, other)
        #expect(lock(SQLITE_LOCK_EXCLUSIVE, one))
        #expect(!lock(SQLITE_LOCK_SHARED, other))
        unlock(SQLITE_LOCK_SHARED, one)
        #expect(lock(SQLITE_LOCK_SHARED, other) && lock(SQLITE_LOCK_RESERVED, other))
        #expect(!lock(SQLITE_LOCK_EXCLUSIVE, other))
        unlock(SQLITE_LOCK_NONE, one)
        #expect(lock(SQLITE_LOCK_EXCLUSIVE, other))
    }

    @Test("The locks of shared regions are held by many who read, or by one who writes")
    func regionLocks() {
        #expect(file.lockRegions(2..<3, isExclusive: false) && file.lockRegions(2..<4, isExclusive: false))
        #expect(!file.lockRegions(1..<3, isExclusive: true))
        // None was taken.
        #expect(file.lockRegions(1..<2, isExclusive: true))
        #expect(!file.lockRegions(0..<2, isExclusive: false))
        file.unlockRegions(2..<3, isExclusive: false)
        #expect(!file.lockRegions(2..<3, isExclusive: true))
        file.unlockRegions(2..<3, isExclusive: false)
        #expect(file.lockRegions(2..<3, isExclusive: true) && !file.lockRegions(2..<3, isExclusive: true))
        file.unlockRegions(1..<3, isExclusive: true)
        #expect(file.lockRegions(0..<3, isExclusive: true))
    }

    @Test("A shared region is zero at first, and the same for all")
    func regions() throws {
        let region = try #require(file.region(1, size: 64))
        #expect((0..<64).allSatisfy { region.load(fromByteOffset: $0, as: UInt8.self) == 0 })
        #expect(file.region(1, size: 64) == region)
        #expect(try #require(file.region(0, size: 64)) != region)
    }

    // MARK: - Connections

    private func connections() throws(StoreError) -> () throws(StoreError) -> SQLiteConnection {
        let place = try SQLiteConnection.Location(.memory, patience: .seconds(1))
        return { () throws(StoreError) in
            try SQLiteConnection(place, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        }
    }

    @Test("Its content is there for new connections until the last one of all closes")
    func lastConnection() throws {
        let connect = try connections()
        do {
            let first = try connect()
            try first.execute("CREATE TABLE numbers (number)")
            for _ in 0..<3 { #expect(try connect().rows("SELECT * FROM numbers") == []) }
            withExtendedLifetime(first) {}
        }
        #expect(throws: StoreError.self) { try connect().rows("SELECT * FROM numbers") }
    }

    @Test("A connection that closes keeps no lock")
    func closedConnection() throws {
        let connect = try connections()
        let first = try connect()
        try first.execute("PRAGMA journal_mode = WAL; CREATE TABLE numbers (number)")
        try connect().execute("BEGIN; SELECT * FROM numbers")
        // SQLite ends the log only if nobody else has the file.
        #expect(try first.rows("PRAGMA journal_mode = DELETE") == [[.text("delete")]])
    }
}
