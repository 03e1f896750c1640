/// The HTTP/1 connections that wait for their next request.
///
/// A server may send something over such a connection, for example that it has waited for too long. Some versions of libcurl
/// take that for the answer to the next request. So a connection that can be read before its request is sent is not used.
///
/// It is a value without system calls.
struct IdleConnections {
    /// The local ports of the connections. Some may have been closed since; then a socket's number may be another one's.
    private var ports: [Int32: Int] = [:]

    /// Notes a connection that has served a request.
    mutating func insert(_ socket: Int32, localPort: Int) { ports[socket] = localPort }

    /// Forgets the connection with this local port, and returns its socket. There may be more than one, to different servers.
    mutating func remove(_ localPort: Int) -> [Int32] {
        let sockets = ports.filter { $0.value == localPort }.map(\.key)
        for socket in sockets { ports[socket] = nil }
        return sockets
    }
}
