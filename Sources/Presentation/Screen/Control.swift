import Feedback

extension Screen {
    /// Something on the screen that a person can use.
    public enum Control: Sendable {
        /// A choice, which a person makes.
        case choice(Choice)
        /// A field, into which a person types.
        case field(Field)
        /// A button, which a person presses.
        case button(Button)

        /// The name by which a person calls it.
        public var name: String {
            switch self {
            case let .choice(choice): choice.title
            case let .field(field): field.label
            case let .button(button): button.title
            }
        }

        /// True if it can be used now.
        public var isEnabled: Bool {
            switch self {
            case let .choice(choice): choice.isEnabled
            case let .field(field): field.isEnabled
            case let .button(button): button.isEnabled
            }
        }

        /// The action as a text, that of a field for a certain text. It tells controls of one name apart.
        package var actionText: String {
            switch self {
            case let .choice(choice): "\(choice.action)"
            case let .field(field): "\(field.edit("text"))"
            case let .button(button): "\(button.action)"
            }
        }
    }

    /// All controls, in the order in which they are seen: those of the rows, then the screen's own actions.
    public var controls: [Control] {
        rows.compactMap(\.control) + actions.map(Control.button)
    }

    /// The buttons and choices with a name. If there are none, each mark of a recording in the name stands for any text,
    /// as a name can contain by chance what was typed as a secret. If several names fit then, none is meant.
    func pressable(named name: String) -> [Control] {
        let pressable = controls.filter { if case .field = $0 { false } else { true } }
        let named = pressable.filter { $0.name == name }
        guard named.isEmpty else { return named }
        let fitting = pressable.filter { name.fits($0.name, mark: "<redacted>") }
        return Set(fitting.map(\.name)).count == 1 ? fitting : []
    }

    /// The key of each control; `nil` if it has none, or if it is enabled and an enabled control before it has the same
    /// key, which presses only the first button.
    var shownKeys: [Key?] {
        var taken: Set<Key> = []
        return controls.map { control in
            guard case let .button(button) = control, let key = button.key else { return nil }
            return button.isEnabled && !taken.insert(key).inserted ? nil : key
        }
    }

    /// The button that `key` presses, if it can be pressed.
    public func button(for key: Key) -> Button? {
        for case let .button(button) in controls where button.key == key && button.isEnabled { return button }
        return nil
    }
}

extension Screen.Row {
    /// The control of the row; a row has one at most.
    public var control: Screen.Control? {
        switch self {
        case .text, .value, .progress, .picture: nil
        case let .choice(choice): .choice(choice)
        case let .field(field): .field(field)
        case let .button(button): .button(button)
        case let .notice(notice): notice.button.map(Screen.Control.button)
        }
    }
}
