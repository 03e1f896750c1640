import FeedbackTesting
import Foundation
import Networking
import Testing

#if os(Linux)
/// A connection that waits for its next request, and receives bytes that nobody has asked for.
@Suite("Idle connections")
struct IdleConnectionTests {
    private static let timeout = "HTTP/1.1 408 Request Timeout\r\nContent-Length: 4\r\nConnection: close\r\n\r\nlate"

    /// A server that answers each request with the name that it asks for. After the answers to `first`, and once the test says so, it sends
    /// other bytes over the same connections.
    private final class TalkativeServer: Sendable {
        private let server: RawServer
        private let mayTalk = DispatchSemaphore(value: 0)
        private let talks = Box(0)

        init(connections: Int = 1, saying text: String, then ending: RawServer.Ending) throws {
            let (arrived, allAreThere) = (Box(0), DispatchSemaphore(value: 0))
            server = try RawServer { [mayTalk, talks] request, send in
                let name = request.path.dropFirst()
                let isFirst = name == "first"
                if isFirst {
                    // So that each request takes a connection of its own.
                    let isLast = arrived.update { arrived in
                        arrived += 1
                        return arrived == connections
                    }
                    if isLast { for _ in 0..<connections { allAreThere.signal() } }
                    allAreThere.wait()
                }
                send(Array("HTTP/1.1 200 OK\r\nContent-Length: \(name.count)\r\n\r\n\(name)".utf8))
                guard isFirst else { return .keep }
                mayTalk.wait()
                send(Array(text.utf8))
                talks.update { $0 += 1 }
                return ending
            }
        }

        var requests: [RawServer.Request] { server.requests }

        /// Makes idle connections, and has the server talk on each of them.
        func occupy(_ transport: CurlTransport, connections: Int = 1) async throws {
            try await withThrowingTaskGroup(of: TransportResponse.self) { group in
                for _ in 0..<connections { group.addTask { [self] in try await send("first", over: transport) } }
                for try await answer in group { #expect(answer.body == Data("first".utf8)) }
            }
            for _ in 0..<connections { mayTalk.signal() }
            await eventually("the server has talked") { talks.value == connections }
        }

        func send(
            _ name: String, _ method: HTTPMethod = .GET, body: RequestBody? = nil, over transport: CurlTransport
        ) async throws(CoreError) -> TransportResponse {
            let url = server.url.appending(path: name)
            return try await transport.send(TransportRequest(method: method, url: url, body: body))
        }
    }

    private static let methods: [HTTPMethod] = [.GET, .POST, .PUT]

    @Test("An answer that nobody has asked for is not the answer to the next request", arguments: methods)
    func unasked(method: HTTPMethod) async throws {
        for ending in [RawServer.Ending.keep, .close] {
            let server = try TalkativeServer(saying: Self.timeout, then: ending)
            let transport = CurlTransport()
            try await server.occupy(transport)
            let body = method == .GET ? nil : RequestBody.data(Data("new".utf8), contentType: "text/plain")
            let answer = try await server.send("second", method, body: body, over: transport)
            #expect(answer.status == 200)
            #expect(answer.body == Data("second".utf8))
            #expect(server.requests.count { $0.path == "/second" } == 1)
        }
    }

    @Test(
        "The beginning of an answer does not mix with the next answer",
        arguments: ["H", "HTTP/1.1 200 OK\r\nContent-Le", "\r\n", "0\r\n\r\n"])
    func beginning(text: String) async throws {
        let server = try TalkativeServer(saying: text, then: .keep)
        let transport = CurlTransport()
        try await server.occupy(transport)
        let answer = try await server.send("second", .POST, over: transport)
        #expect(answer.body == Data("second".utf8))
    }

    @Test("A request finds a sound connection, however many others are not")
    func many() async throws {
        let server = try TalkativeServer(connections: 6, saying: Self.timeout, then: .keep)
        let transport = CurlTransport { $0.connectionsPerHost = 6 }
        try await server.occupy(transport, connections: 6)
        for number in 0..<8 {
            let answer = try await server.send("second/\(number)", .POST, over: transport)
            #expect(answer.body == Data("second/\(number)".utf8))
        }
    }

    @Test("A body that is streamed is sent whole, and once")
    func streamedBody() async throws {
        let server = try TalkativeServer(saying: Self.timeout, then: .keep)
        let transport = CurlTransport()
        try await server.occupy(transport)
        let parts = AsyncStream { continuation in
            for part in ["one ", "two ", "three"] { continuation.yield(Data(part.utf8)) }
            continuation.finish()
        }
        let body = RequestBody.stream(contentType: "text/plain") { parts }
        let answer = try await server.send("second", .POST, body: body, over: transport)
        #expect(answer.body == Data("second".utf8))
        let sent = server.requests.filter { $0.path == "/second" }.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(sent.count == 1)
        #expect(sent.first?.contains("three") == true)
    }

    @Test("A connection on which nothing has come serves the next request")
    func sound() async throws {
        let server = try TalkativeServer(saying: "", then: .keep)
        let transport = CurlTransport()
        try await server.occupy(transport)
        for method in Self.methods { _ = try await server.send("second", method, over: transport) }
        #expect(Set(server.requests.map(\.connection)) == [0])
    }
}
#endif
