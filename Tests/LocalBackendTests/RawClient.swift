import Foundation

@testable import LocalBackend

/// A client that sends exactly the bytes it is told to, and sees exactly what comes back. Its calls block.
final class RawClient {
    struct Response: Equatable {
        var status = 0
        var headers: LocalBackend.Headers = [:]
        var body = Data()

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    enum Ending: Equatable {
        case closed
        case reset
        /// Nothing came for the time that the client waits.
        case silent
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let descriptor: Int32
    private var received: [UInt8] = []

    init(_ address: URL, patience: Double = 60) throws {
        descriptor = socket(AF_INET, streamSocket, 0)
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_port = in_port_t(address.port ?? 0).bigEndian
        target.sin_addr.s_addr = inet_addr("127.0.0.1")
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let connected = withUnsafePointer(to: &target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
        }
        guard connected == 0 else { throw Failure(description: "connect: \(String(cString: strerror(errno)))") }
        wait(atMost: patience)
    }

    deinit { close(descriptor) }

    /// Sets the time that each read waits from now on.
    func wait(atMost seconds: Double) {
        var time = timeval()
        time.tv_sec = Int(seconds)
        time.tv_usec = .init((seconds - seconds.rounded(.down)) * 1_000_000)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Sends everything; false where the server has closed the connection.
    @discardableResult
    func send(_ bytes: some Collection<UInt8>) -> Bool {
        let bytes = Array(bytes)
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                systemSend(descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent, withoutSignal)
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(text.utf8) }

    func get(_ path: String, headers: String = "") throws -> Response {
        send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n")
        return try response()
    }

    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads one response; the framing of its body is undone.
    func response(toHead: Bool = false) throws -> Response {
        var response = Response()
        let statusLine = try line()
        guard statusLine.hasPrefix("HTTP/1.1 "), let status = Int(statusLine.dropFirst(9).prefix(3)) else {
            throw Failure(description: "no status line: \(statusLine)")
        }
        response.status = status
        while case let line = try line(), !line.isEmpty {
            let parts = line.split(separator: ": ", maxSplits: 1, omittingEmptySubsequences: false)
            response.headers.add(String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        }
        if toHead || status == 204 || status == 304 || status == 100 { return response }
        if response.headers["Transfer-Encoding"] == "chunked" {
            while let size = Int(try line(), radix: 16) {
                response.body += try bytes(size)
                _ = try line()
                if size == 0 { break }
            }
        } else {
            response.body = try bytes(Int(response.headers["Content-Length"] ?? "") ?? 0)
        }
        return response
    }

    /// Reads until no more comes, and returns the reason.
    func readToEnd() -> (text: String, ending: Ending) {
        while true {
            switch readMore() {
            case nil: continue
            case let ending?:
                defer { received = [] }
                return (String(decoding: received, as: UTF8.self), ending)
            }
        }
    }

    /// Reads up to and with a text; false if it does not come.
    func readUntil(_ text: String) -> Bool {
        while true {
            if let match = received.firstRange(of: Array(text.utf8)) {
                received.removeSubrange(..<match.upperBound)
                return true
            }
            if readMore() != nil { return false }
        }
    }

    func bytes(_ count: Int) throws -> Data {
        while received.count < count {
            if let ending = readMore() { throw Failure(description: "\(ending) after \(received.count) of \(count)") }
        }
        defer { received.removeFirst(count) }
        return Data(received.prefix(count))
    }

    private func line() throws -> String {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { received.removeSubrange(...end) }
                return String(decoding: received[..<max(0, end - 1)], as: UTF8.self)
            }
            if let ending = readMore() {
                throw Failure(description: "\(ending) within \(String(decoding: received, as: UTF8.self))")
            }
        }
    }

    private func readMore() -> Ending? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 {
            received += buffer[..<count]
            return nil
        }
        if count == 0 { return .closed }
        return errno == EAGAIN || errno == EWOULDBLOCK ? .silent : .reset
    }
}

private let systemSend: @Sendable (Int32, UnsafeRawPointer?, Int, Int32) -> Int = send

extension LocalBackend {
    /// Starts, lets a client talk to it, and stops.
    func serve<Result: Sendable>(
        _ talk: @escaping @Sendable (RawClient) throws -> Result
    ) async throws -> Result {
        try await run { address in try await onThread { try talk(RawClient(address)) } }
    }

    /// Starts, runs `body`, and stops, also if it throws.
    func run<Result: Sendable>(_ body: (URL) async throws -> Result) async throws -> Result {
        let address = try await start()
        do {
            let result = try await body(address)
            await stop()
            return result
        } catch {
            await stop()
            throw error
        }
    }
}

/// Runs calls that block on a thread of their own, since the threads that tests share are few.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread { continuation.resume(with: Swift.Result { try body() }) }.start()
    }
}
