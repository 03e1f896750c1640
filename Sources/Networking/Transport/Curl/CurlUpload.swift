#if canImport(CCurl)
import Feedback
import Foundation

/// A request's body while it is sent. libcurl asks for bytes, and must not wait for them.
final class CurlUpload {
    let length: Int64?
    private let source: Source
    private var bytesRead: Int64 = 0

    private enum Source {
        case pieces(PieceReader)
        case stream(StreamReader)
    }

    /// - Parameter resume: Called, on any thread, when a stream that had nothing to send has more.
    init(_ body: RequestBody, resume: @escaping @Sendable () -> Void) throws(CoreError) {
        length = try body.length()
        switch body.content {
        case .pieces(let pieces): source = .pieces(PieceReader(pieces))
        case .stream(_, let makeStream): source = .stream(StreamReader(makeStream, resume: resume))
        }
    }

    /// True if the body can be sent again from its beginning.
    var isRepeatable: Bool {
        if case .pieces = source { true } else { false }
    }

    /// True if the last read found nothing.
    private(set) var isWaiting = false

    /// Returns the number of bytes written to the buffer; 0 at the end, `nil` if there are none yet.
    ///
    /// Fails if it finds that the body has another length than was declared: a server would take bytes beyond it for the
    /// next request on the connection, and would wait for missing ones.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(CoreError) -> Int? {
        let count: Int?
        switch source {
        case .pieces(let reader): count = try reader.read(into: buffer)
        case .stream(let reader): count = try reader.read(into: buffer)
        }
        isWaiting = count == nil
        guard let length, let count else { return count }
        bytesRead += Int64(count)
        guard count > 0 ? bytesRead <= length : bytesRead == length else {
            throw .request(RequestFailure("Its body has another length than the \(length) bytes that were declared."))
        }
        return count
    }

    func rewind() -> Bool {
        guard case .pieces(let reader) = source else { return false }
        reader.rewind()
        bytesRead = 0
        return true
    }

    func cancel() {
        if case .stream(let reader) = source { reader.cancel() }
    }
}

/// Reads bytes and files one after the other.
private final class PieceReader {
    private let pieces: [RequestBody.Piece]
    private var index = 0
    private var offset = 0
    private var file: FileHandle?

    init(_ pieces: [RequestBody.Piece]) { self.pieces = pieces }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(CoreError) -> Int {
        while index < pieces.count {
            let count: Int
            switch pieces[index] {
            case .data(let data):
                let rest = data.dropFirst(offset).prefix(buffer.count)
                rest.copyBytes(to: buffer)
                count = rest.count
            case .file(let url):
                count = try read(url, into: buffer)
            }
            offset += count
            if count > 0 { return count }
            (index, offset, file) = (index + 1, 0, nil)
        }
        return 0
    }

    func rewind() { (index, offset, file) = (0, 0, nil) }

    private func read(_ url: URL, into buffer: UnsafeMutableRawBufferPointer) throws(CoreError) -> Int {
        do {
            let handle = try file ?? FileHandle(forReadingFrom: url)
            file = handle
            guard let data = try handle.read(upToCount: buffer.count) else { return 0 }
            data.copyBytes(to: buffer)
            return data.count
        } catch {
            throw .unreadableBody(error)
        }
    }
}

/// Reads a stream in a task of its own, one piece ahead of what is sent.
private final class StreamReader: Sendable {
    private struct State {
        var piece = Data()
        var isOver = false
        var failure: CoreError?
        /// True if a read found nothing, so that the transfer has to be resumed.
        var isAwaited = false
        /// The continuation of the task, which waits until its piece has been taken.
        var producer: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())
    private let task: Locked<Task<Void, Never>?> = Locked(nil)

    init(
        _ makeStream: @escaping @Sendable () -> AsyncThrowingStream<Data, any Error>,
        resume: @escaping @Sendable () -> Void
    ) {
        let reading = Task { [weak self] in
            var failure: CoreError?
            do {
                for try await piece in makeStream() where !piece.isEmpty {
                    guard let self else { return }
                    await self.put(piece, resume)
                    if Task.isCancelled { return }
                }
            } catch {
                failure = .unreadableBody(error)
            }
            self?.end(failure, resume)
        }
        task.withLock { $0 = reading }
    }

    deinit { cancel() }

    func cancel() {
        task.withLock { $0 }?.cancel()
        let producer = state.withLock { state in
            defer { state.producer = nil }
            state.isOver = true
            return state.producer
        }
        producer?.resume()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(CoreError) -> Int? {
        let (result, producer) = state.withLock {
            state -> (Result<Int?, CoreError>, CheckedContinuation<Void, Never>?) in
            if state.piece.isEmpty {
                if let failure = state.failure { return (.failure(failure), nil) }
                state.isAwaited = !state.isOver
                return (.success(state.isOver ? 0 : nil), nil)
            }
            let taken = state.piece.prefix(buffer.count)
            taken.copyBytes(to: buffer)
            state.piece = state.piece.dropFirst(taken.count)
            guard state.piece.isEmpty else { return (.success(taken.count), nil) }
            defer { state.producer = nil }
            return (.success(taken.count), state.producer)
        }
        producer?.resume()
        return try result.get()
    }

    /// Passes a piece on, and returns when it has been taken.
    private func put(_ piece: Data, _ resume: () -> Void) async {
        await withCheckedContinuation { continuation in
            let (isOver, isAwaited) = state.withLock { state in
                guard !state.isOver else { return (true, false) }
                state.piece = piece
                state.producer = continuation
                defer { state.isAwaited = false }
                return (false, state.isAwaited)
            }
            if isOver { continuation.resume() }
            if isAwaited { resume() }
        }
    }

    private func end(_ failure: CoreError?, _ resume: () -> Void) {
        let isAwaited = state.withLock { state in
            state.isOver = true
            state.failure = failure
            defer { state.isAwaited = false }
            return state.isAwaited
        }
        if isAwaited { resume() }
    }
}
#endif
