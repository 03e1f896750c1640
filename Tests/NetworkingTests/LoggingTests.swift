import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Testing

@testable import Networking

@Suite("Logging and redaction")
struct LoggingTests {
    @Test("Requests and answers are logged, secrets are not")
    func logs() async throws {
        let lines = Box<[String]>([])
        try await withBackend(
            credentials: FixedCredentials(
                Credentials(headers: ["Authorization": "Bearer s3cret", "X-Device": "s3cret"])),
            transport: DefaultTransport().logging { line in lines.update { $0.append(line) } }
        ) { backend, session in
            backend.get("/v1") { _ in .json([1]) }
            let resource = BackendResource<Void, [Int], KongAuth>(
                path: .api(.core, "/v1"), method: .GET,
                query: [URLQueryItem(name: "access_token", value: "s3cret"), URLQueryItem(name: "page", value: "2")],
                headers: ["X-Api-Key": "s3cret", "X-Trace": "7"])
            _ = try await session.access(resource)
            await backend.stop(within: .zero)
            _ = await failure { () async throws(CoreError) in try await session.access(resource) }
        }
        let log = lines.value.joined(separator: "\n")
        #expect(!log.contains("s3cret"))
        #expect(log.contains("X-Trace: 7") && log.contains("page=2") && log.contains("Authorization: <redacted>"))
        #expect(lines.value.map { $0.prefix(1) } == ["→", "←", "→", "✕"])
    }

    @Test(
        "Of each body as many bytes are logged as was asked for, on lines of their own",
        arguments: [
            (0, "one\ntwo", ""), (7, "one\ntwo", "\n  one\n  two"), (6, "one\ntwo", "\n  one\n  tw … (7 bytes)"),
            (9, "a\0b", "\n  (not text)"), (9, "", ""), (20, "pin=1&a=2", "\n  pin=<redacted>&a=2"),
        ])
    func bodies(limit: Int, body: String, logged: String) async throws {
        let lines = Box<[String]>([])
        let transport = StubTransport { request throws(CoreError) in
            try TransportResponse(status: 200, body: Data(body.utf8), url: request.url)
        }.logging(bodies: limit) { line in lines.update { $0.append(line) } }
        let url = try #require(URL(string: "https://a/b"))
        _ = try await transport.send(TransportRequest(method: .POST, url: url, body: .data(Data(body.utf8))))
        #expect(lines.value.first == "→ POST https://a/b (\(body.utf8.count) bytes)\(logged)")
        let end = try #require(lines.value.last)
        #expect(end.hasPrefix("← 200 POST https://a/b (") && end.hasSuffix(" ms, \(body.utf8.count) bytes)\(logged)"))
    }

    @Test(
        "Secrets are known by the names of fields, items and keys",
        arguments: [
            "Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-API-Key", "api_key", "accessToken",
            "refresh_token",
            "PASSWORD", "client_secret", "pin", "key", "sig", "code", "jwt", "session", "pwd", "auth", "X-Auth-User",
            "X-Auth", "id_jwt", "oauth_verifier", "auth_code", "PHPSESSID", "passcode", "subscription-key", "app_key",
            "client_assertion", "SAMLResponse", "bearer", "totp", "hmac", "X-Amz-Signature", "signing_key",
        ])
    func secretNames(_ name: String) { #expect(Redaction().isSecret(name)) }

    @Test(
        "Other names are not",
        arguments: [
            "Accept", "ETag", "page", "name", "spinning", "shipping", "author", "postal_code", "statusCode", "sessions",
            "keyboard", "primary_key", "signal", "authors",
        ])
    func otherNames(_ name: String) { #expect(!Redaction().isSecret(name)) }

    @Test("Secret items are marked wherever they stand in a text")
    func texts() {
        let text = "see https://a/b?token=s3cret&page=2 or next=%2Fx%3Ftoken%3Ds3cret%26q%3D1; sig=s3cret"
        #expect(
            Redaction().text(text)
                == "see https://a/b?token=<redacted>&page=2 or next=%2Fx%3Ftoken%3D<redacted>%26q%3D1; sig=<redacted>")
    }

    @Test(
        "Secret items are marked whole in quotes, and under a name in brackets",
        arguments: [
            (#"<login password="hun ter2"/>"#, #"<login password="<redacted>"/>"#),
            ("token='abc' x", "token='<redacted>' x"), ("token='abc", "token='<redacted>"),
            (#"{"note":"token=\"a,b\" c"}"#, #"{"note":"token=\"<redacted>\" c"}"#),
            (#"password="a\"b" c"#, #"password="<redacted>" c"#),
            (#"{"q":"token=","b":1}"#, #"{"q":"token=<redacted>","b":1}"#),
            ("user[password]=hunter2&q=1", "user[password]=<redacted>&q=1"),
            ("user%5Bpassword%5D=hunter2", "user%5Bpassword%5D=<redacted>"), ("list[0]=1&a[b]=2", "list[0]=1&a[b]=2"),
        ])
    func quotedAndNested(text: String, marked: String) {
        #expect(Redaction().text(text) == marked)
        #expect(Redaction().text(marked) == marked)
    }

    @Test(
        "A text whose secrets are marked stays the same",
        arguments: ["?token=<redacted>&page=2", "token=<redacted>, pin=<redacted>", #"{"token":"<redacted>"}"#])
    func marked(text: String) { #expect(Redaction().text(text) == text) }

    @Test(
        "A secret member of JSON is marked whole, also in JSON within a string of JSON, and nothing after it is",
        arguments: [
            (#"{"token":"a","b":"c"}"#, #"{"token":"<redacted>","b":"c"}"#),
            (#"{"token":"a\"b\\","b":"c"}"#, #"{"token":"<redacted>","b":"c"}"#),
            (#"{"token":"","b":"c"}"#, #"{"token":"<redacted>","b":"c"}"#),
            (#"{"pin": 12, "b":"c"}"#, #"{"pin": "<redacted>", "b":"c"}"#),
            (#"{"password": p4ss\w0rd, "b": 1}"#, #"{"password": "<redacted>", "b": 1}"#),
            (#"{"token": 'ab"cd'}"#, #"{"token": "<redacted>"}"#),
            (#"{"keys":{},"key":{"x":["]}",{}]},"b":"c"}"#, #"{"keys":{},"key":"<redacted>","b":"c"}"#),
            (#""{\"token\":\"\",\"b\":\"c\"}""#, #""{\"token\":\"<redacted>\",\"b\":\"c\"}""#),
            (#""{\"token\":\"a\\\"d\\\\\",\"b\":\"c\"}""#, #""{\"token\":\"<redacted>\",\"b\":\"c\"}""#),
            (#"["{\"token\":\"a", {"b":"c"}]"#, #"["{\"token\":\"<redacted>\"", {"b":"c"}]"#),
            (#""{\"pin\":12,\"b\":\"c\"}""#, #""{\"pin\":\"<redacted>\",\"b\":\"c\"}""#),
            (#"["{\"pin\":12", {"b":"c"}]"#, #"["{\"pin\":\"<redacted>\"", {"b":"c"}]"#),
            (
                #"["{\"key\":{\n \"x\":\"}\\\"]\"},\"b\":\"c\"}", 7]"#,
                #"["{\"key\":\"<redacted>\",\"b\":\"c\"}", 7]"#
            ),
            (
                #""\"{\\\"token\\\":\\\"a\\\\\\\"d\\\",\\\"b\\\":1}\"""#,
                #""\"{\\\"token\\\":\\\"<redacted>\\\",\\\"b\\\":1}\"""#
            ),
            (#"{"token" "a", "b": "c"}"#, #"{"token" "a", "b": "c"}"#), (#"{"token":"#, #"{"token":"#),
            (#"{"token": [{"a": "b""#, #"{"token": "<redacted>""#),
        ])
    func members(text: String, marked: String) { #expect(Redaction().text(text) == marked) }

    @Test("A text is read once, also if a long run in it could be a name", arguments: ["", "=1"])
    func longRuns(end: String) {
        let text = "x=1&" + String(repeating: "a", count: 200_000) + end
        let time = ContinuousClock().measure { #expect(Redaction().text(text) == text) }
        #expect(time < .seconds(20))
    }

    @Test("A URL is logged without user and password")
    func urls() throws {
        let url = try #require(URL(string: "https://anna:pw@example.com/a?token=t&q=1#frag"))
        #expect(Redaction().url(url) == "https://example.com/a?token=<redacted>&q=1")
        let next = try #require(URL(string: "https://example.com/login?next=%2Fcb%3Ftoken%3Ds3cret"))
        #expect(Redaction().url(next) == "https://example.com/login?next=%2Fcb%3Ftoken%3D<redacted>")
    }
}
