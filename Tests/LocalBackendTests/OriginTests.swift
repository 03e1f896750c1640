import Foundation
import Testing

@testable import LocalBackend

@Suite("Requests of web pages")
struct OriginTests {
    private static func status(
        _ request: String, configure: @escaping (inout LocalBackend.Configuration) -> Void = { _ in }
    ) async throws -> Int {
        let backend = LocalBackend(configure: configure)
        backend.get("/") { _ in .text("here") }
        backend.post("/") { _ in .status(201) }
        return try await backend.serve { client throws in
            client.send(request)
            return try client.response().status
        }
    }

    @Test(
        "A request is answered under the names of loopback",
        arguments: ["localhost", "LOCALHOST:80", "127.0.0.1:8080", "127.1.2.3", "[::1]:80", "app.localhost"])
    func loopback(host: String) async throws {
        #expect(try await OriginTests.status("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n") == 200)
    }

    @Test(
        "A request that names another host is refused, as after DNS rebinding",
        arguments: ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1"])
    func rebinding(host: String) async throws {
        #expect(try await OriginTests.status("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n") == 421)
    }

    @Test(
        "The host of an absolute target counts, and not the Host field",
        arguments: [
            ("http://evil.example/", 421), ("http://evil.example", 421), ("http://evil.example?a=/", 421),
            ("http://localhost:80@evil.example/", 400), ("http:///", 400), ("http://?", 400),
            ("http://127.0.0.1:8080/", 200), ("http://localhost", 200), ("http://localhost?a=b/c", 200),
        ])
    func absoluteTarget(target: String, status: Int) async throws {
        #expect(try await OriginTests.status("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n") == status)
    }

    @Test("A name that is allowed is answered, and any name if the check is off")
    func allowedNames() async throws {
        let request = "GET / HTTP/1.1\r\nHost: My.Test:80\r\n\r\n"
        #expect(try await OriginTests.status(request) { $0.allowedHosts = ["my.test"] } == 200)
        #expect(try await OriginTests.status(request) { $0.allowedHosts = ["your.test"] } == 421)
        #expect(try await OriginTests.status(request) { $0.allowedHosts = nil } == 200)
    }

    @Test(
        "A write of a foreign page is refused unless it is JSON, for which the browser asks first",
        arguments: [
            ("Origin: http://evil.example\r\nContent-Type: text/plain\r\n", 403),
            ("Origin: null\r\nContent-Type: text/plain\r\n", 403), ("Origin: http://evil.example\r\n", 403),
            ("Origin: http://localhost:81\r\n", 403), ("Sec-Fetch-Site: cross-site\r\n", 403),
            ("Origin: http://evil.example\r\nContent-Type: application/json; charset=utf-8\r\n", 201),
            ("Origin: http://localhost\r\nContent-Type: text/plain\r\n", 201), ("", 201),
        ])
    func writes(fields: String, status: Int) async throws {
        let request = "POST / HTTP/1.1\r\nHost: localhost\r\n\(fields)Content-Length: 2\r\n\r\n{}"
        #expect(try await OriginTests.status(request) == status)
    }

    @Test("A page of an allowed origin may write")
    func allowedOrigins() async throws {
        let request = "POST / HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.test\r\nContent-Length: 0\r\n\r\n"
        #expect(try await OriginTests.status(request) { $0.allowedOrigins = ["https://App.test"] } == 201)
        // The Kelvin sign, whose lowercase letter is k, is not the letter of the origin.
        let other = request.replacing("app.test", with: "\u{212A}elvin.test")
        #expect(try await OriginTests.status(other) { $0.allowedOrigins = ["https://kelvin.test"] } == 403)
    }

    @Test(
        "An origin is the same with and without its scheme's own port, which proxies name",
        arguments: [
            ("localhost:80", "http://localhost", 201), ("localhost:443", "https://LOCALHOST", 201),
            ("localhost", "http://localhost:80", 201), ("localhost:443", "http://localhost", 403),
            ("localhost:8080", "http://localhost", 403), ("localhost", "https://app.test", 201),
            ("localhost", "https://app.test:443", 201), ("localhost", "https://app.test:80", 403),
        ])
    func ownPorts(host: String, origin: String, status: Int) async throws {
        let request = "POST / HTTP/1.1\r\nHost: \(host)\r\nOrigin: \(origin)\r\nContent-Length: 0\r\n\r\n"
        #expect(try await OriginTests.status(request) { $0.allowedOrigins = ["https://app.test:443/"] } == status)
    }

    @Test(
        "A handler can ask whether a page of its own sent a request",
        arguments: [
            ("http://localhost:8080", true), ("https://LocalHost:8080", true), ("http://localhost", false),
            ("null", false), (nil, false),
        ])
    func sameOrigin(origin: String?, answer: Bool) {
        var request = LocalBackend.Request(method: .post, target: "/", minorVersion: 1)
        request.headers["Host"] = "localhost:8080"
        request.headers["Origin"] = origin
        #expect(request.isSameOrigin == answer)
    }

    @Test("A handler that decodes JSON refuses a body that is declared as something else")
    func declaredType() throws {
        var request = LocalBackend.Request(method: .post, target: "/", minorVersion: 1)
        request.body = Data("[1]".utf8)
        #expect(try request.decode([Int].self) == [1])
        request.headers["Content-Type"] = "application/vnd.api+json"
        #expect(try request.decode([Int].self) == [1])
        request.headers["Content-Type"] = "text/plain"
        #expect { try request.decode([Int].self) } throws: { ($0 as? LocalBackend.Refusal)?.status == 415 }
    }
}
