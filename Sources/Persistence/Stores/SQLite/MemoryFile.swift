import Feedback
import Foundation

/// The content of a file of ``MemoryFileSystem``, and the locks that connections hold on it.
final class MemoryFile: Sendable {
    // Unchecked, since only the holder of the lock reaches it. SQLite itself guards the shared regions that it is given.
    private final class Content: @unchecked Sendable {
        var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        var count = 0
        var regions: [UnsafeMutableRawPointer] = []
        /// For each of SQLite's locks on the shared regions, the number of connections that share it, or -1 if one
        /// holds it exclusively.
        var regionLocks = Array(repeating: 0, count: 8)
        /// The level of each connection's lock on the file, from none to exclusive, in SQLite's numbers.
        var locks: [ObjectIdentifier: Int32] = [:]

        deinit {
            bytes.deallocate()
            for region in regions { free(region) }
        }
    }

    private let content = Locked(Content())

    // MARK: - Bytes

    var count: Int { content.withLock { $0.count } }

    /// Copies bytes from `offset` on, and zeros after the end of the file; returns true if the file had all of them.
    func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) -> Bool {
        content.withLock { content in
            let available = max(0, min(target.count, content.count - offset))
            if available > 0 {
                target.copyMemory(from: UnsafeRawBufferPointer(rebasing: content.bytes[offset..<offset + available]))
            }
            guard available < target.count else { return true }
            UnsafeMutableRawBufferPointer(rebasing: target[available...]).initializeMemory(as: UInt8.self, repeating: 0)
            return false
        }
    }

    func write(_ source: UnsafeRawBufferPointer, at offset: Int) {
        content.withLock { content in
            let end = offset + source.count
            if end > content.bytes.count {
                let grown = UnsafeMutableRawBufferPointer.allocate(
                    byteCount: max(end, content.bytes.count * 2), alignment: 16)
                grown.initializeMemory(as: UInt8.self, repeating: 0)
                grown.copyMemory(from: UnsafeRawBufferPointer(rebasing: content.bytes[..<content.count]))
                content.bytes.deallocate()
                content.bytes = grown
            }
            UnsafeMutableRawBufferPointer(rebasing: content.bytes[offset..<end]).copyMemory(from: source)
            content.count = max(content.count, end)
        }
    }

    func truncate(to count: Int) {
        content.withLock { content in
            guard count < content.count else { return }
            UnsafeMutableRawBufferPointer(rebasing: content.bytes[count..<content.count])
                .initializeMemory(as: UInt8.self, repeating: 0)
            content.count = count
        }
    }

    // MARK: - Locks

    private static let (none, shared, reserved, exclusive): (Int32, Int32, Int32, Int32) = (0, 1, 2, 4)

    /// Raises a connection's lock to `level`; returns false if the locks of others do not allow it.
    func lock(_ level: Int32, by connection: ObjectIdentifier) -> Bool {
        content.withLock { content in
            let others = content.locks.filter { $0.key != connection }.values
            let isFree =
                switch level {
                case Self.shared: !others.contains { $0 > Self.reserved }
                case Self.reserved: !others.contains { $0 >= Self.reserved }
                default: !others.contains { $0 >= Self.shared }
                }
            if isFree { content.locks[connection] = max(level, content.locks[connection] ?? Self.none) }
            return isFree
        }
    }

    func unlock(to level: Int32, by connection: ObjectIdentifier) {
        content.withLock { $0.locks[connection] = level == Self.none ? nil : level }
    }

    // MARK: - Shared regions

    /// Returns the memory of a region that all connections share, which is zero at first; nil if there is not enough memory.
    func region(_ index: Int, size: Int) -> UnsafeMutableRawPointer? {
        content.withLock { content -> SharedRegion in
            while content.regions.count <= index {
                guard let region = calloc(1, size) else { return SharedRegion(start: nil) }
                content.regions.append(region)
            }
            return SharedRegion(start: content.regions[index])
        }.start
    }

    /// Takes locks on shared regions for a connection that has none of them; returns false if the locks of others do
    /// not allow it.
    func lockRegions(_ locks: Range<Int>, isExclusive: Bool) -> Bool {
        content.withLock { content in
            let isFree = locks.allSatisfy { isExclusive ? content.regionLocks[$0] == 0 : content.regionLocks[$0] >= 0 }
            if isFree {
                for lock in locks { content.regionLocks[lock] = isExclusive ? -1 : content.regionLocks[lock] + 1 }
            }
            return isFree
        }
    }

    func unlockRegions(_ locks: Range<Int>, isExclusive: Bool) {
        content.withLock { content in
            for lock in locks { content.regionLocks[lock] = isExclusive ? 0 : content.regionLocks[lock] - 1 }
        }
    }

    /// Acts as a memory barrier: writes to shared regions before it are visible to reads after it.
    func synchronize() { content.withLock { _ in } }
}

// Unchecked, since it only carries an address; SQLite guards the memory.
private struct SharedRegion: @unchecked Sendable {
    let start: UnsafeMutableRawPointer?
}
