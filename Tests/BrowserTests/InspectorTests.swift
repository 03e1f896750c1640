import Feedback
import FeedbackTesting
import Fixtures
import Foundation
@testable import Presentation
import Testing

@testable import Browser

@Suite("The history of a session")
struct StepHistoryTests {
    /// A history of notes, and the screens that it follows.
    private func follow(maximum: Int = 20_000) -> (StepHistory, ScreenStack, any Disposable) {
        let history = StepHistory(maximum: maximum)
        let screens = ScreenStack()
        let listening = history.follow(screens)
        screens.push(LiveScreen(NotesViewModel(), NotesRenderer(), onRoute: { _ in }))
        return (history, screens, listening)
    }

    private func write(_ text: String, on screens: ScreenStack) {
        guard case let .field(field)? = screens.top?.screen.controls.first else { return }
        field.edit(text)()
    }

    @Test("The states before and after an event are computed when somebody looks")
    func states() throws {
        let (history, screens, listening) = follow()
        defer { listening.dispose() }
        for text in ["M", "Mi", "Milk"] { write(text, on: screens) }
        let contents = history.current
        let events = (0..<contents.end).filter { if case .reduced = contents[$0]?.kind { true } else { false } }
        let states = try #require(contents.states(of: 0, at: events[1]))
        #expect((states.before as? NotesViewModel.State)?.draft == "M")
        #expect((states.after as? NotesViewModel.State)?.draft == "Mi")
        guard case let .field(field)? = contents.screen(at: events[2])?.controls.first else {
            return #expect(Bool(false), "no field")
        }
        #expect(field.text == "Milk")
    }

    @Test("The number of steps that are kept is bounded, and their states stay right")
    func bounded() async throws {
        let (history, screens, listening) = follow(maximum: 100)
        defer { listening.dispose() }
        for number in 0..<1_000 {
            write("\(number)", on: screens)
            if number % 50 == 0 { await eventually("it was trimmed") { history.current.moments.count <= 100 } }
        }
        await eventually("it was trimmed") { history.current.moments.count <= 100 }
        let contents = history.current
        #expect(contents.end == contents.dropped + contents.moments.count && contents.dropped > 800)
        // A quarter is dropped at a time.
        #expect(contents.moments.count >= 75)
        let last = try #require(contents.states(of: 0, at: contents.end - 1))
        #expect((last.after as? NotesViewModel.State)?.draft == "999")
        let first = try #require(contents.states(of: 0, at: contents.dropped))
        let draft = try #require((first.after as? NotesViewModel.State).flatMap { Int($0.draft) })
        #expect(draft > 700 && draft < 999)
        for number in [.min, contents.dropped - 1, contents.end, .max] {
            #expect(contents[number] == nil && contents.states(of: 0, at: number) == nil)
        }
    }

    @Test("As many moments as are asked for are kept, and one more is too many")
    func full() async {
        let (history, screens, listening) = follow(maximum: 100)
        defer { listening.dispose() }
        for number in 1..<100 { write("\(number)", on: screens) }
        for _ in 0..<200 { await Task.yield() }
        #expect(history.current.dropped == 0 && history.current.moments.count == 100)
        write("100", on: screens)
        await eventually("it was trimmed") { history.current.dropped > 0 }
        #expect(history.current.dropped == 26 && history.current.moments.count == 75)
    }

    @Test("A screen that is gone is forgotten with its last moment, and its number is not used again")
    func forgotten() async throws {
        let (history, screens, listening) = follow(maximum: 100)
        defer { listening.dispose() }
        for number in 1...300 {
            screens.push(LiveScreen(NoteViewModel(note: "\(number)"), NoteRenderer(), onRoute: { _ in }))
            screens.pop()
            if number.isMultiple(of: 50) {
                await eventually("it was trimmed") { history.current.moments.count <= 100 }
            }
        }
        await eventually("it was trimmed") { history.current.moments.count <= 100 }
        let contents = history.current
        #expect(contents.models.count <= 101)
        #expect(contents.moments.allSatisfy { contents.models[$0.model] != nil })
        // The screen that is still shown is known, although none of its moments is kept.
        write("Milk", on: screens)
        let last = history.current
        let states = try #require(last.states(of: 0, at: last.end - 1))
        #expect((states.after as? NotesViewModel.State)?.draft == "Milk")
        #expect(last[last.end - 2]?.model == 300)
    }

    @Test("A screen that was forgotten and comes again begins with its state")
    func again() async throws {
        let (history, screens, listening) = follow(maximum: 100)
        defer { listening.dispose() }
        let kept = LiveScreen(NotesViewModel(initial: .init(draft: "Kept")), NotesRenderer(), onRoute: { _ in })
        screens.push(kept)
        screens.pop()
        for number in 0..<200 { write("\(number)", on: screens) }
        await eventually("it was forgotten") { history.current.models[1] == nil }
        screens.push(kept)
        let end = history.current.end
        for text in ["A", "B"] { write(text, on: screens) }
        let contents = history.current
        guard case .initial? = contents[end]?.kind else { return #expect(Bool(false), "it does not begin") }
        let model = try #require(contents[end]?.model)
        let states = try #require(contents.states(of: model, at: contents.end - 1))
        #expect((states.before as? NotesViewModel.State)?.draft == "A")
        #expect((states.after as? NotesViewModel.State)?.draft == "B")
    }

    @Test("A model that the stack reports on is known as long as it runs")
    func reported() async throws {
        let (history, screens, listening) = follow(maximum: 100)
        defer { listening.dispose() }
        let shared = LiveViewModel(NoteViewModel(note: "Shared"))
        screens.report(shared)
        for number in 0..<200 { write("\(number)", on: screens) }
        await eventually("it was trimmed") { history.current.dropped > 1 && history.current.moments.count <= 100 }
        let end = history.current.end
        shared.send(true)
        let moment = try #require(history.current[end])
        #expect(moment.model == 1)
    }

    @Test("A comparison marks what was changed, added and removed")
    func comparison() {
        let before = ValueTree(["a": 1, "b": 2, "c": 3])
        let after = ValueTree(["a": 1, "b": 5, "d": 4])
        let comparison = StateComparison(before, after)
        #expect(comparison.change == .changed)
        #expect(comparison.children.map(\.label) == ["\"a\"", "\"b\"", "\"d\"", "\"c\""])
        #expect(comparison.children.map(\.change) == [.same, .changed, .added, .removed])
    }
}

@Suite(
    "The inspector in a real browser",
    .enabled(if: WebBrowser.isInstalled, "chromium and chromedriver are not installed"))
struct InspectorTests {
    @Test("Events, their sources, the states and the screen of a step are shown; live goes back to now")
    func inspector() async throws {
        try await withNotes { page, stacks in
            try await WebBrowser.use { browser in
                try await browser.go(to: page)
                try await browser.sees("Notes")
                try await browser.type("Milk", into: "input[data-label='Text']")
                try await browser.press("\u{E007}")
                try await browser.sees("Milk", in: ".choice")
                try await browser.go(to: URL(string: "/inspector", relativeTo: page) ?? page)
                try await browser.sees(".ui(.add)", in: ".step")
                try await browser.sees("Milk", in: "#screen .choice")
                // A step earlier the note was not yet there.
                try await browser.run("document.querySelector('#list').focus()")
                try await browser.press("\u{E013}")
                try await browser.sees(".ui(.write(\"Milk\"))", in: "#what")
                try await browser.sees("→ \"Milk\"", in: "#state .changed")
                try await eventually("the screen is as it was") {
                    try await browser.run("return String(document.querySelectorAll('#screen .choice').length)") == "0"
                }
                // New events do not replace it until "live" is pressed.
                stacks.value.first?.top?.screen.button(for: "w")?.action()
                try await browser.sees(".ui(.work)", in: ".step")
                try await browser.sees(".ui(.write(\"Milk\"))", in: "#what")
                try await browser.click("#live")
                try await browser.sees("Working", in: "#screen")

                try await browser.type("add", into: "#filter")
                try await browser.sees("1 of ", in: "#count")
            }
        }
    }

    @Test("10,000 events are loaded and scrolled")
    func many() async throws {
        try await withNotes { page, stacks in
            try await WebBrowser.use { browser in
                try await browser.go(to: page)
                try await browser.sees("Notes")
                let work = try #require(stacks.value.first?.top?.screen.button(for: "w")?.action)
                for _ in 0..<10_000 { work() }
                let start = ContinuousClock.now
                try await browser.go(to: URL(string: "/inspector", relativeTo: page) ?? page)
                try await browser.sees("10001 of 10001", in: "#count")
                let loading = ContinuousClock.now - start
                let rows = try await browser.run(
                    """
                    document.querySelector('#list').scrollTop = 120000;
                    drawList();
                    return String(document.querySelectorAll('.step').length);
                    """)
                // Only the rows that can be seen are in the page.
                #expect((Int(rows) ?? 0) > 5 && (Int(rows) ?? 0) < 100)
                let frame = try await browser.run(
                    """
                    const start = performance.now();
                    for (let step = 0; step < 40; step += 1) {
                      document.querySelector('#list').scrollTop = step * 5000;
                      drawList();
                      drawTimeline();
                    }
                    return String((performance.now() - start) / 40);
                    """)
                // On an idle machine a second and 16 ms are enough; these limits hold on a busy one.
                print("The inspector loads 10,000 events in \(loading), and draws a frame in \(frame) ms.")
                #expect(loading < .seconds(120))
                #expect((Double(frame) ?? .infinity) < 2_000)
            }
        }
    }
}
