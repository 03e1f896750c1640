/// The use of one screen with a keyboard: the focus, and the meaning of each key. It is a value and needs no terminal.
struct Interaction: Sendable {
    /// The result of a key.
    enum Reaction<Action: Sendable>: Sendable {
        case nothing
        case redraw
        case perform(Action)
        case scroll(pages: Int)
        case quit
    }

    /// Found again by its name when the screen has changed around it.
    private var focused: (name: String, index: Int)?
    /// The edit that the screen may not show yet, so that quick typing loses nothing.
    private var pending: (name: String, from: String, to: String)?

    /// The place of the focused control.
    func focus<Action>(on screen: Screen<Action>) -> Int? {
        let controls = screen.controls
        guard !controls.isEmpty else { return nil }
        guard let focused else { return 0 }
        if focused.index < controls.count, controls[focused.index].name == focused.name { return focused.index }
        return controls.firstIndex { $0.name == focused.name } ?? min(focused.index, controls.count - 1)
    }

    mutating func handle<Action>(_ key: Key, on screen: Screen<Action>) -> Reaction<Action> {
        let controls = screen.controls
        let focus = focus(on: screen)
        let control = focus.map { controls[$0] }
        if key == .control("c") { return .quit }
        if case let .field(field) = control, field.isEnabled, let text = edited(field, by: key) {
            pending = (field.label, pending?.name == field.label ? pending?.from ?? field.text : field.text, text)
            return .perform(field.edit(text))
        }
        switch (key, control) {
        case (.enter, .choice(let choice)?), (" ", .choice(let choice)?): return .perform(choice.action)
        case (.enter, .button(let button)?), (" ", .button(let button)?):
            return button.isEnabled ? .perform(button.action) : .nothing
        default: break
        }
        if let button = screen.button(for: key) { return .perform(button.action) }
        switch key {
        case .down, .tab: return move(by: 1, from: focus, among: controls)
        case .enter: return move(by: 1, from: focus, among: controls)
        case .up, .backTab: return move(by: -1, from: focus, among: controls)
        case .home: return move(by: -controls.count, from: focus, among: controls)
        case .end: return move(by: controls.count, from: focus, among: controls)
        case .pageUp: return .scroll(pages: -1)
        case .pageDown: return .scroll(pages: 1)
        default: return .nothing
        }
    }

    private mutating func move<Action>(
        by distance: Int, from focus: Int?, among controls: [Screen<Action>.Control]
    ) -> Reaction<Action> {
        guard let focus else { return .nothing }
        var next = focus + distance
        if abs(distance) == 1 {
            next = (next + controls.count) % controls.count
        } else {
            next = max(0, min(controls.count - 1, next))
        }
        focused = (controls[next].name, next)
        pending = nil
        return .redraw
    }

    /// The field's text after a key that edits; `nil` after any other.
    private func edited<Action>(_ field: Screen<Action>.Field, by key: Key) -> String? {
        var text = field.text
        if let pending, pending.name == field.label, pending.from == text { text = pending.to }
        switch key {
        case let .character(character): text.append(character)
        case .backspace: text = String(text.dropLast())
        case .control("u"): text = ""
        default: return nil
        }
        return text
    }
}
