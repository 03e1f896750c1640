import Feedback
import FeedbackTesting
import Foundation
import Networking
import Testing

/// As in the documentation, word for word: it has to compile as it stands.
struct CitiesService {
    internal static let jsonDecoder: JSONDecoder = {
        let d = JSONDecoder(); d.keyDecodingStrategy = .convertFromSnakeCase; return d
    }()

    static func fetchCitiesResource() -> BackendResource<Void, CitiesResponse, KongAuth> {
        return BackendResource(path: .api(.core, "/v1/cities"), method: .GET)
    }
    static func fetchCitiesWithDecoder() -> BackendResource<Void, CitiesResponse, KongAuth> {
        return BackendResource(path: .api(.core, "/v1/cities"), method: .GET, decoder: jsonDecoder)
    }
    static func fetchCityList() -> BackendResource<Void, [City], KongAuth> {
        return BackendResource(
            path: .api(.core, "/v1/cities"), method: .GET,
            response: { data, _ in Parser.parse(data, key: "cities", strategy: .prune) })
    }
    static func requestDelivery() -> BackendResource<Address, Void, KongAuth> {
        return BackendResource(path: .api(.core, "/v1/cities/delivery"), method: .POST)
    }
    static func requestWrappedDelivery() -> BackendResource<Address, Void, KongAuth> {
        return BackendResource(
            path: .api(.core, "/v1/cities/delivery"), method: .POST,
            request: { address, _ in Parser.encode(["address": address]) })
    }
    static func obtainQuestions(query: String) -> BackendResource<Void, [Question], KongAuth> {
        return BackendResource(
            path: .api(.core, "/v1/questions"), method: .POST,
            request: { _, encoder in Parser.encode(["question_query": query], encoder: encoder) })
    }
    static func encodeByReference() -> BackendResource<Address, Void, KongAuth> {
        return BackendResource(path: .api(.core, "/v1/cities/delivery"), method: .POST, request: Parser.encode)
    }
}
protocol CitiesBusinessControllerProtocol {
    func fetch() -> SignalProducer<CitiesResponse, CoreError>
    func requestDelivery(to address: Address) -> SignalProducer<Never, CoreError>
}
struct CitiesBusinessController: CitiesBusinessControllerProtocol {
    private let accessible: AuthenticatedAccessible
    init(accessible: AuthenticatedAccessible) { self.accessible = accessible }
    func fetch() -> SignalProducer<CitiesResponse, CoreError> { accessible.access(CitiesService.fetchCitiesResource()) }
    func requestDelivery(to address: Address) -> SignalProducer<Never, CoreError> {
        accessible.access(CitiesService.requestDelivery(), with: address)
    }
}
struct CitiesResponse: Decodable, Equatable { @Pruned var cities: [City] }
struct Address: Codable, Equatable { var street: String }
struct Question: Decodable, Equatable { var text: String }

@Suite("Resources")
struct ResourceTests {
    private let address = Address(street: "Baker Street 221b")

    @Test("A business controller fetches and delivers through its resources")
    func businessController() async throws {
        let backend = CannedBackend([
            CannedAnswer(.GET, "/v1/cities", body: #"{"cities": [{"id":1,"name":"London"}, {"id":"x"}]}"#),
            CannedAnswer(.POST, "/v1/cities/delivery", status: 204),
        ])
        let controller = CitiesBusinessController(accessible: backend.session())
        #expect(try await controller.fetch().first()?.cities == [City(id: 1, name: "London")])
        try await controller.requestDelivery(to: address).wait()
        #expect(backend.requests.last?.headers["Authorization"] == "Bearer canned")
        #expect(try backend.requests.last?.decode(Address.self) == address)
    }

    @Test("Request handlers make the body, from the value or without one")
    func handlers() async throws {
        let backend = CannedBackend([
            CannedAnswer(.POST, "/v1/cities/delivery", status: 204),
            CannedAnswer(.POST, "/v1/questions", body: #"[{"text": "Why?"}]"#),
        ])
        let session = backend.session()
        try await session.access(CitiesService.requestWrappedDelivery(), with: address)
        #expect(try backend.requests.last?.decode([String: Address].self) == ["address": address])
        try await session.access(CitiesService.encodeByReference(), with: address)
        #expect(try backend.requests.last?.decode(Address.self) == address)
        let questions = try await session.access(CitiesService.obtainQuestions(query: "w"))
        #expect(questions == [Question(text: "Why?")])
        #expect(try backend.requests.last?.decode([String: String].self) == ["question_query": "w"])
    }

    @Test("The session hears of every element that any answer's pruning left out")
    func sessionWideSkips() async throws {
        let skipped = Box<[Int]>([])
        let body = #"{"cities": [5, {"id":1,"name":"London"}, {"id":"x"}]}"#
        let session = CannedBackend([CannedAnswer(.GET, "/v1/cities", body: body)]).session {
            $0.onSkip = { element in skipped.update { $0.append(element.index) } }
        }
        _ = try await session.access(CitiesService.fetchCityList())
        _ = try await session.access(CitiesService.fetchCitiesResource())
        #expect(skipped.value == [0, 2, 0, 2])
    }

    @Test("The environment says where a service lives, the resource stays the same")
    func environments() async throws {
        let urls = Box<[String]>([])
        let transport = StubTransport { request throws(CoreError) in
            urls.update { $0.append(request.url.absoluteString) }
            return try TransportResponse(status: 200, body: Data("[]".utf8), url: request.url)
        }
        let prefixed = BackendEnvironment(name: "prefixed", services: [:])
            .adding(.core, at: try #require(URL(string: "https://example.org/gateway/")))
        for environment in [.production, .staging, .local(port: 8080), prefixed] as [BackendEnvironment] {
            let session = BackendSession(environment: environment, transport: transport)
            _ = try await session.access(BackendResource<Void, [Int], NoAuth>.get("/v1/cities"))
        }
        #expect(
            urls.value == [
                "https://api.example.com/v1/cities", "https://api.staging.example.com/v1/cities",
                "http://127.0.0.1:8080/v1/cities", "https://example.org/gateway/v1/cities",
            ])
    }

    @Test("An address that needs no encoding is the same as one that is put together from its parts")
    func plainAddresses() async throws {
        let sent = Box<String?>(nil)
        let transport = StubTransport { request throws(CoreError) in
            sent.value = request.url.absoluteString
            return try TransportResponse(status: 200, url: request.url)
        }
        let bases = [
            "http://a", "http://a/", "https://a.b-c_d~e:8443", "http://127.0.0.1:80/v1/", "http://a//", "http://A/x",
            "http://[::1]:80/", "http://user@a/", "http://a/?q=1", "http://a/#f", "http://a/%20x",
            "http://a:/",
        ]
        let paths = [
            "", "/", "/v1", "/v1/", "v1", "/a.b/c-d_e~f", "/a//b", "/a b", "/ä", "/a%20b", "/a?b", "/a#b", "/a:b",
            "/a@b",
            "//b", "/./b", "/b/..", "/.b", "/b/.c", "/b./c", "/b\n",
        ]
        for base in try bases.map({ try #require(URL(string: $0)) }) {
            let environment = BackendEnvironment(name: "test", services: [.core: base])
            let session = BackendSession(environment: environment, transport: transport)
            for path in paths {
                sent.value = nil
                try? await session.access(BackendResource<Void, Void, NoAuth>(path: .api(.core, path), method: .GET))
                let isRefused =
                    path.hasPrefix("//") || path.contains("\n")
                    || path.split(separator: "/").contains { $0 == "." || $0 == ".." }
                var parts = try #require(URLComponents(url: base, resolvingAgainstBaseURL: true))
                let prefix = parts.path.hasSuffix("/") ? String(parts.path.dropLast()) : parts.path
                parts.path = prefix + (path.isEmpty || path.hasPrefix("/") ? path : "/" + path)
                parts.fragment = nil
                #expect(sent.value == (isRefused ? nil : parts.url?.absoluteString), "\(base) \(path)")
            }
        }
    }

    @Test("The head of an answer has its fields, and can be replaced")
    func head() throws {
        let url = try #require(URL(string: "https://api.example.com/v1"))
        var answer = try TransportResponse(
            status: 201, headers: ["etag": "7", "Content-Type": "text/plain; charset=utf-8"], url: url)
        #expect(answer.head.statusCode == 201 && answer.head.url == url && answer.head.mimeType == "text/plain")
        #expect(answer.head.value(forHTTPHeaderField: "ETag") == "7" && answer.header("ETag") == "7")
        #expect(answer.headers.count == 2)
        answer.head = try #require(
            HTTPURLResponse(url: url, statusCode: 404, httpVersion: nil, headerFields: ["X-Name": "a"]))
        #expect(answer.status == 404 && answer.header("ETag") == nil && answer.headers == ["X-Name": "a"])
    }

    @Test("A resource that is given another handler reads its answers with it, and the first handler still works")
    func replacedHandler() async throws {
        let backend = CannedBackend([CannedAnswer(.GET, "/v1", headers: ["X-Name": "a"], body: "[1]")])
        var resource = BackendResource<Void, [Int], NoAuth>.get("/v1")
        let first = resource.response
        resource.response = { body, answer in
            let name = (answer as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-Name")
            return first(body, answer).map { name == "a" ? $0 + [2] : [] }
        }
        let numbers = try await backend.session().access(resource)
        #expect(numbers == [1, 2])
    }

    @Test("Paths and queries are encoded so that they arrive as they were meant")
    func encoding() async throws {
        let urls = Box<[String]>([])
        let transport = StubTransport { request throws(CoreError) in
            urls.update { $0.append(request.url.absoluteString) }
            return try TransportResponse(status: 200, body: Data("[]".utf8), url: request.url)
        }
        let session = BackendSession(environment: .production, transport: transport)
        let query = [
            URLQueryItem(name: "q", value: "a+b & c=d/é?"), URLQueryItem(name: "flag", value: nil),
            URLQueryItem(name: "q", value: ""),
        ]
        _ = try await session.access(
            BackendResource<Void, [Int], NoAuth>(path: .api(.core, "/v1/São Paulo/50%?#"), method: .GET, query: query))
        #expect(
            urls.value == [
                "https://api.example.com/v1/S%C3%A3o%20Paulo/50%25%3F%23?q=a%2Bb%20%26%20c%3Dd%2F%C3%A9%3F&flag&q="
            ])
    }

    private typealias Resource = BackendResource<Void, Void, NoAuth>

    private static let injections: [Resource] = [
        Resource(path: .api(.core, "/v1/\r\nHost: evil"), method: .GET),
        Resource(path: .api(.core, "/v1/a\u{0}b"), method: .GET),
        Resource(path: .api(.core, "/v1/../admin"), method: .GET),
        Resource(path: .api(.core, "//evil.example.org/"), method: .GET),
        Resource(path: .api("unknown", "/v1"), method: .GET),
        Resource(path: .api(.core, "/v1"), method: HTTPMethod(rawValue: "GET / HTTP/1.1\r\n"), headers: [:]),
        Resource(path: .api(.core, "/v1"), method: .GET, query: [URLQueryItem(name: "a", value: "b\nc")]),
        Resource(path: .api(.core, "/v1"), method: .GET, query: [URLQueryItem(name: "a\r", value: nil)]),
        Resource(path: .api(.core, "/v1"), method: .GET, query: [URLQueryItem(name: "a", value: "\u{0}")]),
        Resource(path: .api(.core, "/v1"), method: .GET, headers: ["X-Name": "a\r\nX-Admin: 1"]),
        Resource(path: .api(.core, "/v1"), method: .GET, headers: ["X-Name": "a\u{0}"]),
        Resource(path: .api(.core, "/v1"), method: .GET, headers: ["X Name": "a"]),
        Resource(path: .api(.core, "/v1"), method: .GET, headers: ["X-Name:\n": "a"]),
        Resource(path: .api(.core, "/v1"), method: .GET, headers: ["": "a"]),
        Resource(path: .absolute(URL(filePath: "/etc/passwd")), method: .GET),
    ]

    @Test(
        "A text that could end a line, name a host or climb out of the path is refused before it is sent",
        arguments: injections)
    func refused(_ resource: BackendResource<Void, Void, NoAuth>) async {
        let backend = CannedBackend()
        let session = backend.session()
        let error = await failure { () async throws(CoreError) in try await session.access(resource) }
        guard case .request(let failure) = error else { return recordUnexpected(error) }
        #expect(!failure.reason.isEmpty && !failure.reason.contains { $0.isNewline })
        #expect(backend.requests.isEmpty)
    }

    @Test("A GET with a body is refused with a reason")
    func bodyOfGET() async {
        let resource = BackendResource<Address, Void, NoAuth>(path: .api(.core, "/v1"), method: .GET)
        let session = BackendSession(environment: .local(port: 1))
        let error = await failure { () async throws(CoreError) in try await session.access(resource, with: address) }
        #expect(
            error == .request(RequestFailure("A GET request cannot have a body. Use the query, or another method.")))
    }

    @Test("Header fields are found and compared whatever the case of their names")
    func headers() {
        var headers: HTTPHeaders = ["Accept": "a", "ACCEPT": "b", "X": "y"]
        #expect(headers["accept"] == "b")
        #expect(headers.count == 2)
        headers["x"] = nil
        #expect(headers == ["accept": "b"])
        #expect(headers.merging(["Accept": "c", "D": "e"]) == ["D": "e", "Accept": "c"])
    }

    @Test(
        "Every error prints as a sentence without secrets",
        arguments: [
            CoreError.request(RequestFailure("It is bad.")),
            .encoding(EncodingFailure(path: "a[1]", reason: "It is bad.")),
            .network(NetworkFailure(.offline)), .network(NetworkFailure(.cannotFindHost, url: "https://a.b")),
            .network(NetworkFailure(.timedOut, url: "https://a.b", detail: "5 s")),
            .network(NetworkFailure(.insecureConnection)),
            .network(NetworkFailure(.other(code: -1))), .status(StatusFailure(code: 404)),
            .status(StatusFailure(code: 999)),
            .parsing(ParsingFailure(path: "cities[2].name", reason: "It is bad.")), .cancelled,
            .authentication(.missingCredentials(kind: "Kong", reason: "It is bad.")),
            .authentication(.refreshFailed(kind: "Kong", reason: "It is bad.")),
            .authentication(.unreachable(kind: "Kong", NetworkFailure(.offline))),
            .authentication(.rejected(kind: "Kong", StatusFailure(code: 401))),
            .authentication(.foreignHost(kind: "Kong", host: "evil.org")),
        ])
    func sentences(_ error: CoreError) {
        let text = "\(error)"
        #expect(text.first?.isUppercase == true || text.hasPrefix("http"))
        #expect(text.hasSuffix(".") || text.hasSuffix(")"))
        #expect(!text.contains("CoreError") && !text.contains("Optional"))
        #expect(error.localizedDescription == text)
    }
}
