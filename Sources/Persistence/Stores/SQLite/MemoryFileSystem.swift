import CSQLite
import Feedback
import Foundation

/// A file system in memory for SQLite, in which a database has a write-ahead log as it has on a disk.
///
/// SQLite's own databases in memory either belong to one connection, or make readers wait for a whole transaction. Here
/// each reader has a connection of its own, and reads the state that was committed when it began.
enum MemoryFileSystem {
    static let name = "feedback-memory"

    /// The files by name. A file is removed when its last connection closes it.
    private static let files = Locked<[String: (file: MemoryFile, uses: Int)]>([:])

    /// SQLite's result of registering the file system, which happens once.
    static let registration: Int32 = {
        guard let standard = sqlite3_vfs_find(nil) else { return SQLITE_ERROR }
        let system = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        // Time, randomness and sleep are those of the standard system.
        system.initialize(to: standard.pointee)
        system.pointee.zName = name.withCString { UnsafePointer(strdup($0)) }
        system.pointee.szOsFile = Int32(MemoryLayout<OpenFile>.size)
        system.pointee.xOpen = { _, name, file, flags, outFlags in
            guard let file else { return SQLITE_CANTOPEN }
            let name = name.map { String(cString: $0) }
            let handle = Handle(MemoryFileSystem.open(name), name)
            UnsafeMutableRawPointer(file).initializeMemory(
                as: OpenFile.self,
                to: OpenFile(methods: MemoryFileSystem.methods.pointer, handle: Unmanaged.passRetained(handle)))
            outFlags?.pointee = flags
            return SQLITE_OK
        }
        system.pointee.xDelete = { _, name, _ in
            if let name { MemoryFileSystem.delete(String(cString: name)) }
            return SQLITE_OK
        }
        system.pointee.xAccess = { _, name, _, result in
            result?.pointee = name.map { MemoryFileSystem.exists(String(cString: $0)) } == true ? 1 : 0
            return SQLITE_OK
        }
        system.pointee.xFullPathname = { _, name, capacity, result in
            guard let name, let result, strlen(name) < Int(capacity) else { return SQLITE_CANTOPEN }
            strcpy(result, name)
            return SQLITE_OK
        }
        return sqlite3_vfs_register(system, 0)
    }()

    private static func open(_ name: String?) -> MemoryFile {
        guard let name else { return MemoryFile() }
        return files.withLock { files in
            let file = files[name]?.file ?? MemoryFile()
            files[name] = (file, (files[name]?.uses ?? 0) + 1)
            return file
        }
    }

    private static func close(_ name: String?) {
        guard let name else { return }
        files.withLock { files in
            guard let (file, uses) = files[name] else { return }
            files[name] = uses > 1 ? (file, uses - 1) : nil
        }
    }

    private static func delete(_ name: String) { files.withLock { $0[name] = nil } }

    private static func exists(_ name: String) -> Bool { files.withLock { $0[name] != nil } }

    // MARK: - Open files

    /// An open file in the layout that SQLite requires: its methods first, then our own data.
    private struct OpenFile {
        var methods: UnsafePointer<sqlite3_io_methods>?
        var handle: Unmanaged<Handle>
    }

    /// A connection's open file. SQLite uses it from one thread at a time.
    private final class Handle {
        let file: MemoryFile
        let name: String?
        var sharedLocks: Set<Int> = []
        var exclusiveLocks: Set<Int> = []

        init(_ file: MemoryFile, _ name: String?) {
            self.file = file
            self.name = name
        }

        var id: ObjectIdentifier { ObjectIdentifier(self) }

        func lock(_ locks: Range<Int>, _ flags: Int32) -> Int32 {
            let isExclusive = flags & SQLITE_SHM_EXCLUSIVE != 0
            if flags & SQLITE_SHM_LOCK != 0 {
                let missing = locks.filter { !sharedLocks.contains($0) && !exclusiveLocks.contains($0) }
                guard missing.count == locks.count else { return missing.isEmpty ? SQLITE_OK : SQLITE_BUSY }
                guard file.lockRegions(locks, isExclusive: isExclusive) else { return SQLITE_BUSY }
                if isExclusive { exclusiveLocks.formUnion(locks) } else { sharedLocks.formUnion(locks) }
            } else {
                for lock in locks {
                    if sharedLocks.remove(lock) != nil { file.unlockRegions(lock..<lock + 1, isExclusive: false) }
                    if exclusiveLocks.remove(lock) != nil { file.unlockRegions(lock..<lock + 1, isExclusive: true) }
                }
            }
            return SQLITE_OK
        }

        func close() {
            _ = lock(0..<8, SQLITE_SHM_UNLOCK)
            file.unlock(to: SQLITE_LOCK_NONE, by: id)
            MemoryFileSystem.close(name)
        }
    }

    private static func handle(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Unmanaged<Handle>? {
        file.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: OpenFile.self).pointee.handle }
    }

    private static func with(_ file: UnsafeMutablePointer<sqlite3_file>?, _ body: (Handle) -> Int32) -> Int32 {
        handle(file)?._withUnsafeGuaranteedRef(body) ?? SQLITE_IOERR
    }

    // Unchecked, since it is never changed.
    private struct Methods: @unchecked Sendable {
        let pointer: UnsafePointer<sqlite3_io_methods>
    }

    private static let methods: Methods = {
        var methods = sqlite3_io_methods()
        // Version 2 has shared regions, which a write-ahead log needs, and no mapped memory.
        methods.iVersion = 2
        methods.xClose = { file in
            let handle = MemoryFileSystem.handle(file)
            handle?.takeUnretainedValue().close()
            handle?.release()
            return SQLITE_OK
        }
        methods.xRead = { file, target, count, offset in
            MemoryFileSystem.with(file) { handle in
                let target = UnsafeMutableRawBufferPointer(start: target, count: Int(count))
                return handle.file.read(into: target, at: Int(offset)) ? SQLITE_OK : SQLITE_IOERR | (2 << 8)
            }
        }
        methods.xWrite = { file, source, count, offset in
            MemoryFileSystem.with(file) { handle in
                handle.file.write(UnsafeRawBufferPointer(start: source, count: Int(count)), at: Int(offset))
                return SQLITE_OK
            }
        }
        methods.xTruncate = { file, count in
            MemoryFileSystem.with(file) { handle in
                handle.file.truncate(to: Int(count))
                return SQLITE_OK
            }
        }
        methods.xSync = { _, _ in SQLITE_OK }
        methods.xFileSize = { file, size in
            MemoryFileSystem.with(file) { handle in
                size?.pointee = sqlite3_int64(handle.file.count)
                return SQLITE_OK
            }
        }
        methods.xLock = { file, level in
            MemoryFileSystem.with(file) { $0.file.lock(level, by: $0.id) ? SQLITE_OK : SQLITE_BUSY }
        }
        methods.xUnlock = { file, level in
            MemoryFileSystem.with(file) { handle in
                handle.file.unlock(to: level, by: handle.id)
                return SQLITE_OK
            }
        }
        // SQLite asks whether a journal was left behind. In memory each belongs to a connection that is writing.
        methods.xCheckReservedLock = { _, result in
            result?.pointee = 1
            return SQLITE_OK
        }
        methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
        methods.xSectorSize = { _ in 4096 }
        methods.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE | SQLITE_IOCAP_SAFE_APPEND }
        // A region is also made for a reader, which may do without: it is zero, and SQLite takes it for a new one.
        methods.xShmMap = { file, index, size, _, region in
            MemoryFileSystem.with(file) { handle in
                region?.pointee = handle.file.region(Int(index), size: Int(size))
                return region?.pointee == nil ? SQLITE_NOMEM : SQLITE_OK
            }
        }
        methods.xShmLock = { file, first, count, flags in
            MemoryFileSystem.with(file) { $0.lock(Int(first)..<Int(first + count), flags) }
        }
        methods.xShmBarrier = { file in
            _ = MemoryFileSystem.with(file) { handle in
                handle.file.synchronize()
                return SQLITE_OK
            }
        }
        methods.xShmUnmap = { file, _ in MemoryFileSystem.with(file) { $0.lock(0..<8, SQLITE_SHM_UNLOCK) } }
        let pointer = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        pointer.initialize(to: methods)
        return Methods(pointer: UnsafePointer(pointer))
    }()
}
