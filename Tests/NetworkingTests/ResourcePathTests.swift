import Foundation
import Testing

@testable import Networking

/// Taking an address apart takes as long as setting up libcurl for a request, so most are not.
@Suite("Addresses")
struct ResourcePathTests {
    @Test(
        "An address with nothing to encode is not taken apart",
        arguments: ["http://a", "http://a/", "https://a.b-c_d~e:8443", "http://127.0.0.1:80/v1/", "http://A/0Zz9/x"],
        ["/", "/v1", "/v1/", "/0Zz9/a.b/c-d_e~f"])
    func plain(base: String, path: String) throws {
        let url = try #require(URL(string: base))
        let expected = (base.hasSuffix("/") ? String(base.dropLast()) : base) + path
        #expect(ResourcePath.plainURL(from: url, path: path)?.absoluteString == expected)
    }

    @Test(
        "An address that has something to encode or to check is taken apart",
        arguments: [
            ("ftp://a", "/x"), ("http://user@a/", "/x"), ("http://a:/", "/x"), ("http://a:", "/x"),
            ("http://a//", "/x"),
            ("http://[::1]", "/x"), ("http://a?q", "/x"), ("http://a#f", "/x"), ("http:///a", "/x"), ("http://a", ""),
            ("http://a", "x"), ("http://a", "//x"), ("http://a", "/x//y"), ("http://a", "/./x"), ("http://a", "/x/.."),
            ("http://a", "/a b"), ("http://a", "/a%20b"), ("http://a", "/a?b"), ("http://a", "/a:b"),
        ])
    func other(base: String, path: String) throws {
        #expect(ResourcePath.plainURL(from: try #require(URL(string: base)), path: path) == nil)
    }

    @Test("The scheme of an address may be in any case", arguments: ["HTTP://Example.com/v1", "Https://[::1]/v1"])
    func scheme(base: String) throws {
        let environment = BackendEnvironment(name: "test", services: [.core: try #require(URL(string: base))])
        let path = ResourcePath.api(.core, "/cities")
        #expect(try path.url(in: environment, query: []).get().absoluteString == base + "/cities")
    }

    @Test(
        "An international name is one server, however it is written",
        arguments: [
            "http://bücher.de", "http://b%C3%BCcher.de/", "http://xn--bcher-kva.de:80", "http://B%c3%bccher.DE",
        ])
    func internationalName(base: String) throws {
        let environment = BackendEnvironment(name: "test", services: [.core: try #require(URL(string: base))])
        let url = try ResourcePath.api(.core, "/cities").url(in: environment, query: []).get()
        #expect(environment.hasService(at: url))
        #expect(Origin(url) == Origin(try #require(URL(string: "http://xn--bcher-kva.de/"))))
    }
}
