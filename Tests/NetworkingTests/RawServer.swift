import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Answers every connection with the same bytes, be they HTTP or not, and closes it.
final class RawServer: Sendable {
    let url: URL
    private let descriptor: Int32

    init(answering bytes: [UInt8]) throws {
        #if canImport(Glibc)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard bound, let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/") else {
            throw POSIXError(.EADDRINUSE)
        }
        self.url = url
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let connection = accept(descriptor, nil, nil)
                if connection < 0 { break }
                _ = recv(connection, &buffer, buffer.count, 0)
                _ = send(connection, bytes, bytes.count, 0)
                shutdown(connection, Int32(SHUT_WR))
                // Read to the end, so that closing does not reset what was sent.
                while recv(connection, &buffer, buffer.count, 0) > 0 {}
                close(connection)
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }
}
