#if os(Linux)
import FeedbackTesting
import Feedback
import Foundation
import Networking
import Testing

/// Requests over HTTP/2, where many share one connection.
@Suite(
    "HTTP/2", .enabled(if: HTTP2Server.isInstalled, "Node and openssl are not installed"), .timeLimit(.minutes(10)))
struct HTTP2Tests {
    private let server: HTTP2Server
    private let transport: CurlTransport

    init() throws {
        let server = try HTTP2Server()
        self.server = server
        transport = CurlTransport { $0.trustedCertificates = server.certificate }
    }

    private func request(_ method: HTTPMethod = .GET, _ path: String, body: RequestBody? = nil) -> TransportRequest {
        TransportRequest(method: method, url: server.url.appending(path: path), body: body, timeout: .seconds(300))
    }

    private func text(_ request: TransportRequest) async throws(CoreError) -> String {
        String(decoding: try await transport.send(request).body, as: UTF8.self)
    }

    /// The requests that the server has got.
    private func log() async throws -> [HTTP2Server.Request] {
        try JSONDecoder().decode([HTTP2Server.Request].self, from: try await transport.send(request(.GET, "log")).body)
    }

    private func eventually(_ condition: ([HTTP2Server.Request]) -> Bool) async throws {
        try await FeedbackTesting.eventually("the server has got the requests") { condition(try await log()) }
    }

    @Test("Requests at once share one connection, and each gets its own answer")
    func oneConnection() async throws {
        let answers = try await withThrowingTaskGroup(of: (String, String).self) { group in
            for number in 0..<50 {
                group.addTask { ("/echo/\(number)", try await text(request(.GET, "echo/\(number)"))) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count == 50 && answers.allSatisfy { $0 == $1 })
        #expect(Set(try await log().map(\.connection)) == [1])
    }

    @Test("A packed body is unpacked, and one without its end is a lost connection", arguments: [0, 1, 8, 100])
    func packed(missing: Int) async throws {
        do throws(CoreError) {
            let answer = try await text(request(.GET, "packed/\(missing)"))
            #expect(missing == 0 && answer == String(repeating: "x", count: 300_000))
        } catch {
            guard case .network(let failure) = error else { return recordUnexpected(error) }
            #expect(missing > 0 && failure.reason == .connectionLost)
        }
    }

    @Test("A cancelled request is reset, and the others on its connection are answered")
    func cancellation() async throws {
        async let other = text(request(.GET, "hold/other"))
        let task = Task { try await transport.send(request(.GET, "hold/cancelled")) }
        try await eventually { $0.filter { $0.path.hasPrefix("/hold/") }.count == 2 }
        task.cancel()
        let result = await task.result
        #expect(throws: CoreError.cancelled) { try result.get() }
        try await eventually { $0.contains { $0.path == "/hold/cancelled" && $0.code != 0 } }
        _ = try await transport.send(request(.POST, "release"))
        #expect(try await other == "released")
        #expect(Set(try await log().map(\.connection)) == [1])
    }

    @Test(
        "A POST that the server resets, refuses or drops with its connection is not sent again, and fails",
        arguments: ["reset/2", "reset/7", "reset/8", "goaway/0", "goaway/1", "drop"], [nil, "body"])
    func notDoubled(path: String, body: String?) async throws {
        // The connection is one that is used already.
        _ = try await text(request(.GET, "echo"))
        let body = body.map { RequestBody.data(Data($0.utf8)) }
        let error = await failure { () async throws(CoreError) in
            try await transport.send(request(.POST, path, body: body))
        }
        guard case .network = error else { return recordUnexpected(error) }
        #expect(try await log().filter { $0.method == "POST" }.count == 1)
        #expect(try await text(request(.GET, "echo/after")) == "/echo/after")
    }

    @Test("A reset of one request leaves the others on its connection")
    func reset() async throws {
        async let other = text(request(.GET, "hold"))
        try await eventually { $0.contains { $0.path == "/hold" } }
        let error = await failure { () async throws(CoreError) in try await text(request(.POST, "reset/2")) }
        guard case .network = error else { return recordUnexpected(error) }
        _ = try await transport.send(request(.POST, "release"))
        #expect(try await other == "released")
    }

    @Test("Large bodies go both ways at once over one connection")
    func largeBodies() async throws {
        let size = 1 << 20
        let sizes = try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<4 {
                group.addTask { Int(try await text(request(.PUT, "count", body: .data(Data(count: size))))) }
                group.addTask { try await text(request(.GET, "big/\(size)")).utf8.count }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(sizes == Array(repeating: size, count: 8))
        #expect(Set(try await log().map(\.connection)) == [1])
    }

    @Test("A stream that has nothing to send notices that the connection has closed")
    func waitingUpload() async throws {
        let error = await failure { () async throws(CoreError) in
            try await transport.send(request(.POST, "drop", body: .stalled()))
        }
        guard case .network(let failure) = error else { return recordUnexpected(error) }
        #expect(failure.reason == .connectionLost)
    }

    @Test(
        "A server that takes no more of a body is silent, whether it has begun its answer or not",
        arguments: ["head", "hold"])
    func silence(path: String) async throws {
        // More than the server takes unread, and in pieces, so that the end is read before all of it is sent.
        let body = RequestBody.stream {
            AsyncStream { continuation in
                for _ in 0..<66 { continuation.yield(Data(count: 1_000)) }
                continuation.finish()
            }
        }
        var request = request(.POST, path, body: body)
        request.timeout = .seconds(1)
        let error = await failure { [request] () async throws(CoreError) in try await transport.send(request) }
        guard case .network(let failure) = error else { return recordUnexpected(error) }
        #expect(failure.reason == .timedOut)
    }

    @Test("A refusal that comes before the body was sent is delivered", arguments: [true, false])
    func earlyRefusal(isStalled: Bool) async throws {
        let body = isStalled ? RequestBody.stalled() : .data(Data(count: 4 << 20))
        let response = try await transport.send(request(.POST, "refuse", body: body))
        #expect(response.status == 413 && String(decoding: response.body, as: UTF8.self) == "too much")
    }
}
#endif
