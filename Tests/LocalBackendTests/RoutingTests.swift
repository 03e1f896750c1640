import Foundation
import Testing

@testable import LocalBackend

@Suite("Routing")
struct RoutingTests {
    @Test("A literal segment wins over a parameter, whatever was added first")
    func literalWins() throws {
        for patterns in [["/a/:id", "/a/b"], ["/a/b", "/a/:id"]] {
            let router = Router(patterns)
            #expect(router.pattern(of: "/a/b") == "/a/b")
            #expect(router.pattern(of: "/a/c") == "/a/:id")
        }
    }

    @Test("The first differing segment decides between two patterns")
    func firstDifferenceDecides() {
        let router = Router(["/:x/b/:y", "/a/:x/:y", "/a/:x/c"])
        #expect(router.pattern(of: "/a/b/c") == "/a/:x/c")
        #expect(router.pattern(of: "/a/b/d") == "/a/:x/:y")
        #expect(router.pattern(of: "/q/b/c") == "/:x/b/:y")
    }

    @Test("A less specific route answers a method that the most specific one lacks")
    func methodsFallThrough() {
        var router = Router(["/a/:id"])
        router.add(Router.Route(.post, "/a/b"))
        #expect(router.pattern(of: "/a/b") == "/a/:id")
        #expect(router.pattern(of: "/a/b", method: .post) == "/a/b")
    }

    @Test("Parameters are decoded by segment, so that an encoded slash does not divide them")
    func parameters() {
        let router = Router(["/v1/:kind/cities/:id"])
        #expect(router.parameters(of: "/v1/big/cities/S%C3%A3o%2FPaulo?x=1") == ["kind": "big", "id": "São/Paulo"])
    }

    @Test("A parameter needs a text, and a trailing slash is a segment of its own")
    func emptySegments() {
        let router = Router(["/a/:id"])
        #expect(router.refusal(of: "/a/")?.status == 404)
        #expect(router.refusal(of: "/a")?.status == 404)
        #expect(router.refusal(of: "/a/b/")?.status == 404)
    }

    @Test("HEAD is answered by GET's route unless it has its own")
    func head() {
        var router = Router(["/a"])
        #expect(router.pattern(of: "/a", method: .head) == "/a")
        router.add(Router.Route(.head, "/a"))
        guard case .route(let route, _) = router.match(.init(.head, "/a")) else {
            Issue.record("no route")
            return
        }
        #expect(route.method == .head)
    }

    @Test("A path that answers other methods refuses with 405 and names them")
    func methodNotAllowed() {
        var router = Router(["/a/:id"])
        router.add(Router.Route(.post, "/a/b"))
        guard case .refused(let refusal, let headers) = router.match(.init(.delete, "/a/b")) else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.status == 405)
        #expect(headers["Allow"] == "GET, HEAD, POST")
    }

    @Test("An unknown method is not implemented, unless a route names it")
    func unknownMethod() {
        var router = Router(["/a"])
        #expect(router.refusal(of: "/a", method: .init(rawValue: "BREW"))?.status == 501)
        router.add(Router.Route(.init(rawValue: "BREW"), "/pot"))
        #expect(router.refusal(of: "/a", method: .init(rawValue: "BREW"))?.status == 405)
        #expect(router.pattern(of: "/pot", method: .init(rawValue: "BREW")) == "/pot")
    }

    @Test("A new route replaces an equal one")
    func replacement() {
        var router = Router(["/a/:id"])
        router.add(Router.Route(.get, "/a/:name"))
        #expect(router.parameters(of: "/a/b") == ["name": "b"])
    }

    @Test("The target may be an absolute URL, as clients send to proxies")
    func absoluteTarget() {
        let router = Router(["/a", "/"])
        #expect(router.pattern(of: "http://example.com/a?x=1") == "/a")
        #expect(router.pattern(of: "http://example.com") == "/")
        #expect(router.pattern(of: "http://example.com?x=/a") == "/")
    }
}

extension LocalBackend.Request {
    fileprivate init(_ method: LocalBackend.Method, _ target: String) {
        self.init(method: method, target: target, minorVersion: 1)
    }
}

extension Router.Route {
    fileprivate init(_ method: LocalBackend.Method, _ pattern: String) {
        self.init(method: method, pattern: PathPattern(pattern)) { _ in .text(pattern) }
    }
}

extension Router {
    fileprivate init(_ patterns: [String]) {
        self.init()
        patterns.forEach { add(Route(.get, $0)) }
    }

    fileprivate func pattern(of target: String, method: LocalBackend.Method = .get) -> String? {
        guard case .route(let route, _) = match(.init(method, target)) else { return nil }
        return route.pattern.segments.map { segment in
            switch segment {
            case .literal(let text): "/\(text)"
            case .parameter(let name): "/:\(name)"
            }
        }.joined()
    }

    fileprivate func parameters(of target: String) -> [String: String]? {
        guard case .route(_, let parameters) = match(.init(.get, target)) else { return nil }
        return parameters
    }

    fileprivate func refusal(of target: String, method: LocalBackend.Method = .get) -> LocalBackend.Refusal? {
        guard case .refused(let refusal, _) = match(.init(method, target)) else { return nil }
        return refusal
    }
}
