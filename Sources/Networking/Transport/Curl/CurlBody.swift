#if canImport(CCurl)
import Foundation

/// The body of an answer on its way to its destination.
struct CurlBody {
    /// Whether a piece of the body was taken.
    enum Step {
        case taken
        /// The reader has no room for it, and will call `resume`.
        case full
        /// The part that has come is enough.
        case enough
    }

    private let destination: TransportRequest.Destination
    private let url: URL
    private var bytes = Data()
    private var file: PartialFile?
    /// The end of a body that is packed with gzip, while it is to be checked.
    private var gzipEnd: GzipEnd?

    init(for request: TransportRequest) { (destination, url) = (request.destination, request.url) }

    /// Has ``finish(_:)`` check that a body which is packed with gzip is whole.
    mutating func checkEnd(of head: CurlHead) {
        gzipEnd = gzipEnd ?? GzipEnd(length: head.isChunked ? nil : head.length)
    }

    /// Looks at bytes before they are unpacked, if the end is to be checked.
    mutating func observe(packed bytes: UnsafeRawBufferPointer) { gzipEnd?.receive(packed: bytes) }

    mutating func take(
        _ piece: UnsafeRawBufferPointer, of head: CurlHead, resume: @escaping @Sendable () -> Void
    ) throws(CoreError) -> Step {
        let step = try deliver(piece, of: head, resume: resume)
        switch step {
        case .taken: gzipEnd?.receive(unpackedCount: piece.count)
        case .enough: gzipEnd = nil
        case .full: break
        }
        return step
    }

    private mutating func deliver(
        _ piece: UnsafeRawBufferPointer, of head: CurlHead, resume: @escaping @Sendable () -> Void
    ) throws(CoreError) -> Step {
        switch destination {
        case .stream(let stream) where head.isSuccess:
            if let failure = stream.failure(status: head.status, field: { head.fields[$0] }) { throw failure }
            return stream.offer(piece, resume: resume) ? .taken : .full
        case .file(let target, let limit) where head.isSuccess:
            if file == nil { file = try PartialFile(for: target, limit: limit, length: head.unpackedLength, from: url) }
            try file?.append(piece)
            return .taken
        default: return try keep(piece, of: head)
        }
    }

    /// Keeps a piece in memory, if the body is not too long.
    private mutating func keep(_ piece: UnsafeRawBufferPointer, of head: CurlHead) throws(CoreError) -> Step {
        let limit = destination.limitInMemory
        guard bytes.count + piece.count <= limit else {
            guard destination.isCut(status: head.status, location: head.fields["Location"]) else {
                throw .network(NetworkFailure(.bodyTooLarge(limit: limit), url: url.redacted))
            }
            bytes.append(contentsOf: piece.prefix(limit - bytes.count))
            return .enough
        }
        if bytes.isEmpty, let length = head.length, length > piece.count {
            bytes.reserveCapacity(Int(min(length, Int64(limit), 1 << 22)))
        }
        bytes.append(contentsOf: piece)
        return .taken
    }

    /// Returns the bytes in memory, after all have come. A file appears now.
    mutating func finish(_ head: CurlHead) throws(CoreError) -> Data {
        guard gzipEnd?.isComplete ?? true else {
            let detail = "The body, which is packed with gzip, has no end."
            throw .network(NetworkFailure(.connectionLost, url: url.redacted, detail: detail))
        }
        if case .file(let target, let limit) = destination, head.isSuccess {
            let file = if let file { file } else { try PartialFile(for: target, limit: limit, from: url) }
            self.file = nil
            try file.finish()
        }
        return bytes
    }

    /// Removes a file that is not complete.
    mutating func discard() { file = nil }
}
#endif
