import Feedback
import Fixtures
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
