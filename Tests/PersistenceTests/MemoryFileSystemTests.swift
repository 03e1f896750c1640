import CSQLite
import Testing

@testable import Persistence

@Suite("The file system in memory, as SQLite calls it")
struct MemoryFileSystemTests {
    private let system: UnsafeMutablePointer<sqlite3_vfs>
    private let name = "/\(UInt64.random(in: .min ... .max))"

    init() throws {
        #expect(MemoryFileSystem.registration == SQLITE_OK)
        system = try #require(sqlite3_vfs_find(MemoryFileSystem.name))
        // The methods, and the file.
        #expect(system.pointee.szOsFile == 2 * MemoryLayout<UnsafeRawPointer>.size)
    }

    /// A file that a connection has opened, in memory that the connection provides.
    private struct File {
        let file: UnsafeMutablePointer<sqlite3_file>

        var methods: sqlite3_io_methods { file.pointee.pMethods.pointee }

        func shared(_ locks: Range<Int32>, _ flags: Int32) -> Int32 {
            methods.xShmLock(file, locks.lowerBound, Int32(locks.count), flags)
        }

        func close() {
            #expect(methods.xClose(file) == SQLITE_OK)
            UnsafeMutableRawPointer(file).deallocate()
        }
    }

    private func open(_ name: String?) -> File {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: Int(system.pointee.szOsFile), alignment: 16)
        let file = memory.bindMemory(to: sqlite3_file.self, capacity: 1)
        var flags: Int32 = 0
        let asked = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let status =
            if let name {
                name.withCString { system.pointee.xOpen(system, $0, file, asked, &flags) }
            } else {
                system.pointee.xOpen(system, nil, file, asked, &flags)
            }
        #expect(status == SQLITE_OK && flags == asked)
        return File(file: file)
    }

    private func exists(_ name: String) -> Bool {
        var result: Int32 = -1
        #expect(system.pointee.xAccess(system, name, SQLITE_ACCESS_EXISTS, &result) == SQLITE_OK)
        #expect([0, 1].contains(result))
        return result == 1
    }

    private func size(of file: File) -> Int64 {
        var size: sqlite3_int64 = -1
        #expect(file.methods.xFileSize(file.file, &size) == SQLITE_OK)
        return size
    }

    @Test("A file exists until it is deleted, or the last connection closes it")
    func existence() {
        #expect(!exists(name))
        let (first, second) = (open(name), open(name))
        #expect(exists(name) && !exists(name + "-wal"))
        first.close()
        #expect(exists(name))
        second.close()
        #expect(!exists(name))
        let third = open(name)
        #expect(system.pointee.xDelete(system, name, 0) == SQLITE_OK && !exists(name))
        // Who opens it now has another file.
        let fourth = open(name)
        #expect(fourth.methods.xWrite(fourth.file, "abc", 3, 0) == SQLITE_OK)
        #expect(size(of: third) == 0 && size(of: fourth) == 3)
        fourth.close()
        third.close()
    }

    @Test("A file without a name is a connection's own")
    func unnamed() {
        let (first, second) = (open(nil), open(nil))
        #expect(first.methods.xWrite(first.file, "abc", 3, 0) == SQLITE_OK)
        #expect(size(of: first) == 3 && size(of: second) == 0)
        first.close()
        second.close()
    }

    @Test("A read past the end is short, and gives zeros")
    func shortRead() {
        let file = open(name)
        #expect(file.methods.xWrite(file.file, "abc", 3, 0) == SQLITE_OK)
        var bytes: [UInt8] = [9, 9, 9, 9]
        #expect(file.methods.xRead(file.file, &bytes, 2, 1) == SQLITE_OK && bytes == [98, 99, 9, 9])
        let shortRead = SQLITE_IOERR | (2 << 8)
        #expect(file.methods.xRead(file.file, &bytes, 4, 1) == shortRead && bytes == [98, 99, 0, 0])
        #expect(file.methods.xTruncate(file.file, 1) == SQLITE_OK && size(of: file) == 1)
        file.close()
    }

    @Test("A path is its own full path, if there is space for it")
    func fullPath() {
        var path = [CChar](repeating: 9, count: 8)
        #expect(system.pointee.xFullPathname(system, "/a/b", 5, &path) == SQLITE_OK)
        #expect(path == [47, 97, 47, 98, 0, 9, 9, 9])
        #expect(system.pointee.xFullPathname(system, "/a/b", 4, &path) == SQLITE_CANTOPEN)
    }

    @Test("A connection has the locks on regions that it asks for: all or none")
    func regionLocks() {
        let (first, second) = (open(name), open(name))
        let (exclusive, shared) = (SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE, SQLITE_SHM_LOCK | SQLITE_SHM_SHARED)
        #expect(first.shared(1..<3, exclusive) == SQLITE_OK)
        #expect(second.shared(2..<4, exclusive) == SQLITE_BUSY && second.shared(2..<3, shared) == SQLITE_BUSY)
        // It has these, and it has one of these.
        #expect(first.shared(1..<3, exclusive) == SQLITE_OK && first.shared(2..<4, exclusive) == SQLITE_BUSY)
        #expect(first.shared(1..<3, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE) == SQLITE_OK)
        #expect(second.shared(2..<4, exclusive) == SQLITE_OK)
        #expect(second.shared(2..<4, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE) == SQLITE_OK)
        #expect(first.shared(4..<5, shared) == SQLITE_OK && second.shared(4..<5, shared) == SQLITE_OK)
        #expect(first.shared(4..<5, shared) == SQLITE_OK)
        #expect(second.shared(4..<5, SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED) == SQLITE_OK)
        #expect(second.shared(4..<5, exclusive) == SQLITE_BUSY)
        #expect(first.shared(4..<5, SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED) == SQLITE_OK)
        #expect(second.shared(4..<5, exclusive) == SQLITE_OK)
        first.close()
        second.close()
    }

    @Test("A connection that closes a file, or lets go of its regions, keeps no locks")
    func lastLocks() {
        let (first, second, third) = (open(name), open(name), open(name))
        let exclusive = SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE
        #expect(first.shared(0..<8, exclusive) == SQLITE_OK && second.shared(0..<1, exclusive) == SQLITE_BUSY)
        #expect(first.methods.xShmUnmap(first.file, 0) == SQLITE_OK)
        #expect(second.shared(0..<8, exclusive) == SQLITE_OK)
        #expect(second.methods.xLock(second.file, SQLITE_LOCK_SHARED) == SQLITE_OK)
        #expect(second.methods.xLock(second.file, SQLITE_LOCK_RESERVED) == SQLITE_OK)
        #expect(first.methods.xLock(first.file, SQLITE_LOCK_SHARED) == SQLITE_OK)
        #expect(first.methods.xLock(first.file, SQLITE_LOCK_RESERVED) == SQLITE_BUSY)
        second.close()
        #expect(first.methods.xLock(first.file, SQLITE_LOCK_RESERVED) == SQLITE_OK)
        #expect(first.methods.xUnlock(first.file, SQLITE_LOCK_NONE) == SQLITE_OK)
        #expect(third.methods.xLock(third.file, SQLITE_LOCK_SHARED) == SQLITE_OK)
        #expect(third.shared(0..<8, exclusive) == SQLITE_OK)
        first.close()
        third.close()
    }

    @Test("Connections share regions, which are zero at first")
    func regions() throws {
        let (first, second) = (open(name), open(name))
        func region(_ index: Int32, of file: File) throws -> UnsafeMutableRawPointer {
            var region: UnsafeMutableRawPointer?
            let status = file.methods.xShmMap(file.file, index, 32, 0, &region)
            #expect(status == SQLITE_OK)
            return try #require(region)
        }
        let memory = try region(1, of: first)
        #expect(memory.loadUnaligned(as: UInt64.self) == 0)
        #expect(try region(1, of: second) == memory && region(0, of: second) != memory)
        first.close()
        second.close()
    }
}
