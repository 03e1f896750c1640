import Dispatch
import Foundation

/// Reads a stream of server-sent events as a program that is not a browser could: at its own pace, or not at all.
public final class EventReader: Sendable {
    public struct Event: Equatable, Sendable {
        public let name: String
        public let data: String
    }

    public struct Failure: Error { public let description: String }

    // Reading blocks, so it has a thread of its own.
    private let queue = DispatchQueue(label: "EventReader")
    private let descriptor: Int32
    // Used on the queue only.
    nonisolated(unsafe) private var received = Data()

    /// Connects, and asks for the events of a path.
    public init(_ server: URL, path: String, cookie: String) throws {
        #if canImport(Glibc)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(server.port ?? 80).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard isConnected == 0 else { throw Failure(description: String(cString: strerror(errno))) }
        // A client of version 1.0 gets the events without chunks around them.
        let request = "GET \(path) HTTP/1.0\r\nHost: 127.0.0.1:\(server.port ?? 80)\r\nCookie: \(cookie)\r\n\r\n"
        guard write(descriptor, request, request.utf8.count) == request.utf8.count else {
            throw Failure(description: "The request could not be sent.")
        }
    }

    deinit { close(descriptor) }

    /// The next event. Waits for it at most a minute.
    public func next() async throws -> Event {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in continuation.resume(with: Result { try read() }) }
        }
    }

    private func read() throws -> Event {
        while true {
            // The head of the answer ends in the same way, and is no event.
            let head = received.range(of: Data("\r\n\r\n".utf8))
            if received.starts(with: Data("HTTP".utf8)), let head { received.removeSubrange(..<head.upperBound) }
            if !received.starts(with: Data("HTTP".utf8)), let end = received.range(of: Data("\n\n".utf8)) {
                let text = String(decoding: received[..<end.lowerBound], as: UTF8.self)
                received.removeSubrange(..<end.upperBound)
                if !text.hasPrefix(":") { return Self.event(text) }
                continue
            }
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, 60_000) > 0 else { throw Failure(description: "No event came.") }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            #if canImport(Glibc)
            let count = Glibc.read(descriptor, &bytes, bytes.count)
            #else
            let count = Darwin.read(descriptor, &bytes, bytes.count)
            #endif
            guard count > 0 else { throw Failure(description: "The stream has ended.") }
            received += bytes[..<count]
        }
    }

    private static func event(_ text: String) -> Event {
        var (name, data) = ("message", [String]())
        for line in text.split(separator: "\n") {
            if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
            if line.hasPrefix("data: ") { data.append(String(line.dropFirst(6))) }
        }
        return Event(name: name, data: data.joined(separator: "\n"))
    }
}
