import CSpawn
import Foundation

/// A file descriptor, which is closed when nothing refers to it any more.
final class Descriptor: Sendable {
    let number: Int32
    private let isOwned: Bool

    init(_ number: Int32, isOwned: Bool = true) {
        self.number = number
        self.isOwned = isOwned
    }

    deinit { if isOwned { close(number) } }

    /// Both ends of a pipe. No child gets them, unless it is told to.
    static func pipe() throws -> (reading: Descriptor, writing: Descriptor) {
        var ends: [Int32] = [0, 0]
        try check(feedback_spawn_pipe(&ends))
        return (Descriptor(ends[0]), Descriptor(ends[1]))
    }

    @discardableResult
    static func check(_ result: Int32) throws -> Int32 {
        guard result >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return result
    }
}

/// The ends of one of a child's streams: the child's, and that of this process, if it has one.
struct StreamEnds {
    let child: Descriptor
    let own: Descriptor?

    init(_ stream: ChildProcess.Stream, isInput: Bool = false) throws {
        switch stream {
        case .file(let path):
            let number = open(path, (isInput ? O_RDONLY : O_WRONLY) | O_CLOEXEC | O_NOCTTY)
            (child, own) = (Descriptor(try Descriptor.check(number)), nil)
        case .descriptor(let number): (child, own) = (Descriptor(number, isOwned: false), nil)
        case .pipe:
            let (reading, writing) = try Descriptor.pipe()
            (child, own) = isInput ? (reading, writing) : (writing, reading)
        }
    }
}
