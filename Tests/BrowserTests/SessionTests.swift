import Feedback
import FeedbackTesting
import Fixtures
import Foundation
import LocalBackend
import Presentation
import Testing

@testable import Browser

@Suite("The sessions of a display")
struct SessionTests {
    private func makeRegistry(maximum: Int) -> SessionRegistry {
        SessionRegistry(maximum: maximum) { BrowserSession(server: "server", start: { NotesFlowController(on: $0) }) }
    }

    @Test("There may be one session or more, whatever maximum is asked for", arguments: [-1, 0, 1])
    func least(maximum: Int) {
        let registry = makeRegistry(maximum: maximum)
        for id in 1...3 { _ = registry.session("\(id)") }
        #expect(registry.count == 1)
        let last = registry.session("3")
        #expect(registry.session("3") === last)
    }

    @Test("A session that was acted on is used later than one that was opened after it")
    func acting() async {
        let registry = makeRegistry(maximum: 2)
        let first = registry.session("1")
        _ = registry.session("2")
        let message = BrowserSession.Message(
            stream: "gone", number: 1, screen: nil, control: nil, key: nil, text: nil)
        await #expect(throws: LocalBackend.Refusal.self) { try await first.act(message) }
        _ = registry.session("3")
        #expect(registry.session("1") === first)
    }

    @Test("A session that was shown is used later than one that was opened after it, also when its tab is closed")
    func showing() async throws {
        let registry = makeRegistry(maximum: 2)
        let first = registry.session("1")
        _ = registry.session("2")
        let backend = LocalBackend()
        backend.get("/events") { _ in .events { events in try await first.show(to: events, heartbeat: .seconds(60)) } }
        let address = try await backend.start()
        do {
            let tab = try EventReader(address, path: "/events", cookie: "")
            #expect(try await tab.next().name == "page")
            withExtendedLifetime(tab) { #expect(first.isWatched) }
        }
        await eventually("the tab is closed") { !first.isWatched }
        _ = registry.session("3")
        #expect(registry.session("1") === first)
        await backend.stop(within: .milliseconds(100))
    }

    @Test("When all screens are closed, a page that is loaded again starts the flow anew")
    func startingAgain() async throws {
        try await withNotes { page, stacks in
            let tab = try await Tab(page)
            #expect(try await tab.page().title == "Notes")
            let screens = try #require(stacks.value.first)
            screens.pop(to: 0)
            #expect(try await tab.page().title == "The end")
            for count in 2...3 {
                let again = try await Tab(page, cookie: tab.cookie)
                #expect(try await again.page().title == "Notes")
                #expect(stacks.value.count == count && screens.screens.count == 1)
                screens.pop(to: 0)
            }
        }
    }

    @Test("A key presses the enabled button that has it, and no other one")
    func keys() async throws {
        try await withNotes { page, stacks in
            let tab = try await Tab(page)
            let shown = try await tab.page()
            let screens = try #require(stacks.value.first)
            // The button of Enter is disabled while there is no text.
            for key in ["Enter", "x", ""] { #expect(try await tab.act(shown, #""key": "\#(key)""#) == 204) }
            let unchanged = try #require(screens.top?.screen)
            #expect(unchanged.progress.isEmpty && unchanged.sections[2].rows.isEmpty)
            #expect(try await tab.act(shown, #""key": "w""#) == 204)
            #expect(screens.top?.screen.progress.isEmpty == false)
        }
    }

    @Test("An action may have as many bytes as an edit of the longest text needs")
    func size() async throws {
        try await withNotes { page, _ in
            let tab = try await Tab(page)
            let client = Client(page)
            let origin = "http://127.0.0.1:\(page.port ?? 0)"
            let headers = ["Cookie": tab.cookie, "Origin": origin, "Content-Type": "application/json"]
            let most = 6 * BrowserSession.maximumText + 1_024
            let message = #"{"stream":"x","number":1,"control":"a0"}"#
            for (size, status) in [(most, 410), (most + 1, 413)] {
                let body = Data((message + String(repeating: " ", count: size - message.utf8.count)).utf8)
                #expect(try await client.send(.POST, "/browser/actions", headers, body).status == status)
            }
        }
    }

    @Test("The address is that of the server with the key, also if the server's is given relative to another one")
    func address() throws {
        let display = BrowserDisplay(title: "Notes", secret: "a b") { NotesFlowController(on: $0) }
        let proxy = try #require(URL(string: "https://proxy.example/apps/"))
        let relative = try #require(URL(string: "notes", relativeTo: proxy))
        #expect(display.address(on: relative).absoluteString == "https://proxy.example/apps/notes/?key=a%20b")
    }
}
