import Feedback
import Foundation

/// A file that is being downloaded. It is written beside its destination, and moved there when it is complete;
/// otherwise it is removed.
final class PartialFile: Sendable {
    private struct Contents {
        /// `nil` once finished.
        var handle: FileHandle?
        /// The number of bytes that the file may still take.
        var room: Int
    }

    private let destination: URL
    private let partial: URL
    private let contents: Locked<Contents>
    /// The error for a body that is longer than the file may be.
    private let tooLarge: CoreError

    /// - Parameters:
    ///   - limit: The greatest number of bytes.
    ///   - length: The number of bytes that the server has announced, if it is known.
    ///   - source: The URL of the body, for an error.
    ///   - mode: The permissions of the file, as far as the process allows them.
    init(
        for destination: URL, limit: Int, length: Int64? = nil, from source: URL, mode: mode_t = 0o666
    ) throws(CoreError) {
        self.destination = destination
        let limit = max(0, limit)
        tooLarge = .network(NetworkFailure(.bodyTooLarge(limit: limit), url: source.redacted))
        if let length, length > limit { throw tooLarge }
        // Without the destination's name, which may be as long as a name can be.
        partial = destination.deletingLastPathComponent().appending(path: ".\(UUID().uuidString).part")
        // Made and opened in one step, so that no file stays behind if there are no descriptors left.
        let descriptor = open(partial.path(percentEncoded: false), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else {
            let code = errno  // Before anything else can change it.
            let folder = destination.deletingLastPathComponent().path(percentEncoded: false)
            throw Self.failure(destination, "\(folder) takes no file: \(String(cString: strerror(code)))")
        }
        contents = Locked(
            Contents(handle: FileHandle(fileDescriptor: descriptor, closeOnDealloc: true), room: limit))
    }

    deinit {
        contents.withLock { contents in
            guard let handle = contents.handle else { return }
            try? handle.close()
            try? FileManager.default.removeItem(at: partial)
        }
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws(CoreError) {
        guard let start = bytes.baseAddress else { return }
        // The memory is only read, and only until the call returns.
        let data = Data(bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: bytes.count, deallocator: .none)
        try append(data)
    }

    func append(_ data: Data) throws(CoreError) {
        let failure = contents.withLock { contents -> CoreError? in
            guard data.count <= contents.room else { return tooLarge }
            contents.room -= data.count
            do {
                try contents.handle?.write(contentsOf: data)
                return nil
            } catch {
                return Self.failure(destination, error.localizedDescription)
            }
        }
        if let failure { throw failure }
    }

    /// Moves the file to its destination, and replaces an existing file there.
    func finish() throws(CoreError) {
        let handle = contents.withLock { contents in
            defer { contents.handle = nil }
            return contents.handle
        }
        let fault: String
        do {
            try handle?.close()
            if rename(partial.path(percentEncoded: false), destination.path(percentEncoded: false)) == 0 { return }
            fault = String(cString: strerror(errno))
        } catch {
            fault = error.localizedDescription
        }
        try? FileManager.default.removeItem(at: partial)
        throw Self.failure(destination, fault)
    }

    private static func failure(_ url: URL, _ detail: String) -> CoreError {
        .network(NetworkFailure(.cannotWriteFile, url: url.path(percentEncoded: false), detail: detail))
    }
}

extension TransportRequest.Destination {
    /// The greatest number of bytes of a body that go to memory.
    var limitInMemory: Int {
        switch self {
        case .memory(let limit): max(0, limit)
        case .file, .stream: 1 << 20
        }
    }

    /// Returns true if a body that is too long for memory is cut instead of failing, such as that of a redirect or of a
    /// failed download.
    func isCut(status: Int, location: String?) -> Bool {
        switch self {
        case .memory: 300...399 ~= status && location != nil
        case .file, .stream: true
        }
    }

    /// Writes a whole body to its destination, and returns the part that stays in the response: all of it, or nothing
    /// if it went to a file or to a reader. For transports that have the whole body at once.
    public func deliver(_ body: Data, status: Int, from url: URL) throws(CoreError) -> Data {
        switch self {
        case .memory(let limit):
            if body.count > limit { throw .network(NetworkFailure(.bodyTooLarge(limit: limit), url: url.redacted)) }
            return body
        case .file(let destination, let limit):
            guard 200...299 ~= status else { return body }
            let file = try PartialFile(for: destination, limit: limit, length: Int64(body.count), from: url)
            try file.append(body)
            try file.finish()
            return Data()
        case .stream(let stream):
            guard 200...299 ~= status else { return body }
            stream.deliver(body)
            return Data()
        }
    }
}
