import Feedback
import Foundation
import Persistence

/// The lock that lets one process at a time send the writes in a database file.
///
/// Outboxes of one process share it. The system releases it when the process ends, however it ends. The locked file is an
/// empty one beside the database, since SQLite loses its locks if the process closes the database file itself.
final class OutboxLock: Sendable {
    /// The identity of a file. A file may have several paths: a link, or other capitals on a disk that ignores them.
    private struct File: Hashable {
        let device: dev_t
        let number: ino_t

        init(_ information: stat) { (device, number) = (information.st_dev, information.st_ino) }
    }

    private struct Hold {
        let descriptor: Int32
        var count: Int
    }

    /// The locks that this process holds.
    private static let holds = Locked<[File: Hold]>([:])

    private let database: String
    private let path: String
    /// The file that is locked.
    private let file: Locked<File>

    /// Throws `StoreError.locked(file:)` if another process holds the lock.
    init(ofDatabaseAt database: String) throws(StoreError) {
        self.database = database
        path = URL(fileURLWithPath: database).resolvingSymlinksInPath().path + "-outbox"
        file = Locked(try Self.hold(path, ofDatabaseAt: database))
    }

    deinit { Self.release(file.withLock { $0 }) }

    /// Makes and locks the file again if it was deleted or replaced, since another process could lock the new one.
    ///
    /// Throws `StoreError.locked(file:)` if another process has done so.
    func renew() throws(StoreError) {
        try file.withLock { file throws(StoreError) in
            var information = stat()
            if stat(path, &information) == 0, File(information) == file { return }
            let new = try Self.hold(path, ofDatabaseAt: database)
            Self.release(file)
            file = new
        }
    }

    /// Locks the file at a path, unless this process has locked it already.
    private static func hold(_ path: String, ofDatabaseAt database: String) throws(StoreError) -> File {
        let descriptor = try open(path)
        var information = stat()
        guard fstat(descriptor, &information) == 0 else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw .cannotOpen(file: path, reason: reason)
        }
        let file = File(information)
        try holds.withLock { holds throws(StoreError) in
            if holds[file] != nil {
                // The lock belongs to the other descriptor, so it stays.
                close(descriptor)
            } else if isHeldElsewhere(descriptor) {
                close(descriptor)
                throw .locked(file: database)
            }
            holds[file, default: Hold(descriptor: descriptor, count: 0)].count += 1
        }
        return file
    }

    private static func release(_ file: File) {
        holds.withLock { holds in
            holds[file]?.count -= 1
            if let hold = holds[file], hold.count == 0 {
                // A program that another thread starts holds the file, and with it the lock, until it runs.
                flock(hold.descriptor, LOCK_UN)
                close(hold.descriptor)
                holds[file] = nil
            }
        }
    }

    private static func open(_ path: String) throws(StoreError) -> Int32 {
        // Processes that this one starts do not get the descriptor.
        var descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        // Another user may have made the file. A file that can only be read can be locked, too.
        if descriptor < 0, errno == EACCES { descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw .cannotOpen(file: path, reason: String(cString: strerror(errno))) }
        return descriptor
    }

    /// Locks a file. Returns true if another process has locked it.
    private static func isHeldElsewhere(_ descriptor: Int32) -> Bool {
        // Some file systems have no locks. There the outbox works without one.
        flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }
}
