import Feedback
import FeedbackTesting
import Foundation
import Networking
import Persistence
import Testing

@testable import Sync

/// The lock of an outbox's file within one process. ``OutboxDurabilityTests`` has two processes.
struct OutboxLockTests {
    /// Calls `body` with the path of a new folder.
    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "outbox-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    @Test("Outboxes of one process share the lock of a file that has two names, as on a disk that ignores capitals")
    func twoNames() async throws {
        try await withFolder { folder in
            let (file, sameFile) = (folder.appending(path: "Notes.sqlite"), folder.appending(path: "notes.sqlite"))
            var first: Outbox? = try Outbox(in: SQLiteDatabase(.file(file.path())))
            // On this disk, capitals may differ, so both names are given to the same files.
            for suffix in ["", "-outbox"] where !FileManager.default.fileExists(atPath: sameFile.path() + suffix) {
                try FileManager.default.linkItem(atPath: file.path() + suffix, toPath: sameFile.path() + suffix)
            }
            var second: OutboxLock? = try OutboxLock(ofDatabaseAt: sameFile.path())
            withExtendedLifetime((first, second)) {}
            // The lock is held as long as one of them exists.
            first = nil
            #expect(isLocked(file.path() + "-outbox"))
            withExtendedLifetime(second) {}
            second = nil
            // A program that another test starts has the files of this process for a moment.
            await eventually("the lock is free") { !isLocked(file.path() + "-outbox") }
        }
    }

    #if os(Linux)
    @Test("The lock is free while a program that is about to start holds the file")
    func heldFile() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "notes.sqlite").path()
            var lock: OutboxLock? = try OutboxLock(ofDatabaseAt: file)
            // As a fork does, which copies all of a process.
            let copies = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
                name -> Int32? in
                let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
                return link?.hasSuffix(file + "-outbox") == true ? Int32(name).map { dup($0) } : nil
            }
            defer { copies.forEach { close($0) } }
            #expect(!copies.isEmpty && isLocked(file + "-outbox"))
            withExtendedLifetime(lock) {}
            lock = nil
            #expect(!isLocked(file + "-outbox"))
        }
    }
    #endif

    @Test("Outboxes of one process share the lock of a file in a folder with two names")
    func linkedFolder() async throws {
        try await withFolder { folder in
            let (real, link) = (folder.appending(path: "real"), folder.appending(path: "link"))
            try FileManager.default.createDirectory(at: real, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: real)
            let first = try Outbox(in: SQLiteDatabase(.file(real.appending(path: "notes.sqlite").path())))
            let second = try Outbox(in: SQLiteDatabase(.file(link.appending(path: "notes.sqlite").path())))
            withExtendedLifetime((first, second)) {}
        }
    }

    @Test("An outbox whose lock file was deleted locks a new one before it sends")
    func deletedFile() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "notes.sqlite").path()
            let isLocked = Locked(false)
            let outbox = try Outbox(in: SQLiteDatabase(.file(file)))
            let requests = try DurableRequests<Int>("numbers", in: outbox) { [self] _, _ throws(CoreError) in
                let isHeld = FileManager.default.fileExists(atPath: file + "-outbox") && self.isLocked(file + "-outbox")
                isLocked.withLock { $0 = isHeld }
            }
            try FileManager.default.removeItem(atPath: file + "-outbox")
            try await requests.send(1, about: "a")
            await eventually("the write is sent") { outbox.status.value.isInStep }
            #expect(isLocked.withLock { $0 })
        }
    }

    @Test("An outbox whose lock another process has taken sends nothing until that one has closed it")
    func takenLock() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "notes.sqlite").path()
            let sent = Locked<[Int]>([])
            let outbox = try Outbox(in: SQLiteDatabase(.file(file)))
            let requests = try DurableRequests<Int>("numbers", in: outbox) { number, _ throws(CoreError) in
                sent.withLock { $0.append(number) }
            }
            try FileManager.default.removeItem(atPath: file + "-outbox")
            // A lock belongs to a descriptor, so this one is as good as that of another process.
            let other = open(file + "-outbox", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
            #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
            try await requests.send(1, about: "a")
            await eventually("the outbox says why it sends nothing") {
                outbox.status.value.problem == "\(StoreError.locked(file: file))"
            }
            try await requests.send(2, about: "a")
            #expect(sent.withLock { $0 }.isEmpty && outbox.status.value.waiting == 2)
            #expect(flock(other, LOCK_UN) == 0)
            await eventually("the writes are sent") { sent.withLock { $0 } == [1, 2] }
            await eventually("they are done") { outbox.status.value.isInStep && outbox.status.value.problem == nil }
            #expect(isLocked(file + "-outbox"))
            close(other)
        }
    }

    @Test(
        "A lock file that may only be read, since another user has made it, can be locked",
        .enabled(if: geteuid() != 0, "root may write all files"))
    func otherUsersFile() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "notes.sqlite").path()
            #expect(
                FileManager.default.createFile(
                    atPath: file + "-outbox", contents: nil, attributes: [.posixPermissions: 0o444]))
            let outbox = try Outbox(in: SQLiteDatabase(.file(file)))
            #expect(isLocked(file + "-outbox"))
            withExtendedLifetime(outbox) {}
        }
    }

    /// Returns true if somebody holds a lock on the file.
    private func isLocked(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0
    }
}
