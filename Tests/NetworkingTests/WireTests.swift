import Feedback
import Foundation
import LocalBackend
import Networking
import Testing

/// Everything that a server can do to a client, over real sockets.
@Suite("Over the wire")
struct WireTests {
    private typealias Cities = BackendResource<Void, [City], NoAuth>
    private let london = City(id: 1, name: "London", population: nil)

    @Test("A good answer becomes a value")
    func good() async throws {
        try await withBackend { backend, session in
            backend.get("/v1/cities") { _ in .json([london]) }
            let answer = try await session.access(Cities.get("/v1/cities"))
            #expect(answer == [london])
        }
    }

    @Test("A value goes over as a JSON body, with its type")
    func body() async throws {
        try await withBackend { backend, session in
            backend.post("/v1/cities") { request in .json(try request.decode(City.self), status: 201) }
            let create = BackendResource<City, City, NoAuth>(path: .api(.core, "/v1/cities"), method: .POST)
            let answer = try await session.access(create, with: london)
            #expect(answer == london)
            #expect(backend.requests.last?.headers["Content-Type"] == "application/json")
            #expect(backend.requests.last?.headers["Accept"] == "application/json")
        }
    }

    @Test("A refused connection says that nobody accepts it there")
    func refused() async throws {
        try await withBackend { backend, session in
            await backend.stop(within: .zero)
            let error = await failure { () async throws(CoreError) in try await session.access(Cities.get("/v1/cities"))
            }
            guard case .network(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.reason == .cannotConnect)
            #expect("\(failure)".contains("does not accept connections"))
        }
    }

    @Test("A host without an address is told apart from one that refuses")
    func noHost() async throws {
        let session = BackendSession(environment: BackendEnvironment(name: "nowhere", services: [:]))
        let url = try #require(URL(string: "http://no-such-host.invalid/"))
        let error = await failure { () async throws(CoreError) in
            try await session.access(Cities(path: .absolute(url), method: .GET))
        }
        #expect(error == .network(NetworkFailure(.cannotFindHost, url: "http://no-such-host.invalid/")))
    }

    @Test(
        "A body that breaks off is a lost connection, never half a value",
        arguments: [LocalBackend.Misbehaviour.reset(after: 5), .truncate(after: 5), .drop])
    func brokenOff(_ misbehaviour: LocalBackend.Misbehaviour) async throws {
        try await withBackend { backend, session in
            backend.get("/v1/cities") { _ in .json([london]) }
            backend.misbehave(misbehaviour)
            let error = await failure { () async throws(CoreError) in try await session.access(Cities.get("/v1/cities"))
            }
            guard case .network(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.reason == .connectionLost)
        }
    }

    @Test("A body that stalls ends in a timeout", .timeLimit(.minutes(10)))
    func stalled() async throws {
        try await withBackend(configure: { $0.timeout = .seconds(1) }) { backend, session in
            backend.get("/v1/cities") { _ in .json([london]) }
            backend.misbehave(.stall(after: 3))
            let error = await failure { () async throws(CoreError) in try await session.access(Cities.get("/v1/cities"))
            }
            guard case .network(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.reason == .timedOut)
        }
    }

    @Test("The session's decoder reads the answers of resources that bring none")
    func sessionDecoder() async throws {
        struct Town: Decodable, Equatable, Sendable { var townName: String }
        let resource = BackendResource<Void, [Town], NoAuth>(
            path: .api(.core, "/v1/towns"), method: .GET,
            response: { data, _ in Parser.parse(data, key: "the_towns", strategy: .strict) })
        let snakeCase: @Sendable () -> JSONDecoder = {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return decoder
        }
        try await withBackend(configure: { $0.makeDecoder = snakeCase }) { backend, session in
            backend.get("/v1/towns") { _ in .json(["the_towns": [["town_name": "Oslo"]]]) }
            let towns = try await session.access(resource, with: ())
            #expect(towns == [Town(townName: "Oslo")])
        }
    }

    @Test("A page of HTML is told as such, with its beginning")
    func wrongType() async throws {
        try await withBackend { backend, session in
            backend.get("/v1/cities") { _ in .data(Data("<html>Please log in</html>".utf8), contentType: "text/html") }
            let error = await failure { () async throws(CoreError) in try await session.access(Cities.get("/v1/cities"))
            }
            guard case .parsing = error else { return recordUnexpected(error) }
            #expect("\(error!)".contains("The server sent text/html, not JSON, beginning with: <html>Please log in"))
        }
    }

    @Test("Malformed JSON is told with its line and column")
    func malformed() async throws {
        try await withBackend { backend, session in
            backend.get("/v1/cities") { _ in
                .data(Data("[{\"id\": 1,\n \"name\" \"x\"}]".utf8), contentType: "application/json")
            }
            let error = await failure { () async throws(CoreError) in try await session.access(Cities.get("/v1/cities"))
            }
            let reason = "Expected a colon, but found \"\"\". (line 2, column 9)"
            let place = ParsingFailure.Place(line: 2, column: 9, excerpt: #"[{"id": 1,  "name" "x"}]"#)
            #expect(error == .parsing(ParsingFailure(reason: reason, place: place)))
        }
    }

    @Test("204 is success for a Void response, and an explained failure for a decoded one")
    func noContent() async throws {
        try await withBackend { backend, session in
            backend.get("/v1/cities") { _ in .status(204) }
            let nothing = BackendResource<Void, Void, NoAuth>(path: .api(.core, "/v1/cities"), method: .GET)
            #expect(await failure { () async throws(CoreError) in try await session.access(nothing) } == nil)
            let error = await failure { () async throws(CoreError) in try await session.access(Cities.get("/v1/cities"))
            }
            #expect(error == .parsing(ParsingFailure(reason: "The body is empty.")))
        }
    }

    @Test(
        "Any other status is an error that carries code, body and request",
        arguments: [304, 400, 403, 404, 409, 418, 429, 500, 503])
    func statuses(_ code: Int) async throws {
        try await withBackend { backend, session in
            let reason = LocalBackend.Response.json(["reason": "because"], status: code, headers: ["X-Trace": "7"])
            backend.get("/v1/cities") { _ in code == 304 ? .status(304, headers: ["X-Trace": "7"]) : reason }
            let error = await failure { () async throws(CoreError) in try await session.access(Cities.get("/v1/cities"))
            }
            guard case .status(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.code == code)
            #expect(failure.headers["x-trace"] == "7")
            #expect(failure.request.hasPrefix("GET http://127.0.0.1:"))
            #expect(code == 304 || failure.body(as: [String: String].self) == ["reason": "because"])
            #expect("\(failure)".hasPrefix("The server answered GET http://127.0.0.1:"))
        }
    }

    @Test(
        "401 without credentials is a status like any other, also with a challenge",
        arguments: ["Basic", "Digest", "Bearer"])
    func unauthorized(_ scheme: String) async throws {
        try await withBackend { backend, session in
            backend.get("/v1/cities") { _ in
                .json(["why": "no"], status: 401, headers: ["WWW-Authenticate": "\(scheme) realm=\"x\""])
            }
            let error = await failure { () async throws(CoreError) in try await session.access(Cities.get("/v1/cities"))
            }
            guard case .status(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.code == 401)
            #expect(failure.body(as: [String: String].self) == ["why": "no"])
            #expect(backend.requests.count == 1)
        }
    }

    @Test("A gzipped body is unpacked on the way")
    func gzip() async throws {
        try await withBackend { backend, session in
            let packed = try #require(
                Data(base64Encoded: "H4sIAAAAAAACA4uuVspMUbIy1FHKS8xNVbJS8snPS8nPU6qNBQB3/rW8GgAAAA=="))
            backend.get("/v1/cities") { _ in
                .data(packed, contentType: "application/json", headers: ["Content-Encoding": "gzip"])
            }
            let answer = try await session.access(Cities.get("/v1/cities"))
            #expect(answer == [london])
        }
    }

    @Test("A body beyond the limit fails, and says what to do instead")
    func tooLarge() async throws {
        try await withBackend(configure: { $0.maximumBodySize = 1_000 }) { backend, session in
            backend.get("/v1/cities") { _ in .text(String(repeating: "x", count: 1_001)) }
            let error = await failure { () async throws(CoreError) in try await session.access(Cities.get("/v1/cities"))
            }
            guard case .network(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.reason == .bodyTooLarge(limit: 1_000))
            #expect("\(failure)".contains("download a large answer to a file"))
        }
    }

    @Test(
        "An answer that is not HTTP is told as such",
        arguments: [
            "\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 abc OK\r\n\r\n[]", "HTTP/9.9 200 OK\r\n\r\n[]",
            "HTTP/1.1 20 OK\r\nContent-Length: 1\r\n\r\n[", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n[",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n[]",
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n\r\nnot gzip!",
            "HTTP/1.1 200 OK\r\n: empty\r\nno colon\r\nContent-Length: 1\r\n\r\n[",
        ])
    func notHTTP(_ bytes: String) async throws {
        #expect(try await reason(of: bytes) == .malformedAnswer)
    }

    @Test(
        "An answer that is not whole is a lost connection",
        arguments: [
            "", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[]",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]", "HTTP/1.1 100 Continue\r\n\r\n",
        ])
    func notWhole(_ bytes: String) async throws {
        #expect(try await reason(of: bytes) == .connectionLost)
    }

    private func reason(of bytes: String) async throws -> NetworkFailure.Reason? {
        let server = try RawServer(answering: Array(bytes.utf8))
        defer { withExtendedLifetime(server) {} }
        let session = BackendSession(environment: BackendEnvironment(name: "raw", services: [:])) {
            $0.timeout = .seconds(60)
        }
        let error = await failure { () async throws(CoreError) in
            try await session.access(Cities(path: .absolute(server.url), method: .GET))
        }
        guard case .network(let failure) = error else { return nil }
        return failure.reason
    }
}
