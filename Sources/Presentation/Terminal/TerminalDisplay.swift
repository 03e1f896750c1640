/// Draws the screen on top of a stack on a terminal, and applies keys to it. It remembers focus and scrolling of each screen.
struct TerminalDisplay {
    private let terminal: Terminal
    private let palette: Palette
    private let isInteractive: Bool
    private let start = ContinuousClock.now
    private var places: [ObjectIdentifier: Place] = [:]
    private var frame: Frame?
    private var plainText: String?
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

    /// The result of pressing a key.
    enum Outcome {
        case stayed, acted, left
    }

    mutating func press(_ key: Key, on top: LiveScreen) -> Outcome {
        let screen = top.screen
        var place = places[ObjectIdentifier(top)] ?? Place()
        defer { places[ObjectIdentifier(top)] = place }
        switch place.interaction.handle(key, on: screen) {
        case .nothing: break
        case .redraw: place.followsFocus = true
        case let .perform(action):
            action()
            return .acted
        case let .scroll(pages):
            let size = terminal.size
            place.followsFocus = false
            place.viewport.scroll(
                pages: pages, in: ScreenLayout(width: size.columns).parts(of: screen), rows: size.rows)
        case .quit: return .left
        }
        return .stayed
    }

    /// Draws everything anew next time, since the terminal may show anything now.
    mutating func forgetFrame() { frame = nil }

    mutating func draw(_ screens: ScreenStack) {
        let stack = screens.screens
        let present = Set(stack.map(ObjectIdentifier.init))
        places = places.filter { present.contains($0.key) }
        guard let top = stack.last else { return }
        nextDrawing = .now + .milliseconds(16)
        if isInteractive { drawFrame(of: top) } else { drawText(of: top.screen) }
    }

    private mutating func drawFrame(of top: LiveScreen) {
        let screen = top.screen
        let size = terminal.size
        var place = places[ObjectIdentifier(top)] ?? Place()
        let focus = place.interaction.focus(on: screen)
        let tick = Int((ContinuousClock.now - start) / .milliseconds(100))
        let parts = ScreenLayout(width: size.columns, focus: focus, tick: tick).parts(of: screen)
        let rows = place.viewport.rows(of: parts, count: size.rows, focus: place.followsFocus ? focus : nil)
        places[ObjectIdentifier(top)] = place
        let next = Frame(rows: rows.map { palette.paint($0.fitted(to: size.columns)) })
        let update = next.update(from: frame)
        if !update.isEmpty { terminal.write(update) }
        frame = next
    }

    private mutating func drawText(of screen: Screen<AnyAction>) {
        let parts = ScreenLayout(width: terminal.size.columns).parts(of: screen)
        let text = parts.lines.map { palette.paint($0) + "\n" }.joined() + "\n"
        if text != plainText { terminal.write(text) }
        plainText = text
    }
}
