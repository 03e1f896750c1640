import CannedResponses
import FeedbackTesting
import Foundation
import LocalBackend
import Networking
import Testing

@Suite("Canned answers")
struct CannedTests {
    private typealias Cities = BackendResource<Void, [City], KongAuth>

    private let cities = Cities(
        path: .api(.core, "/v1/cities"), method: .GET,
        response: { data, _ in Parser.parse(data, key: "cities", strategy: .prune) })

    @Test("A folder answers through the real session, handlers and parser")
    func folder() async throws {
        let backend = try CannedBackend(CannedResponses.folder("Networking"))
        let session = backend.session()
        let names = try await session.access(cities).map(\.name)
        #expect(names == ["London", "Zürich"])
        var secondPage = cities
        secondPage.query = [URLQueryItem(name: "sort", value: "name"), URLQueryItem(name: "page", value: "2")]
        let second = try await session.access(secondPage)
        #expect(second.isEmpty)
        #expect(backend.requests.map { "\($0)" } == ["GET /v1/cities", "GET /v1/cities?sort=name&page=2"])
    }

    @Test("Status and headers are as they were written down")
    func status() async throws {
        let session = try CannedBackend(CannedResponses.folder("Networking")).session()
        let error = await failure { () async throws(CoreError) in try await session.access(Cities.get("/v1/cities/99"))
        }
        guard case .status(let failure) = error else { return recordUnexpected(error) }
        #expect(failure.code == 404 && failure.body(as: [String: String].self) == ["reason": "There is no city 99."])
        let proxied = await NetworkingTests.failure { () async throws(CoreError) in
            try await session.access(Cities.get("/v1/proxied"))
        }
        #expect(proxied.map { "\($0)".contains("text/html") } == true)
    }

    @Test("Several answers to one request come one after the other, and the last one ever after")
    func sequence() async throws {
        let backend = try CannedBackend(CannedResponses.folder("Networking"))
        let session = backend.session { $0.transport = backend.retrying(RetryPolicy(jitter: 0)) }
        let queue = BackendResource<Void, [Int], KongAuth>.get("/v1/queue")
        for _ in 0..<2 {
            let numbers = try await session.access(queue)
            #expect(numbers == [1, 2, 3])
        }
        #expect(backend.requests.count == 3)
    }

    @Test("A request that no transport sends is not answered either")
    func impossibleRequest() async throws {
        let backend = CannedBackend([CannedAnswer(.GET, "/v1/cities", body: "[]")])
        let resource = BackendResource<[Int], [City], NoAuth>(path: .api(.core, "/v1/cities"), method: .GET)
        let error = await failure { () async throws(CoreError) in
            try await backend.session().access(resource, with: [1])
        }
        guard case .request(let failure) = error else { return recordUnexpected(error) }
        #expect(failure.reason.contains("A GET request cannot have a body."))
    }

    @Test("A request that nothing answers fails and says what it could have been")
    func unexpected() async throws {
        let session = try CannedBackend(CannedResponses.folder("Networking")).session()
        var thirdPage = cities
        thirdPage.query = [URLQueryItem(name: "page", value: "3"), URLQueryItem(name: "sort", value: "name")]
        let error = await failure { () async throws(CoreError) in try await session.access(thirdPage) }
        guard case .request(let failure) = error else { return recordUnexpected(error) }
        let lines = failure.reason.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect("\(CoreError.request(failure))".hasPrefix("The request was not sent: Nothing answers GET /v1/cities"))
        #expect(lines[0] == "Nothing answers GET /v1/cities?page=3&sort=name. These are answered, the likeliest first:")
        #expect(lines.dropFirst().prefix(2).contains("GET /v1/cities?page=2&sort=name (cities-page-2.json)"))
        #expect(lines.last == #"The request has "query":{"page":"3","sort":"name"}"#)
    }

    @Test("A test asserts on headers and body")
    func recorded() async throws {
        let backend = try CannedBackend(CannedResponses.folder("Networking"))
        let resource = BackendResource<[String: Int], Void, ClinicalAuth>(
            path: .api(.core, "/v1/cities/delivery"), method: .POST, headers: ["X-Trace": "7"])
        try await backend.session().access(resource, with: ["house": 221])
        let request = try #require(backend.requests.first)
        #expect(request.headers["X-Trace"] == "7" && request.headers["Authorization"] == "Bearer canned")
        #expect(try request.decode([String: Int].self) == ["house": 221])
    }

    @Test("Answers can be given in code, failures of the network too, and come before the folder's")
    func inCode() async throws {
        let backend = try CannedBackend(CannedResponses.folder("Networking"))
        backend.answer(CannedAnswer(.GET, "/v1/cities", failing: .network(NetworkFailure(.timedOut))))
        let error = await failure { () async throws(CoreError) in try await backend.session().access(cities) }
        #expect(error == .network(NetworkFailure(.timedOut)))
    }

    @Test("An answer given in code comes before all that fit the request, and leaves other requests where they were")
    func overrides() async throws {
        let backend = try CannedBackend(CannedResponses.folder("Networking"))
        let session = backend.session()
        let queue = BackendResource<Void, [Int], KongAuth>.get("/v1/queue")
        let first = await failure { () async throws(CoreError) in try await session.access(queue) }
        backend.answer(CannedAnswer(.GET, "/v1/\(Redaction.mark)", body: "[7]"))
        for _ in 0..<2 {
            let numbers = try await session.access(queue)
            #expect(numbers == [7])
        }
        backend.answer(CannedAnswer(.GET, "/v1/cities", body: #"{"cities": []}"#))
        let none = try await session.access(cities)
        #expect(none.isEmpty && first != nil)
    }

    @Test("An answer given in code does not begin the answers to other requests again")
    func overridesKeepSequences() async throws {
        let backend = try CannedBackend(CannedResponses.folder("Networking"))
        let session = backend.session()
        let queue = BackendResource<Void, [Int], KongAuth>.get("/v1/queue")
        let first = await failure { () async throws(CoreError) in try await session.access(queue) }
        backend.answer(CannedAnswer(.GET, "/v1/cities", failing: .network(NetworkFailure(.timedOut))))
        let numbers = try await session.access(queue)
        #expect(first != nil && numbers == [1, 2, 3])
    }

    @Test("An answer given in code can be taken back: what was given before it answers again")
    func takenBack() async throws {
        let backend = CannedBackend([CannedAnswer(.GET, "/v1/cities", body: "[]")])
        let session = backend.session()
        let numbers = BackendResource<Void, [Int], KongAuth>.get("/v1/cities")
        let first = backend.answer(CannedAnswer(.GET, "/v1/cities", body: "[1]"))
        let second = backend.answer(CannedAnswer(.GET, "/v1/cities", body: "[2]"))
        #expect(try await session.access(numbers) == [2])
        second.dispose()
        #expect(try await session.access(numbers) == [1])
        backend.answer(CannedAnswer(.GET, "/v1/cities", body: "[3]"))
        first.dispose()
        first.dispose()
        #expect(try await session.access(numbers) == [3])
    }

    @Test("Without a network each request fails, and no answer is used up")
    func offline() async throws {
        let backend = try CannedBackend(CannedResponses.folder("Networking"))
        let session = backend.session()
        let queue = BackendResource<Void, [Int], KongAuth>.get("/v1/queue")
        backend.answer(CannedAnswer(.GET, "/v1/cities", body: #"{"cities": []}"#))
        backend.isOffline = true
        for _ in 1...2 {
            let error = await failure { () async throws(CoreError) in try await session.access(queue) }
            guard case .network(let failure) = error else { return recordUnexpected(error) }
            #expect(failure.reason == .offline && failure.url.hasSuffix("/v1/queue"))
        }
        #expect(backend.isOffline && backend.requests.count == 2)
        backend.isOffline = false
        let busy = await failure { () async throws(CoreError) in try await session.access(queue) }
        guard case .status(let status) = busy else { return recordUnexpected(busy) }
        #expect(status.code == 503)
        #expect(try await session.access(queue) == [1, 2, 3])
    }

    @Test("A file can hold a failure of the network, in a folder of any name")
    func failureInFile() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID()) canned ü")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let text = #"{"request": {"path": "/v1/cities"}, "failure": {"reason": "other", "code": 7, "detail": "late"}}"#
        try Data(text.utf8).write(to: folder.appending(path: "cities.json"))
        let session = try CannedBackend(folder).session()
        let error = await failure { () async throws(CoreError) in try await session.access(cities) }
        #expect(error == .network(NetworkFailure(.other(code: 7), detail: "late")))
    }

    @Test("Each mark in a path stands for any text, and the text between two marks for itself")
    func marks() async throws {
        let mark = Redaction.mark
        let session = CannedBackend([CannedAnswer(.GET, "/users/\(mark)/films/\(mark)", body: "[]")]).session()
        let films = try await session.access(Cities.get("/users/1/films/2"))
        #expect(films.isEmpty)
        let error = await failure { () async throws(CoreError) in
            try await session.access(Cities.get("/users/1/books/2"))
        }
        guard case .request = error else { return recordUnexpected(error) }
    }

    @Test("A folder that cannot be read says why")
    func badFolder() throws {
        #expect(throws: CannedError.self) { try CannedBackend(CannedResponses.folder("Nowhere")) }
        try withTemporaryFolder { folder in
            for text in [
                "not json", "{}", #"{"request": {"path": "/", "query": 5}}"#,
                #"{"request": {"path": "/"}, "response": {"base64": "*"}}"#,
            ] {
                try Data(text.utf8).write(to: folder.appending(path: "bad.json"))
                let error = #expect(throws: CannedError.self) { try CannedBackend(folder) }
                #expect(error?.description.contains("bad.json") == true)
            }
        }
    }

    @Test(
        "A field that is not known is refused, and so are two bodies and wrong types",
        arguments: [
            (#"{"request": {"path": "/"}, "response": {"stauts": 404}}"#, "stauts"),
            (#"{"request": {"path": "/", "methd": "POST"}}"#, "methd"),
            (#"{"request": {"path": "/"}, "respnse": {}}"#, "respnse"),
            (#"{"request": {"path": "/"}, "response": {"text": "a", "body": []}}"#, "Give one of them"),
            (#"{"request": {"path": "/"}, "response": {}, "failure": {"reason": "offline"}}"#, "Give one of them"),
            (#"{"request": {"path": "/"}, "failure": {"reason": "late"}}"#, "late"),
            (#"{"request": {"path": "/"}, "response": {"status": "404"}}"#, "status"),
            (#"{"request": {"path": "/"}, "response": {"headers": {"A": 1}}}"#, "headers"),
            (#"{"request": {"path": "/"}, "response": {"file": "../secret"}}"#, "not in its folder"),
            (#"{"request": {"path": "/"}, "response": {"file": "none.bin"}}"#, "none.bin"),
            ("{\n \"request\" 5}", "line 2"),
        ])
    func misspelt(text: String, word: String) throws {
        try withTemporaryFolder { folder in
            try Data(text.utf8).write(to: folder.appending(path: "bad.json"))
            let error = #expect(throws: CannedError.self) { try CannedBackend(folder) }
            #expect(error?.description.contains("bad.json") == true && error?.description.contains(word) == true)
            #expect(error?.description.contains("NSError") == false && error?.description.contains("Domain=") == false)
        }
    }

    @Test("The body of an answer can be a file")
    func rawFile() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let bytes = Data([0, 0xFF, 7])
        try bytes.write(to: folder.appending(path: "photo.jpg"))
        let text =
            #"{"request": {"path": "/photo"}, "response": {"headers": {"Content-Type": "image/jpeg"}, "file": "photo.jpg"}}"#
        try Data(text.utf8).write(to: folder.appending(path: "photo.json"))
        let photo = BackendResource<Void, Data, KongAuth>(
            path: .api(.core, "/photo"), method: .GET, response: { data, _ in .success(data) })
        let answer = try await CannedBackend(folder).session().access(photo)
        #expect(answer == bytes)
    }

    @Test("A recording of a live backend answers the same, and holds no secret")
    func recording() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let login = BackendResource<Void, [String: String], KongAuth>(
            path: .api(.core, "/v1/login"), method: .GET,
            query: [URLQueryItem(name: "api_key", value: "s3cret"), URLQueryItem(name: "page", value: "1")])
        let binary = BackendResource<Void, Data, KongAuth>(
            path: .api(.core, "/v1/binary"), method: .GET, response: { data, _ in .success(data) })
        let bytes = Data([0, 0xFF, 0xC0, 7])
        try await withBackend(
            credentials: FixedCredentials(.bearer("s3cret")), transport: DefaultTransport().recording(to: folder)
        ) { backend, session in
            backend.get("/v1/login") { _ in
                .json(
                    ["access_token": "s3cret-2", "name": "Anna", "echo": "s3cret"], headers: ["Set-Cookie": "s3cret"])
            }
            backend.get("/v1/cities") { _ in
                .json([City(id: 1, name: "London")], status: 203, headers: ["ETag": "\"7\""])
            }
            backend.get("/v1/binary") { _ in .data(bytes, contentType: "application/octet-stream") }
            _ = try await session.access(login)
            _ = try await session.access(Cities.get("/v1/cities"))
            _ = try await session.access(binary)
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
        #expect(files == ["get-v1-binary.json", "get-v1-cities.json", "get-v1-login.json"])
        for file in files {
            #expect(!(try String(contentsOf: folder.appending(path: file), encoding: .utf8)).contains("s3cret"))
        }
        let session = try CannedBackend(folder).session()
        let answer = try await session.access(login)
        #expect(answer == ["access_token": "<redacted>", "name": "Anna", "echo": "<redacted>"])
        let replayed = try await session.access(Cities.get("/v1/cities"))
        #expect(replayed == [City(id: 1, name: "London")])
        let replayedBytes = try await session.access(binary)
        #expect(replayedBytes == bytes)
    }

    private func withTemporaryFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }
}
