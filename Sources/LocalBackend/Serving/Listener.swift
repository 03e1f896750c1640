import Foundation

/// A bound socket that accepts connections.
struct Listener: Sendable {
    let socket: Socket
    let port: Int

    enum Acceptance {
        case accepted(Socket)
        case none
        /// The process has no descriptor left; to accept again at once would fail again.
        case exhausted
    }

    init(host: String, port: Int, isShared: Bool = false) throws(BackendError) {
        guard (0...65_535).contains(port) else { throw .invalidPort(port) }
        var hints = addrinfo()
        hints.ai_socktype = streamSocket
        hints.ai_flags = AI_PASSIVE
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let address = found?.pointee else {
            throw .invalidHost(host)
        }
        defer { freeaddrinfo(found) }

        let descriptor = systemSocket(address.ai_family, streamSocket, 0)
        guard descriptor >= 0 else { throw .failure(of: "socket") }
        let socket = Socket(adopting: descriptor)
        socket.enable(SOL_SOCKET, SO_REUSEADDR)
        if isShared { socket.enable(SOL_SOCKET, SO_REUSEPORT) }
        do throws(BackendError) {
            guard bind(descriptor, address.ai_addr, address.ai_addrlen) == 0 else {
                throw .failureToBind(host: host, port: port)
            }
            // On some systems two sockets can bind one address, and `listen` fails for the second one.
            guard listen(descriptor, 4_096) == 0 else { throw .failureToBind(host: host, port: port) }
            self.port = try Listener.boundPort(of: descriptor)
        } catch {
            socket.close()
            throw error
        }
        self.socket = socket
    }

    func accept() -> Acceptance {
        while true {
            let descriptor = systemAccept(socket.descriptor, nil, nil)
            if descriptor >= 0 { return .accepted(Socket(adopting: descriptor)) }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            default: return .none
            }
        }
    }

    private static func boundPort(of descriptor: Int32) throws(BackendError) -> Int {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &address) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0 else { throw .failure(of: "getsockname") }
        // The port stands at the same place in IPv4 and IPv6 addresses, in network order.
        return withUnsafeBytes(of: &address) { Int($0[2]) << 8 | Int($0[3]) }
    }
}

extension BackendError {
    /// The error of a call that has just failed, from `errno`.
    static func failure(of call: String) -> BackendError {
        .system(call: call, reason: String(cString: strerror(errno)))
    }

    fileprivate static func failureToBind(host: String, port: Int) -> BackendError {
        switch errno {
        case EADDRINUSE: .portInUse(port)
        case EACCES: .portNotAllowed(port)
        case EADDRNOTAVAIL: .invalidHost(host)
        default: .failure(of: "bind")
        }
    }
}
