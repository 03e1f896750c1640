#if os(Linux)
import Feedback
import FeedbackTesting
import Foundation
import Networking
import Testing

/// Streamed answers over HTTP/2, where they share their connection with other requests.
@Suite(
    "Streams over HTTP/2", .enabled(if: HTTP2Server.isInstalled, "Node and openssl are not installed"),
    .timeLimit(.minutes(10)))
struct HTTP2StreamTests {
    private let server: HTTP2Server
    private let session: BackendSession

    init() throws {
        let server = try HTTP2Server()
        self.server = server
        let environment = BackendEnvironment(name: "test", services: [.core: server.url])
        let transport = CurlTransport { $0.trustedCertificates = server.certificate }
        session = BackendSession(environment: environment, transport: transport) { $0.timeout = .seconds(300) }
    }

    private func resource(_ path: String) -> BackendResource<Void, Void, NoAuth> {
        BackendResource(path: .api(.core, path), method: .GET)
    }

    private func text(_ path: String) async throws(CoreError) -> String {
        let resource = BackendResource<Void, String, NoAuth>(path: .api(.core, path), method: .GET) { body, _ in
            .success(String(decoding: body, as: UTF8.self))
        }
        return try await session.access(resource)
    }

    private func log() async throws -> [HTTP2Server.Request] {
        try JSONDecoder().decode([HTTP2Server.Request].self, from: Data(try await text("/log").utf8))
    }

    @Test("Lines come while they are sent")
    func lines() async throws {
        var lines: [String] = []
        for try await line in session.stream(resource("/pieces/50")).lines { lines.append(line) }
        #expect(lines == (0..<50).map(String.init))
    }

    @Test("Events go on where the connection ended, or was reset, until a 204")
    func events() async throws {
        let policy = RetryPolicy(maximumAttempts: 3, firstDelay: .milliseconds(1), jitter: 0)
        var received: [ServerSentEvent] = []
        for try await event in session.events(resource("/events/6"), reconnecting: policy) { received.append(event) }
        #expect(received == (1...6).map { ServerSentEvent(data: "\($0)", id: "\($0)") })
    }

    @Test("A slow reader loses nothing, and keeps no other request from its answer")
    func slowReader() async throws {
        let size = 100 << 20
        var iterator = session.stream(resource("/big/\(size)")).makeAsyncIterator()
        var count = try #require(try await iterator.next()).count
        // Meanwhile it is paused. The server sends as much as it may.
        for number in 0..<20 {
            #expect(try await text("/echo/\(number)") == "/echo/\(number)")
            #expect(try await text("/big/1000000").utf8.count == 1_000_000)
        }
        while let more = try await iterator.next() { count += more.count }
        #expect(count == size)
    }

    @Test("A stream that is left while it is paused is reset, and its connection serves others")
    func leave() async throws {
        for try await _ in session.stream(resource("/big/\(50 << 20)")) { break }
        try await eventually("the stream is reset") { try await log().contains { $0.code != 0 } }
        #expect(try await text("/echo/after") == "/echo/after")
    }

    @Test("More event streams than connections are allowed share one, as soon as the server has shown that it can")
    func manyEvents() async throws {
        var streams: [ServerSentEvents.Iterator] = []
        for _ in 0..<20 {
            var stream = session.events(resource("/events/live")).makeAsyncIterator()
            #expect(try await stream.next()?.data == "1")
            streams.append(stream)
        }
        #expect(Set(try await log().map(\.connection)) == [1])
    }

    @Test("A server that falls silent within a stream fails with timedOut, although other answers come")
    func silence() async throws {
        let transport = CurlTransport { $0.trustedCertificates = server.certificate }
        let environment = BackendEnvironment(name: "test", services: [.core: server.url])
        let session = BackendSession(environment: environment, transport: transport) { $0.timeout = .seconds(2) }
        var iterator = session.stream(resource("/head")).makeAsyncIterator()
        let others = Task {
            while !Task.isCancelled { _ = try? await session.access(resource("/echo")) }
        }
        defer { others.cancel() }
        let error = await failure { () async throws(CoreError) in _ = try await iterator.next() }
        guard case .network(let failure) = error else { return recordUnexpected(error) }
        #expect(failure.reason == .timedOut)
    }
}
#endif
