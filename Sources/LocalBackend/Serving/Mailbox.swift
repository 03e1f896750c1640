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
        var isSignalled = false
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
            wake(&state)
            return true
        }
    }

    /// Wakes the loop without mail.
    func wake() {
        state.withLock { state in
            if state.isOpen { wake(&state) }
        }
    }

    /// Takes all mail that waits.
    func take() -> [Mail] {
        state.withLock { state in
            var byte: UInt8 = 0
            if state.isSignalled { _ = read(descriptor, &byte, 1) }
            state.isSignalled = false
            defer { state.mail = [] }
            return state.mail
        }
    }

    /// One byte is enough until the loop has looked. It is written within the lock, so that the pipe cannot be closed
    /// meanwhile, and never blocks.
    private func wake(_ state: inout State) {
        guard !state.isSignalled else { return }
        state.isSignalled = true
        _ = write(signal, [UInt8(1)], 1)
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
