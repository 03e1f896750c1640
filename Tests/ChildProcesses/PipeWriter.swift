import Feedback
import Foundation

/// Writes what a child reads.
public final class PipeWriter: Sendable {
    private let descriptor: Locked<Descriptor?>

    init(_ descriptor: Descriptor?) { self.descriptor = Locked(descriptor) }

    /// Waits until all is written.
    ///
    /// Throws if the child reads no more, if the pipe is closed, or if there is none.
    public func write(_ text: String) throws {
        try descriptor.withLock { descriptor in
            guard let descriptor else { throw POSIXError(.EBADF) }
            var bytes = Array(text.utf8)[...]
            while !bytes.isEmpty {
                let count = Self.write(bytes, to: descriptor.number)
                if count < 0, errno == EINTR { continue }
                bytes = bytes.dropFirst(try Int(Descriptor.check(Int32(count))))
            }
        }
    }

    /// Closes the pipe: after what was written, the child reads the end.
    public func close() { descriptor.withLock { $0 = nil } }

    /// Writes without the signal that ends a process if nobody reads any more.
    private static func write(_ bytes: ArraySlice<UInt8>, to number: Int32) -> Int {
        #if canImport(Darwin)
        return bytes.withUnsafeBytes { Darwin.write(number, $0.baseAddress, $0.count) }
        #else
        var (pipeSignal, before, noTime) = (sigset_t(), sigset_t(), timespec())
        sigemptyset(&pipeSignal)
        sigaddset(&pipeSignal, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &pipeSignal, &before)
        let count = bytes.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
        let code = errno
        if count < 0, code == EPIPE { sigtimedwait(&pipeSignal, nil, &noTime) }
        pthread_sigmask(SIG_SETMASK, &before, nil)
        errno = code
        return count
        #endif
    }
}
