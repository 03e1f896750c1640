import Feedback
import Foundation

/// Reads what a child writes. It is at its end at once if the child's stream is not a pipe.
///
/// (`FileHandle` traps when a signal interrupts its reads.)
public final class PipeReader: Sendable {
    private struct State {
        var descriptor: Descriptor?
        /// What was read beyond a line.
        var buffer = Data()

        /// Waits for bytes, and adds them to the buffer; false at the end.
        mutating func fill() -> Bool {
            guard let descriptor else { return false }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(descriptor.number, &bytes, bytes.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                buffer += bytes[..<count]
                return true
            }
        }

        mutating func takeBuffer() -> Data {
            defer { buffer = Data() }
            return buffer
        }
    }

    private let state: Locked<State>

    init(_ descriptor: Descriptor?) { state = Locked(State(descriptor: descriptor)) }

    /// Waits for more bytes; empty at the end.
    public func more() -> Data {
        state.withLock { state in
            if state.buffer.isEmpty { _ = state.fill() }
            return state.takeBuffer()
        }
    }

    /// Waits for the end, and returns all bytes until there.
    public func rest() -> Data {
        state.withLock { state in
            while state.fill() {}
            return state.takeBuffer()
        }
    }

    /// Waits for a whole line, which is returned without its line break. Nil at the end; bytes after the last line break are left
    /// to `rest()`.
    public func line() -> String? {
        state.withLock { state in
            var start = 0
            while true {
                if let end = state.buffer[(state.buffer.startIndex + start)...].firstIndex(of: 0x0A) {
                    defer { state.buffer = Data(state.buffer[(end + 1)...]) }
                    return String(decoding: state.buffer[..<end], as: UTF8.self)
                }
                start = state.buffer.count
                guard state.fill() else { return nil }
            }
        }
    }

    /// Waits for a whole line, on a thread of its own.
    public func nextLine() async -> String? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: self.line()) }
        }
    }

    /// Closes the pipe: the child can write no more.
    public func close() { state.withLock { $0.descriptor = nil } }
}
