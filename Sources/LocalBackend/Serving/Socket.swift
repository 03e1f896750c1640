import Foundation

/// A non-blocking stream socket: the system calls, and the differences between systems.
struct Socket: Sendable {
    let descriptor: Int32

    enum Outcome: Equatable {
        case bytes(Int)
        /// The socket is not ready; `poll` reports when it is.
        case later
        case broken
    }

    /// Takes over a new descriptor, and makes it non-blocking, without delay of small writes, not inherited by other
    /// programs, and, on Darwin, without SIGPIPE.
    init(adopting descriptor: Int32) {
        self.descriptor = descriptor
        makeUnblocking(descriptor)
        enable(IPPROTO_TCP, TCP_NODELAY)
        #if canImport(Darwin)
        enable(SOL_SOCKET, SO_NOSIGPIPE)
        #endif
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        outcome(of: { recv(descriptor, buffer.baseAddress, buffer.count, 0) })
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        outcome(of: { send(descriptor, bytes.baseAddress, bytes.count, withoutSignal) })
    }

    /// Closes the server's side, so that the client reads the end.
    func endWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Closes the socket; with a reset, what the client has not received yet is lost.
    func close(reset: Bool = false) {
        if reset { setOption(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0)) }
        closeDescriptor(descriptor)
    }

    /// Turns an option on.
    func enable(_ level: some BinaryInteger, _ name: Int32) { setOption(level, name, Int32(1)) }

    private func setOption<T>(_ level: some BinaryInteger, _ name: Int32, _ value: T) {
        withUnsafeBytes(of: value) {
            _ = setsockopt(descriptor, Int32(level), name, $0.baseAddress, socklen_t($0.count))
        }
    }

    private func outcome(of call: () -> Int) -> Outcome {
        while true {
            let count = call()
            if count >= 0 { return .bytes(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK, ENOBUFS: return .later
            default: return .broken
            }
        }
    }
}

func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

func makeUnblocking(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
}
