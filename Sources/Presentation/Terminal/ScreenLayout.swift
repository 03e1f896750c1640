/// Lays a screen out in lines of text: a pure function of the screen, the width, the focus, the caret and the tick.
public struct ScreenLayout: Sendable {
    /// The number of columns, from 8 to 10,000; another number is replaced by the nearest of these.
    public var width: Int { didSet { width = Self.clamped(width) } }
    /// The place of the focused control in ``Screen/controls``; `nil` if the screen is only shown.
    public var focus: Int?
    /// The number of characters before the caret, if a field has the focus; `nil` for a caret at the end.
    public var caret: Int?
    /// The number of the spinner's current picture; `nil` for a spinner that does not move.
    public var tick: Int?

    /// Makes a layout.
    public init(width: Int, focus: Int? = nil, caret: Int? = nil, tick: Int? = nil) {
        self.width = Self.clamped(width)
        self.focus = focus
        self.caret = caret
        self.tick = tick
    }

    /// A layout that neither wraps nor cuts off any text.
    static let unlimited = ScreenLayout(unclamped: 1 << 30)

    private init(unclamped width: Int) {
        self.width = width
    }

    private static func clamped(_ width: Int) -> Int { min(max(8, width), 10_000) }

    /// The parts of a screen as lines. If the terminal has too few rows, only the body scrolls.
    public struct Parts: Sendable, Equatable {
        /// The title of the screen.
        public var header: [StyledLine]
        /// The sections, which scroll.
        public var body: [StyledLine]
        /// The screen's own actions.
        public var footer: [StyledLine]

        /// All lines, from top to bottom.
        public var lines: [StyledLine] { header + body + footer }
    }

    /// Lays out a screen.
    public func parts<Action>(of screen: Screen<Action>) -> Parts {
        let title = screen.title.safeLine.fitted(to: width)
        var parts = Parts(
            header: [
                StyledLine(title, .title), StyledLine(String(repeating: "─", count: Self.clamped(width)), .faint),
            ],
            body: [], footer: [])
        let keys = screen.shownKeys
        var control = 0
        for section in screen.sections where section.title != nil || !section.rows.isEmpty {
            if !parts.body.isEmpty { parts.body.append(StyledLine()) }
            if let title = section.title { parts.body.append(StyledLine(title.safeLine.fitted(to: width), .title)) }
            let column = column(of: section)
            for row in section.rows {
                let index = row.control == nil ? nil : control
                let key = index.flatMap { keys[$0] }
                parts.body += lines(of: row, control: index, key: key, column: column).map { $0.fitted(to: width) }
                if index != nil { control += 1 }
            }
        }
        if !screen.actions.isEmpty {
            parts.footer = [StyledLine()] + footer(screen.actions, keys: Array(keys[control...]), firstControl: control)
        }
        return parts
    }

    /// Returns a screen as plain text.
    func text<Action>(of screen: Screen<Action>) -> String {
        parts(of: screen).lines.map { $0.text + "\n" }.joined()
    }

    // MARK: - Rows

    private func lines<Action>(
        of row: Screen<Action>.Row, control: Int?, key: Key?, column: Int
    ) -> [StyledLine] {
        switch row {
        case let .text(text):
            return wrapped(text, role: .plain)
        case let .value(label, value):
            return hanging(label: label, value: value, column: column)
        case let .choice(choice):
            let mark = choice.isSelected ? "● " : "○ "
            let title = choice.title.safeLine
            // A title without a detail may take the whole line.
            let fitted = choice.detail.isEmpty ? title : title.fitted(to: column).padded(to: column)
            return [line(control, mark + fitted, detail: choice.detail, isEnabled: choice.isEnabled)]
        case let .field(field):
            return lines(of: field, control: control, column: column)
        case let .button(button):
            return [line(control, caption(of: button, key: key), isEnabled: button.isEnabled)]
        case let .progress(progress):
            return wrapped(progress.label, role: .accent, first: "\(mark(of: progress.fraction)) ")
        case let .notice(notice):
            let (mark, role): (String, StyledLine.Role) =
                switch notice.kind {
                case .information: ("i", .accent)
                case .success: ("✓", .success)
                case .warning: ("!", .warning)
                case .error: ("✗", .error)
                }
            let message = wrapped(notice.message, role: role, first: "\(mark) ")
            guard let button = notice.button else { return message }
            return message + [line(control, caption(of: button, key: key), isEnabled: button.isEnabled)]
        case let .picture(picture):
            return PictureDrawing(picture, columns: min(width, 80), rows: 24)?.lines ?? []
        }
    }

    private func lines<Action>(
        of field: Screen<Action>.Field, control: Int?, column: Int
    ) -> [StyledLine] {
        let isFocused = control != nil && control == focus
        var line = StyledLine(marker(control), isFocused ? .focus : .plain, control: control)
        line.append(field.label.safeLine.fitted(to: column).padded(to: column) + "  ", .faint)
        let room = max(1, width - line.columns - 3)
        let text = field.isSecret ? String(repeating: "•", count: field.text.count) : field.text.safeLine
        let window = FieldWindow(text, caret: isFocused ? caret : nil, columns: room)
        line.append("[", .faint)
        if isFocused, field.isEnabled { line.caret = line.columns + window.caret }
        line.append(window.text, field.isEnabled ? .plain : .faint)
        line.append(String(repeating: " ", count: 1 + max(0, min(24, room) - window.text.columns)))
        line.append("]", .faint)
        let hint = " such as \(field.placeholder)"
        let hasHint = field.text.isEmpty && !field.placeholder.isEmpty
        if hasHint, line.columns + hint.columns <= width { line.append(hint, .faint) }
        guard let problem = field.problem else { return [line] }
        let indent = String(repeating: " ", count: column + 4 <= width / 2 ? column + 4 : 2)
        return [line] + wrapped(problem, role: .error, first: indent + "! ", indent: indent + "  ")
    }

    private func line(_ control: Int?, _ title: String, detail: String = "", isEnabled: Bool = true) -> StyledLine {
        let isFocused = control != nil && control == focus
        var line = StyledLine(marker(control), isFocused ? .focus : .plain, control: control)
        line.append(title, isFocused ? .focus : isEnabled ? .plain : .faint)
        line.append(detail.isEmpty ? "" : "  " + detail, .faint)
        return line
    }

    /// Returns the mark of the focus, which also shows without colours.
    private func marker(_ control: Int?) -> String { control != nil && control == focus ? "▸ " : "  " }

    /// Returns the text of a button, with its key. A dash replaces the key of a button that cannot be pressed.
    private func caption<Action>(of button: Screen<Action>.Button, key: Key?) -> String {
        let key = key.map { "[\(button.isEnabled ? "\($0)" : "–")] " } ?? ""
        return key + button.title.safeLine
    }

    private func mark(of fraction: Double?) -> String {
        guard let fraction else {
            let spinner = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
            return tick.map { spinner[Int($0.magnitude % UInt(spinner.count))] } ?? "…"
        }
        let share = fraction.isFinite ? min(1, max(0, fraction)) : 0
        let length = min(20, width / 3)
        let done = Int((share * Double(length)).rounded(.down))
        let percent = "\(Int((share * 100).rounded(.down))) %"
        return String(repeating: "█", count: done) + String(repeating: "░", count: length - done) + " " + percent
    }

    // MARK: - Text

    private func wrapped(
        _ text: String, role: StyledLine.Role, first: String = "", indent: String? = nil
    ) -> [StyledLine] {
        let rest = indent ?? String(repeating: " ", count: first.columns)
        let room = width - rest.columns
        guard room > 8 else { return [StyledLine(first + text.safeLine, role)] }
        let lines = text.safeLines.flatMap { $0.wrapped(to: room) }
        return lines.enumerated().map { StyledLine(($0 == 0 ? first : rest) + $1, role) }
    }

    private func hanging(label: String, value: String, column: Int) -> [StyledLine] {
        let label = label.safeLine.fitted(to: column).padded(to: column) + "  "
        let room = width - column - 4
        guard room > 8 else { return [StyledLine("  " + label + value)] }
        let lines = value.safeLines.flatMap { $0.wrapped(to: room) }
        return lines.enumerated().map { index, text in
            var line = StyledLine(index == 0 ? "  " + label : String(repeating: " ", count: column + 4), .faint)
            line.append(text)
            return line
        }
    }

    /// The width of the first of two columns, which has labels and the titles of choices.
    private func column<Action>(of section: Screen<Action>.Section) -> Int {
        let widths = section.rows.map { row in
            switch row {
            case let .value(label, _): label.safeLine.columns
            case let .field(field): field.label.safeLine.columns
            case let .choice(choice) where !choice.detail.isEmpty: choice.title.safeLine.columns
            default: 0
            }
        }
        // Fields keep room for a few characters.
        let hasField = section.rows.contains { if case .field = $0 { true } else { false } }
        return min(widths.max() ?? 0, width / 2, hasField ? max(4, width - 20) : width)
    }

    private func footer<Action>(
        _ actions: [Screen<Action>.Button], keys: [Key?], firstControl: Int
    ) -> [StyledLine] {
        var lines: [StyledLine] = []
        var line = StyledLine()
        for (offset, button) in actions.enumerated() {
            let caption = caption(of: button, key: keys[offset])
            if line.columns > 0, line.columns + 4 + caption.columns > width {
                lines.append(line)
                line = StyledLine()
            }
            let isFocused = firstControl + offset == focus
            if isFocused || line.control == nil { line.control = firstControl + offset }
            line.append((line.columns > 0 ? "  " : "") + (focus == nil ? "" : isFocused ? "▸ " : "  "))
            line.append(caption, isFocused ? .focus : button.isEnabled ? .accent : .faint)
        }
        return (lines + [line]).map { $0.fitted(to: width) }
    }
}

extension Screen {
    /// Returns the screen as plain text, for pipes, logs and snapshots.
    public func text(width: Int = 80) -> String {
        ScreenLayout(width: width).text(of: self)
    }
}
