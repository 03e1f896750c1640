import Feedback
import Foundation

/// The body of an answer, piece by piece, while it arrives.
///
/// ```swift
/// for try await bytes in session.stream(PricesService.watchPrices()) { print(bytes.count) }
/// for try await line in session.stream(PricesService.watchPrices()).lines { print(line) }
/// ```
///
/// Each iteration sends a request of its own. While the loop is slow, the transfer pauses, so that few bytes are in memory
/// (with ``CurlTransport``, up to 16 MB of a body that is packed with gzip; it refuses one that is packed in another way),
/// and the pause does not count as silence of the server (but see ``URLSessionTransport`` on Linux). Leaving the loop, or
/// cancelling its task, ends the transfer. A session's `totalTimeout` limits the whole of it, and `maximumBodySize` does not.
public struct ByteStream: AsyncSequence, Sendable {
    public typealias Element = Data
    public typealias Failure = CoreError

    /// Performs the request; its answer comes without the body, when the body is over.
    let send: @Sendable (StreamedBody) async throws(CoreError) -> TransportResponse
    var contentType: String?
    var user: StreamUser?
    var checkHead: StreamedBody.Check?

    public func makeAsyncIterator() -> Iterator { Iterator(transfer: StreamTransfer(self)) }

    /// An iterator over the pieces, for one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
        let transfer: StreamTransfer

        public mutating func next() async throws(CoreError) -> Data? { try await transfer.next() }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(CoreError) -> Data? {
            try await transfer.next()
        }
    }
}

/// A transfer whose body is read while it arrives. The last reference to it ends it.
final class StreamTransfer: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    private let body: StreamedBody
    private let stream: ByteStream
    private let state = Locked(State())

    init(_ stream: ByteStream) {
        self.stream = stream
        body = StreamedBody(contentType: stream.contentType, user: stream.user, checkHead: stream.checkHead)
    }

    deinit { cancel() }

    /// The status of a successful answer, when its body is over.
    var status: Int? { body.status }

    /// Sends the request at the first call.
    func next() async throws(CoreError) -> Data? {
        let result: Result<Data?, CoreError> = await withTaskCancellationHandler {
            // After the handler, so that a task that was cancelled before sends nothing.
            start()
            do throws(CoreError) {
                return .success(try await body.next())
            } catch {
                return .failure(error)
            }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    private func start() {
        state.withLock { state in
            guard state.task == nil, !state.isCancelled else { return }
            // Without `self`, which the reader alone keeps.
            state.task = Task { [body, stream] in
                do throws(CoreError) {
                    body.finish(try await stream.send(body))
                } catch {
                    body.finish(error)
                }
            }
        }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
        body.cancel()
    }
}
