import Feedback
import Foundation

/// A transport that uses Foundation's `URLSession`, without its cookies, cache and credential store.
///
/// It returns a redirect as the answer and never follows it, because `URLSession` on Linux would send `Authorization`
/// along to any host. ``BackendSession`` follows redirects with a ``RedirectPolicy``.
///
/// On Linux, prefer ``CurlTransport``. There, Foundation (Swift 6.3) ends the process if a server closes the connection
/// in the middle of a header or sends chunks with trailers, and it may send a POST twice. A streamed answer does not pause
/// there while its reader is slow, so all of it may be in memory. A part of a packed body counts as all of it, and an answer
/// with a header field that is not UTF-8 is a ``NetworkFailure/Reason/malformedAnswer``.
public final class URLSessionTransport: Transport {
    private let session: URLSession
    private let exchanges = Exchanges()

    /// - Parameter configure: Changes the session's configuration, for example its connections per host.
    public init(configure: (URLSessionConfiguration) -> Void = { _ in }) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.httpCookieStorage = nil
        configure(configuration)
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: Self.delegateQueue)
    }

    private static var delegateQueue: OperationQueue? {
        #if canImport(FoundationNetworking)
        InlineQueue()
        #else
        nil
        #endif
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Sends a request. Cancelling the task ends the transfer.
    public func send(_ request: TransportRequest) async throws(CoreError) -> TransportResponse {
        guard let limit = request.totalTimeout else { return try await exchange(request) }
        let late = CoreError.network(NetworkFailure(.timedOut, url: request.url.redacted))
        return try await withTimeLimit(limit, failure: late) { [self] () async throws(CoreError) in
            try await exchange(request)
        }
    }

    private func exchange(_ request: TransportRequest) async throws(CoreError) -> TransportResponse {
        try request.validate()
        let urlRequest = request.urlRequest
        let upload = try await request.body?.temporaryFile()
        defer { upload.map { try? FileManager.default.removeItem(at: $0) } }
        let exchange = Exchange(request)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                exchange.start(continuation) { [session, exchanges] in
                    let task =
                        upload.map { session.uploadTask(with: urlRequest, fromFile: $0) }
                        ?? session.dataTask(with: urlRequest)
                    exchanges.add(exchange, for: task)
                    return task
                }
            }
        } onCancel: {
            exchange.cancel()
        }
        return try result.get()
    }
}

extension TransportRequest {
    /// The request as a `URLRequest`, with its credentials if the URL is of their origin.
    public var urlRequest: URLRequest {
        var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
        request.httpMethod = method.rawValue
        let seconds = timeout.clamped / .seconds(1)
        #if canImport(FoundationNetworking)
        // On Linux, Foundation counts in whole seconds, and zero ends the request at once.
        request.timeoutInterval = max(1, seconds.rounded(.up))
        #else
        request.timeoutInterval = seconds
        #endif
        request.httpShouldHandleCookies = false
        for (name, value) in fieldsToSend { request.setValue(value, forHTTPHeaderField: name) }
        request.httpBody = body?.data
        if let type = body?.contentType, headers["Content-Type"] == nil {
            request.setValue(type, forHTTPHeaderField: "Content-Type")
        }
        return request
    }
}

extension RequestBody {
    /// Writes a body that is not in memory to a temporary file, since `URLSession` uploads files and cannot send a
    /// stream again. Returns `nil` if the body is in memory.
    fileprivate func temporaryFile() async throws(CoreError) -> URL? {
        guard data == nil else { return nil }
        // Refuses what is not a file before anything is written.
        _ = try length()
        let url = FileManager.default.temporaryDirectory.appending(path: "upload-\(UUID().uuidString)")
        // Other users may be able to read the folder.
        let file = try PartialFile(for: url, limit: .max, from: url, mode: 0o600)
        try await forEachPiece { bytes throws(CoreError) in try file.append(bytes) }
        try file.finish()
        return url
    }
}

/// Passes the delegate calls of a session to the exchange that each task belongs to.
private final class Exchanges: NSObject, URLSessionDataDelegate {
    private let running = Locked<[Int: Exchange]>([:])

    func add(_ exchange: Exchange, for task: URLSessionTask) {
        running.withLock { $0[task.taskIdentifier] = exchange }
    }

    private func exchange(of task: URLSessionTask) -> Exchange? {
        running.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        exchange(of: dataTask)?.receive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.receive(data, of: dataTask)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        exchange(of: task)?.sent(totalBytesSent, of: totalBytesExpectedToSend)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        running.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.complete(task, error)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    #if canImport(FoundationNetworking)
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        // On Linux, Foundation would answer Basic with empty credentials and then hang. The whole 401 has arrived by
        // now, so it becomes the answer, and the task ends.
        exchange(of: task)?.settle(for: challenge.failureResponse)
        DispatchQueue.global().async { completionHandler(.cancelAuthenticationChallenge, nil) }
    }
    #endif
}

#if canImport(FoundationNetworking)
/// Runs delegate calls on the session's own serial queue.
///
/// With another queue in between, Foundation on Linux continues to read from the socket while the last data is still
/// being written, and buffers all of it; a fast server could fill the memory. Without one, it reads on only when the
/// data has been taken. It also saves a thread hop.
///
/// Calls that wait for the session's own queue, such as cancelling a task, must not be made from here.
private final class InlineQueue: OperationQueue, @unchecked Sendable {  // Adds no state to its superclass.
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
}
#endif
