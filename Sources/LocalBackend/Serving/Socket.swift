import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A non-blocking stream socket: the calls to the system, and where systems differ.
struct Socket: Sendable {
    let descriptor: Int32

    enum Outcome: Equatable {
        case bytes(Int)
        /// Nothing now; the poll will tell.
        case later
        case broken
    }

    /// Takes over a new descriptor: no blocking, no delay of small writes, no inheritance by other programs, no SIGPIPE.
    init(adopting descriptor: Int32) {
        self.descriptor = descriptor
        makeUnblocking(descriptor)
        setOption(IPPROTO_TCP, TCP_NODELAY, Int32(1))
        #if canImport(Darwin)
        setOption(SOL_SOCKET, SO_NOSIGPIPE, Int32(1))
        #endif
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        outcome(of: { recv(descriptor, buffer.baseAddress, buffer.count, 0) })
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        #if canImport(Darwin)
        let flags: Int32 = 0
        #else
        let flags = Int32(MSG_NOSIGNAL)
        #endif
        return outcome(of: { send(descriptor, bytes.baseAddress, bytes.count, flags) })
    }

    /// Tells the client that no more comes.
    func endWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Closes the socket; with a reset, what the client has not received yet is lost.
    func close(reset: Bool = false) {
        if reset { setOption(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0)) }
        closeDescriptor(descriptor)
    }

    func setOption<T>(_ level: some BinaryInteger, _ name: Int32, _ value: T) {
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

#if canImport(Glibc)
let streamSocket = Int32(SOCK_STREAM.rawValue)
#else
let streamSocket = Int32(SOCK_STREAM)
#endif

/// Lets this process open as many descriptors as 1,000 connections and their clients need. Some systems start
/// programs with as few as 256, for the sake of old code that calls `select`.
func raiseDescriptorLimit() {
    let wanted = rlim_t(10_240)
    #if canImport(Glibc)
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    let files = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    guard getrlimit(files, &limit) == 0, limit.rlim_cur < wanted else { return }
    limit.rlim_cur = min(wanted, limit.rlim_max)
    setrlimit(files, &limit)
}
