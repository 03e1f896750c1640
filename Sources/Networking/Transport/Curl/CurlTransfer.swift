#if canImport(CCurl)
import CCurl
import Feedback
import Foundation

/// One request and its answer, received from libcurl piece by piece.
///
/// The caller's thread makes it, then it belongs to the thread that has the engine's turn. Only the continuation and the
/// cancellation are shared.
final class CurlTransfer: @unchecked Sendable {  // One thread has all but the `fate`, which is behind a lock.
    struct Answer: Sendable {
        var status: Int
        var fields: HTTPHeaders
        var body: Data
    }

    typealias Outcome = Result<Answer, CoreError>
    typealias Continuation = CheckedContinuation<Outcome, Never>

    private struct Fate {
        var continuation: Continuation?
        var isCancelled = false
    }

    /// Whose connections a request takes. A stream may last, so it takes none from other requests to its server.
    struct Place: Hashable {
        let origin: Origin
        let isStreamed: Bool
    }

    let origin: Origin
    let request: TransportRequest
    private let fate = Locked(Fate())

    var handle: UnsafeMutableRawPointer?
    var fields: UnsafeMutablePointer<curl_slist>?
    /// The buffer for libcurl's error text.
    let message: UnsafeMutableBufferPointer<CChar>
    private(set) var head = CurlHead()
    /// The chunks of the answer, if the request's body is a stream.
    private(set) var chunks = CurlChunks()
    private var body: CurlBody
    var upload: CurlUpload?
    /// Has libcurl go on with a body that had nothing to send, or with an answer whose reader was slow.
    var resume: (@Sendable () -> Void)?
    /// Tells that the head of a streamed answer has come.
    var noteHead: (() -> Void)?
    /// True if libcurl keeps bytes of the answer, since their reader has not taken those before.
    private(set) var isPaused = false
    private var progress = TransferProgress()
    var lastActivity = ContinuousClock.now
    private(set) var isSent = false
    /// Tells whether the idle connection with this local port, which is about to be used, can be read already.
    var canBeRead: ((_ localPort: Int) -> Bool)?
    /// True if nothing was sent, since the connection cannot be used.
    var needsNewConnection = false
    /// True if the answer is taken as it is so far, although more would come.
    private var isSettled = false
    /// True if the server has closed the connection while the body had nothing to send.
    var isAbandoned = false
    /// The socket from which libcurl reads no more, while the body has nothing to send.
    var leftSocket: Int32?
    /// True if all of the answer came before all of the body was sent.
    var isAnsweredEarly = false
    /// The reason why we ended the transfer ourselves.
    private var ownFailure: CoreError?
    let wholeDeadline: ContinuousClock.Instant?

    init(_ request: TransportRequest) throws(CoreError) {
        guard let origin = Origin(request.url) else {
            throw .request(RequestFailure("\(request.url.redacted) is not an http or https URL with a host."))
        }
        try request.validate()
        self.origin = origin
        self.request = request
        body = CurlBody(for: request)
        wholeDeadline = request.totalTimeout.map { .now + $0.clamped }
        // After everything that throws, since then `deinit` would not free it.
        message = .allocate(capacity: Int(CURL_ERROR_SIZE))
        message.initialize(repeating: 0)
    }

    var place: Place {
        if case .stream = request.destination { return Place(origin: origin, isStreamed: true) }
        return Place(origin: origin, isStreamed: false)
    }

    /// True if the end of the transfer does not depend on other tasks, which read its answer or make its body.
    var endsByItself: Bool {
        if place.isStreamed { return false }
        if case .stream = request.body?.content { return false }
        return true
    }

    // MARK: - For any thread

    var isCancelled: Bool { fate.withLock(\.isCancelled) }

    /// Returns true if the transfer is to be started; otherwise the caller has been told that it was cancelled.
    func begin(_ continuation: Continuation) -> Bool {
        let isCancelled = fate.withLock { fate in
            if !fate.isCancelled { fate.continuation = continuation }
            return fate.isCancelled
        }
        if isCancelled { continuation.resume(returning: .failure(.cancelled)) }
        return !isCancelled
    }

    /// Returns true if the transfer may have been started, so that the engine has to be told.
    func cancel() -> Bool {
        fate.withLock { fate in
            fate.isCancelled = true
            return fate.continuation != nil
        }
    }

    /// Resumes the caller; only the first outcome counts.
    func end(with outcome: Outcome) {
        let continuation = fate.withLock { fate in
            defer { fate.continuation = nil }
            return fate.continuation
        }
        continuation?.resume(returning: outcome)
    }

    func failure(_ code: CURLcode, detail: String) -> CoreError {
        .network(NetworkFailure(code, systemError: 0, detail: detail, url: request.url))
    }

    // MARK: - The end

    /// Frees the memory that libcurl has used, and removes a file that is not complete.
    func release() {
        curl_slist_free_all(fields)
        (fields, handle, resume, noteHead, canBeRead) = (nil, nil, nil, nil, nil)
        body.discard()
        upload?.cancel()
    }

    deinit {
        curl_slist_free_all(fields)
        message.deallocate()
    }

    /// True if the answer came over a connection that several requests can share; `nil` if there was no answer.
    var multiplexes: Bool? {
        guard let handle, head.isComplete else { return nil }
        var version = 0
        _ = ccurl_get_long(handle, CURLINFO_HTTP_VERSION, &version)
        return version >= Int(CURL_HTTP_VERSION_2_0)
    }

    func result(of code: CURLcode) -> Outcome {
        if let ownFailure { return .failure(ownFailure) }
        // Otherwise libcurl has left the connection because of an error that it tells.
        if isAbandoned, code == CURLE_ABORTED_BY_CALLBACK {
            return isAnsweredEarly ? answer : .failure(failure(CURLE_PARTIAL_FILE, detail: ""))
        }
        // Older versions of libcurl report a head line that is too long in this way.
        if code == CURLE_OUT_OF_MEMORY, isSent, !head.isComplete { return .failure(malformed) }
        if code != CURLE_OK, !isSettled {
            var systemError = 0
            if let handle { _ = ccurl_get_long(handle, CURLINFO_OS_ERRNO, &systemError) }
            let text = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            let detail = String(decoding: text, as: UTF8.self)
            return .failure(
                .network(
                    NetworkFailure(
                        code, systemError: Int32(truncatingIfNeeded: systemError),
                        detail: detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail, url: request.url)))
        }
        // The connection was closed in the middle of the head.
        return head.isComplete ? answer : .failure(failure(CURLE_PARTIAL_FILE, detail: ""))
    }

    /// The answer, after all of it has come.
    private var answer: Outcome {
        do throws(CoreError) {
            return .success(Answer(status: head.status, fields: head.fields, body: try body.finish(head)))
        } catch {
            return .failure(error)
        }
    }

    /// True if libcurl sends no more of the body, as the server does not want it.
    var isRefused: Bool { head.isComplete && head.status >= 300 }
    private var malformed: CoreError { .network(NetworkFailure(.malformedAnswer, url: request.url.redacted)) }

    // MARK: - Calls of libcurl

    /// Returns true if the request may be written to the connection.
    ///
    /// libcurl writes it again on a new connection if a reused one turns out to be dead. The server may have acted on
    /// the first one all the same, so only idempotent requests with a repeatable body are repeated.
    func mayBeSent(localPort: Int) -> Bool {
        needsNewConnection = canBeRead?(localPort) == true
        if needsNewConnection { return false }
        let isRepeated = isSent
        isSent = true
        lastActivity = .now
        guard isRepeated, !request.method.isIdempotent || upload?.isRepeatable == false else { return true }
        ownFailure = .network(NetworkFailure(.connectionLost, url: request.url.redacted))
        return false
    }

    func receive(headerLine: UnsafeRawBufferPointer) -> Bool {
        lastActivity = .now
        do {
            try head.receive(headerLine)
            // libcurl sends no more after a refusal, but it would wait for a body that has nothing to send.
            if isRefused, upload?.isWaiting == true { resume?() }
            if head.isComplete, head.isGzipped, let handle {
                body.checkEnd(of: head)
                observeBody(handle)
            }
            if head.isComplete, place.isStreamed, let noteHead {
                self.noteHead = nil
                noteHead()
            }
            guard !head.isComplete || !place.isStreamed || !head.isSuccess || head.mayBeStreamed else {
                let detail = "The body is packed in a way that was not asked for."
                ownFailure = .network(NetworkFailure(.malformedAnswer, url: request.url.redacted, detail: detail))
                return false
            }
            return true
        } catch {
            ownFailure = malformed
            return false
        }
    }

    /// Returns the number of bytes taken; another one ends or pauses the transfer.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        lastActivity = .now
        do throws(CoreError) {
            let step = try body.take(bytes, of: head) { [resume] in resume?() }
            (isPaused, isSettled) = (step == .full, step == .enough)
            if isPaused { return Int(CURL_WRITEFUNC_PAUSE) }
            if isSettled { return -1 }
        } catch {
            ownFailure = error
            return -1
        }
        guard let observer = request.progress else { return bytes.count }
        progress.bytesReceived += Int64(bytes.count)
        progress.bytesToReceive = head.unpackedLength
        observer(progress)
        return bytes.count
    }

    /// Looks at bytes of the body as they come, in chunks or not, before they are unpacked.
    func observe(_ bytes: UnsafeRawBufferPointer) {
        guard head.isComplete else { return }
        guard head.isChunked else { return body.observe(packed: bytes) }
        chunks.receive(bytes) { body.observe(packed: $0) }
    }

    func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard ownFailure == nil, !isAbandoned else { return Int(CURL_READFUNC_ABORT) }
        do throws(CoreError) {
            let hasWaited = upload?.isWaiting == true
            guard let count = try upload?.read(into: buffer) else { return Int(CURL_READFUNC_PAUSE) }
            // While the server takes nothing over HTTP/2, libcurl may ask for more again and again after the end.
            if count > 0 || hasWaited { lastActivity = .now }
            if count > 0, let observer = request.progress {
                progress.bytesSent += Int64(count)
                progress.bytesToSend = upload?.length ?? 0
                observer(progress)
            }
            return count
        } catch {
            ownFailure = error
            return Int(CURL_READFUNC_ABORT)
        }
    }

    func rewind() -> Bool {
        progress.bytesSent = 0
        return upload?.rewind() == true
    }
}

extension CurlTransfer: Hashable {
    static func == (a: CurlTransfer, b: CurlTransfer) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
#endif
