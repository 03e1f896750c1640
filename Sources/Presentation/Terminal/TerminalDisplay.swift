/// Draws the screen on top of a stack on a terminal, and applies keys to it. It remembers focus and scrolling of each
/// screen.
struct TerminalDisplay {
    private let terminal: Terminal
    private let palette: Palette
    private let isInteractive: Bool
    private let start = ContinuousClock.now
    /// By the ids of the screens. Their addresses would not do: a new screen can get that of one that is gone.
    private var places: [Int: Place] = [:]
    /// The view of the explanation of the keys, while it shows.
    private var help: Viewport?
    private var frame: Frame?
    private var plainText: String?
    /// The error of the last write to the terminal that failed, if one has.
    private(set) var failure: Terminal.WriteFailure?
    private(set) var nextDrawing = ContinuousClock.now

    /// Focus and scrolling of a screen, which stay while others lie above it.
    private struct Place {
        var interaction = Interaction()
        var viewport = Viewport()
        var followsFocus = true
    }

    init(terminal: Terminal, palette: Palette, isInteractive: Bool) {
        self.terminal = terminal
        self.palette = palette
        self.isInteractive = isInteractive
    }

    /// The result of an input.
    enum Outcome {
        case stayed, acted, left
    }

    mutating func take(_ input: TerminalInput, on top: LiveScreen) -> Outcome {
        let screen = top.screen
        if help != nil { return takeInHelp(input, on: screen) }
        var place = places[top.id] ?? Place()
        defer { places[top.id] = place }
        place.interaction.settle(on: screen)
        switch place.interaction.handle(input, on: screen) {
        case .nothing: break
        case .redraw: place.followsFocus = true
        case let .perform(action):
            place.followsFocus = true
            action()
            return .acted
        case let .scroll(pages): scroll(&place, pages: pages, on: screen)
        case .help: if isInteractive { help = Viewport() }
        case .quit: return .left
        }
        return .stayed
    }

    /// Shows in the focused field what the view model has made of the edits, all of which it has handled.
    mutating func finishEdits(on top: LiveScreen) {
        places[top.id]?.interaction.finishEdits(on: top.screen)
    }

    private mutating func takeInHelp(_ input: TerminalInput, on screen: Screen<AnyAction>) -> Outcome {
        let size = terminal.size
        let parts = ScreenLayout(width: size.columns).parts(of: KeyHelp.screen(of: screen))
        switch input {
        case .key(.control("c")): return .left
        case .key(.pageUp), .key(.up): help?.scroll(pages: -1, in: parts, rows: size.rows)
        case .key(.pageDown), .key(.down): help?.scroll(pages: 1, in: parts, rows: size.rows)
        case .key, .paste: help = nil
        }
        return .stayed
    }

    /// Scrolls, and moves the focus to a control that is shown then.
    private func scroll(_ place: inout Place, pages: Int, on screen: Screen<AnyAction>) {
        let size = terminal.size
        let focus = place.interaction.focus(on: screen)
        // Of several actions on one line only the focused one is among the controls that are shown.
        let parts = ScreenLayout(width: size.columns, focus: focus).parts(of: screen)
        place.followsFocus = false
        place.viewport.scroll(pages: pages, in: parts, rows: size.rows)
        let controls = screen.controls
        let shown = place.viewport.rows(of: parts, count: size.rows, focus: nil).compactMap(\.control)
        guard let focus, !shown.contains(focus) else { return }
        let usable = shown.filter { $0 < controls.count - screen.actions.count && controls[$0].isEnabled }
        if let next = pages > 0 ? usable.first : usable.last { place.interaction.focus(next, on: screen) }
    }

    /// Makes the next drawing draw everything, because the content of the terminal is unknown.
    mutating func forgetFrame() { frame = nil }

    mutating func draw(_ screens: ScreenStack) {
        let stack = screens.screens
        let present = Set(stack.map(\.id))
        places = places.filter { present.contains($0.key) }
        guard let top = stack.last else { return }
        nextDrawing = .now + .milliseconds(16)
        if isInteractive { drawFrame(of: top) } else { drawText(of: top.screen) }
    }

    private mutating func drawFrame(of top: LiveScreen) {
        let size = terminal.size
        let next = Frame(lines(of: top, size: size), size: size, palette: palette)
        let update = next.update(from: frame)
        if !update.isEmpty { write(update) }
        frame = next
    }

    private mutating func lines(of top: LiveScreen, size: Terminal.Size) -> [StyledLine] {
        let screen = top.screen
        if var viewport = help {
            let parts = ScreenLayout(width: size.columns).parts(of: KeyHelp.screen(of: screen))
            defer { help = viewport }
            return viewport.rows(of: parts, count: size.rows, focus: nil)
        }
        var place = places[top.id] ?? Place()
        defer { places[top.id] = place }
        place.interaction.settle(on: screen)
        let focus = place.interaction.focus(on: screen)
        let tick = Int((ContinuousClock.now - start) / .milliseconds(100))
        var parts = ScreenLayout(
            width: size.columns, focus: focus, caret: place.interaction.caret(on: screen), tick: tick
        ).parts(of: screen)
        addHint(to: &parts, columns: size.columns)
        return place.viewport.rows(of: parts, count: size.rows, focus: place.followsFocus ? focus : nil)
    }

    /// Adds a hint at the help behind the title, if there is room.
    private func addHint(to parts: inout ScreenLayout.Parts, columns: Int) {
        let hint = "? for keys"
        guard let title = parts.header.first, title.columns + 2 + hint.columns <= columns else { return }
        parts.header[0].append(String(repeating: " ", count: columns - title.columns - hint.columns) + hint, .faint)
    }

    private mutating func drawText(of screen: Screen<AnyAction>) {
        let parts = ScreenLayout(width: terminal.size.columns).parts(of: screen)
        let text = parts.lines.map { palette.paint($0) + "\n" }.joined() + "\n"
        if text != plainText { write(text) }
        plainText = text
    }

    private mutating func write(_ text: String) {
        do throws(Terminal.WriteFailure) { try terminal.write(text) } catch { failure = error }
    }
}
