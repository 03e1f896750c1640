import FeedbackTesting
import Foundation

/// A server that answers with whatever bytes a test wants, HTTP or not.
///
/// Each connection has a thread, on which the test's function runs once for each request.
final class RawServer: Sendable {
    /// A request as it came.
    struct Request: Sendable {
        /// The number of its connection, from 0.
        let connection: Int
        /// Its number on that connection, from 0.
        let turn: Int
        let method: String
        let path: String
        let head: String
        let body: Data
    }

    enum Ending: Sendable {
        /// Waits for another request.
        case keep
        /// Closes the connection in good order.
        case close
        /// Resets the connection.
        case reset
        /// Sends nothing more until the client closes the connection.
        case hold
    }

    let url: URL
    private let listener: Int32
    private let log = Box<[Request]>([])
    private let arrivals = Box(0)
    private let closings = Box(0)
    private let departures = Box(0)

    /// All requests so far.
    var requests: [Request] { log.value }
    /// True after the first client has connected.
    var hasConnections: Bool { arrivals.value > 0 }
    /// The number of connections that the server has closed on its side.
    var closedConnections: Int { closings.value }
    /// The number of connections that have ended on the client's side.
    var endedConnections: Int { departures.value }

    /// - Parameters:
    ///   - takesBodies: False to answer when the head of a request has come, whatever its body.
    ///   - answer: Sends bytes with the function that it is given, and returns how to go on.
    init(
        takesBodies: Bool = true, _ answer: @escaping @Sendable (Request, _ send: ([UInt8]) -> Void) -> Ending
    ) throws {
        let listener = openSocket()
        guard let port = listen(on: listener, backlog: 1_024), let url = URL(string: "http://127.0.0.1:\(port)/")
        else { throw POSIXError(.EADDRINUSE) }
        (self.listener, self.url) = (listener, url)
        Thread.detachNewThread { [log, arrivals, closings, departures] in
            defer { close(listener) }
            for number in 0... {
                var descriptor = accept(listener, nil, nil)
                while descriptor < 0, errno == EINTR || errno == ECONNABORTED {
                    descriptor = accept(listener, nil, nil)
                }
                if descriptor < 0 { break }
                arrivals.update { $0 += 1 }
                Thread.detachNewThread { [descriptor] in
                    RawServer.serve(descriptor, number, takesBodies, log, closings, answer)
                    departures.update { $0 += 1 }
                }
            }
        }
    }

    /// Answers every request with the same bytes and closes the connection.
    convenience init(answering bytes: [UInt8]) throws {
        try self.init { _, send in
            send(bytes)
            return .close
        }
    }

    /// Ends the thread, which closes the listener: closed here, its number could be that of the next server's listener while
    /// the thread still accepts from it.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func serve(
        _ descriptor: Int32, _ connection: Int, _ takesBodies: Bool, _ log: Box<[Request]>, _ closings: Box<Int>,
        _ answer: (Request, ([UInt8]) -> Void) -> Ending
    ) {
        var received = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        defer { close(descriptor) }
        let send: ([UInt8]) -> Void = { sendAll($0, to: descriptor) }
        for turn in 0... {
            while received.range(of: Data("\r\n\r\n".utf8)) == nil {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count > 0 else { return }
                received += buffer[..<count]
            }
            guard let end = received.range(of: Data("\r\n\r\n".utf8))?.upperBound else { return }
            let head = String(decoding: received[..<end], as: UTF8.self)
            received = Data(received[end...])
            let isWhole: () -> Int? = {
                guard takesBodies else { return 0 }
                if let length = field("content-length", in: head).flatMap({ Int($0) }) {
                    return received.count >= length ? length : nil
                }
                guard field("transfer-encoding", in: head) != nil else { return 0 }
                return received.range(of: Data("0\r\n\r\n".utf8))?.upperBound
            }
            while isWhole() == nil {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count > 0 else { return }
                received += buffer[..<count]
            }
            let body = received.prefix(isWhole() ?? 0)
            received = Data(received.dropFirst(body.count))
            let words = head.split(separator: " ", maxSplits: 2)
            let request = Request(
                connection: connection, turn: turn, method: String(words[0]), path: String(words[1]), head: head,
                body: Data(body))
            log.update { $0.append(request) }
            switch answer(request, send) {
            case .keep: continue
            case .close:
                shutdown(descriptor, Int32(SHUT_WR))
                closings.update { $0 += 1 }
                // Read to the end, so that closing does not reset what was sent.
                while recv(descriptor, &buffer, buffer.count, 0) > 0 {}
            case .reset: resetOnClose(descriptor)
            case .hold: while recv(descriptor, &buffer, buffer.count, 0) > 0 {}
            }
            return
        }
    }
}

/// A port of loopback that takes no further connection: whoever connects waits.
final class FullPort: Sendable {
    let url: URL
    private let descriptors: [Int32]

    init() throws {
        let listener = openSocket()
        guard let port = listen(on: listener, backlog: 0), let url = URL(string: "http://127.0.0.1:\(port)/") else {
            throw POSIXError(.EADDRINUSE)
        }
        self.url = url
        let clients = (0..<8).map { _ in
            let client = openSocket()
            _ = fcntl(client, F_SETFL, O_NONBLOCK)
            withAddress(port: port) { _ = connect(client, $0, $1) }
            return client
        }
        descriptors = [listener] + clients
    }

    deinit { descriptors.forEach { close($0) } }
}

// MARK: - The system

private func field(_ name: String, in head: String) -> String? {
    for line in head.split(separator: "\r\n").dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1)
        if parts.count == 2, parts[0].lowercased() == name { return parts[1].trimmingCharacters(in: .whitespaces) }
    }
    return nil
}

private func openSocket() -> Int32 {
    #if canImport(Glibc)
    socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    socket(AF_INET, SOCK_STREAM, 0)
    #endif
}

private func withAddress<Result>(
    port: UInt16, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    return withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}

/// Listens on a free port of loopback.
private func listen(on descriptor: Int32, backlog: Int32) -> UInt16? {
    withAddress(port: 0) { address, length in
        var length = length
        guard bind(descriptor, address, length) == 0, listen(descriptor, backlog) == 0,
            getsockname(descriptor, address, &length) == 0
        else { return nil }
        return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin_port) }
    }
}

private func sendAll(_ bytes: [UInt8], to descriptor: Int32) {
    #if canImport(Darwin)
    let flags: Int32 = 0
    #else
    let flags = Int32(MSG_NOSIGNAL)
    #endif
    var sent = 0
    while sent < bytes.count {
        let count = bytes[sent...].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
        guard count > 0 else { return }
        sent += count
    }
}

private func resetOnClose(_ descriptor: Int32) {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
}
