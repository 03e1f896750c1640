import Foundation

/// Passes messages from other threads to the event loop, which is woken through a pipe.
final class Mailbox: Sendable {
    enum Mail: Sendable {
        case answer(ExchangeID, Answer)
        case chunk(ExchangeID, Data, CheckedContinuation<Void, any Error>)
        case endOfBody(ExchangeID, isWhole: Bool)
        case stop(by: ContinuousClock.Instant, CheckedContinuation<Void, Never>?)
    }

    /// A request and its answer. Mail of an exchange that has ended must not reach a later one of the same connection.
    struct ExchangeID: Equatable {
        let connection: Int
        let request: Int
    }

    private struct State {
        var mail: [Mail] = []
        var isOpen = true
        var isSignalled = false
    }

    /// Readable while mail waits.
    let descriptor: Int32
    private let alarm: Int32
    private let state = Locked(State())

    init() throws(BackendError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw .failure(of: "pipe") }
        (descriptor, alarm) = (ends[0], ends[1])
        makeUnblocking(descriptor)
        makeUnblocking(alarm)
    }

    deinit {
        // Closed only here: a caller that is waking the loop holds the mailbox.
        closeDescriptor(descriptor)
        closeDescriptor(alarm)
    }

    enum Reception {
        /// The loop has ended.
        case refused
        /// The loop is not awake yet: whoever posts this mail has to call ``wake()``, or open all mail.
        case first
        case further
    }

    /// Adds mail.
    func put(_ mail: Mail) -> Reception {
        state.withLock { state in
            guard state.isOpen else { return .refused }
            state.mail.append(mail)
            defer { state.isSignalled = true }
            return state.isSignalled ? .further : .first
        }
    }

    /// Posts mail. Returns false if the loop has ended.
    @discardableResult
    func post(_ mail: Mail) -> Bool {
        let reception = put(mail)
        if reception == .first { wake() }
        return reception != .refused
    }

    /// Wakes the loop, for mail that has been added, or without mail.
    func wake() { _ = write(alarm, [UInt8(1)], 1) }

    /// Takes all mail that waits.
    func take() -> [Mail] {
        // The pipe is read first: a signal that comes after that wakes the loop again, at worst for nothing.
        var bytes: [UInt8] = [0, 0, 0, 0]
        _ = read(descriptor, &bytes, bytes.count)
        return takeMail()
    }

    /// Takes all mail that waits, and leaves the pipe as it is: a signal there wakes the loop, at worst for nothing.
    func takeMail() -> [Mail] {
        state.withLock { state in
            state.isSignalled = false
            defer { state.mail = [] }
            return state.mail
        }
    }

    /// Refuses mail from now on, and returns the mail that has not been read.
    func close() -> [Mail] {
        state.withLock { state in
            state.isOpen = false
            defer { state.mail = [] }
            return state.mail
        }
    }
}
