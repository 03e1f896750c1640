import Feedback
import Foundation

/// The bytes of an answer on their way from a transport to one reader, which takes them as they arrive.
///
/// It holds few bytes: while the reader is slow, the transport is told to pause. A transport that has a whole body at once
/// hands it on with ``TransportRequest/Destination/deliver(_:status:from:)``.
public final class StreamedBody: Sendable {
    /// A function of a status and of the header fields by their names.
    typealias Check = @Sendable (Int, (String) -> String?) -> CoreError?
    private typealias Outcome = Result<Data?, CoreError>

    private struct State {
        var bytes = Data()
        /// The whole body, which waits for its head.
        var whole: Data?
        /// True after the first byte: the request cannot be sent again.
        var hasBegun = false
        var status: Int?
        /// The end of the body, which the reader learns after the bytes.
        var end: Outcome?
        /// True after the reader has learnt how the body ended.
        var isOver = false
        var reader: CheckedContinuation<Outcome, Never>?
        /// Has the paused transport go on.
        var resume: (@Sendable () -> Void)?
    }

    /// The media type that an answer must have; `nil` for any.
    private let contentType: String?
    /// The user who may read it; `nil` for any.
    let user: StreamUser?
    /// Looks at the head of a successful answer before the first bytes; its error ends the transfer.
    private let checkHead: Check?
    private let state = Locked(State())

    /// The number of waiting bytes from which on the transport pauses.
    static let capacity = 1 << 17

    init(contentType: String? = nil, user: StreamUser? = nil, checkHead: Check? = nil) {
        self.contentType = contentType
        self.user = user
        self.checkHead = checkHead
    }

    // MARK: - The transport's side

    /// True if the reader may have got bytes.
    var hasBegun: Bool { state.withLock(\.hasBegun) }

    /// Takes bytes, if fewer than the capacity wait. Otherwise returns false, and calls `resume` when there is room.
    func offer(_ bytes: UnsafeRawBufferPointer, resume: @escaping @Sendable () -> Void) -> Bool {
        let (isTaken, reader) = state.withLock { state -> (Bool, CheckedContinuation<Outcome, Never>?) in
            // After the end, as at a timeout, the bytes are dropped.
            guard state.end == nil else { return (true, nil) }
            guard state.bytes.count < Self.capacity else {
                state.resume = resume
                return (false, nil)
            }
            state.hasBegun = true
            if let reader = state.reader.take() { return (true, reader) }
            state.bytes.append(contentsOf: bytes)
            return (true, nil)
        }
        reader?.resume(returning: .success(Data(bytes)))
        return isTaken
    }

    /// Takes bytes, however many wait. Returns true if the transport is to pause until `resume` is called.
    func append(_ data: Data, resume: @escaping @Sendable () -> Void = {}) -> Bool {
        guard !data.isEmpty else { return false }
        let (isFull, reader) = state.withLock { state -> (Bool, CheckedContinuation<Outcome, Never>?) in
            guard state.end == nil else { return (false, nil) }
            state.hasBegun = true
            if let reader = state.reader.take() { return (false, reader) }
            state.bytes.append(data)
            guard state.bytes.count >= Self.capacity else { return (false, nil) }
            state.resume = resume
            return (true, nil)
        }
        reader?.resume(returning: .success(data))
        return isFull
    }

    /// True if the transport is to pause.
    var isFull: Bool { state.withLock { $0.end == nil && $0.bytes.count >= Self.capacity } }

    /// Takes the whole body before its head, which ``finish(_:)`` passes on.
    func deliver(_ body: Data) { state.withLock { $0.whole = body } }

    /// Returns the reason why the reader does not want a successful answer, before it has got bytes.
    func failure(status: Int, field: (String) -> String?) -> CoreError? {
        guard !hasBegun else { return nil }
        if let contentType {
            let type = field("Content-Type")?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
            guard type == contentType else {
                let found = type ?? "a body without a type"
                return .parsing(ParsingFailure(reason: "The server sent \(found), not \(contentType)."))
            }
        }
        return 200...299 ~= status ? checkHead?(status, field) : nil
    }

    // MARK: - The reader's side

    /// The status of a successful answer, when all of it has come.
    var status: Int? {
        get { state.withLock(\.status) }
        set { state.withLock { $0.status = newValue } }
    }

    /// Ends the body of a successful answer, after the bytes that wait; fails if the reader does not want it.
    func finish(_ response: TransportResponse) {
        status = response.status
        let isEmpty = response.status == 204 || response.status == 205
        let error = isEmpty ? nil : failure(status: response.status, field: response.header)
        if error == nil, let whole = state.withLock({ $0.whole.take() }) { _ = append(whole) }
        finish(error)
    }

    /// Ends the body, after the bytes that wait. Only the first end counts.
    func finish(_ error: CoreError?) { end(Outcome(error)) { $0.end == nil } }

    /// Ends the body, and drops the bytes that wait. The reader gets an error, also if all bytes had arrived, since it did not
    /// get them.
    func cancel() {
        end(.failure(.cancelled)) { state in
            state.bytes = Data()
            return !state.isOver
        }
    }

    private func end(_ end: Outcome, if mayEnd: (inout State) -> Bool) {
        let reader = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            guard mayEnd(&state) else { return nil }
            let reader = state.reader.take()
            (state.end, state.isOver, state.resume) = (end, reader != nil, nil)
            return reader
        }
        reader?.resume(returning: end)
    }

    /// Returns the bytes that have come since the last call; waits if there are none. Returns `nil` at the end.
    func next() async throws(CoreError) -> Data? {
        let outcome = await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
            let (outcome, resume) = state.withLock { state -> (Outcome?, (@Sendable () -> Void)?) in
                if !state.bytes.isEmpty {
                    defer { state.bytes = Data() }
                    return (.success(state.bytes), state.resume.take())
                }
                if let end = state.end {
                    // An error is thrown once.
                    defer { state.isOver = true }
                    return (state.isOver ? .success(nil) : end, nil)
                }
                precondition(state.reader == nil, "Two tasks read the same body at once.")
                state.reader = continuation
                return (nil, state.resume.take())
            }
            resume?()
            if let outcome { continuation.resume(returning: outcome) }
        }
        return try outcome.get()
    }
}

extension StreamedBody: Hashable {
    public static func == (a: StreamedBody, b: StreamedBody) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Result where Success == Data?, Failure == CoreError {
    fileprivate init(_ error: CoreError?) {
        self = if let error { .failure(error) } else { .success(nil) }
    }
}
