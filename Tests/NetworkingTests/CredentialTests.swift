import FeedbackTesting
import Feedback
import Foundation
import LocalBackend
import Networking
import Testing

@Suite("Credentials")
struct CredentialTests {
    private typealias Kong = BackendResource<Void, String, KongAuth>
    private let resource = Kong.get("/v1/secret")

    /// Hands out numbered tokens; those below `valid` are refused.
    private final class Tokens: CredentialProvider {
        let current = Box(1)
        let refreshes = Box(0)
        let pause: Duration
        let failure: (any Error)?

        init(pause: Duration = .milliseconds(20), failing failure: (any Error)? = nil) {
            self.pause = pause
            self.failure = failure
        }

        func credentials(for auth: any CredentialedAuthentication.Type) async throws -> Credentials {
            .bearer("\(auth.name)-\(current.value)")
        }

        func refreshedCredentials(
            for auth: any CredentialedAuthentication.Type, replacing rejected: Credentials
        ) async throws -> Credentials {
            refreshes.update { $0 += 1 }
            try await Task.sleep(for: pause)
            if let failure { throw failure }
            return .bearer("\(auth.name)-\(current.update { $0 += 1; return $0 })")
        }
    }

    private struct NoLuck: Error {}

    /// A server that accepts the credentials for which `isValid` returns true.
    private func session(
        _ provider: any CredentialProvider, asked: Box<[String]> = Box([]),
        accepting isValid: @escaping @Sendable (String) -> Bool
    ) -> BackendSession {
        let transport = StubTransport { request throws(CoreError) in
            let field = request.fieldsToSend["Authorization"] ?? ""
            asked.update { $0.append(field) }
            await Task.yield()
            let isGood = isValid(field)
            return try TransportResponse(
                status: isGood ? 200 : 401, body: Data((isGood ? "\"\(field)\"" : "{}").utf8), url: request.url)
        }
        return BackendSession(environment: .production, credentials: provider, transport: transport)
    }

    @Test("Each kind of authentication gets its own credentials")
    func kinds() async throws {
        let session = session(Tokens()) { _ in true }
        let kong = try await session.access(resource)
        #expect(kong == "Bearer Kong-1")
        let clinical = try await session.access(BackendResource<Void, String, ClinicalAuth>.get("/v1/secret"))
        #expect(clinical == "Bearer Clinical-1")
        let open = try await session.access(BackendResource<Void, String, NoAuth>.get("/v1/secret"))
        #expect(open == "")
    }

    @Test("However many requests are refused at once, one refresh serves them all")
    func refreshesOnce() async throws {
        let tokens = Tokens()
        let session = session(tokens) { $0 == "Bearer Kong-2" }
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<200 { group.addTask { try await session.access(resource) } }
            for try await answer in group { #expect(answer == "Bearer Kong-2") }
        }
        #expect(tokens.refreshes.value == 1)
    }

    @Test("Over real sockets, too, one refresh serves all and the bodies are sent again")
    func refreshesOnceOverSockets() async throws {
        let tokens = Tokens()
        try await withBackend(credentials: tokens) { backend, session in
            backend.post("/v1/echo") { request in
                guard request.headers["Authorization"] == "Bearer Kong-2" else { return .status(401) }
                return .json(try request.decode(Int.self))
            }
            let echo = BackendResource<Int, Int, KongAuth>(path: .api(.core, "/v1/echo"), method: .POST)
            try await withThrowingTaskGroup(of: (Int, Int).self) { group in
                for number in 0..<50 { group.addTask { (number, try await session.access(echo, with: number)) } }
                for try await (sent, received) in group { #expect(sent == received) }
            }
            #expect(tokens.refreshes.value == 1)
        }
    }

    @Test("A failed refresh fails all that wait for it, with its reason")
    func failedRefresh() async throws {
        // A request that is refused after the refresh has failed would ask for another one.
        let tokens = Tokens(pause: .seconds(1), failing: NoLuck())
        let asked = Box<[String]>([])
        let session = session(tokens, asked: asked) { _ in false }
        let expected = CoreError.authentication(.refreshFailed(kind: "Kong", reason: "NoLuck()"))
        await withTaskGroup(of: CoreError?.self) { group in
            for _ in 0..<50 {
                group.addTask { await failure { () async throws(CoreError) in try await session.access(resource) } }
            }
            for await error in group { #expect(error == expected) }
        }
        #expect(tokens.refreshes.value == 1)
        #expect(asked.value.count == 50)
    }

    @Test("After a failed refresh, a new request may try again")
    func triesAgain() async throws {
        let tokens = Tokens(failing: NoLuck())
        let session = session(tokens) { _ in false }
        for _ in 0..<3 {
            _ = await failure { () async throws(CoreError) in try await session.access(resource) }
        }
        #expect(tokens.refreshes.value == 3)
    }

    @Test("A server that refuses the refreshed credentials too is asked twice and no more")
    func noEndlessLoop() async throws {
        let tokens = Tokens()
        let asked = Box<[String]>([])
        let session = session(tokens, asked: asked) { _ in false }
        let error = await failure { () async throws(CoreError) in try await session.access(resource) }
        guard case .authentication(.rejected(kind: "Kong", let status)) = error else { return recordUnexpected(error) }
        #expect(status.code == 401)
        #expect(asked.value == ["Bearer Kong-1", "Bearer Kong-2"])
        #expect(tokens.refreshes.value == 1)
    }

    @Test("A 401 of another server, where a redirect led, refreshes nothing and does not blame the first one")
    func foreignRefusal() async throws {
        let tokens = Tokens()
        let transport = StubTransport { request throws(CoreError) in
            guard request.url.host() == "elsewhere.example" else {
                return try TransportResponse(
                    status: 302, headers: ["Location": "https://elsewhere.example/file"], url: request.url)
            }
            #expect(request.fieldsToSend["Authorization"] == nil)
            return try TransportResponse(status: 401, url: request.url)
        }
        let session = BackendSession(environment: .production, credentials: tokens, transport: transport)
        let error = await failure { () async throws(CoreError) in try await session.access(resource) }
        guard case .status(let failure) = error else { return recordUnexpected(error) }
        #expect(failure.code == 401 && failure.request == "GET https://elsewhere.example/file")
        #expect(tokens.refreshes.value == 0)
    }

    @Test("If the target of a redirect refuses the credentials, what led there is not sent again")
    func refusedTarget() async throws {
        let tokens = Tokens()
        try await withBackend(credentials: tokens) { backend, session in
            backend.post("/orders") { _ in .redirect(to: "/orders/7", status: 303) }
            backend.get("/orders/7") { request in
                request.headers["Authorization"] == "Bearer Kong-2" ? .json("seven") : .status(401)
            }
            let order = BackendResource<Int, String, KongAuth>(path: .api(.core, "/orders"), method: .POST)
            let answer = try await session.access(order, with: 7)
            #expect(answer == "seven")
            #expect(backend.requests.map(\.path) == ["/orders", "/orders/7", "/orders/7"])
            #expect(tokens.refreshes.value == 1)
        }
    }

    @Test("A refresh over the same session that is refused itself fails instead of waiting for itself")
    func refreshInsideRefresh() async throws {
        struct Circular: CredentialProvider {
            let session = Box<BackendSession?>(nil)
            func credentials(for auth: any CredentialedAuthentication.Type) async throws -> Credentials {
                .bearer("old")
            }
            func refreshedCredentials(
                for auth: any CredentialedAuthentication.Type, replacing rejected: Credentials
            ) async throws -> Credentials {
                let producer = session.value?.access(Kong.get("/v1/refresh")).map { Credentials.bearer($0) }
                return try await withCheckedThrowingContinuation { continuation in
                    producer?.startWithResult { continuation.resume(with: $0) }
                }
            }
        }
        let provider = Circular()
        let session = session(provider) { _ in false }
        provider.session.value = session
        let error = await failure { () async throws(CoreError) in try await session.access(resource) }
        guard case .authentication(.refreshFailed) = error else { return recordUnexpected(error) }
        #expect("\(error!)".contains("The refresh itself was refused with 401"))
        provider.session.value = nil
    }

    @Test("A caller that gives up does not take the refresh from the others, nor the new credentials")
    func abandonedRefresh() async throws {
        let tokens = Tokens(pause: .milliseconds(100))
        let session = session(tokens) { $0 == "Bearer Kong-2" }
        let impatient = Task { try await session.access(resource) }
        await eventually { tokens.refreshes.value == 1 }
        impatient.cancel()
        let result = await impatient.result
        #expect(throws: CoreError.cancelled) { try result.get() }
        let answer = try await session.access(resource)
        #expect(answer == "Bearer Kong-2")
        #expect(tokens.refreshes.value == 1)
    }

    @Test("Credentials are not sent to a host that is none of the environment's services")
    func foreignHost() async throws {
        let asked = Box<[String]>([])
        let session = session(Tokens(), asked: asked) { _ in true }
        let url = try #require(URL(string: "https://evil.example.org/v1"))
        let error = await failure { () async throws(CoreError) in
            try await session.access(Kong(path: .absolute(url), method: .GET))
        }
        #expect(error == .authentication(.foreignHost(kind: "Kong", host: "evil.example.org")))
        #expect(asked.value.isEmpty)
    }

    @Test("A server that is none of the environment's services gets only the harmless fields of the session")
    func foreignFields() async throws {
        let sent = Box<[HTTPHeaders]>([])
        let transport = StubTransport { request throws(CoreError) in
            sent.update { $0.append(request.fieldsToSend) }
            return try TransportResponse(status: 200, body: Data("[]".utf8), url: request.url)
        }
        let session = BackendSession(environment: .production, transport: transport) {
            $0.headers = ["Accept": "application/json", "X-Api-Key": "secret", "User-Agent": "app"]
        }
        typealias Names = BackendResource<Void, [String], NoAuth>
        for text in ["https://api.example.com/v1", "https://cdn.example.org/v1", "http://api.example.com/v1"] {
            let url = try #require(URL(string: text))
            _ = try await session.access(Names(path: .absolute(url), method: .GET, headers: ["X-Own": "own"]))
        }
        let harmless: HTTPHeaders = ["Accept": "application/json", "User-Agent": "app", "X-Own": "own"]
        #expect(sent.value == [harmless.merging(["X-Api-Key": "secret"]), harmless, harmless])
    }

    @Test("A session without a provider says so")
    func noProvider() async throws {
        let session = BackendSession(
            environment: .production, transport: StubTransport { _ throws(CoreError) in throw .cancelled })
        let error = await failure { () async throws(CoreError) in try await session.access(resource) }
        guard case .authentication(.missingCredentials(kind: "Kong", _)) = error else { return recordUnexpected(error) }
    }

    @Test("Credentials that could end a line are refused")
    func injection() async throws {
        let asked = Box<[String]>([])
        let session = session(FixedCredentials(.bearer("a\r\nX-Admin: 1")), asked: asked) { _ in true }
        let error = await failure { () async throws(CoreError) in try await session.access(resource) }
        #expect(error == .request(RequestFailure("The header field Authorization holds a line break or a NUL.")))
        #expect(asked.value.isEmpty)
    }

    @Test("Printed and dumped, credentials show no secret")
    func printed() {
        let credentials = Credentials.bearer("s3cret")
        var dumped = ""
        dump(credentials, to: &dumped)
        #expect(!"\(credentials) \(String(reflecting: credentials)) \(dumped)".contains("s3cret"))
    }
}
