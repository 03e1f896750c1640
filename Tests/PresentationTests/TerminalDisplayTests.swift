import Feedback
import FeedbackTesting
import Fixtures
import Foundation
import Testing

@testable import Presentation

/// On a terminal with room for ten rows of the body.
struct TerminalDisplayTests {
    private let device: PseudoTerminal
    private let stack = ScreenStack()

    init() throws {
        device = try PseudoTerminal(columns: 60, rows: 14)
    }

    /// Presses keys, and draws after each, as a session does.
    private func press(_ keys: Key..., on display: inout TerminalDisplay) async throws {
        let screen = try #require(stack.top)
        for key in keys {
            _ = display.take(.key(key), on: screen)
            await screen.settled()
            display.draw(stack)
        }
    }

    private func display(of renderer: RowsRenderer) -> TerminalDisplay {
        stack.push(LiveScreen(CounterViewModel(), renderer) { _ in })
        var display = TerminalDisplay(terminal: device.terminal, palette: .plain, isInteractive: true)
        display.draw(stack)
        return display
    }

    private var chosen: String? { stack.top?.screen.title }

    @Test(
        "PageDown moves a focus that is out of sight to the first control shown that can be used, PageUp to the last one"
    )
    func paging() async throws {
        var display = display(of: RowsRenderer(disabled: [8, 9]))
        // The rows 9 to 16 are shown, below the mark of those above.
        try await press(.pageDown, .enter, on: &display)
        #expect(chosen == "Row 10")
        // The rows 0 to 8 are.
        try await press(.pageUp, .enter, on: &display)
        #expect(chosen == "Row 7")
    }

    @Test("A focus that stays in sight stays where it is")
    func staying() async throws {
        var display = display(of: RowsRenderer())
        // Up from the first row are the two actions, then the last row.
        try await press(.up, .pageDown, .enter, on: &display)
        #expect(chosen == "Second action")
        try await press(.up, .pageUp, .enter, on: &display)
        #expect(chosen == "First action")
        try await press(.up, .up, .pageDown, .enter, on: &display)
        #expect(chosen == "Row 28")
    }

    @Test("A focus that is out of sight stays if no control shown can be used")
    func nothingUsable() async throws {
        var display = display(of: RowsRenderer(disabled: Set(1..<30)))
        try await press(.pageDown, .enter, on: &display)
        #expect(chosen == "Row 0")
    }
}

/// How it draws.
struct TerminalDrawingTests {
    private let stack = ScreenStack()

    private func push(_ title: String, _ renderer: RowsRenderer = RowsRenderer()) {
        stack.push(LiveScreen(CounterViewModel(initial: .init(name: title)), renderer) { _ in })
    }

    private func press(_ key: Key, on display: inout TerminalDisplay) -> TerminalDisplay.Outcome? {
        guard let top = stack.top else { return nil }
        let outcome = display.take(.key(key), on: top)
        display.draw(stack)
        return outcome
    }

    @Test("A question mark explains the keys, which scroll, until another key is pressed")
    func help() async throws {
        let device = try PseudoTerminal(columns: 60, rows: 14)
        push("Rows")
        var display = TerminalDisplay(terminal: device.terminal, palette: .plain, isInteractive: true)
        #expect(press("?", on: &display) == .stayed)
        #expect(await device.hasShown("↓ 6 more lines"))
        #expect(!device.output.contains("On this screen") && !device.output.contains("Any other key"))
        var count = 1
        for (down, up) in [(Key.pageDown, Key.pageUp), (.down, .up)] {
            #expect(press(down, on: &display) == .stayed)
            await eventually("the end is shown") { device.output.count(of: "Any other key goes back.") == count }
            count += 1
            #expect(press(up, on: &display) == .stayed)
            await eventually("the start is shown") { device.output.count(of: "Everywhere") == count }
        }
        // The key that ends the explanation does nothing else.
        #expect(press(.enter, on: &display) == .stayed)
        await eventually("the screen is shown") { device.output.contains("▸ Row 0") }
        #expect(stack.top?.screen.title == "Rows")
        #expect(press(.enter, on: &display) == .acted)
        _ = press("?", on: &display)
        #expect(press(.control("c"), on: &display) == .left)
    }

    @Test("The explanation has the keys of the screen's own buttons, if it has some")
    func ownKeys() {
        func titles(_ buttons: [Screen<String>.Button]) -> [String?] {
            KeyHelp.screen(of: Screen(title: "", actions: buttons)).sections.map(\.title)
        }
        #expect(titles([.init("Send", action: "")]) == ["Everywhere", "In a field", nil])
        let buttons = [Screen<String>.Button("Save", key: .control("s"), action: ""), .init("Send", action: "")]
        #expect(titles(buttons) == ["On this screen", "Everywhere", "In a field", nil])
        #expect(KeyHelp.screen(of: Screen(title: "", actions: buttons)).text().contains("\n  Ctrl-S  Save\n"))
    }

    @Test("The hint at the explanation stands at the right of the title, if there is room for it", arguments: [48, 49])
    func hint(length: Int) async throws {
        let device = try PseudoTerminal(columns: 60, rows: 14)
        let title = String(repeating: "x", count: length)
        push(title)
        var display = TerminalDisplay(terminal: device.terminal, palette: .plain, isInteractive: true)
        display.draw(stack)
        #expect(await device.hasShown("Second action"))
        #expect(device.output.contains("\(title)  ? for keys") == (length == 48))
        #expect(device.output.contains("? for keys") == (length == 48))
    }

    @Test("Each frame is drawn once, unless what the terminal shows is unknown")
    func frames() async throws {
        let device = try PseudoTerminal(columns: 60, rows: 14)
        push("Rows")
        var display = TerminalDisplay(terminal: device.terminal, palette: .plain, isInteractive: true)
        let start = ContinuousClock.now
        for _ in 0..<3 { display.draw(stack) }
        #expect(display.nextDrawing >= start + .milliseconds(16))
        display.forgetFrame()
        display.draw(stack)
        try device.terminal.write("end")
        #expect(await device.hasShown("end"))
        #expect(device.output.count(of: "Second action") == 2)
    }

    @Test("Each screen keeps its focus and its scrolling while others lie above it")
    func places() async throws {
        let device = try PseudoTerminal(columns: 60, rows: 14)
        push("Below")
        var display = TerminalDisplay(terminal: device.terminal, palette: .plain, isInteractive: true)
        for _ in 0..<2 { _ = press(.down, on: &display) }
        push("Above")
        for _ in 0..<4 { _ = press(.down, on: &display) }
        _ = press(.enter, on: &display)
        await stack.top?.settled()
        #expect(stack.top?.screen.title == "Row 4")
        stack.pop()
        display.draw(stack)
        _ = press(.enter, on: &display)
        await stack.top?.settled()
        #expect(stack.top?.screen.title == "Row 2")
    }

    @Test("An output that is not a terminal gets each screen that differs from the one before, and no explanation")
    func plainText() async throws {
        let pipe = Pipe()
        let terminal = Terminal(input: -1, output: pipe.fileHandleForWriting.fileDescriptor)
        push("Rows")
        var display = TerminalDisplay(terminal: terminal, palette: .plain, isInteractive: false)
        for key in ["?", .enter, .enter] as [Key] {
            display.draw(stack)
            _ = press(key, on: &display)
            await stack.top?.settled()
        }
        display.draw(stack)
        try pipe.fileHandleForWriting.close()
        let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        // The title is the row that was chosen.
        #expect(text.count(of: "  Second action") == 2)
        #expect(text.hasPrefix("Rows\n───") && text.contains("\n\nRow 0\n───") && text.hasSuffix("\n\n"))
        #expect(!text.contains("? for keys") && !text.contains("\u{1B}"))
    }

    @Test("An output that cannot be written is noted")
    func unwritten() {
        push("Rows")
        for isInteractive in [false, true] {
            var display = TerminalDisplay(
                terminal: Terminal(input: -1, output: -1), palette: .plain, isInteractive: isInteractive)
            #expect(display.failure == nil)
            display.draw(stack)
            #expect(display.failure == Terminal.WriteFailure(code: EBADF))
        }
    }
}

extension String {
    fileprivate func count(of part: String) -> Int { ranges(of: part).count }
}

/// Thirty rows and two actions, with the one that was chosen last as the title.
private struct RowsRenderer: Renderer {
    var disabled: Set<Int> = []

    func render(_ state: CounterViewModel.State) -> Screen<CounterViewModel.Action> {
        let rows = (0..<30).map { row in
            Screen<CounterViewModel.Action>.Row.button(
                "Row \(row)", isEnabled: !disabled.contains(row), action: .rename("Row \(row)"))
        }
        return Screen(
            title: state.name, sections: [.init(rows: rows)],
            actions: ["First action", "Second action"].map { .init($0, action: .rename($0)) })
    }
}
