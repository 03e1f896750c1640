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
    private let signal: Int32
    private let state = Locked(State())

    init() throws(BackendError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw .failure(of: "pipe") }
        (descriptor, signal) = (ends[0], ends[1])
        makeUnblocking(descriptor)
        makeUnblocking(signal)
    }

    deinit {
        // Closed only here: a caller that is waking the loop holds the mailbox.
        closeDescriptor(descriptor)
        closeDescriptor(signal)
    }

    /// Posts mail. Returns false if the loop has ended.
    @discardableResult
    func post(_ mail: Mail) -> Bool {
        let (isOpen, isFirst) = state.withLock { state in
            guard state.isOpen else { return (false, false) }
            state.mail.append(mail)
            defer { state.isSignalled = true }
            return (true, !state.isSignalled)
        }
        if isFirst { signalLoop() }
        return isOpen
    }

    /// Wakes the loop without mail.
    func wake() {
        let isFirst = state.withLock { state in
            defer { state.isSignalled = true }
            return !state.isSignalled
        }
        if isFirst { signalLoop() }
    }

    /// Takes all mail that waits.
    func take() -> [Mail] {
        // The pipe is read first: a signal that comes after that wakes the loop again, at worst for nothing.
        var bytes: [UInt8] = [0, 0, 0, 0]
        _ = read(descriptor, &bytes, bytes.count)
        return state.withLock { state in
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

    private func signalLoop() { _ = write(signal, [UInt8(1)], 1) }
}
