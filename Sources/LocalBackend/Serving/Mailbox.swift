import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// How the rest of the program speaks to the event loop: it leaves mail, and the loop is woken through a pipe.
final class Mailbox: Sendable {
    enum Mail: Sendable {
        case answer(connection: Int, Answer)
        case chunk(connection: Int, Data, CheckedContinuation<Void, any Error>)
        case endOfBody(connection: Int, isWhole: Bool)
        case stop(by: ContinuousClock.Instant, CheckedContinuation<Void, Never>?)
    }

    private struct State {
        var mail: [Mail] = []
        var isOpen = true
    }

    /// Readable while mail waits.
    let descriptor: Int32
    private let signal: Int32
    private let state = Mutex(State())

    init() throws(BackendError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw .failure(of: "pipe") }
        (descriptor, signal) = (ends[0], ends[1])
        makeUnblocking(descriptor)
        makeUnblocking(signal)
    }

    /// Leaves mail; false where the loop has ended, and nobody will read it.
    @discardableResult
    func post(_ mail: Mail) -> Bool {
        state.withLock { state in
            guard state.isOpen else { return false }
            state.mail.append(mail)
            // One byte wakes the loop; more mail before it looks needs no second one. Within the lock, so that the
            // pipe cannot be closed meanwhile; it never blocks.
            if state.mail.count == 1 { _ = write(signal, [1], 1) }
            return true
        }
    }

    /// Takes all mail that waits.
    func take() -> [Mail] {
        state.withLock { state in
            var byte: UInt8 = 0
            if !state.mail.isEmpty { _ = read(descriptor, &byte, 1) }
            defer { state.mail = [] }
            return state.mail
        }
    }

    /// Refuses mail from now on, and returns what nobody has read.
    func close() -> [Mail] {
        state.withLock { state in
            guard state.isOpen else { return [] }
            state.isOpen = false
            closeDescriptor(descriptor)
            closeDescriptor(signal)
            defer { state.mail = [] }
            return state.mail
        }
    }

    deinit { _ = close() }
}
