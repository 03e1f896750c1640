/// The use of one screen with a keyboard: the focus, the caret, and the meaning of each key. It is a value and needs no
/// terminal.
struct Interaction: Sendable {
    /// The result of an input.
    enum Reaction<Action: Sendable>: Sendable {
        case nothing
        case redraw
        case perform(Action)
        case scroll(pages: Int)
        case help
        case quit
    }

    /// The focused control. It is found by its name; of several with that name, by its action, and by its number among them if
    /// none has this action; and by its place on the screen if there is none of that name.
    private var focused: (name: String, action: String, number: Int, index: Int)?
    /// The text and the caret of the field that was edited last.
    private var editing: FieldEdit?

    /// Returns the place of the focused control.
    func focus<Action>(on screen: Screen<Action>) -> Int? {
        let controls = screen.controls
        guard !controls.isEmpty else { return nil }
        guard let focused else { return controls.firstIndex(where: \.isEnabled) ?? 0 }
        let namesakes = controls.indices.filter { controls[$0].name == focused.name }
        guard let numbered = namesakes.prefix(focused.number + 1).last else {
            return min(focused.index, controls.count - 1)
        }
        let isSame = { controls[$0].actionText == focused.action }
        return namesakes.count == 1 || isSame(numbered) ? numbered : namesakes.first(where: isSame) ?? numbered
    }

    /// Moves the focus to a control.
    mutating func focus<Action>(_ index: Int, on screen: Screen<Action>) {
        let controls = screen.controls
        guard controls.indices.contains(index) else { return }
        let name = controls[index].name
        focused = (name, controls[index].actionText, controls[..<index].count { $0.name == name }, index)
        editing = nil
    }

    /// Returns the number of characters before the caret, if a field has the focus.
    func caret<Action>(on screen: Screen<Action>) -> Int? {
        focusedField(on: screen).map { edit(of: $0).current.caret }
    }

    /// Takes note of the text that the screen shows in the focused field.
    mutating func settle<Action>(on screen: Screen<Action>) {
        if let field = focusedField(on: screen) { editing = edit(of: field) }
    }

    /// Takes note that the view model has handled all edits: the screen shows what it has made of them.
    mutating func finishEdits<Action>(on screen: Screen<Action>) {
        if let field = focusedField(on: screen) { editing = edit(of: field).handled(as: field.text) }
    }

    mutating func handle<Action>(_ input: TerminalInput, on screen: Screen<Action>) -> Reaction<Action> {
        switch input {
        case let .key(key):
            handle(key, on: screen)
        case let .paste(text):
            // A text is pasted into fields only: it must not press buttons.
            change(on: screen) { edit in
                edit.paste(text)
                return true
            } ?? .nothing
        }
    }

    mutating func handle<Action>(_ key: Key, on screen: Screen<Action>) -> Reaction<Action> {
        if key == .control("c") { return .quit }
        // A Control key of one of the screen's buttons goes before the keys that edit.
        if case .control = key, let button = screen.button(for: key) { return .perform(button.action) }
        if let reaction = change(on: screen, { $0.press(key) }) { return reaction }
        let controls = screen.controls
        let focus = focus(on: screen)
        switch (key, focus.map { controls[$0] }) {
        case (.enter, .choice(let choice)?), (" ", .choice(let choice)?):
            return choice.isEnabled ? .perform(choice.action) : .nothing
        case (.enter, .button(let button)?), (" ", .button(let button)?):
            return button.isEnabled ? .perform(button.action) : .nothing
        default: break
        }
        if let button = screen.button(for: key) { return .perform(button.action) }
        switch key {
        case .down, .tab, .enter: return move(by: 1, from: focus, on: screen)
        case .up, .backTab: return move(by: -1, from: focus, on: screen)
        case .home: return moveToEnd(controls.indices.first(where: { controls[$0].isEnabled }), on: screen)
        case .end: return moveToEnd(controls.indices.last(where: { controls[$0].isEnabled }), on: screen)
        case .pageUp: return .scroll(pages: -1)
        case .pageDown: return .scroll(pages: 1)
        case "?": return .help
        default: return .nothing
        }
    }

    // MARK: - Focus

    /// Moves to the next control that can be used, and from the last one to the first.
    private mutating func move<Action>(
        by step: Int, from focus: Int?, on screen: Screen<Action>
    ) -> Reaction<Action> {
        let controls = screen.controls
        guard let focus else { return .nothing }
        var next = focus
        repeat {
            next = (next + step + controls.count) % controls.count
            if controls[next].isEnabled { break }
        } while next != focus
        self.focus(next, on: screen)
        return .redraw
    }

    private mutating func moveToEnd<Action>(_ index: Int?, on screen: Screen<Action>) -> Reaction<Action> {
        guard let index else { return .nothing }
        focus(index, on: screen)
        return .redraw
    }

    // MARK: - Editing

    private func focusedField<Action>(on screen: Screen<Action>) -> Screen<Action>.Field? {
        guard let focus = focus(on: screen), case let .field(field) = screen.controls[focus], field.isEnabled else {
            return nil
        }
        return field
    }

    private func edit<Action>(of field: Screen<Action>.Field) -> FieldEdit {
        guard let editing, editing.name == field.label else { return FieldEdit(name: field.label, text: field.text) }
        return editing.updated(to: field.text)
    }

    /// Edits the focused field.
    ///
    /// - Parameter body: Returns true if it has edited.
    /// - Returns: `nil` if no field has the focus, or nothing was edited.
    private mutating func change<Action>(
        on screen: Screen<Action>, _ body: (inout TextEdit) -> Bool
    ) -> Reaction<Action>? {
        guard let field = focusedField(on: screen) else { return nil }
        var edit = edit(of: field)
        let before = edit.current.text
        guard body(&edit.current) else { return nil }
        let text = edit.current.text
        if text != before { edit.sent.append(text) }
        editing = edit
        return text == before ? .redraw : .perform(field.edit(text))
    }
}

/// The editing of one field. The screen may show a text later than it was typed, so each key edits the text that was
/// sent last, not the one that the screen shows.
private struct FieldEdit: Sendable {
    let name: String
    var current: TextEdit
    /// The text that the screen shows, then those that were sent after it.
    var sent: [String]

    init(name: String, text: String) {
        self.name = name
        current = TextEdit(text)
        sent = [text]
    }

    /// Returns the editing when the screen shows `text`.
    func updated(to text: String) -> FieldEdit {
        var edit = self
        if let index = sent.firstIndex(of: text) {
            edit.sent.removeFirst(index)
        } else {
            // The view model has made another text of it. A caret at the end stays there.
            let isAtEnd = current.caret == current.text.count
            edit.current = TextEdit(text, caret: isAtEnd ? nil : current.caret)
            edit.sent = [text]
        }
        return edit
    }

    /// Returns the editing when all texts that were sent are handled, and the screen shows `text`.
    func handled(as text: String) -> FieldEdit {
        var edit = updated(to: text)
        if edit.current.text != text {
            // The view model has refused the last text. The caret goes back to the character before which it was.
            edit.current = TextEdit(text, caret: max(0, text.count - (current.text.count - current.caret)))
        }
        edit.sent = [text]
        return edit
    }
}
