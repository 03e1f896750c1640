import Feedback
import FeedbackTesting
import Foundation
import Testing

@testable import Networking

/// Lines and events are the same however their bytes are cut.
@Suite("Lines and events of streams")
struct ServerSentEventTests {
    private func lines(of bytes: [UInt8], by count: Int) throws(CoreError) -> [String] {
        var (splitter, lines, rest) = (LineSplitter(limit: 100), [String](), bytes[...])
        while !rest.isEmpty {
            splitter.append(Data(rest.prefix(count)))
            rest = rest.dropFirst(count)
            while let line = try splitter.next() { lines.append(line) }
        }
        if let line = splitter.takeRest() { lines.append(line) }
        return lines
    }

    private func events(of text: String, by count: Int) throws(CoreError) -> [ServerSentEvent] {
        var (parser, events) = (EventParser(), [ServerSentEvent]())
        for line in try lines(of: Array(text.utf8), by: count) {
            if let event = try parser.receive(line) { events.append(event) }
        }
        return events
    }

    @Test("Lines end with LF, CR or CR LF, wherever the bytes are cut")
    func lines() throws {
        let text = "a\nb\rc\r\n\r\n\n\rä€🎈\r\n\u{2028}x\r\nend"
        let expected = ["a", "b", "c", "", "", "", "ä€🎈", "\u{2028}x", "end"]
        for count in 1...text.utf8.count { #expect(try lines(of: Array(text.utf8), by: count) == expected) }
    }

    @Test("Bytes that are not UTF-8 become replacement characters")
    func notUTF8() throws {
        for count in 1...4 {
            #expect(try lines(of: [0x61, 0xFF, 0x0A, 0xC3], by: count) == ["a\u{FFFD}", "\u{FFFD}"])
        }
    }

    @Test("A line beyond the limit fails, one as long as the limit does not")
    func limit() throws {
        let long = [UInt8](repeating: 0x61, count: 100)
        for count in [1, 7, 200] {
            #expect(try lines(of: long + [0x0A] + long, by: count).count == 2)
            #expect(throws: CoreError.network(NetworkFailure(.bodyTooLarge(limit: 100), detail: "A line is longer."))) {
                try lines(of: long + long, by: count)
            }
        }
    }

    /// An event stream and the events in it.
    struct Example: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let text: String
        let events: [ServerSentEvent]

        init(_ name: String, _ text: String, _ events: ServerSentEvent...) {
            (testDescription, self.text, self.events) = (name, text, events)
        }

        static let all = [
            Example("Two lines of data", "data: YHOO\ndata: +2\ndata: 10\n\n", .init(data: "YHOO\n+2\n10")),
            Example(
                "Comments, ids and an id that is reset",
                ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
                .init(data: "first event", id: "1"), .init(data: "second event"), .init(data: " third event")),
            Example(
                "Empty data, and an event that does not end", "data\n\ndata\ndata\n\ndata:", .init(data: ""),
                .init(data: "\n")),
            Example("A space after the colon", "data:test\n\ndata: test\n\n", .init(data: "test"), .init(data: "test")),
            Example("A name without data", "event: a\n\ndata: b\n\n", .init(data: "b")),
            Example("A name", "event: add\ndata: 7\n\n", .init(event: "add", data: "7")),
            Example(
                "An id that lasts", "id: 7\n\ndata: a\n\ndata: b\n\n", .init(data: "a", id: "7"),
                .init(data: "b", id: "7")),
            Example("An id with a NUL", "id: 1\nid: 2\0\ndata: a\n\n", .init(data: "a", id: "1")),
            Example("A byte order mark", "\u{FEFF}data: a\n\n\u{FEFF}data: b\n\n", .init(data: "a")),
            Example("A mark before a letter with an accent", "\u{FEFF}data: \u{301}\n\n", .init(data: "\u{301}")),
            Example("CR LF and CR", "data: a\r\ndata: b\r\n\r\ndata: c\r\r", .init(data: "a\nb"), .init(data: "c")),
            Example("Unknown and misspelt fields", "DATA: a\n data: b\nfoo: c\ndata: d: e\n\n", .init(data: "d: e")),
            Example(
                "An accent after the colon", "data:\u{301}a\nid:\u{301}\n\n", .init(data: "\u{301}a", id: "\u{301}")),
            Example("Nothing", ""),
        ]
    }

    @Test("Events are those of the standard, wherever the bytes are cut", arguments: Example.all)
    func events(example: Example) throws {
        for count in 1...max(1, example.text.utf8.count) {
            #expect(try events(of: example.text, by: count) == example.events)
        }
    }

    @Test(
        "Only digits are a time to wait",
        arguments: [
            ("10", 10), ("0", 0), ("", nil), ("1.5", nil), ("-1", nil), ("٣", nil),
            ("99999999999999999999999", 1 << 40),
        ])
    func retry(value: String, milliseconds: Int?) throws {
        var parser = EventParser()
        #expect(try parser.receive("retry: \(value)") == nil)
        #expect(parser.retry == milliseconds.map { .milliseconds($0) })
    }

    @Test("The data of an event cannot fill the memory")
    func longEvent() {
        var parser = EventParser()
        let line = "data: " + String(repeating: "x", count: 1 << 20)
        #expect(throws: CoreError.self) { for _ in 0..<17 { _ = try parser.receive(line) } }
    }

    @Test("Data decodes, or the error says why")
    func decoded() throws {
        #expect(try ServerSentEvent(data: "[1, 2]").decoded(as: [Int].self).get() == [1, 2])
        guard case .failure(.parsing) = ServerSentEvent(data: "[1, ").decoded(as: [Int].self) else {
            return recordUnexpected(nil)
        }
    }

    // MARK: - Connections

    private let resource = BackendResource<Void, Void, NoAuth>(path: .api(.core, "/events"), method: .GET)
    private let policy = RetryPolicy(maximumAttempts: 4, firstDelay: .milliseconds(1), jitter: 0)

    private func session(_ server: RawServer) -> BackendSession {
        BackendSession(environment: BackendEnvironment(name: "test", services: [.core: server.url])) {
            $0.timeout = .seconds(600)
        }
    }

    /// A server that answers its connections with these answers, one after the other, and the last one from then on.
    private func server(_ answers: String...) throws -> RawServer {
        try RawServer { request, send in
            send(Array("HTTP/1.1 \(answers[min(request.connection, answers.count - 1)])".utf8))
            return .close
        }
    }

    private static let ok = "200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n"
    private static let end = "204 No Content\r\n\r\n"

    @Test("After the end of a connection, the next one asks for what follows the last id, until a 204")
    func reconnects() async throws {
        let server = try server(
            "\(Self.ok)retry: 5\nid: 1\ndata: a\n\nid: 2\ndata: lost", "\(Self.ok)data: b\n\n",
            "503 Service Unavailable\r\nContent-Length: 0\r\n\r\n", "\(Self.ok)id: ä\ndata: c\n\n", Self.end)
        defer { withExtendedLifetime(server) {} }
        var received: [ServerSentEvent] = []
        for try await event in session(server).events(resource, reconnecting: policy) { received.append(event) }
        #expect(received == [.init(data: "a", id: "1"), .init(data: "b", id: "1"), .init(data: "c", id: "ä")])
        let ids = server.requests.map { request in
            request.head.split(separator: "\r\n").first { $0.hasPrefix("Last-Event-ID: ") }?.dropFirst(15)
        }
        #expect(ids == [nil, "1", "1", "1", "ä"])
        #expect(server.requests.allSatisfy { $0.head.contains("Accept: text/event-stream\r\n") })
    }

    @Test("A producer emits the events, and completes with the 204")
    func producer() async throws {
        let server = try server("\(Self.ok)data: 1\n\n", "\(Self.ok)data: 2\n\n", Self.end)
        defer { withExtendedLifetime(server) {} }
        let numbers = session(server).events(resource, after: "x", reconnecting: policy).producer
            .attemptMap { event in event.decoded(as: Int.self) }
        #expect(try await numbers.collected() == [1, 2])
        #expect(server.requests.allSatisfy { $0.head.contains("Last-Event-ID: x\r\n") })
    }

    @Test(
        "A refusal that another try cannot mend ends the events",
        arguments: [
            "403 Forbidden\r\nContent-Length: 0\r\n\r\n", "200 OK\r\nContent-Type: text/html\r\n\r\n<p>data: x\n\n",
        ])
    func refusal(answer: String) async throws {
        let server = try server("\(Self.ok)data: 1\n\n", answer)
        defer { withExtendedLifetime(server) {} }
        var iterator = session(server).events(resource, reconnecting: policy).makeAsyncIterator()
        #expect(try await iterator.next() == ServerSentEvent(data: "1"))
        do throws(CoreError) {
            _ = try await iterator.next()
            recordUnexpected(nil)
        } catch {
            switch error {
            case .status(let failure): #expect(failure.code == 403)
            case .parsing(let failure): #expect(failure.reason == "The server sent text/html, not text/event-stream.")
            default: recordUnexpected(error)
            }
        }
        #expect(try await iterator.next() == nil)
        #expect(server.requests.count == 2)
    }

    @Test("A server without events is asked as often as the policy says, and a POST once")
    func attempts() async throws {
        let server = try server(Self.ok)
        defer { withExtendedLifetime(server) {} }
        for try await _ in session(server).events(resource, reconnecting: policy) { recordUnexpected(nil) }
        #expect(server.requests.count == 4)
        let post = BackendResource<Void, Void, NoAuth>(path: .api(.core, "/events"), method: .POST)
        for try await _ in session(server).events(post, reconnecting: policy) { recordUnexpected(nil) }
        #expect(server.requests.count == 5)
    }

    @Test("Disposing the producer closes the connection")
    func dispose() async throws {
        let server = try RawServer { _, send in
            send(Array("HTTP/1.1 \(Self.ok)data: 1\n\n".utf8))
            return .hold
        }
        defer { withExtendedLifetime(server) {} }
        let received = Box(0)
        let disposable = session(server).events(resource).producer.startWithResult { _ in received.update { $0 += 1 } }
        await eventually { received.value == 1 }
        disposable.dispose()
        await eventually { server.endedConnections == 1 }
        #expect(received.value == 1)
    }

    @Test("Cancelling while it waits to reconnect ends it at once")
    func cancelWait() async throws {
        let server = try server("\(Self.ok)retry: 30000\ndata: 1\n\n")
        defer { withExtendedLifetime(server) {} }
        let (events, received) = (session(server).events(resource), Box(0))
        let reading = Task { () -> CoreError? in
            await failure { () async throws(CoreError) in
                for try await _ in events { received.update { $0 += 1 } }
            }
        }
        await eventually { received.value == 1 && server.endedConnections == 1 }
        reading.cancel()
        #expect(await reading.value == .cancelled)
        #expect(server.requests.count == 1)
    }
}
