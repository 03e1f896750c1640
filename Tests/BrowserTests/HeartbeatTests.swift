import Feedback
import FeedbackTesting
import Fixtures
import Foundation
import LocalBackend
import Testing

@testable import Browser

@Suite("A quiet connection")
struct HeartbeatTests {
    @Test(
        "A page that nothing is sent to is told again and again that its connection lasts",
        arguments: ["/browser/events", "/inspector/events"])
    func beats(path: String) async throws {
        try await withNotes(heartbeat: .milliseconds(5)) { page, _ in
            let events = try EventReader(page, path: path, cookie: await Tab.cookie(of: page))
            #expect(try await events.next().name != "beat")
            // Steps of the flow may still come between.
            var beats = 0
            while beats < 3 { if try await events.next().name == "beat" { beats += 1 } }
        }
    }

    @Test("Changes are sent between the beats")
    func changes() async throws {
        try await withNotes(heartbeat: .milliseconds(1)) { page, stacks in
            let tab = try await Tab(page)
            _ = try await tab.page()
            while try await tab.events.next().name != "beat" {}
            stacks.value.first?.top?.screen.button(for: "w")?.action()
            var event = try await tab.events.next()
            while event.name == "beat" { event = try await tab.events.next() }
            #expect(event.data.contains("Working"))
        }
    }

    @Test("A page knows how long the server is silent at most: three beats, or hours")
    func silence() {
        func silence(_ heartbeat: Duration) -> String {
            BrowserDisplay(title: "Notes", heartbeat: heartbeat) { NotesFlowController(on: $0) }.silence
        }
        #expect(silence(.milliseconds(50)) == " data-silence=\"150\"")
        // A timer of a browser counts at most 24 days.
        #expect(silence(.seconds(Int.max / 1_000)) == " data-silence=\"10800000\"")
    }
}

@Suite(
    "A connection that goes away without an end, in a real browser",
    .enabled(if: WebBrowser.isInstalled, "chromium and chromedriver are not installed"))
struct LostConnectionTests {
    private let field = "input[data-label='Text']"

    @Test("A page that hears nothing any more says so, connects again, and shows what has changed")
    func silence() async throws {
        let backend = LocalBackend()
        try await withNotes(heartbeat: .milliseconds(300), backend: backend) { page, stacks in
            let first = try await EventReader(page, path: "/browser/events", cookie: Tab.cookie(of: page)).next()
            // Only the whole page comes through, and then nothing, on a connection that stays open.
            let length = "event: page\ndata: \(first.data)\n\n".utf8.count
            // The number of another model may have some more digits.
            backend.misbehave(.stall(after: length + 5), at: "/browser/events")
            try await WebBrowser.use { browser in
                try await browser.go(to: page)
                try await browser.sees("Notes")
                backend.misbehave(.delay(.seconds(3_600)), at: "/browser/events")
                try await browser.sees("The connection is lost", in: "#connection:not([hidden])")
                stacks.value.last?.top?.screen.button(for: "w")?.action()
                backend.behave()
                try await browser.sees("Working")
                let isHidden = try await browser.run("return String(connection.hidden)")
                #expect(isHidden == "true")
            }
        }
    }

    @Test("The inspector says that its connection is lost, too, and connects again")
    func inspector() async throws {
        let backend = LocalBackend()
        try await withNotes(heartbeat: .milliseconds(300), backend: backend) { page, _ in
            try await WebBrowser.use { browser in
                try await browser.go(to: page)
                try await browser.sees("Notes")
                backend.misbehave(.delay(.seconds(3_600)), at: "/inspector/events")
                try await browser.go(to: URL(string: "/inspector", relativeTo: page) ?? page)
                try await browser.sees("The connection is lost", in: "#connection:not([hidden])")
                backend.behave()
                try await browser.sees("1 of 1", in: "#count")
                #expect(try await browser.run("return String(connection.hidden)") == "true")
            }
        }
    }

    /// Lets a page's timers run out only when `timers` is asked to.
    private static let stoppedClock = """
        window.timers = new Map();
        let count = 0;
        window.setTimeout = (run, after) => { timers.set(--count, { run, after }); return count; };
        window.clearTimeout = (id) => timers.delete(id);
        window.after = () => [...timers.values()].map((each) => each.after).join();
        window.expire = () => { const [[id, { run }]] = timers; timers.delete(id); run(); };
        """

    @Test("Each sign of the server is a reason to wait as long again; each loss, to wait twice as long, up to a limit")
    func patience() async throws {
        try await withNotes { page, _ in
            try await WebBrowser.use { browser in
                try await browser.go(to: page)
                try await browser.sees("Notes")
                try await browser.run(Self.stoppedClock)
                func waits() async throws -> String { try await browser.run("return after()") }
                try await browser.run("events.dispatchEvent(new Event('beat'))")
                #expect(try await waits() == "10800000")
                try await browser.run("events.dispatchEvent(new Event('beat'))")
                #expect(try await waits() == "10800000")
                // Events of the new connections come only after the script.
                let waited = try await browser.run(
                    "return [1, 2, 3, 4].map(() => { expire(); return after(); }).join(' ')")
                #expect(waited == "21600000 43200000 86400000 86400000")
                try await eventually("the page is connected again") { try await waits() == "10800000" }
                try await browser.setHidden(true)
                #expect(try await waits().isEmpty)
            }
        }
    }

    @Test("A message that got no answer before the loss holds up no other one, and its text is sent again")
    func unansweredMessage() async throws {
        try await withNotes { page, stacks in
            try await WebBrowser.use { browser in
                try await browser.go(to: page)
                try await browser.sees("Notes")
                try await browser.run(
                    """
                    window.answers = fetch;
                    window.asked = 0;
                    window.fetch = (address, { signal }) => {
                      asked += 1;
                      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
                    };
                    """)
                try await browser.type("Milk", into: field)
                let asked = try await browser.run(
                    """
                    lose();
                    const input = document.querySelector("\(field)");
                    input.value += 's';
                    edit(input);
                    // Nothing is sent before the page has come, which is no earlier than after this script.
                    return (async () => {
                      for (let step = 0; step < 20; step += 1) await null;
                      window.fetch = answers;
                      return String(asked);
                    })();
                    """)
                #expect(asked == "1")
                await eventually("the server has the text") {
                    guard case let .field(field)? = stacks.value.last?.top?.screen.controls.first else { return false }
                    return field.text == "Milks"
                }
            }
        }
    }
}
