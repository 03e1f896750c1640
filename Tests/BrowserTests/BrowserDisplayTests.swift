import Feedback
import FeedbackTesting
import Foundation
import LocalBackend
import Networking
import Presentation
import Testing

@testable import Browser

/// A display of notes on a server, for the time of a test.
func withNotes(
    secret: String = "open sesame", port: Int = 0, notes: [String] = [],
    _ body: (_ page: URL, _ screens: MutableProperty<[ScreenStack]>) async throws -> Void
) async throws {
    let stacks = MutableProperty<[ScreenStack]>([])
    let display = BrowserDisplay(title: "Notes", secret: secret, maximumSessions: 3, isInspected: true) { screens in
        stacks.modify { $0.append(screens) }
        return NotesFlowController(on: screens, initial: .init(notes: notes))
    }
    let backend = LocalBackend()
    display.serve(on: backend)
    let address = try await backend.start(port: port)
    try await body(display.address(on: address), stacks)
    await backend.stop(within: .milliseconds(100))
}

@Suite("Who may use the page")
struct BrowserDisplayTests {
    @Test("The key opens a session, and does not stay in the address")
    func key() async throws {
        try await withNotes { page, _ in
            let client = Client(page)
            let opened = try await client.send(.GET, "/?key=open%20sesame")
            #expect(opened.status == 303)
            #expect(opened.header("Location") == "/")
            let cookie = try #require(opened.header("Set-Cookie"))
            #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
            let shown = try await client.send(.GET, "/", ["Cookie": String(cookie.prefix { $0 != ";" })])
            #expect(shown.status == 200)
            #expect(shown.header("Content-Security-Policy")?.contains("default-src 'none'") == true)
        }
    }

    @Test(
        "Without the key nothing is shown and nothing is done",
        arguments: ["/", "/?key=", "/?key=open", "/?key=open%20sesamf", "/browser/events"])
    func noKey(path: String) async throws {
        try await withNotes { page, _ in
            let client = Client(page)
            let stranger = try await client.send(.GET, path)
            #expect(stranger.status == 403)
            let forged = try await client.send(.GET, path, ["Cookie": "screens-\(page.port ?? 0)=x.y"])
            #expect(forged.status == 403)
        }
    }

    @Test("Actions are taken from the page itself only", arguments: [nil, "http://evil.example", "null"])
    func origin(origin: String?) async throws {
        try await withNotes { page, _ in
            let client = Client(page)
            let cookie = try #require(try await client.send(.GET, "/?key=open%20sesame").header("Set-Cookie"))
            var headers = ["Cookie": String(cookie.prefix { $0 != ";" }), "Content-Type": "application/json"]
            headers["Origin"] = origin
            let body = Data(#"{"stream":"x","number":1,"control":"a0"}"#.utf8)
            #expect(try await client.send(.POST, "/browser/actions", headers, body).status == 403)
            headers["Origin"] = "http://127.0.0.1:\(page.port ?? 0)"
            #expect(try await client.send(.POST, "/browser/actions", headers, body).status == 409)
        }
    }

    @Test("The number of sessions is bounded; the one that was not used for the longest time goes")
    func bounded() async {
        let registry = SessionRegistry(maximum: 3) {
            BrowserSession(server: "server", start: { NotesFlowController(on: $0) })
        }
        let first = registry.session("1")
        for id in 2...10 { _ = registry.session("\(id)") }
        #expect(registry.count == 3)
        #expect(registry.session("1") !== first)
    }
}

/// Sends requests as a program that is not a browser could. It does not follow redirects.
struct Client {
    private let page: URL
    private let transport = DefaultTransport()

    init(_ page: URL) { self.page = page }

    func send(
        _ method: HTTPMethod, _ path: String, _ headers: [String: String] = [:], _ body: Data? = nil
    ) async throws -> TransportResponse {
        let url = try #require(URL(string: path, relativeTo: page)?.absoluteURL)
        var request = TransportRequest(method: method, url: url)
        for (name, value) in headers { request.headers[name] = value }
        request.body = body.map { .data($0) }
        return try await transport.send(request)
    }
}
