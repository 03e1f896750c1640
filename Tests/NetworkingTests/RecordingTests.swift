import FeedbackTesting
import Foundation
import Networking
import Testing

@Suite("Recordings")
struct RecordingTests {
    private let base = "https://api.example.com"

    /// Records the answers to requests, and returns the folder's files by their names.
    private func record(
        _ answers: [(path: String, headers: HTTPHeaders, body: String)], credentials: Credentials? = nil,
        fields: HTTPHeaders = [:], _ use: (URL) async throws -> Void = { _ in }
    ) async throws -> [String: String] {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let next = Box(0)
        let transport = StubTransport { request throws(CoreError) in
            let answer = answers[
                next.update {
                    $0 += 1; return $0 - 1
                }]
            return try TransportResponse(
                status: 200, headers: answer.headers, body: Data(answer.body.utf8), url: request.url)
        }.recording(to: folder)
        for answer in answers {
            var request = TransportRequest(url: try #require(URL(string: base + answer.path)), headers: fields)
            request.authorize(with: credentials)
            _ = try await transport.send(request)
        }
        try await use(folder)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path()).reduce(into: [:]) {
            $0[$1] = try String(contentsOf: folder.appending(path: $1), encoding: .utf8)
        }
    }

    private func replay(_ folder: URL, _ path: String) async throws -> String {
        let url = try #require(URL(string: base + path))
        return String(decoding: try await CannedBackend(folder).send(TransportRequest(url: url)).body, as: UTF8.self)
    }

    @Test("Recorded sequences come back in their order, beyond ten too")
    func order() async throws {
        let answers = (1...12).map { (path: "/v1/queue", headers: HTTPHeaders(), body: "[\($0)]") }
        _ = try await record(answers) { folder in
            let backend = try CannedBackend(folder)
            for number in 1...12 {
                let url = try #require(URL(string: "\(base)/v1/queue"))
                let answer = try await backend.send(TransportRequest(url: url))
                #expect(String(decoding: answer.body, as: UTF8.self) == "[\(number)]")
            }
        }
    }

    @Test("Paths that look alike do not overwrite each other")
    func collisions() async throws {
        let paths = ["/items/1", "/items/1", "/items/1/2", "/items-1-2", "/items/1.2", "/Items/1/2"]
        let answers = paths.enumerated().map { (path: $1, headers: HTTPHeaders(), body: "[\($0)]") }
        let files = try await record(answers) { folder in
            for (number, path) in paths.enumerated() where path != "/items/1" {
                let body = try await replay(folder, path)
                #expect(body == "[\(number)]")
            }
        }
        #expect(files.count == paths.count)
    }

    @Test("A long path does not fail the request, and two that begin alike keep files of their own")
    func longPaths() async throws {
        let long = "/" + String(repeating: "ä", count: 400)
        let encoded = long.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? long
        let answers = ["1", "2"].map { (path: encoded + $0, headers: HTTPHeaders(), body: "[\($0)]") }
        let files = try await record(answers) { folder in
            let (first, second) = (try await replay(folder, encoded + "1"), try await replay(folder, encoded + "2"))
            #expect(first == "[1]" && second == "[2]")
        }
        #expect(files.count == 2)
    }

    @Test("Numbers and the order of keys stay as they were written")
    func numbers() async throws {
        let body = #"{"z":1.0,"a":1e400,"n":-0,"big":123456789012345678901234567890,"s":"a\/b"}"#
        let files = try await record([("/v1/numbers", [:], body)]) { folder in
            let replayed = try await replay(folder, "/v1/numbers")
            #expect(replayed == body)
        }
        #expect(files["get-v1-numbers.json"]?.contains("\"big\": 123456789012345678901234567890") == true)
    }

    @Test("Credentials are nowhere: not in header values, query values, paths, names or encoded text")
    func noCredentials() async throws {
        let secret = "s3/cr+et k=y"
        let form = "s3%2Fcr%2Bet%20k%3Dy"
        let credentials = Credentials(headers: ["X-Device": secret, "Authorization": "Basic YW5uYTpwYXNzd29yZDE="])
        let path = "/reset/\(form)/x?next=%2Fhome%3Fu%3D\(form)&code=4711abc&page=2"
        let body = #"""
            {"link": "https://a/?x=s3%2fcr%2bet+k%3dy", "again": "s3\/cr+et k=y", "pin": 1234, "twice": "s3%252Fcr%252Bet%2520k%253Dy",
             "url": "/cb?jwt=eyJhbGciOi&x=1", "basic": "password1", "raw": "YW5uYTpwYXNzd29yZDE=", "cookie": "sid-77777", "key": "k-99"}
            """#
        let headers: HTTPHeaders = [
            "Location": "/cb?access_token=new-token&state=1", "X-Echo": secret, "Set-Cookie": "sid=sid-77777; Secure",
            "Link": "</v1?cursor=7&sig=abcdef>; rel=next",
        ]
        let answers = [(path: path, headers: headers, body: body)]
        let files = try await record(answers, credentials: credentials, fields: ["X-Api-Key": "field-key-1"]) {
            folder in
            let replayed = try await replay(folder, path)
            #expect(replayed.contains("\"pin\":0") && replayed.contains("x=1"))
        }
        #expect(files.count == 1)
        let text = files.map { $0 + $1 }.joined()
        for part in [
            "cr+et", "cr%2", "cr%252", "4711abc", "eyJ", "password1", "YW5uYT", "77777", "k-99", "new-token", "abcdef",
            "1234",
        ] {
            #expect(!text.contains(part), "\(part) is left.")
        }
        #expect(text.contains("state=1") && text.contains("cursor=7") && text.contains("\"page\": \"2\""))
    }

    @Test("A failure holds no credentials either, neither in its URL nor in its text")
    func noCredentialsInFailures() throws {
        var request = TransportRequest(url: try #require(URL(string: base + "/users/t0ken-77/films")))
        request.authorize(with: .bearer("t0ken-77"))
        let status = StatusFailure(
            code: 500, body: Data(#"{"error": "t0ken-77", "password": "pw-1234"}"#.utf8),
            headers: ["Set-Cookie": "sid=c00kie-5", "X-Echo": "c00kie-5"], request: "GET \(base)/users/t0ken-77/films")
        let text = "No t0ken-77 here."
        let failures: [CoreError] = [
            .network(NetworkFailure(.timedOut, url: "\(base)/users/t0ken-77/films", detail: text)), .status(status),
            .request(RequestFailure(text)), .encoding(EncodingFailure(path: "t0ken-77", reason: text)),
            .parsing(.init(path: "t0ken-77", reason: text, place: .init(line: 1, column: 1, excerpt: text))),
            .authentication(.missingCredentials(kind: "user", reason: text)),
            .authentication(.refreshFailed(kind: "user", reason: text)),
            .authentication(.unreachable(kind: "user", NetworkFailure(.timedOut, detail: text))),
            .authentication(.rejected(kind: "user", status)),
            .authentication(.foreignHost(kind: "user", host: "t0ken-77.example.com")), .cancelled,
        ]
        for failure in failures {
            let answer = CannedAnswer(failure, of: request, redaction: Redaction())
            guard case .failure(let kept) = answer.outcome else {
                Issue.record("\(answer.outcome)")
                continue
            }
            for secret in ["t0ken", "c00kie", "pw-1234"] { #expect(!String(reflecting: kept).contains(secret)) }
        }
        let answered = CannedAnswer(failures[1], of: request, redaction: Redaction())
        guard case .failure(.status(let kept)) = answered.outcome else {
            Issue.record("\(answered.outcome)")
            return
        }
        #expect(kept.code == 500 && kept.request == "GET \(base)/users/<redacted>/films")
        #expect(kept.headers["X-Echo"] == "<redacted>" && kept.headers["Set-Cookie"] == "<redacted>")
        #expect(kept.body(as: [String: String].self) == ["error": "<redacted>", "password": "<redacted>"])
        let network = CannedAnswer(failures[0], of: request, redaction: Redaction())
        let file = String(decoding: try network.file(), as: UTF8.self)
        #expect(file.contains("\(base)/users/<redacted>/films") && file.contains("No <redacted> here."))
    }

    /// Returns the body of a recorded answer to a request with a credential.
    private func recorded(_ body: String, authorization: String) throws -> String {
        var request = TransportRequest(url: try #require(URL(string: base)))
        request.authorize(with: Credentials(headers: ["Authorization": authorization]))
        let response = try TransportResponse(status: 200, headers: [:], body: Data(body.utf8), url: request.url)
        guard case .response(_, _, let kept) = CannedAnswer(response, to: request, redaction: Redaction()).outcome
        else { return "" }
        return String(decoding: kept, as: UTF8.self)
    }

    @Test(
        "A secret in JSON is found also in a body that is not JSON as a whole",
        arguments: [
            "\u{FEFF}{\"access_token\":\"abcdef\"}", "{\"a\":1}\n{\"access_token\": \"abcdef\"}\n",
            "data: {\"access_token\":\"abcdef\"}\n\n", "callback({\"access_token\":\"abcdef\"})",
            "{\"access_token\" : \"abcdef\",}", "{\"pin\":1,\"pin\":\"abcdef\"}",
            "{\"tokens\":[1,{\"x\":\"abcdef\"}],}",
            "say \"hi {\"access_token\":\"ab\\\"cdef\"},", "{\"a\":\"{\\\"token\\\":\\\"abcdef\\\"}\",}",
            "{\"access_token\":\"abcdef",
        ])
    func almostJSON(body: String) throws {
        let kept = try recorded(body, authorization: "Bearer x")
        #expect(!kept.contains("cdef") && kept.contains(Redaction.mark), "\(kept)")
    }

    @Test("A text that holds no secret stays as it is", arguments: ["\": {\"a\": \"b:\", \"c\" :", "5\": \"\"", ":\""])
    func noSecret(body: String) throws {
        #expect(try recorded(body, authorization: "Bearer x") == body)
    }

    @Test("Each of several cookies and of several secrets in one field is a secret")
    func severalSecrets() async throws {
        let headers: HTTPHeaders = [
            "Set-Cookie":
                "theme=dark; Path=/; Expires=Wed, 21 Oct 2015 07:28:00 GMT, session=S3CRETS3CRET; HttpOnly, b=K00KIE-B",
            "X-Auth-Token": "first-t0ken, second-t0ken",
        ]
        let body = #"["S3CRETS3CRET", "K00KIE-B", "first-t0ken", "second-t0ken", "21 Oct"]"#
        let files = try await record([(path: "/v1", headers: headers, body: body)])
        let text = files.values.joined()
        for secret in ["S3CRET", "K00KIE", "t0ken"] { #expect(!text.contains(secret)) }
        #expect(text.contains("21 Oct"))
    }

    @Test("The name of a scheme without credentials is recorded, too", arguments: ["Basic", "Bearer"])
    func schemeAlone(scheme: String) async throws {
        let files = try await record([("/v1", [:], "[1]")], fields: ["Authorization": scheme])
        #expect(files.count == 1)
    }

    @Test("The attributes of a cookie are not secrets")
    func cookieAttributes() async throws {
        let headers: HTTPHeaders = ["Set-Cookie": "sid=sid-77777; Path=/v1/home"]
        let files = try await record([("/v1/login", headers, #"{"next": "/v1/home", "again": "sid-77777"}"#)])
        let text = try #require(files["get-v1-login.json"])
        #expect(text.contains("\"next\": \"/v1/home\"") && !text.contains("77777"))
    }

    @Test("A download is recorded with its body")
    func download() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (canned, file) = (folder.appending(path: "canned"), folder.appending(path: "a.zip"))
        var request = TransportRequest(url: try #require(URL(string: base + "/a.zip")))
        request.destination = .file(file)
        let bytes = Data([0x50, 0x4B, 0, 0xFF])
        let transport = StubTransport { request throws(CoreError) in
            try TransportResponse(
                status: 200, body: try request.destination.deliver(bytes, status: 200, from: request.url),
                url: request.url)
        }
        _ = try await transport.recording(to: canned).send(request)
        try FileManager.default.removeItem(at: file)
        _ = try await CannedBackend(canned).send(request)
        #expect(try Data(contentsOf: file) == bytes)
    }

    @Test(
        "A failure that is not of the network cannot be in a file, where it would be a success",
        arguments: [
            .request(RequestFailure("The file is missing.")), .cancelled, .status(StatusFailure(code: 500)),
            .parsing(ParsingFailure(path: "a", reason: "It is not JSON.")),
        ] as [CoreError])
    func otherFailures(error: CoreError) throws {
        let answer = CannedAnswer(.POST, "/photos", failing: error)
        let thrown = #expect(throws: CannedError.self) { try answer.file() }
        #expect(thrown.map { "\($0)".contains("POST /photos") } == true)
    }

    @Test("The password of Basic is all that follows the first colon")
    func basicPassword() throws {
        let basic = "Basic " + Data("anna:pass:word1".utf8).base64EncodedString()
        #expect(try recorded("It is pass:word1, anna.", authorization: basic) == "It is <redacted>, anna.")
    }

    @Test("A secret has four bytes or more; a shorter one would occur in words")
    func shortSecrets() throws {
        #expect(try recorded("abcde", authorization: "Bearer abcd") == "<redacted>e")
        #expect(try recorded("abcde", authorization: "Bearer abc") == "abcde")
    }

    @Test("A percent-encoded secret is found with digits of either case", arguments: ["%C3%B0", "%c3%b0"])
    func escapes(letter: String) throws {
        #expect(try recorded("x/p\(letter)ss/y", authorization: "Bearer pðss") == "x/<redacted>/y")
    }

    @Test("A secret in JSON is replaced by a value of its type; true and false tell no secret")
    func types() throws {
        let body = #"{"token": true, "secret": null, "pin": 12, "key": [false, "a"]}"#
        let kept = try JSONDecoder().decode(Kept.self, from: Data(try recorded(body, authorization: "Bearer x").utf8))
        #expect(kept.token && kept.secret == nil && kept.pin == 0)
    }

    private struct Kept: Decodable {
        let token: Bool
        let secret: Bool?
        let pin: Int
    }
}
