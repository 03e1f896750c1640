import Foundation

/// The place of a file: two paths of one file are recognized, whichever links lead there.
struct FilePlace: Sendable {
    /// The parts of the path, without symbolic links on the way.
    let parts: [String]
    /// The number of the file in the file system, which its hard links share; `nil` if there is no file yet.
    private let number: Number?

    private struct Number: Equatable, Sendable {
        let device: dev_t
        let file: ino_t
    }

    init(_ file: URL) {
        let file = file.standardizedFileURL.resolvingSymlinksInPath()
        parts = file.pathComponents
        var info = stat()
        number =
            stat(file.path(percentEncoded: false), &info) == 0
            ? Number(device: info.st_dev, file: info.st_ino) : nil
    }

    /// The places of the files of a SQLite database, which has others beside its own.
    static func ofDatabase(_ file: URL) -> [FilePlace] {
        let file = file.standardizedFileURL.resolvingSymlinksInPath()
        return ["", "-wal", "-shm", "-journal"].map { suffix in
            FilePlace(file.deletingLastPathComponent().appending(path: file.lastPathComponent + suffix))
        }
    }

    /// Returns true if it is the place of the same file.
    func isSame(as other: FilePlace) -> Bool { parts == other.parts || number != nil && number == other.number }
}
