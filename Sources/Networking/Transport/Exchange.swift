import Feedback
import Foundation

/// One request and its answer, received from `URLSession` piece by piece.
final class Exchange: Sendable {
    typealias Continuation = CheckedContinuation<Result<TransportResponse, CoreError>, Never>

    private struct State {
        var continuation: Continuation?
        var task: URLSessionTask?
        var isCancelled = false
        var isSettled = false
        var head: HTTPURLResponse?
        var body = Data()
        var file: PartialFile?
        /// The reason why we ended the exchange ourselves.
        var failure: CoreError?
        var progress = TransferProgress()
        /// Pauses the task of a streamed answer.
        var pause: TransferPause?
    }

    private let request: TransportRequest
    private let state = Locked(State())

    init(_ request: TransportRequest) {
        self.request = request
    }

    func start(_ continuation: Continuation, makeTask: () -> URLSessionTask) {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.continuation = continuation }
            return state.isCancelled
        }
        if isCancelled { return continuation.resume(returning: .failure(.cancelled)) }
        let task = makeTask()
        let isCancelledMeanwhile = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        task.resume()
        if isCancelledMeanwhile { task.cancelLater() }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancelLater()
    }

    // MARK: - Calls of the session's queue, one at a time

    func receive(_ response: URLResponse) {
        state.withLock { $0.head = response as? HTTPURLResponse }
    }

    func receive(_ data: Data, of task: URLSessionTask) {
        let response = task.response
        let received = state.withLock { state -> (progress: TransferProgress, isOver: Bool)? in
            guard state.failure == nil, !state.isSettled else { return nil }
            if state.head == nil { state.head = response as? HTTPURLResponse }
            if case .stream(let stream) = request.destination, let head = state.head, 200...299 ~= head.statusCode {
                state.failure = stream.failure(status: head.statusCode, field: head.value(forHTTPHeaderField:))
                if state.failure == nil { pass(data, to: stream, of: task, &state) }
            } else {
                state.failure = take(data, &state)
            }
            state.progress.bytesReceived += Int64(data.count)
            if let expected = state.head?.expectedContentLength, expected > 0 {
                state.progress.bytesToReceive = expected
            }
            return (state.progress, state.failure != nil || state.isSettled)
        }
        guard let received else { return }
        if received.isOver { task.cancelLater() }
        request.progress?(received.progress)
    }

    func sent(_ total: Int64, of expected: Int64) {
        guard let observer = request.progress else { return }
        let progress = state.withLock { state in
            state.progress.bytesSent = total
            state.progress.bytesToSend = expected
            return state.progress
        }
        observer(progress)
    }

    /// Makes the part that has arrived the whole answer, however the task ends.
    func settle(for response: URLResponse?) {
        state.withLock { state in
            state.head = response as? HTTPURLResponse
            state.isSettled = true
        }
    }

    func complete(_ task: URLSessionTask, _ error: (any Error)?) {
        let response = task.response
        let (continuation, result) = state.withLock { state in
            if state.head == nil { state.head = response as? HTTPURLResponse }
            let ended = (state.continuation, self.result(&state, error))
            (state.continuation, state.task) = (nil, nil)
            return ended
        }
        continuation?.resume(returning: result)
    }

    // MARK: - Machinery

    private func pass(_ data: Data, to stream: StreamedBody, of task: URLSessionTask, _ state: inout State) {
        #if canImport(FoundationNetworking)
        // On Linux, a suspended task goes on receiving for a while, and then times out.
        _ = stream.append(data)
        #else
        // Suspensions of a task are counted.
        let pause = state.pause ?? TransferPause(of: stream) { $0 ? task.suspend() : task.resume() }
        state.pause = pause
        if stream.append(data, resume: pause.update) { pause.update() }
        #endif
    }

    private func take(_ data: Data, _ state: inout State) -> CoreError? {
        let status = state.head?.statusCode ?? 0
        if case .file(let url, let limit) = request.destination, 200...299 ~= status {
            do throws(CoreError) {
                if state.file == nil {
                    // It is negative if it is unknown, or counts the bytes of a packed body.
                    let length = state.head?.expectedContentLength
                    state.file = try PartialFile(for: url, limit: limit, length: length, from: request.url)
                }
                try state.file?.append(data)
                return nil
            } catch {
                return error
            }
        }
        let limit = request.destination.limitInMemory
        if state.body.count + data.count <= limit {
            state.body.append(data)
        } else if request.destination.isCut(
            status: status, location: state.head?.value(forHTTPHeaderField: "Location"))
        {
            state.body.append(data.prefix(limit - state.body.count))
            state.isSettled = true
        } else {
            return .network(NetworkFailure(.bodyTooLarge(limit: limit), url: request.url.redacted))
        }
        return nil
    }

    private func result(_ state: inout State, _ error: (any Error)?) -> Result<TransportResponse, CoreError> {
        if let failure = state.failure { return .failure(failure) }
        if let error, !state.isSettled || state.isCancelled {
            return .failure(state.isCancelled ? .cancelled : CoreError(error, url: request.url))
        }
        guard let head = state.head else {
            return .failure(.network(NetworkFailure(.malformedAnswer, url: request.url.redacted)))
        }
        let response = TransportResponse(body: state.body, head: head)
        guard case .file(let url, let limit) = request.destination, response.isSuccess else {
            return .success(response)
        }
        do throws(CoreError) {
            if state.file == nil { state.file = try PartialFile(for: url, limit: limit, from: request.url) }
            try state.file?.finish()
            return .success(response)
        } catch {
            return .failure(error)
        }
    }
}

extension URLSessionTask {
    /// Cancels on another thread: on Linux, `cancel` waits for the session's queue, which may be the calling one.
    fileprivate func cancelLater() {
        DispatchQueue.global().async { self.cancel() }
    }
}
