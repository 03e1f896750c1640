/// One line of a terminal: pieces of text, each with a role that says how it looks.
public struct StyledLine: Sendable, Equatable {
    /// The meaning of a piece of text, from which its colour follows.
    public enum Role: Sendable {
        /// A role.
        case plain, title, faint, accent, focus, success, warning, error
    }

    /// A piece of text with one role.
    public struct Span: Sendable, Equatable {
        /// The text.
        public var text: String
        /// The role.
        public var role: Role
    }

    /// The pieces, from left to right.
    public private(set) var spans: [Span] = []
    /// The control that the line shows, by its place in ``Screen/controls``. Of several, it is the focused one, or else
    /// the first.
    public var control: Int?
    /// The column at which the caret stands, if the line is a field that has the focus.
    public var caret: Int?

    /// Makes a line of one piece of text.
    public init(_ text: String = "", _ role: Role = .plain, control: Int? = nil) {
        self.control = control
        append(text, role)
    }

    /// Appends text, and makes it safe for a terminal.
    public mutating func append(_ text: String, _ role: Role = .plain) {
        guard !text.isEmpty else { return }
        spans.append(Span(text: text.safeLine, role: role))
    }

    /// The line without its roles.
    public var text: String {
        var text = spans.map(\.text).joined()
        while text.last == " " { text.removeLast() }
        return text
    }

    /// The number of columns that the line takes.
    public var columns: Int { spans.reduce(0) { $0 + $1.text.columns } }

    /// Returns as much of the line as fits, with an ellipsis if that is not all of it.
    public func fitted(to width: Int) -> StyledLine {
        guard columns > width else { return self }
        var line = StyledLine(control: control)
        line.caret = caret.map { min($0, max(0, width - 1)) }
        var left = width
        for (index, span) in spans.enumerated() {
            let isLast = spans[(index + 1)...].allSatisfy(\.text.isEmpty)
            let columns = span.text.columns
            // If the rest is left out, the last column holds the ellipsis.
            if columns < left || (isLast && columns == left) {
                line.append(span.text, span.role)
                left -= columns
            } else {
                line.append((span.text + (isLast ? "" : " ")).fitted(to: left), span.role)
                break
            }
        }
        return line
    }
}

/// The looks of the roles of text.
public struct Palette: Sendable {
    private let isColored: Bool

    /// A palette without colours.
    public static let plain = Palette(isColored: false)
    /// The sixteen colours that every terminal has, as its owner chose them.
    public static let colored = Palette(isColored: true)

    private init(isColored: Bool) {
        self.isColored = isColored
    }

    /// Returns the line with the terminal's control sequences.
    public func paint(_ line: StyledLine) -> String {
        guard isColored else { return line.text }
        return line.spans.map { span in
            let code = code(of: span.role)
            return code.isEmpty ? span.text : "\u{1B}[\(code)m\(span.text)\u{1B}[0m"
        }.joined()
    }

    private func code(of role: StyledLine.Role) -> String {
        switch role {
        case .plain: ""
        case .title: "1"
        case .faint: "2"
        case .accent: "36"
        case .focus: "1;7"
        case .success: "32"
        case .warning: "33"
        case .error: "31"
        }
    }
}
