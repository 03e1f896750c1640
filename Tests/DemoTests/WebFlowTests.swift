import FeedbackTesting
import Fixtures
import Foundation
import Presentation
import Recordings
import Testing

/// The flows of the features in a real browser, used with the keyboard alone. They take minutes: `make web-flows` runs them.
@Suite(
    "The features in a real browser, with the keyboard",
    .enabled(
        if: WebBrowser.isInstalled && ProcessInfo.processInfo.environment["WEB_FLOWS"] == "1",
        "make web-flows runs these, where chromium and chromedriver are installed"))
struct WebFlowTests {
    @Test(
        "Each feature's flow is used to its end, and each of its screens is kept as a picture",
        arguments: ["cities", "movies", "animals", "quakes", "timeline"])
    func flow(feature: String) async throws {
        // The acts of the script, by the names on the screens.
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        // A feed of the current time would differ in the browser.
        let feed = file.deletingPathExtension().appendingPathExtension("geojson")
        defer { try? FileManager.default.removeItem(at: feed) }
        try Data(Self.feed.utf8).write(to: feed)
        let source = feature == "quakes" ? ["--feed", feed.path()] : []
        let recorded = try Running([feature, "--record", file.path()] + source)
        #expect(await recorded.end() == .exit(0))
        let run = try #require(try Recording(contentsOf: file).runs.first)
        let all = run.entries.compactMap { if case let .act(act, _) = $0 { act } else { nil } }
        // The script stops the server for a moment; this test does not.
        let acts = all.filter { $0 != .uses("Ask the server again") }

        let web = try Running([feature, "--web"] + source)
        let address = try await web.address()
        try await WebBrowser.use { browser in
            try await browser.go(to: address)
            var pictures = Pictures(feature: feature, browser: browser)
            for act in acts {
                try await browser.waitForProgress()
                try await pictures.takeIfNew()
                try await browser.take(act)
            }
            try await eventually("the flow is at its end") {
                try await browser.run("return document.title") == "The end"
            }
            try await browser.go(to: try #require(URL(string: "/inspector", relativeTo: address)))
            try await eventually("the inspector shows the end") {
                try await browser.run("return document.querySelector('#screen h1')?.textContent ?? ''") != ""
            }
            try await pictures.takeIfNew()
        }
        web.process.kill(SIGINT)
        #expect(await web.end() == .exit(0))
    }

    private static let feed = """
        {"features": [
          {"id": "us1", "properties": {"mag": 4.5, "place": "8 km W of San José, Costa Rica",
            "time": 1000000000000, "updated": 1000000060000}, "geometry": {"coordinates": [-84.2, 9.9, 10]}},
          {"id": "us2", "properties": {"mag": 6.1, "place": "12 km N of San José, Costa Rica",
            "time": 1000000030000, "updated": 1000000060000}, "geometry": {"coordinates": [-84.1, 10.1, 20]}}
        ]}
        """
}

/// The pictures of a feature's screens, in both colour schemes, on a narrow window and on a wide one.
private struct Pictures {
    let feature: String
    let browser: WebBrowser
    private var titles: Set<String> = []
    private let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../.build/screenshots").standardized

    init(feature: String, browser: WebBrowser) {
        self.feature = feature
        self.browser = browser
    }

    mutating func takeIfNew() async throws {
        // The picture of an empty map shows little, so the screen is taken again when the map has dots.
        let title = try await browser.run(
            "return document.title + (document.querySelector('main svg circle') ? ', with dots' : '')")
        guard titles.insert(title).inserted else { return }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for isDark in [false, true] {
            for width in [400, 1_200] {
                try await browser.emulate(width: width, isDark: isDark)
                let name = title.filter { $0.isLetter || $0.isNumber }.prefix(40)
                let file = "\(feature)-\(name)-\(width)-\(isDark ? "dark" : "light").png"
                try await browser.screenshot().write(to: folder.appending(path: file))
            }
        }
        for width in [360, 400, 1_600, 1_200] {
            try await browser.emulate(width: width)
            let overflow = try await browser.run(
                "return String(document.documentElement.scrollWidth > document.documentElement.clientWidth)")
            #expect(overflow == "false", "\(title) is wider than a window of \(width) pixels")
        }
    }
}

extension WebBrowser {
    /// Waits until the page shows what all acts so far have led to, and no progress.
    func waitForProgress() async throws {
        try await eventually("the server has handled all acts, and a screen is shown without progress") {
            try await run(
                """
                const isBusy = document.querySelector('main[aria-busy=true], main progress') !== null;
                return String(sent === handled && !isBusy);
                """) == "true"
        }
    }

    /// Does what a person did, with the keyboard alone.
    func take(_ act: ScreenStack.Act) async throws {
        switch act {
        case let .uses(name, place):
            try await focus("button", name, place)
            try await press("\u{E007}")
        case let .types(text, name, place):
            try await focus("input", name, place)
            try await selectAll()
            try await press(text.isEmpty ? "\u{E003}" : text)
            let typed = text.debugDescription
            try await eventually("the server has the text") {
                try await run(
                    "const field = document.activeElement; return String(field.getAttribute('value') === \(typed))")
                    == "true"
            }
        }
    }

    /// Moves the focus to a control with the Tab key.
    private func focus(_ kind: String, _ name: String, _ place: Int) async throws {
        let find = """
            const names = { button: (each) => each.querySelector('bdi').textContent, input: (each) => each.dataset.label };
            const all = [...document.querySelectorAll('main \(kind)[data-control]')];
            const named = all.filter((each) => names.\(kind)(each) === \(name.debugDescription));
            const target = \(place) === 0 ? named.find((each) => !each.disabled) : named[\(place)];
            """
        try await eventually("there is \(name) to be used") {
            try await run("\(find) return String(target !== undefined && !target.disabled)") == "true"
        }
        // A screen that changes can move the target while the keys are pressed.
        try await eventually("\(name) has the focus") {
            let distance = try await run(
                """
                \(find)
                if (!target) return "0";
                const stops = [...document.querySelectorAll('button, input, a[href]')].filter((each) => !each.disabled);
                const now = document.activeElement;
                let at = stops.indexOf(now);
                if (at < 0) {
                  const next = stops.findIndex((each) => now.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING);
                  at = now === document.body ? -1 : next - 1;
                }
                return String(stops.indexOf(target) - at);
                """)
            let steps = Int(distance) ?? 0
            if steps > 0 { try await press(String(repeating: "\u{E004}", count: steps)) }
            if steps < 0 { try await pressBack(-steps) }
            return try await run("\(find) return String(document.activeElement === target)") == "true"
        }
    }
}
