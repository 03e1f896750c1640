import Feedback
import FeedbackTesting
import Fixtures
import Foundation
@testable import Presentation
import Testing

@testable import Browser

@Suite("The timeline of the inspector")
struct TimelineTests {
    // MARK: - What is sent

    /// The moments of a message, as `[kind, text, source, end]`.
    private func moments(_ history: StepHistory, from number: Int = 0) throws -> [[String]] {
        let json = InspectorMessages.moments(of: history.current, from: number, models: 0).json
        let message = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        let rows = try #require(message?["moments"] as? [[Any]])
        return rows.map { row in row.dropFirst(2).map { "\($0)" }.filter { !$0.isEmpty } }
    }

    @Test(
        "Effects are told from start to end, however they end, and withdrawn events with their effect"
    )
    func effects() throws {
        let history = StepHistory()
        let screens = ScreenStack()
        let listening = history.follow(screens)
        defer { listening.dispose() }
        let model = LiveViewModel(AskingViewModel())
        screens.push(LiveScreen(model, AskingRenderer(), onRoute: { _ in }))
        for action in [AskingViewModel.Action.ask("never"), .ask("again"), .forget, .ask("forget"), .ask("value")] {
            model.send(action)
        }
        #expect(
            try moments(history) == [
                ["0"],
                ["1", ".ui(.ask(\"never\"))", "sent"], ["3", "whenAsked #1"],
                // The effect asks for another and answers: it is replaced, and its answer is withdrawn.
                ["1", ".ui(.ask(\"again\"))", "sent"], ["4", "whenAsked #1", "replaced"], ["3", "whenAsked #2"],
                ["1", ".ui(.ask(\"never\"))", "whenAsked #2"], ["4", "whenAsked #2", "replaced"],
                ["3", "whenAsked #3"], ["2", ".answer(\"late\")", "whenAsked #2"],
                ["1", ".ui(.forget)", "sent"], ["4", "whenAsked #3", "cancelled"],
                ["1", ".ui(.ask(\"forget\"))", "sent"], ["3", "whenAsked #4"],
                ["1", ".ui(.forget)", "whenAsked #4"], ["4", "whenAsked #4", "answered"],
                ["1", ".ui(.ask(\"value\"))", "sent"], ["3", "whenAsked #5"],
                ["1", ".answer(\"yes\")", "whenAsked #5"], ["4", "whenAsked #5", "completed"],
            ])
    }

    @Test("Effects that run when the listening begins start with it, and a message goes on from the last one")
    func late() throws {
        let history = StepHistory()
        let screens = ScreenStack()
        let model = LiveViewModel(AskingViewModel())
        model.send(.ask("never"))
        screens.push(LiveScreen(model, AskingRenderer(), onRoute: { _ in }))
        let listening = history.follow(screens)
        defer { listening.dispose() }
        #expect(try moments(history) == [["0"], ["3", "whenAsked #1"]])
        screens.pop()
        model.send(.forget)
        #expect(
            try moments(history, from: 2) == [["1", ".ui(.forget)", "sent"], ["4", "whenAsked #1", "cancelled"]])
    }

    @Test("A message takes a bounded number of moments, and says where the next one begins")
    func parts() {
        let history = StepHistory(maximum: 100)
        let screens = ScreenStack()
        let listening = history.follow(screens)
        defer { listening.dispose() }
        let model = LiveViewModel(AskingViewModel())
        screens.push(LiveScreen(model, AskingRenderer(), onRoute: { _ in }))
        for _ in 0..<24 { model.send(.forget) }
        var (next, parts) = (0, 0)
        while next < history.current.end {
            let (_, following) = InspectorMessages.moments(of: history.current, from: next, models: 0, maximum: 10)
            #expect(following == min(25, next + 10))
            (next, parts) = (following, parts + 1)
        }
        #expect(parts == 3)
    }
}

/// Draws moments whose times are known, and looks at the pixels.
@Suite(
    "The timeline in a real browser",
    .enabled(if: WebBrowser.isInstalled, "chromium and chromedriver are not installed"))
struct DrawnTimelineTests {
    /// `[microseconds, model, kind, text, source, end]`
    private static let moments = """
        [[0, 0, 0, "", ""],
         [100000, 0, 1, ".ui(.ask)", "sent"], [100000, 0, 3, "", "load #1"], [200000, 0, 4, "", "load #1", "completed"],
         [200000, 0, 1, ".ui(.ask)", "sent"], [300000, 0, 3, "", "load #2"], [400000, 0, 4, "", "load #2", "cancelled"],
         [450000, 0, 2, ".late", "load #2"],
         [500000, 0, 3, "", "load #3"], [600000, 0, 4, "", "load #3", "replaced"],
         [700000, 0, 3, "", "load #4"], [800000, 0, 4, "", "load #4", "answered"],
         [900000, 0, 3, "", "load #5"],
         [1000000, 0, 1, ".ui(.ask)", "sent"]]
        """

    /// The inspector with these moments and no others, in the colours of the page.
    private func use(isDark: Bool = false, _ body: (WebBrowser) async throws -> Void) async throws {
        try await withNotes { page, _ in
            try await WebBrowser.use { browser in
                try await browser.go(to: page)
                try await browser.sees("Notes")
                try await browser.go(to: URL(string: "/inspector", relativeTo: page) ?? page)
                try await browser.sees("1 of 1", in: "#count")
                try await browser.emulate(width: 1_200, isDark: isDark)
                try await browser.run(
                    """
                    disconnect();
                    setLive(false);
                    begin();
                    receive({ from: 0, models: [{ number: 0, name: "Asking", screen: 0 }], moments: \(Self.moments) });
                    drawTimeline();
                    drawList();
                    """)
                try await body(browser)
            }
        }
    }

    /// Names the colour of a pixel of the timeline, and says if it is faint.
    private static let look = """
        const context = canvas.getContext("2d");
        const y = (name) => lanePlaces().of.get(laneOf.get("0/" + name));
        const x = (time) => margin() + (lanes.clientWidth - margin() - 40) * time / 1000;
        const style = getComputedStyle(document.documentElement);
        const names = ["accent", "success", "error", "warning", "ink"];
        const digits = (name) => style.getPropertyValue("--" + name).match(/[0-9a-f]{2}/g);
        const rgb = (name) => digits(name).map((two) => parseInt(two, 16));
        const far = (name, pixel) => Math.max(...rgb(name).map((part, index) => Math.abs(part - pixel[index])));
        const look = (time, dx, name, dy) => {
          const pixel = context.getImageData(Math.round(x(time)) + dx, y(name) + dy, 1, 1).data;
          if (pixel[3] < 40) return "";
          const nearest = names.reduce((one, other) => (far(other, pixel) < far(one, pixel) ? other : one));
          return (far(nearest, pixel) > 12 ? "other" : nearest) + (pixel[3] < 140 ? " faint" : "");
        };
        """

    @Test("Effects are bars in the colour of their end, with a mark where one was given up", arguments: [false, true])
    func bars(isDark: Bool) async throws {
        try await use(isDark: isDark) { browser in
            let middles = try await browser.run(
                "\(Self.look) return [150, 250, 350, 550, 750, 950].map((time) => look(time, 0, 'load', 3)).join()")
            #expect(middles == "success faint,,error faint,warning faint,success faint,accent faint")
            // The marks are taller than the bars.
            let ends = try await browser.run(
                """
                \(Self.look)
                const mark = (time) => look(time, -1, 'load', 6) || look(time, 0, 'load', 6);
                return [200, 400, 600, 800].map(mark).join();
                """
            )
            #expect(ends == ",error,warning,")
        }
    }

    @Test("Of a step that the server no longer keeps no other state is shown")
    func forgotten() async throws {
        try await use { browser in
            try await browser.run("byId('state').textContent = 'old'; select(moments[12], false);")
            try await eventually("it is said") {
                try await browser.run("return byId('state').textContent")
                    == "The state of this step is no longer kept."
            }
        }
    }

    @Test("Events are marbles by source, to scale in time; a withdrawn one is struck out")
    func marbles() async throws {
        try await use { browser in
            let sent = try await browser.run(
                "\(Self.look) return [100, 200, 600, 1000].map((time) => look(time, 0, 'sent', 0)).join()")
            #expect(sent == "accent,accent,,accent")
            let withdrawn = try await browser.run(
                """
                \(Self.look)
                // The line is thin, so its pixels are faint.
                const near = (time, name) => [[5, -5], [6, -6], [6, -5], [5, -6]]
                  .map(([dx, dy]) => look(time, dx, name, dy).split(" ")[0]).find((each) => each) || "";
                return [
                  near(450, 'load'), look(450, -2, 'load', -2), near(100, 'sent'), look(100, -2, 'sent', -2)
                ].join();
                """)
            // A ring with a line through it, and a full marble without one.
            #expect(withdrawn == "error,,,accent")
        }
    }

    @Test("The list names the ends, strikes out what was withdrawn, and gives durations")
    func list() async throws {
        try await use { browser in
            let titles = try await browser.run(
                "return [...document.querySelectorAll('.step .what')].map((each) => each.textContent).join('\\n')")
            for title in [
                "load #1 is completed", "load #2 is cancelled", "load #3 is replaced", "load #4 is answered",
                "load #5 starts",
            ] { #expect(titles.contains(title)) }
            let struck = try await browser.run(
                """
                return [...document.querySelectorAll('.step .what')]
                  .filter((each) => getComputedStyle(each).textDecorationLine === 'line-through')
                  .map((each) => each.textContent).join()
                """)
            #expect(struck == ".late")
            try await browser.run("choose(moments[6])")
            try await browser.sees("100.000 ms", in: "#facts")
            try await browser.run("choose(moments[1])")
            try await browser.sees("load #1 starts", in: "#facts")
            try await browser.run("choose(moments[7])")
            try await browser.sees("150.000 ms", in: "#facts")
        }
    }

    @Test("Steps that the server no longer keeps are forgotten; effects that still run are drawn on")
    func forgetting() async throws {
        try await use { browser in
            let counts = "return [moments.length, shown.length, bars.length, models.size, laneOf.size].join(' ')"
            #expect(try await browser.run(counts) == "14 14 5 1 2")
            try await browser.run("receive({ from: 14, models: [], dropped: 11, kept: [0], moments: [] })")
            #expect(try await browser.run(counts) == "3 3 2 1 2")
            try await browser.run(
                """
                receive({ from: 14, models: [{ number: 1, name: "Other", screen: 0 }], dropped: 14, kept: [1],
                  moments: [[2000000, 1, 1, ".go", "sent"]] });
                drawTimeline();
                drawList();
                """)
            #expect(try await browser.run(counts) == "1 1 0 1 1")
        }
    }

    @Test("A connection that comes again brings each moment once, and keeps the step that was selected")
    func again() async throws {
        try await withNotes { page, stacks in
            try await WebBrowser.use { browser in
                try await browser.go(to: page)
                try await browser.sees("Notes")
                for _ in 0..<5 { stacks.value.first?.top?.screen.button(for: "w")?.action() }
                try await browser.go(to: URL(string: "/inspector", relativeTo: page) ?? page)
                try await browser.sees("6 of 6", in: "#count")
                try await browser.run("choose(moments[2])")
                try await browser.setHidden(true)
                #expect(try await browser.run("return String(events)") == "null")
                for _ in 0..<2 { stacks.value.first?.top?.screen.button(for: "w")?.action() }
                try await browser.setHidden(false)
                try await browser.sees("8 of 8", in: "#count")
                #expect(try await browser.run("return String(selected.number) + ' ' + models.size") == "2 1")
            }
        }
    }
}

// MARK: - A model with effects

private struct AskingViewModel: ViewModel {
    struct State: Equatable, Sendable {
        var query: String?
        var answers: [String] = []
    }

    enum Action: Equatable, Sendable {
        case ask(String)
        case forget
    }

    enum Event: ActionEvent, Equatable {
        case ui(Action)
        case answer(String)
    }

    var initial = State()
    var feedbacks: [Feedback<State, Event>] { [Self.whenAsked()] }

    static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case let .ui(.ask(query)): state.query = query
        case .ui(.forget): state.query = nil
        case let .answer(answer): state.answers.append(answer)
        }
    }

    private static func whenAsked() -> Feedback<State, Event> {
        Feedback(skippingRepeated: \.query) { query -> SignalProducer<Event, NoError> in
            switch query {
            case "never": .never
            case "again": SignalProducer([.ui(.ask("never")), .answer("late")])
            case "forget": SignalProducer(value: .ui(.forget)).concat(.never)
            default: SignalProducer(value: .answer("yes"))
            }
        }
    }
}

private struct AskingRenderer: Renderer {
    func render(_ state: AskingViewModel.State) -> Screen<AskingViewModel.Action> {
        Screen(title: "Asking", sections: [.init(rows: state.answers.map { .text($0) })])
    }
}
