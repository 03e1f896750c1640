import Feedback
import Foundation

/// The bytes of an answer on their way from a transport to one reader, who takes them while they arrive.
///
/// It holds few bytes: while the reader is slow, the transport is told to pause. A transport that has a whole body at once
/// hands it on with ``TransportRequest/Destination/deliver(_:status:from:)``.
public final class StreamedBody: Sendable {
    private typealias Outcome = Result<Data?, CoreError>

    private struct State {
        var bytes = Data()
        /// True after the first byte: the request cannot be sent again.
        var hasBegun = false
        var status: Int?
        /// How the body ended, which the reader learns after the bytes.
        var end: Outcome?
        var reader: CheckedContinuation<Outcome, Never>?
        /// Has the paused transport go on.
        var resume: (@Sendable () -> Void)?
    }

    /// The media type that an answer must have; `nil` for any.
    private let contentType: String?
    private let state = Locked(State())

    /// The number of waiting bytes from which on the transport pauses.
    static let capacity = 1 << 17

    init(contentType: String? = nil) { self.contentType = contentType }

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

    /// The failure of an answer whose media type is not the wanted one.
    func failure(ofType type: String?) -> CoreError? {
        guard let contentType else { return nil }
        let found = type?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        if found == contentType { return nil }
        return .parsing(
            ParsingFailure(reason: "The server sent \(found ?? "a body without a type"), not \(contentType)."))
    }

    // MARK: - The reader's side

    /// The status of a successful answer, when all of it has come.
    var status: Int? {
        get { state.withLock(\.status) }
        set { state.withLock { $0.status = newValue } }
    }

    /// Ends the body, after the bytes that wait. Only the first end counts.
    func finish(_ error: CoreError?) {
        let end = Outcome(error)
        let reader = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
            guard state.end == nil else { return nil }
            let reader = state.reader.take()
            // An error is thrown once.
            state.end = reader == nil ? end : .success(nil)
            state.resume = nil
            return reader
        }
        reader?.resume(returning: end)
    }

    /// Ends the body, and drops the bytes that wait.
    func cancel() {
        state.withLock { $0.bytes = Data() }
        finish(.cancelled)
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
                    state.end = .success(nil)
                    return (end, nil)
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
