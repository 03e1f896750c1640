import Foundation
import LocalBackend
import Networking
import Testing

@Suite("Redirects")
struct RedirectTests {
    private typealias Text = BackendResource<Void, [String: String], KongAuth>

    @Test("On the same server, a redirect is followed with its credentials", arguments: [301, 302, 303, 307, 308])
    func sameServer(_ status: Int) async throws {
        try await withBackend { backend, session in
            backend.get("/old") { _ in .redirect(to: "/new?page=2", status: status) }
            backend.get("/new") { request in .json(["page": request.query["page"] ?? ""]) }
            let answer = try await session.access(Text.get("/old"))
            #expect(answer == ["page": "2"])
            #expect(backend.requests.map { $0.headers["Authorization"] } == ["Bearer secret", "Bearer secret"])
        }
    }

    @Test("A redirect to another server carries nothing that could be a secret")
    func otherServer() async throws {
        try await withBackend { backend, session in
            let stranger = LocalBackend()
            let address = try await stranger.start()
            stranger.get("/caught") { _ in .json(["it": "worked"]) }
            backend.get("/old") { _ in .redirect(to: address.appending(path: "caught").absoluteString) }
            let resource = Text.get("/old", headers: ["X-Api-Key": "k", "Cookie": "c=1", "Accept-Language": "de"])
            let answer = try await session.access(resource)
            #expect(answer == ["it": "worked"])
            let caught = try #require(stranger.requests.first)
            #expect(caught.headers["Authorization"] == nil)
            #expect(caught.headers["X-Api-Key"] == nil)
            #expect(caught.headers["Cookie"] == nil)
            #expect(caught.headers["Accept-Language"] == "de")
            await stranger.stop(within: .zero)
        }
    }

    @Test("A stranger that redirects back does not get the credentials to work for it")
    func thereAndBack() async throws {
        try await withBackend { backend, session in
            let stranger = LocalBackend()
            let address = try await stranger.start()
            let home = try #require(backend.address)
            backend.get("/old") { _ in .redirect(to: address.appending(path: "bounce").absoluteString) }
            stranger.get("/bounce") { _ in .redirect(to: home.appending(path: "delete-all").absoluteString) }
            backend.get("/delete-all") { _ in .json([:] as [String: String]) }
            _ = try await session.access(Text.get("/old"))
            #expect(backend.requests.map { $0.headers["Authorization"] } == ["Bearer secret", nil])
            await stranger.stop(within: .zero)
        }
    }

    @Test("A circle of redirects ends, and says that it is one")
    func circle() async throws {
        try await withBackend { backend, session in
            backend.get("/a") { _ in .redirect(to: "/b") }
            backend.get("/b") { _ in .redirect(to: "/a") }
            let error = await failure { () async throws(CoreError) in try await session.access(Text.get("/a")) }
            guard case .network(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.reason == .tooManyRedirects)
            #expect(backend.requests.count == 11)
        }
    }

    @Test(
        "POST becomes GET after 301, 302 and 303, and stays POST after 307 and 308",
        arguments: [301, 302, 303, 307, 308])
    func methods(_ status: Int) async throws {
        try await withBackend { backend, session in
            backend.post("/old") { _ in .redirect(to: "/new", status: status) }
            backend.get("/new") { request in
                .json(["method": "GET", "body": String(decoding: request.body, as: UTF8.self)])
            }
            backend.post("/new") { request in
                .json(["method": "POST", "body": String(decoding: request.body, as: UTF8.self)])
            }
            let resource = BackendResource<[Int], [String: String], NoAuth>(path: .api(.core, "/old"), method: .POST)
            let expected = status < 307 ? ["method": "GET", "body": ""] : ["method": "POST", "body": "[1]"]
            let answer = try await session.access(resource, with: [1])
            #expect(answer == expected)
        }
    }

    @Test("The fragment of a redirect is not part of the request that follows")
    func fragment() async throws {
        let transport = StubTransport { request throws(CoreError) in
            let isFirst = request.url.path() == "/a"
            return try TransportResponse(
                status: isFirst ? 302 : 200, headers: isFirst ? ["Location": "/b?c=%23#top"] : [:],
                body: Data("{\"url\": \"\(request.url)\"}".utf8), url: request.url)
        }
        let session = BackendSession(
            environment: .production, credentials: FixedCredentials(.bearer("secret")), transport: transport)
        let answer = try await session.access(Text.get("/a"))
        #expect(answer == ["url": "https://api.example.com/b?c=%23"])
    }

    @Test("A POST that becomes GET says nothing more about a body")
    func noBody() async throws {
        try await withBackend { backend, session in
            backend.post("/old") { _ in .redirect(to: "/new", status: 303) }
            backend.get("/new") { _ in .json([:] as [String: String]) }
            let fields = [
                "Content-Encoding", "Content-Language", "Content-Location", "Content-Length", "Digest", "Content-MD5",
            ]
            let resource = BackendResource<[Int], [String: String], NoAuth>(
                path: .api(.core, "/old"), method: .POST,
                headers: [
                    "Content-Encoding": "identity", "Content-Language": "de", "Content-Location": "/a",
                    "Content-Length": "3", "Digest": "sha-256=x", "Content-MD5": "x",
                ])
            _ = try await session.access(resource, with: [1])
            let sent = try #require(backend.requests.last)
            for field in fields + ["Content-Type"] { #expect(sent.headers[field] == nil) }
        }
    }

    @Test(
        "A write that becomes GET drops the preconditions of the object that it changed; a GET keeps them",
        arguments: [HTTPMethod.PUT, .PATCH, .DELETE, .GET])
    func preconditions(_ method: HTTPMethod) async throws {
        let fields: HTTPHeaders = [
            "If-Match": "\"1\"", "If-None-Match": "\"2\"", "If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT",
            "If-Unmodified-Since": "Sun, 06 Nov 1994 08:49:37 GMT",
        ]
        let sent = Box<[HTTPHeaders]>([])
        let transport = StubTransport { request throws(CoreError) in
            sent.update { $0.append(request.headers) }
            let isFirst = request.url.path() == "/a"
            return try TransportResponse(
                status: isFirst ? 303 : 200, headers: isFirst ? ["Location": "/b"] : [:], url: request.url)
        }
        let session = BackendSession(environment: .production, transport: transport)
        let resource = BackendResource<Void, Void, NoAuth>(path: .api(.core, "/a"), method: method, headers: fields)
        try await session.access(resource)
        #expect(sent.value.count == 2)
        for (name, value) in fields {
            #expect(sent.value[0][name] == value)
            #expect(sent.value[1][name] == (method == .GET ? value : nil))
        }
    }

    @Test(
        "A redirect that leads out of http is refused",
        arguments: ["file:///etc/passwd", "javascript:alert(1)", "ftp://x/"])
    func otherScheme(_ location: String) async throws {
        try await withBackend { backend, session in
            backend.get("/old") { _ in .redirect(to: location) }
            let error = await failure { () async throws(CoreError) in try await session.access(Text.get("/old")) }
            guard case .network(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.reason == .refusedRedirect)
        }
    }

    @Test(
        "The body of a redirect is cut at the limit and does not fail the request", arguments: TransportKind.survivors)
    func redirectBody(kind: TransportKind) async throws {
        let server = try RawServer { request, send in
            guard request.path == "/old" else {
                send(Array("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n[7]".utf8))
                return .close
            }
            send(Array("HTTP/1.1 302 Found\r\nLocation: /new\r\nContent-Length: 100000000\r\n\r\n".utf8))
            for _ in 0..<1_000 { send([UInt8](repeating: 0x78, count: 1_000)) }
            return .hold
        }
        defer { withExtendedLifetime(server) {} }
        let environment = BackendEnvironment(name: "raw", services: [.core: server.url])
        let session = BackendSession(environment: environment, transport: kind.make()) { $0.maximumBodySize = 1_000 }
        let numbers = try await session.access(BackendResource<Void, [Int], NoAuth>.get("/old"))
        #expect(numbers == [7])
    }

    @Test(
        "A refused redirect is explained without what its target may hold of a token",
        arguments: ["ftp://h/s3cret?token=s3cret", "mailto:s3cret@x", "http://[s3cret", "ftp://u:s3cret@h:21/"])
    func noTokenInRefusal(_ location: String) async throws {
        let transport = StubTransport { request throws(CoreError) in
            try TransportResponse(status: 302, headers: ["Location": location], url: request.url)
        }
        let session = BackendSession(environment: .production, transport: transport)
        let error = await failure { () async throws(CoreError) in
            try await session.access(BackendResource<Void, [Int], NoAuth>.get("/old"))
        }
        guard case .network(let failure) = error else { return recordUnexpected(error) }
        #expect(failure.reason == .refusedRedirect)
        #expect(!"\(failure)".contains("s3cret"))
    }

    @Test("A redirect from https to http is refused")
    func downgrade() async throws {
        let transport = StubTransport { request throws(CoreError) in
            try TransportResponse(status: 302, headers: ["Location": "http://api.example.com/"], url: request.url)
        }
        let session = BackendSession(environment: .production, transport: transport)
        let error = await failure { () async throws(CoreError) in
            try await session.access(BackendResource<Void, [Int], NoAuth>.get("/old"))
        }
        guard case .network(let failure) = error else { return recordUnexpected(error) }
        #expect(failure.reason == .refusedRedirect)
    }

    @Test(
        "A redirect without a usable Location is an answer like any other",
        arguments: ["", "http://", "//", "http://[bad", "?"])
    func strangeLocations(_ location: String) async throws {
        try await withBackend { backend, session in
            backend.get("/old") { _ in .redirect(to: location) }
            let error = await failure { () async throws(CoreError) in try await session.access(Text.get("/old")) }
            #expect(error != nil)
        }
    }
}
