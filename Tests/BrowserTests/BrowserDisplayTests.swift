import Feedback
import FeedbackTesting
import Fixtures
import Foundation
import LocalBackend
import Networking
import Presentation
import Testing

@testable import Browser

/// A display of notes on a server that runs during a test.
func withNotes(
    secret: String = "open sesame", port: Int = 0, notes: [String] = [], isReadOnly: Bool = false,
    downloads: [BrowserDownload] = [], heartbeat: Duration = .seconds(3_600), backend: LocalBackend = LocalBackend(),
    _ body: (_ page: URL, _ screens: MutableProperty<[ScreenStack]>) async throws -> Void
) async throws {
    let stacks = MutableProperty<[ScreenStack]>([])
    let display = BrowserDisplay(
        title: "Notes", secret: secret, maximumSessions: 3, heartbeat: heartbeat, isInspected: true,
        isReadOnly: isReadOnly, downloads: downloads
    ) { screens in
        stacks.modify { $0.append(screens) }
        return NotesFlowController(on: screens, initial: .init(notes: notes))
    }
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
            #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"))
            #expect(opened.header("Cache-Control") == "no-store")
            let shown = try await client.send(.GET, "/", ["Cookie": String(cookie.prefix { $0 != ";" })])
            #expect(shown.status == 200)
            #expect(shown.header("Content-Security-Policy")?.contains("default-src 'none'") == true)
        }
    }

    @Test(
        "The printed address opens the page, whatever signs the secret has",
        arguments: ["ab+c/d==", "a;b\"c%20&d=", "ü"])
    func signs(secret: String) async throws {
        try await withNotes(secret: secret) { page, _ in
            let client = Client(page)
            let opened = try await client.send(.GET, "/?\(page.query() ?? "")")
            let cookie = String(try #require(opened.header("Set-Cookie")).prefix { $0 != ";" })
            #expect(try await client.send(.GET, "/", ["Cookie": cookie]).status == 200)
            let again = try await client.send(.GET, "/?\(page.query() ?? "")", ["Cookie": cookie])
            #expect(again.status == 303 && again.header("Set-Cookie") == nil)
        }
    }

    @Test(
        "A browser that opens the address again keeps its session; a recording is played anew",
        arguments: [false, true])
    func again(isReadOnly: Bool) async throws {
        try await withNotes(isReadOnly: isReadOnly) { page, _ in
            let cookie = try await Tab.cookie(of: page)
            let again = try await Client(page).send(.GET, "/?key=open%20sesame", ["Cookie": cookie])
            #expect(again.status == 303)
            #expect((again.header("Set-Cookie") != nil) == isReadOnly)
        }
    }

    @Test(
        "Without the key nothing is shown and nothing is done",
        arguments: [
            "/", "/?key=", "/?key=open", "/?key=open%20sesamf", "/browser/events", "/inspector", "/inspector/events",
            "/inspector/moments/0",
        ])
    func noKey(path: String) async throws {
        try await withNotes { page, _ in
            let client = Client(page)
            let stranger = try await client.send(.GET, path)
            #expect(stranger.status == 403)
            let forged = try await client.send(.GET, path, ["Cookie": "screens-\(page.port ?? 0)=x.y"])
            #expect(forged.status == 403)
        }
    }

    @Test("By default the screens can be used, there is no inspector, and the key cannot be guessed")
    func defaults() async throws {
        let displays = (0..<2).map { _ in BrowserDisplay(title: "Notes") { NotesFlowController(on: $0) } }
        let backend = LocalBackend()
        displays[0].serve(on: backend)
        let address = try await backend.start()
        let pages = displays.map { $0.address(on: address) }
        #expect(pages[0] != pages[1] && pages[0].query()?.wholeMatch(of: /key=[0-9a-f]{64}/) != nil)
        let client = Client(pages[0])
        let opened = try await client.send(.GET, "/?\(pages[0].query() ?? "")")
        let cookie = try String(#require(opened.header("Set-Cookie")).prefix { $0 != ";" })
        let origin = "http://127.0.0.1:\(pages[0].port ?? 0)"
        let headers = ["Cookie": cookie, "Origin": origin, "Content-Type": "application/json"]
        let body = Data(#"{"stream":"x","number":1,"control":"a0"}"#.utf8)
        #expect(try await client.send(.POST, "/browser/actions", headers, body).status == 410)
        #expect(try await client.send(.GET, "/inspector", headers).status == 404)
        let page = String(decoding: try await client.send(.GET, "/", headers).body, as: UTF8.self)
        #expect(!page.contains("inert") && !page.contains("/inspector"))
        await backend.stop(within: .milliseconds(100))
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
            #expect(try await client.send(.POST, "/browser/actions", headers, body).status == 410)
        }
    }

    @Test("The page itself may stand behind a proxy that names the scheme's own port")
    func ownPort() async throws {
        try await withNotes { page, _ in
            let client = Client(page)
            var headers = ["Host": "127.0.0.1:443"]
            let cookie = try #require(try await client.send(.GET, "/?key=open%20sesame", headers).header("Set-Cookie"))
            headers["Cookie"] = String(cookie.prefix { $0 != ";" })
            headers["Content-Type"] = "application/json"
            headers["Origin"] = "https://127.0.0.1"
            let body = Data(#"{"stream":"x","number":1,"control":"a0"}"#.utf8)
            #expect(try await client.send(.POST, "/browser/actions", headers, body).status == 410)
        }
    }

    @Test("A request that names another host is refused: a page of that name would be read by others")
    func host() async throws {
        try await withNotes { page, _ in
            let headers = ["Host": "evil.example:\(page.port ?? 0)"]
            let answer = try await Client(page).send(.GET, "/?key=open%20sesame", headers)
            #expect(answer.status >= 400)
        }
    }

    @Test("An action that is too large is refused, and so is a text that is too long")
    func limits() async throws {
        try await withNotes { page, stacks in
            let tab = try await Tab(page)
            let whole = try await tab.page()
            let field = try #require(whole.html.firstMatch(of: /<input[^>]* data-control="(\w+)"/)?.1)
            let long = String(repeating: "x", count: BrowserSession.maximumText + 1)
            #expect(try await tab.act(whole, #""control": "\#(field)", "text": "\#(long)""#) == 413)
            let huge = String(repeating: "x", count: 8 * BrowserSession.maximumText)
            #expect(try await tab.act(whole, #""control": "\#(field)", "text": "\#(huge)""#) == 413)
            #expect(try await tab.act(whole, #""control": "\#(field)", "text": "short""#) == 204)
            guard case let .field(shown)? = stacks.value.first?.top?.screen.controls.first else {
                return #expect(Bool(false), "no field")
            }
            #expect(shown.text == "short")
            // A browser counts what it lets a person type in UTF-16.
            let longest = String(repeating: "東", count: BrowserSession.maximumText)
            #expect(try await tab.act(whole, #""control": "\#(field)", "text": "\#(longest)""#) == 204)
        }
    }

    @Test("An action for a screen that is gone does not happen on the next one")
    func stale() async throws {
        try await withNotes(notes: ["Milk"]) { page, stacks in
            let tab = try await Tab(page)
            let first = try await tab.page()
            let choice = try #require(first.html.firstMatch(of: /class="choice"><button[^>]* data-control="(\w+)"/)?.1)
            #expect(try await tab.act(first, #""control": "\#(choice)""#) == 204)
            let second = try await tab.page()
            #expect(second.title == "A note")
            #expect(try await tab.act(first, #""key": "Escape""#) == 409)
            #expect(try await tab.act(first, #""control": "\#(choice)""#) == 409)
            #expect(stacks.value.first?.screens.count == 2)
            #expect(try await tab.act(second, #""key": "Escape""#) == 204)
            #expect(try await tab.page().title == "Notes")
        }
    }

    @Test("A way back from a screen that has left by itself does not leave the next one")
    func staleBack() async throws {
        try await withNotes(notes: ["Milk"]) { page, stacks in
            let tab = try await Tab(page)
            let first = try await tab.page()
            let stack = try #require(stacks.value.first)
            for note in ["Milk", "Bread"] {
                stack.push(LiveScreen(NoteViewModel(note: note), NoteRenderer()) { [weak stack] _ in stack?.pop() })
            }
            var last = first
            while !last.html.contains("Bread") { last = try await tab.page() }
            stack.pop()
            #expect(try await tab.act(last, #""text": """#) == 204)
            #expect(stack.screens.count == 2)
            #expect(try await tab.act(last, #""key": "Escape""#) == 409)
        }
    }

    @Test("A control is used as it is on the screen now, also if the browser does not have the last change yet")
    func staleControl() throws {
        let screens = ScreenStack()
        let model = LiveViewModel(NotesViewModel(initial: .init(draft: "Milk")))
        let screen = LiveScreen(model, NotesRenderer()) { _ in }
        screens.push(screen)
        let stream = PageStream(screens, server: "server")
        _ = stream.next()
        #expect(stream.control("a0", on: screen)?.isEnabled == true)
        model.send(.add)
        #expect(stream.control("a0", on: screen)?.isEnabled == false)
        #expect(stream.isCurrent(1, screen) && !stream.isCurrent(0, screen) && !stream.isCurrent(2, screen))
        screens.pop()
        #expect(!stream.isCurrent(1, screen))
        let other = LiveScreen(model, NotesRenderer()) { _ in }
        screens.push(other)
        #expect(!stream.isCurrent(1, screen) && !stream.isCurrent(1, other))
        _ = stream.next()
        #expect(!stream.isCurrent(1, other) && !stream.isCurrent(2, screen) && stream.isCurrent(2, other))
    }

    @Test("The browser learns that an action was handled also if nothing has changed", .timeLimit(.minutes(10)))
    func handled() async throws {
        try await withNotes { page, _ in
            let tab = try await Tab(page)
            let whole = try await tab.page()
            #expect(try await tab.act(whole, #""control": "gone""#) == 409)
            let event = try await tab.events.next()
            #expect(event.name == "change")
            #expect(event.data == #"{"handled":1,"changes":[]}"#)
        }
    }

    @Test("The browser learns that an edit was handled together with its text, also if the loop was busy meanwhile")
    func busyLoop() async throws {
        try await withNotes { page, stacks in
            let tab = try await Tab(page)
            let whole = try await tab.page()
            let field = try #require(whole.html.firstMatch(of: /<input[^>]* data-control="(\w+)"/)?.1)
            let stack = try #require(stacks.value.first)
            let isBusy = Locked(false)
            let isFree = DispatchSemaphore(value: 0)
            let holding = ScopedDisposable(
                stack.steps.startWithValues { step in
                    guard case .reduced = step.step, isBusy.withLock({ !$0 }) else { return }
                    isBusy.withLock { $0 = true }
                    isFree.wait()
                })
            defer { holding.dispose() }
            let hasEdited = Locked(false)
            let watching = ScopedDisposable(stack.acts.startWithValues { _ in hasEdited.withLock { $0 = true } })
            defer { watching.dispose() }
            Thread.detachNewThread { stack.top?.screen.button(for: "w")?.action() }
            await eventually("the loop is busy") { isBusy.withLock { $0 } }
            hasEdited.withLock { $0 = false }
            async let status = tab.act(whole, #""control": "\#(field)", "text": "Milk""#)
            await eventually("the server has the edit") { hasEdited.withLock { $0 } }
            // A note that comes too soon is sent before the answers to these.
            for _ in 0..<3 { _ = try await tab.get("/browser/style.css") }
            isFree.signal()
            #expect(try await status == 204)
            var text = ""
            while !text.contains(#""handled":1"#) { text += try await tab.events.next().data }
            #expect(text.contains("Milk"))
        }
    }

    @Test("A message does not say that an edit was handled if its screen is from before the edit")
    func screenBeforeEdit() {
        let screens = ScreenStack()
        let model = LiveViewModel(NotesViewModel())
        let whileDrawing = Locked<(@Sendable () -> Void)?>(nil)
        screens.push(
            LiveScreen(model, DrawnNotes { whileDrawing.withLock { $0.take() }?() }) { _ in })
        let stream = PageStream(screens, server: "server")
        _ = stream.next()
        model.send(.work)
        whileDrawing.withLock {
            $0 = {
                model.send(.write("Milk"))
                stream.note(handled: 1)
            }
        }
        let first = stream.next()?.json ?? ""
        #expect(first.contains(#""handled":0"#) && !first.contains("Milk"))
        let second = stream.next()?.json ?? ""
        #expect(second.contains(#""handled":1"#) && second.contains("Milk"))
        // All is told.
        #expect(stream.next() == nil)
    }

    @Test("The back button leaves no screen whose own way back is disabled")
    func disabledBack() async throws {
        try await withNotes(notes: ["Locked"]) { page, stacks in
            let tab = try await Tab(page)
            let first = try await tab.page()
            let choice = try #require(first.html.firstMatch(of: /class="choice"><button[^>]* data-control="(\w+)"/)?.1)
            #expect(try await tab.act(first, #""control": "\#(choice)""#) == 204)
            let second = try await tab.page()
            #expect(try await tab.act(second, #""control": null"#) == 204)
            #expect(stacks.value.first?.screens.count == 2)
        }
    }

    @Test("A slow reader misses states, and gets the last one")
    func slow() async throws {
        try await withNotes { page, stacks in
            let tab = try await Tab(page)
            _ = try await tab.page()
            let screens = try #require(stacks.value.first)
            let count = 3_000
            for number in 0...count {
                guard case let .field(field)? = screens.top?.screen.controls.first else { continue }
                field.edit("\(number == count ? "the last" : "\(number)") \(String(repeating: "x", count: 30_000))")()
            }
            var received = 0
            while !(try await tab.events.next().data.contains("the last")) { received += 1 }
            #expect(received < count / 2)
        }
    }

    @Test("Tabs that open at once show the same screens")
    func tabs() async throws {
        try await withNotes { page, stacks in
            let cookie = try await Tab.cookie(of: page)
            let tabs = try (0..<6).map { _ in try EventReader(page, path: "/browser/events", cookie: cookie) }
            for tab in tabs { #expect(try await tab.next().name == "page") }
            #expect(stacks.value.count == 1)
        }
    }

    @Test("Of more tabs than a session takes, the first one must connect again before it acts")
    func manyTabs() async throws {
        try await withNotes { page, stacks in
            let first = try await Tab(page)
            let shown = try await first.page()
            var others: [(tab: Tab, page: Tab.Page)] = []
            for _ in 0..<BrowserSession.maximumStreams {
                let tab = try await Tab(page, cookie: first.cookie)
                try await others.append((tab, tab.page()))
            }
            #expect(try await first.act(shown, #""key": "w""#) == 410)
            for other in others { #expect(try await other.tab.act(other.page, #""key": "w""#) == 204) }
            let again = try await Tab(page, cookie: first.cookie)
            #expect(try await again.act(again.page(), #""key": "w""#) == 204)
            #expect(stacks.value.count == 1)
        }
    }

    @Test("Screens that can only be watched cannot be used")
    func readOnly() async throws {
        try await withNotes(notes: ["Milk"], isReadOnly: true) { page, stacks in
            let tab = try await Tab(page)
            let whole = try await tab.page()
            #expect(try await tab.act(whole, #""key": "w""#) == 403)
            #expect(stacks.value.first?.top?.screen.controls.isEmpty == false)
        }
    }

    @Test("The inspector offers files of the browser's screens, under names that are safe")
    func downloads() async throws {
        let downloads = [
            BrowserDownload("Save <it>", fileName: "a\"b\r\n/c.json") { Data("\($0.screens.count)".utf8) },
            BrowserDownload("Nothing", fileName: "nothing") { _ in nil },
        ]
        try await withNotes(downloads: downloads) { page, _ in
            let tab = try await Tab(page)
            _ = try await tab.page()
            let inspector = try await tab.get("/inspector")
            #expect(String(decoding: inspector.body, as: UTF8.self).contains("Save &lt;it&gt;"))
            let file = try await tab.get("/inspector/downloads/0")
            #expect(file.body == Data("1".utf8))
            #expect(file.header("Content-Disposition") == "attachment; filename=\"a-b--c.json\"")
            #expect(try await tab.get("/inspector/downloads/1").status == 404)
            #expect(try await Client(page).send(.GET, "/inspector/downloads/0").status == 403)
        }
    }

    @Test("An inspector that is opened before the screens gets one empty message, and then what happens")
    func emptyInspector() async throws {
        try await withNotes { page, _ in
            let cookie = try await Tab.cookie(of: page)
            let inspector = try EventReader(page, path: "/inspector/events", cookie: cookie)
            #expect(try await inspector.next().data == #"{"from":0,"models":[],"moments":[]}"#)
            let tab = try await Tab(page, cookie: cookie)
            let shown = try await tab.page()
            #expect(try await inspector.next().data.contains("NotesViewModel"))
            // No message is empty after the first one.
            #expect(try await tab.act(shown, #""key": "w""#) == 204)
            #expect(try await inspector.next().data.contains(".ui(.work)"))
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
        #expect(registry.session("1") !== first && first.history == nil)
    }

    @Test("Going back leaves the screen on which it was asked for, not one that replaces it at that moment")
    func replacedScreen() async throws {
        try await withNotes { page, stacks in
            let tab = try await Tab(page)
            _ = try await tab.page()
            let screens = try #require(stacks.value.first)
            let isReplaced = MutableProperty(true)
            let renderer = DrawnNote { [weak screens] in
                if isReplaced.swap(true) { return }
                screens?.pop()
                screens?.push(LiveScreen(NoteViewModel(note: "Bread"), NoteRenderer(), onRoute: { _ in }))
            }
            screens.push(LiveScreen(NoteViewModel(note: "Milk"), renderer, onRoute: { _ in }))
            let shown = try await tab.page()
            isReplaced.value = false
            #expect(try await tab.act(shown, #""text": """#) == 204)
            #expect(screens.screens.count == 2 && screens.top?.screen.title == "A note")
        }
    }

    @Test("A session that a tab shows is not removed for one that no tab shows, although that was used later")
    func watched() async throws {
        try await withNotes { page, stacks in
            let tab = try await Tab(page)
            let shown = try await tab.page()
            // The display has three sessions at most.
            for _ in 1...12 { _ = try await Client(page).send(.GET, "/", ["Cookie": Tab.cookie(of: page)]) }
            #expect(try await tab.act(shown, #""key": "w""#) == 204)
            #expect(stacks.value.count == 1)
        }
    }

    @Test("Going back from a screen without a way back of its own removes it, unless it is the last one")
    func plainBack() async throws {
        try await withNotes { page, stacks in
            let tab = try await Tab(page)
            let first = try await tab.page()
            #expect(try await tab.act(first, #""text": """#) == 204)
            let screens = try #require(stacks.value.first)
            #expect(screens.screens.count == 1)
            // One without controls, and one whose controls lead nowhere.
            for screen in [
                LiveScreen(NoteViewModel(note: "Milk"), DrawnNote {}, onRoute: { _ in }),
                LiveScreen(NotesViewModel(initial: .init(notes: ["Milk"])), NotesRenderer(), onRoute: { _ in }),
            ] {
                screens.push(screen)
                var shown = try await tab.page()
                while shown.screen == first.screen { shown = try await tab.page() }
                #expect(try await tab.act(shown, #""text": """#) == 204)
                #expect(screens.screens.count == 1)
                _ = try await tab.page()
            }
        }
    }

    @Test("Without screens the end of the flow is shown")
    func end() {
        let stream = PageStream(ScreenStack(), server: "server")
        let message = stream.next()
        #expect(message?.name == "page")
        #expect(message?.json.contains(#""screen":1,"model":0,"depth":0,"handled":0,"title":"The end""#) == true)
        #expect(stream.next() == nil)
    }

    @Test("A session that is removed ends outside of the registry's lock")
    func removing() {
        let registry = MutableProperty<SessionRegistry?>(nil)
        let counts = MutableProperty<[Int]>([])
        registry.value = SessionRegistry(maximum: 1) {
            let session = BrowserSession(server: "server", start: { NotesFlowController(on: $0) })
            session.screens.push(
                LiveScreen(EndingViewModel { counts.value.append(registry.value?.count ?? 0) }, EndingRenderer()))
            return session
        }
        for id in 1...3 { _ = registry.value?.session("\(id)") }
        #expect(counts.value == [1, 1])
        // The registry's function holds the registry.
        let last = registry.value
        registry.value = nil
        withExtendedLifetime(last) {}
    }
}

/// Draws a screen without buttons, and calls a function each time.
private struct DrawnNote: Renderer {
    let onDrawing: @Sendable () -> Void

    func render(_ note: String) -> Screen<Bool> {
        onDrawing()
        return Screen(title: note)
    }
}

/// Draws notes, and calls a function each time.
private struct DrawnNotes: Renderer {
    let onDrawing: @Sendable () -> Void

    func render(_ state: NotesViewModel.State) -> Screen<NotesViewModel.Action> {
        onDrawing()
        return NotesRenderer().render(state)
    }
}

/// A screen that calls a function when it ends.
private struct EndingViewModel: ViewModel {
    enum Event: ActionEvent { case ui(Never) }

    let onEnd: @Sendable () -> Void
    var initial: Bool { true }
    var feedbacks: [Feedback<Bool, Event>] {
        [Feedback(whenBecomesTrue: \.self) { [onEnd] _ in SignalProducer<Event, NoError>.never.on(disposed: onEnd) }]
    }

    static func reduce(_ state: inout Bool, _ event: Event) {}
}

private struct EndingRenderer: Renderer {
    func render(_ state: Bool) -> Screen<Never> { Screen(title: "Ending") }
}

/// A tab of a browser, without the browser.
struct Tab {
    struct Page: Decodable {
        let stream: String
        let screen: Int
        let title: String
        let html: String
    }

    let events: EventReader
    let cookie: String
    private let client: Client
    private let origin: String

    /// - Parameter cookie: The session's cookie; by default that of a new session.
    init(_ page: URL, cookie: String? = nil) async throws {
        if let cookie { self.cookie = cookie } else { self.cookie = try await Self.cookie(of: page) }
        client = Client(page)
        origin = "http://127.0.0.1:\(page.port ?? 0)"
        events = try EventReader(page, path: "/browser/events", cookie: self.cookie)
    }

    /// A new session.
    static func cookie(of page: URL) async throws -> String {
        let opened = try await Client(page).send(.GET, "/?key=open%20sesame")
        return try String(#require(opened.header("Set-Cookie")).prefix { $0 != ";" })
    }

    /// Returns the next page. Skips the events that only say that an action was handled.
    func page() async throws -> Page {
        while true {
            let event = try await events.next()
            if event.name == "page" { return try JSONDecoder().decode(Page.self, from: Data(event.data.utf8)) }
        }
    }

    func get(_ path: String) async throws -> TransportResponse { try await client.send(.GET, path, ["Cookie": cookie]) }

    /// Sends an action, and returns the status of the answer.
    func act(_ page: Page, _ message: String) async throws -> Int {
        let body = #"{"stream": "\#(page.stream)", "screen": \#(page.screen), "number": 1, \#(message)}"#
        let headers = ["Cookie": cookie, "Origin": origin, "Content-Type": "application/json"]
        return try await client.send(.POST, "/browser/actions", headers, Data(body.utf8)).status
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
