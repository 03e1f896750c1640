import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Networking
import Testing

/// Streams that have several readers, and that go through decorators of transports.
@Suite("Streams through decorators")
struct StreamDecoratorTests {
    private let body = BackendResource<Void, Void, NoAuth>(path: .api(.core, "/body"), method: .GET)
    private let number = BackendResource<Void, Int, NoAuth>(path: .api(.core, "/body"), method: .GET)
    private let events = BackendResource<Void, Void, NoAuth>(path: .api(.core, "/events"), method: .GET)

    /// Answers each request with the lines "n.0", "n.1" and "n.2", where n is its number. Returns the number of requests.
    private func addLines(to backend: LocalBackend) -> Box<Int> {
        let asked = Box(0)
        backend.get("/body") { _ in
            let number = asked.update { asked in
                asked += 1
                return asked
            }
            return .stream(headers: ["Cache-Control": "max-age=600"]) { body in
                for turn in 0..<3 { try await body.write(Data("\(number).\(turn)\n".utf8)) }
            }
        }
        return asked
    }

    @Test("Two iterators over one stream have a request each, and neither takes the lines of the other")
    func twoIterators() async throws {
        try await withBackend { (backend, session) async throws in
            _ = addLines(to: backend)
            let lines = session.stream(body).lines
            var (first, second) = (lines.makeAsyncIterator(), lines.makeAsyncIterator())
            for turn in 0..<3 {
                #expect(try await first.next() == "1.\(turn)")
                #expect(try await second.next() == "2.\(turn)")
            }
            #expect(try await first.next() == nil)
            #expect(try await second.next() == nil)
        }
    }

    @Test("Two iterators over the same events have a last id each")
    func twoEventIterators() async throws {
        let server = try RawServer { request, send in
            // The third and the fourth connection are those that are made again.
            let id = request.connection < 2 ? "id: \(request.connection)\n" : ""
            send(Array("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n\(id)data: 1\n\n".utf8))
            return .close
        }
        defer { withExtendedLifetime(server) {} }
        let session = BackendSession(environment: BackendEnvironment(name: "test", services: [.core: server.url]))
        let stream = session.events(events, reconnecting: RetryPolicy(firstDelay: .milliseconds(1)))
        var (first, second) = (stream.makeAsyncIterator(), stream.makeAsyncIterator())
        #expect(try await first.next()?.id == "0")
        #expect(try await second.next()?.id == "1")
        #expect(try await second.next()?.id == "1")
        #expect(try await first.next()?.id == "0")
        #expect(server.requests.map { $0.head.contains("Last-Event-ID: 1\r\n") } == [false, false, true, false])
    }

    @Test("A stream is neither stored nor answered from what is stored, and shows that this is out of date")
    func caching() async throws {
        let asked = Box(0)
        try await withBackend(transport: DefaultTransport().caching()) { (backend, session) async throws in
            backend.get("/body") { _ in
                asked.update { $0 += 1 }
                return .data(Data("1".utf8), contentType: "application/json", headers: ["Cache-Control": "max-age=600"])
            }
            for expected in [1, 1] {
                #expect(try await session.access(number) == 1)
                #expect(asked.value == expected)
            }
            for expected in [2, 3] {
                var received = Data()
                for try await piece in session.stream(body) { received += piece }
                #expect(received == Data("1".utf8))
                #expect(asked.value == expected)
            }
            for expected in [4, 4] {
                #expect(try await session.access(number) == 1)
                #expect(asked.value == expected)
            }
        }
    }

    @Test("Two equal streams at once are not shared")
    func sharing() async throws {
        try await withBackend(transport: DefaultTransport().sharing()) { (backend, session) async throws in
            let asked = addLines(to: backend)
            let lines = session.stream(body).lines
            var (first, second) = (lines.makeAsyncIterator(), lines.makeAsyncIterator())
            #expect(try await first.next() == "1.0")
            #expect(try await second.next() == "2.0")
            #expect(try await first.next() == "1.1")
            #expect(asked.value == 2)
        }
    }

    @Test("A recording writes the refusal of a stream, and passes on a stream without writing it")
    func recording() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await withBackend(transport: DefaultTransport().recording(to: folder)) { (backend, session) async throws in
            let taken = Box(0)
            backend.get("/body") { _ in
                .stream { body in
                    for number in 0..<3 {
                        await eventually("the line before was taken") { taken.value == number }
                        try await body.write(Data("\(number)\n".utf8))
                    }
                }
            }
            for try await _ in session.stream(body).lines { taken.update { $0 += 1 } }
            #expect(taken.value == 3)
            #expect(!FileManager.default.fileExists(atPath: folder.path()))
            let missing = BackendResource<Void, Void, NoAuth>(path: .api(.core, "/missing"), method: .GET)
            let error = await failure { () async throws(CoreError) in
                for try await _ in session.stream(missing) {}
            }
            guard case .status? = error else { return recordUnexpected(error) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()) == ["get-missing.json"])
        }
    }

    /// A session whose transport has the whole of an answer at once.
    private func session(type: String) throws -> BackendSession {
        let transport = StubTransport { request throws(CoreError) in
            let body = try request.destination.deliver(Data("data: 1\n\n".utf8), status: 200, from: request.url)
            return try TransportResponse(status: 200, headers: ["Content-Type": type], body: body, url: request.url)
        }
        let url = try #require(URL(string: "https://api.example.com"))
        return BackendSession(
            environment: BackendEnvironment(name: "test", services: [.core: url]), transport: transport)
    }

    @Test("Events come from a transport that has the whole answer at once")
    func canned() async throws {
        var iterator = try session(type: "text/event-stream").events(events).makeAsyncIterator()
        #expect(try await iterator.next() == ServerSentEvent(data: "1"))
    }

    @Test("An answer of another type gives no event, although the transport has all of it at once")
    func cannedOtherType() async throws {
        var iterator = try session(type: "text/html").events(events).makeAsyncIterator()
        do throws(CoreError) {
            let event = try await iterator.next()
            Issue.record("\(event.debugDescription)")
        } catch {
            guard case .parsing(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.reason == "The server sent text/html, not text/event-stream.")
        }
    }
}
