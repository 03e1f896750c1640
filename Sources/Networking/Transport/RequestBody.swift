import Foundation

/// The body of a request: bytes in memory, a file, a form of several parts, or a stream that is read while it is sent.
///
/// ```swift
/// request.body = .data(json, contentType: "application/json")
/// request.body = .file(photo, contentType: "image/jpeg")
/// request.body = .multipart([.text("title", "Sunset"), .file("photo", photo, contentType: "image/jpeg")])
/// ```
///
/// Files and streams take little memory, whatever their size.
public struct RequestBody: Sendable {
    /// Bytes that are sent one after the other.
    enum Piece: Sendable, Hashable {
        case data(Data)
        case file(URL)
    }

    enum Content: Sendable {
        case pieces([Piece])
        case stream(length: Int64?, @Sendable () -> AsyncThrowingStream<Data, any Error>)
    }

    let content: Content
    /// The value of `Content-Type`, unless the request's headers say otherwise. In a session, it takes precedence over that of
    /// the session's headers, but not over that of the resource's.
    public let contentType: String?

    /// Bytes in memory.
    public static func data(_ data: Data, contentType: String? = nil) -> RequestBody {
        RequestBody(content: .pieces([.data(data)]), contentType: contentType)
    }

    /// A file, which is read while it is sent.
    public static func file(_ url: URL, contentType: String? = "application/octet-stream") -> RequestBody {
        RequestBody(content: .pieces([.file(url)]), contentType: contentType)
    }

    /// A sequence of pieces, only a few of which are in memory at a time.
    ///
    /// - Parameters:
    ///   - length: The number of bytes, if it is known. Otherwise the body is sent in chunks.
    ///   - makeSequence: Makes the sequence, once for each time that the request is sent.
    public static func stream<Pieces: AsyncSequence & Sendable>(
        length: Int64? = nil, contentType: String? = "application/octet-stream",
        _ makeSequence: @escaping @Sendable () -> Pieces
    ) -> RequestBody where Pieces.Element == Data {
        let stream: @Sendable () -> AsyncThrowingStream<Data, any Error> = {
            let iterator = Iterator(makeSequence())
            return AsyncThrowingStream { try await iterator.next() }
        }
        return RequestBody(content: .stream(length: length, stream), contentType: contentType)
    }

    /// The bytes, if they are in memory.
    public var data: Data? {
        guard case .pieces(let pieces) = content else { return nil }
        var data = Data()
        for piece in pieces {
            guard case .data(let bytes) = piece else { return nil }
            if pieces.count == 1 { return bytes }
            data += bytes
        }
        return data
    }

    /// Returns the number of bytes; `nil` if it is not known before the end.
    public func length() throws(CoreError) -> Int64? {
        switch content {
        case .stream(let length, _): return length
        case .pieces(let pieces):
            var length: Int64 = 0
            for piece in pieces { length += try piece.length() }
            return length
        }
    }

    /// Returns the whole body in memory, for transports that do not send anything, such as canned responses.
    public func collected() async throws(CoreError) -> Data {
        if let data { return data }
        var collected = Data()
        try await forEachPiece { bytes throws(CoreError) in collected += bytes }
        return collected
    }

    /// Reads the body piece by piece.
    func forEachPiece(_ use: (Data) throws(CoreError) -> Void) async throws(CoreError) {
        switch content {
        case .pieces(let pieces):
            for piece in pieces { try piece.read(use) }
        case .stream(_, let makeStream):
            var iterator = makeStream().makeAsyncIterator()
            while true {
                let next: Result<Data?, any Error>
                do { next = .success(try await iterator.next()) } catch { next = .failure(error) }
                if Task.isCancelled { throw .cancelled }
                switch next {
                case .success(let bytes?): try use(bytes)
                case .success(nil): return
                case .failure(let error): throw .unreadableBody(error)
                }
            }
        }
    }
}

extension RequestBody.Piece {
    fileprivate func read(_ use: (Data) throws(CoreError) -> Void) throws(CoreError) {
        switch self {
        case .data(let data): try use(data)
        case .file(let url):
            let handle: FileHandle
            do { handle = try FileHandle(forReadingFrom: url) } catch { throw .unreadableBody(error) }
            while true {
                let bytes: Data?
                do { bytes = try handle.read(upToCount: 1 << 18) } catch { throw .unreadableBody(error) }
                guard let bytes, !bytes.isEmpty else { return }
                try use(bytes)
            }
        }
    }

    func length() throws(CoreError) -> Int64 {
        switch self {
        case .data(let data): return Int64(data.count)
        case .file(let url):
            // Of the file that a link leads to. To open a pipe would wait for a writer.
            let path = url.path(percentEncoded: false)
            var status = stat()
            let fault =
                if stat(path, &status) != 0 {
                    "\(path): \(String(cString: strerror(errno)))"
                } else if status.st_mode & S_IFMT != S_IFREG {
                    "\(path) is not a file"
                } else {
                    nil as String?
                }
            if let fault { throw .request(RequestFailure("Its body could not be read: \(fault).")) }
            return Int64(status.st_size)
        }
    }
}

extension CoreError {
    static func unreadableBody(_ error: any Error) -> CoreError {
        .request(
            RequestFailure(
                "Its body could not be read: \((error as? any LocalizedError)?.errorDescription ?? "\(error)")"))
    }
}

/// An iterator in a reference, for calls that come one after the other.
private final class Iterator<Pieces: AsyncSequence>: @unchecked Sendable  // The stream asks for one element at a time.
where Pieces.Element == Data {
    private var iterator: Pieces.AsyncIterator

    init(_ pieces: Pieces) { iterator = pieces.makeAsyncIterator() }

    func next() async throws -> Data? { try await iterator.next() }
}
