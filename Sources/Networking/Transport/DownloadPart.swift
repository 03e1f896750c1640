import Feedback
import Foundation
import JSON

/// A file that is being downloaded, beside its destination. If the download is cut, it stays, with a note that says of what
/// it is a part.
///
/// The note is written after the bytes are on the disk, and removed before others are written. So after a crash there is
/// none, and the next download begins anew.
final class DownloadPart: Sendable {
    /// Says of what the bytes are a part.
    struct Note: Codable, Equatable {
        /// The fingerprint of the request.
        var source: UInt64
        var version: DownloadVersion
        /// The number of bytes that are there.
        var count: Int64
        /// The number of bytes of the whole file, if it is known.
        var total: Int64?
    }

    private struct State {
        /// `nil` after the end.
        var handle: FileHandle?
        var note: Note?
        /// True if the bytes that are there have a note, perhaps of another request.
        var hasNote = false
        var hasBegun = false
        var isRefused = false
        var version: DownloadVersion?
        var count: Int64 = 0
        var total: Int64?
    }

    private let destination: URL
    private let file: URL
    private let noteFile: URL
    private let source: UInt64
    private let state: Locked<State>

    /// Returns `nil` if the part cannot be opened, or if another download to the same destination has it.
    init?(for destination: URL, source: UInt64) {
        // Without the destination's name, which may be as long as a name can be.
        let name = String(Fingerprint(of: destination.lastPathComponent).value, radix: 16)
        let folder = destination.deletingLastPathComponent()
        file = folder.appending(path: ".\(name).part")
        noteFile = folder.appending(path: ".\(name).resume")
        self.destination = destination
        self.source = source
        guard let handle = Self.locked(file) else { return nil }
        var note = Self.isOwn(noteFile) ? (try? Data(contentsOf: noteFile)).flatMap(Self.note) : nil
        let size = (try? handle.seekToEnd()) ?? 0
        if let found = note, found.count <= 0 || UInt64(found.count) > size { note = nil }
        let hasNote = note != nil
        if note?.source != source { note = nil }
        state = Locked(State(handle: handle, note: note, hasNote: hasNote))
    }

    deinit { if state.withLock({ $0.handle != nil }) { discard() } }

    /// Says which bytes are there already; `nil` if there are none.
    var note: Note? { state.withLock(\.note) }
    /// The number of bytes that were there before this answer.
    var offset: Int64 { state.withLock { $0.hasBegun ? $0.note?.count ?? 0 : 0 } }
    /// True if the answer does not continue what is there.
    var isRefused: Bool { state.withLock(\.isRefused) }
    var hasBegun: Bool { state.withLock(\.hasBegun) }

    // MARK: - An answer

    /// Looks at the head of a successful answer, and makes room for its body. Returns an error if the part cannot take it.
    func begin(status: Int, _ field: (String) -> String?, from url: URL, limit: Int) -> CoreError? {
        let isPacked = field("Content-Encoding").map { $0.lowercased() != "identity" } ?? false
        let failure = state.withLock { state -> CoreError? in
            if status == 206 {
                let range = ContentRange(field("Content-Range"))
                guard let note = state.note, let range, range.start == note.count, !isPacked,
                    note.version.isTold(by: field), note.total.map({ $0 == range.total }) ?? true
                else {
                    state.isRefused = true
                    return .network(
                        NetworkFailure(
                            .malformedAnswer, url: url.redacted,
                            detail: "The server sent another part of the file than the missing one."))
                }
                (state.version, state.count, state.total) = (note.version, note.count, range.total)
            } else {
                state.note = nil
                state.version = isPacked ? nil : DownloadVersion(field)
                state.count = 0
                state.total = isPacked ? nil : field("Content-Length").flatMap { Int64($0) }
            }
            if let total = state.total, total > limit { return Self.tooLarge(limit, url) }
            do {
                try? FileManager.default.removeItem(at: noteFile)
                try state.handle?.truncate(atOffset: UInt64(state.count))
                state.hasBegun = true
                return nil
            } catch {
                return Self.failure(destination, error)
            }
        }
        return failure
    }

    func append(_ data: Data, from url: URL, limit: Int) throws(CoreError) {
        let failure = state.withLock { state -> CoreError? in
            guard state.count + Int64(data.count) <= limit else {
                state.version = nil
                return Self.tooLarge(limit, url)
            }
            do {
                try state.handle?.write(contentsOf: data)
                state.count += Int64(data.count)
                return nil
            } catch {
                state.version = nil
                return Self.failure(destination, error)
            }
        }
        if let failure { throw failure }
    }

    // MARK: - The end

    /// Forgets what is there, so that the next answer begins anew.
    func clear() {
        try? FileManager.default.removeItem(at: noteFile)
        state.withLock { state in state = State(handle: state.handle) }
    }

    /// Moves the file to its destination, and replaces an existing file there.
    func finish(from url: URL) throws(CoreError) {
        let (handle, isWhole) = state.withLock { state in
            let isWhole = state.total.map { $0 == state.count } ?? true
            defer { if isWhole { state.handle = nil } }
            return (state.handle, isWhole)
        }
        // A server may send less than was asked for.
        guard isWhole else { throw .network(NetworkFailure(.connectionLost, url: url.redacted)) }
        let result = rename(file.path(percentEncoded: false), destination.path(percentEncoded: false))
        guard result == 0 else {
            let detail = String(cString: strerror(errno))
            remove(handle)
            throw .network(
                NetworkFailure(.cannotWriteFile, url: destination.path(percentEncoded: false), detail: detail))
        }
        try? handle?.close()
    }

    /// Keeps what is there for the next download, if its version is known; otherwise removes it. An answer without a body of
    /// its own, such as a redirect, changes nothing.
    func keep() {
        let (handle, isUntouched, note) = state.withLock { state -> (FileHandle?, Bool, Note?) in
            defer { state.handle = nil }
            let note = state.version.map {
                Note(source: source, version: $0, count: state.count, total: state.total)
            }
            return (state.handle, !state.hasBegun && state.hasNote, note)
        }
        guard let handle else { return }
        do {
            if !isUntouched {
                guard let note, note.count > 0 else { return remove(handle) }
                try handle.synchronize()
                try StrictJSONEncoder().encode(note).write(to: noteFile, options: .atomic)
            }
            // A program that another thread starts holds the file, and with it the lock, until it runs.
            flock(handle.fileDescriptor, LOCK_UN)
            try handle.close()
        } catch {
            remove(handle)
        }
    }

    /// Removes what is there.
    func discard() {
        remove(
            state.withLock { state in
                defer { state.handle = nil }
                return state.handle
            })
    }

    private func remove(_ handle: FileHandle?) {
        guard let handle else { return }
        for url in [noteFile, file] { try? FileManager.default.removeItem(at: url) }
        try? handle.close()
    }

    // MARK: - Files

    /// Opens the file and locks it, so that no other download writes to it. It is unlocked when it is closed.
    private static func locked(_ file: URL) -> FileHandle? {
        let path = file.path(percentEncoded: false)
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        let descriptor = open(path, flags, 0o666)
        guard descriptor >= 0 else { return nil }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var (opened, named) = (stat(), stat())
        // Before it was locked, another download may have moved it to its destination.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &opened) == 0, lstat(path, &named) == 0,
            opened.st_ino == named.st_ino, opened.st_dev == named.st_dev, opened.st_nlink == 1, isOwn(opened)
        else { return nil }
        return handle
    }

    /// True for a file that no other user has put there.
    private static func isOwn(_ status: stat) -> Bool {
        status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid()
    }

    private static func isOwn(_ file: URL) -> Bool {
        var status = stat()
        return lstat(file.path(percentEncoded: false), &status) == 0 && isOwn(status)
    }

    private static func note(_ data: Data) -> Note? { try? StrictJSONDecoder().decode(Note.self, from: data) }

    private static func tooLarge(_ limit: Int, _ url: URL) -> CoreError {
        .network(NetworkFailure(.bodyTooLarge(limit: limit), url: url.redacted))
    }

    private static func failure(_ destination: URL, _ error: any Error) -> CoreError {
        .network(
            NetworkFailure(
                .cannotWriteFile, url: destination.path(percentEncoded: false), detail: error.localizedDescription))
    }
}
