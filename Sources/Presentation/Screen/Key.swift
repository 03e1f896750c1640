/// A key of a keyboard.
public enum Key: Hashable, Sendable {
    /// A key that writes: `"r"`, `"ß"`, `" "`.
    case character(Character)
    /// A letter pressed together with Control.
    case control(Character)
    /// A key that uses a control, leaves a screen, or edits text.
    case enter, escape, tab, backTab, backspace, delete
    /// A key that moves the focus, the caret or the page.
    case up, down, left, right, home, end, pageUp, pageDown
    /// Left and Right together with Control or Alt.
    case wordLeft, wordRight
}

extension Key: ExpressibleByExtendedGraphemeClusterLiteral {
    public init(extendedGraphemeClusterLiteral character: Character) {
        self = .character(character)
    }
}

extension Key: CustomStringConvertible {
    /// The label of the key.
    public var description: String {
        switch self {
        case let .character(character): character == " " ? "Space" : String(character)
        case let .control(character): "Ctrl-\(character.uppercased())"
        case .enter: "Enter"
        case .escape: "Esc"
        case .tab: "Tab"
        case .backTab: "Shift-Tab"
        case .backspace: "Backspace"
        case .delete: "Delete"
        case .up: "Up"
        case .down: "Down"
        case .left: "Left"
        case .right: "Right"
        case .home: "Home"
        case .end: "End"
        case .pageUp: "PageUp"
        case .pageDown: "PageDown"
        case .wordLeft: "Ctrl-Left"
        case .wordRight: "Ctrl-Right"
        }
    }
}
