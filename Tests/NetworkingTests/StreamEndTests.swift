import Feedback
import FeedbackTesting
import Foundation
import Testing

@testable import Networking

/// How streams end: for their readers, and for the servers at their other end.
@Suite("Ends of streams")
struct StreamEndTests {
    private let resource = BackendResource<Void, Void, NoAuth>(path: .api(.core, "/body"), method: .GET)

    private func session(
        _ url: URL, _ transport: any Transport = DefaultTransport(), credentials: (any CredentialProvider)? = nil
    ) -> BackendSession {
        let environment = BackendEnvironment(name: "test", services: [.core: url])
        return BackendSession(environment: environment, credentials: credentials, transport: transport) {
            $0.timeout = .seconds(600)
        }
    }

    @Test("A reader who is cancelled before the last bytes does not take them for the whole")
    func cancelledBeforeLastBytes() async throws {
        let body = StreamedBody()
        _ = body.append(Data([1]))
        body.finish(nil)
        body.cancel()
        #expect(await failure { () async throws(CoreError) in try await body.next() } == .cancelled)
        #expect(try await body.next() == nil)
    }

    @Test("A reader who has all bytes is not told of a cancellation")
    func cancelledAfterEnd() async throws {
        let body = StreamedBody()
        _ = body.append(Data([1]))
        body.finish(nil)
        #expect(try await body.next() == Data([1]))
        #expect(try await body.next() == nil)
        body.cancel()
        #expect(try await body.next() == nil)
    }

    @Test("The request of a task that was cancelled before is not sent")
    func cancelledBefore() async throws {
        let url = try #require(URL(string: "http://127.0.0.1:9/"))
        let sent = Box(0)
        let session = session(
            url,
            StubTransport { request throws(CoreError) in
                sent.update { $0 += 1 }
                return try TransportResponse(status: 200, url: request.url)
            })
        for _ in 0..<100 {
            let reading = Task {
                while !Task.isCancelled { await Task.yield() }
                return await failure { () async throws(CoreError) in
                    var iterator = session.stream(resource).makeAsyncIterator()
                    _ = try await iterator.next()
                }
            }
            reading.cancel()
            #expect(await reading.value == .cancelled)
        }
        for try await _ in session.stream(resource) {}
        #expect(sent.value == 1)
    }

    @Test("A line beyond the limit fails once, and ends the transfer")
    func longLine() async throws {
        let server = try RawServer { _, send in
            send(Array("HTTP/1.1 200 OK\r\n\r\nshort\nlonger\nshort\n".utf8))
            return .hold
        }
        defer { withExtendedLifetime(server) {} }
        var lines = session(server.url).stream(resource).lines(limit: 5).makeAsyncIterator()
        #expect(try await lines.next() == "short")
        let error = await failure { () async throws(CoreError) in _ = try await lines.next() }
        #expect(error == .network(NetworkFailure(.bodyTooLarge(limit: 5), detail: "A line is longer.")))
        await eventually { server.endedConnections == 1 }
        #expect(try await lines.next() == nil)
    }

    @Test("A stream that lasts takes no connection from other requests")
    func connections() async throws {
        let server = try RawServer { request, send in
            if request.path == "/body" {
                send(Array("HTTP/1.1 200 OK\r\n\r\n1".utf8))
                return .hold
            }
            send(Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n2".utf8))
            return .close
        }
        defer { withExtendedLifetime(server) {} }
        #if os(Linux)
        let transport = CurlTransport { $0.connectionsPerHost = 1 }
        let session = session(server.url, transport)
        var stream = session.stream(resource).makeAsyncIterator()
        #expect(try await stream.next() == Data("1".utf8))
        let other = BackendResource<Void, Int, NoAuth>(path: .api(.core, "/other"), method: .GET)
            .timingOut(total: .seconds(60))
        #expect(try await session.access(other) == 2)
        #endif
    }
}
