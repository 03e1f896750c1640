import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads keys on a thread of its own, until it is stopped or there is no more input.
///
/// It reads no further than a kilobyte ahead of their use: after each call of `onInputs` it waits for `readMore()`. The
/// rest stays in the pipe or the terminal, whose other end then waits.
final class KeyReader: Sendable {
    /// A pipe that wakes the thread: the thread sees that its other end is closed.
    private let wake = Pipe()
    private let hasEnded = DispatchSemaphore(value: 0)
    private let areUsed = DispatchSemaphore(value: 0)
    private let isStopped = Atomic(false)

    /// - Parameters:
    ///   - onInputs: Called on the reader's thread.
    ///   - onEnd: Called at the end of the input.
    init(
        _ terminal: Terminal, onInputs: @escaping @Sendable ([TerminalInput]) -> Void,
        onEnd: @escaping @Sendable () -> Void
    ) {
        let (input, wake, hasEnded, areUsed) = (terminal.input, wake, hasEnded, areUsed)
        let thread = Thread {
            let pass = { (inputs: [TerminalInput]) in
                guard !inputs.isEmpty else { return }
                onInputs(inputs)
                areUsed.wait()
            }
            if Self.read(input, until: wake.fileHandleForReading.fileDescriptor, pass) { onEnd() }
            hasEnded.signal()
        }
        thread.name = "Presentation.KeyReader"
        thread.start()
    }

    deinit { stop() }

    /// Lets the reader read on. Called once after the inputs of each call of `onInputs` were used.
    func readMore() { areUsed.signal() }

    /// Stops reading. After this returns nothing more is read, so later input is left to the next reader.
    func stop() {
        guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
        try? wake.fileHandleForWriting.close()
        areUsed.signal()
        hasEnded.wait()
    }

    /// - Returns: True if the input has come to its end.
    private static func read(_ input: Int32, until wake: Int32, _ pass: ([TerminalInput]) -> Void) -> Bool {
        var decoder = KeyDecoder()
        var buffer = [UInt8](repeating: 0, count: 1_024)
        while true {
            // Darwin reports the end of a pipe only if `POLLIN` is asked for.
            var ready = [input, wake].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            // Escape alone is recognized by a pause after it: 40 milliseconds without a byte.
            let count = poll(&ready, 2, decoder.isUndecided ? 40 : -1)
            if count < 0, errno != EINTR { return true }
            if ready[1].revents != 0 { return false }
            if count == 0 { pass(decoder.finish()) }
            guard count > 0 else { continue }
            let length = systemRead(input, &buffer, buffer.count)
            if length > 0 {
                pass(decoder.inputs(from: buffer[..<length]))
            } else if length == 0 || (errno != EINTR && errno != EAGAIN) {
                pass(decoder.finish())
                return true
            }
        }
    }
}

#if canImport(Glibc)
private let systemRead = Glibc.read
#elseif canImport(Musl)
private let systemRead = Musl.read
#elseif canImport(Darwin)
private let systemRead = Darwin.read
#endif
