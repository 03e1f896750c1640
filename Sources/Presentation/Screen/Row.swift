extension Screen {
    /// One line of a screen, or a few.
    public enum Row: Sendable {
        /// A paragraph.
        case text(String)
        /// A value with a name: `Population  8,866,000`.
        case value(String, String)
        /// A row that a person can choose: one of several, a switch, or a way to another screen.
        case choice(Choice)
        /// A line of text that can be edited.
        case field(Field)
        /// Something to press.
        case button(Button)
        /// Work that is under way.
        case progress(Progress)
        /// Something that happened.
        case notice(Notice)
        /// A drawing.
        case picture(Picture)
    }

    /// A row that a person can choose: one of several, a switch, or a way to another screen.
    public struct Choice: Sendable {
        /// The text of the choice, and its name for a scripted person.
        public var title: String
        /// A second text, such as a price.
        public var detail: String
        /// True if it is the one that is chosen now.
        public var isSelected: Bool
        /// True if it can be chosen now.
        public var isEnabled: Bool
        /// The action of choosing it.
        public var action: Action

        /// Makes a choice.
        public init(
            _ title: String, detail: String = "", isSelected: Bool = false, isEnabled: Bool = true, action: Action
        ) {
            self.title = title
            self.detail = detail
            self.isSelected = isSelected
            self.isEnabled = isEnabled
            self.action = action
        }
    }

    /// A line of text that can be edited.
    public struct Field: Sendable {
        /// The name of the field, also for a scripted person.
        public var label: String
        /// The text in the field.
        public var text: String
        /// An example of a text, shown while the field is empty.
        public var placeholder: String
        /// A sentence about the problem in the text; `nil` if there is none.
        public var problem: String?
        /// True if the text can be edited now.
        public var isEnabled: Bool
        /// True if the text is a secret, such as a password: displays show a dot for each character, and recordings leave
        /// the text out.
        public var isSecret: Bool
        /// Makes the action that changes the text.
        public var edit: @Sendable (String) -> Action

        /// Makes a field.
        public init(
            _ label: String, text: String, placeholder: String = "", problem: String? = nil, isEnabled: Bool = true,
            isSecret: Bool = false, edit: @escaping @Sendable (String) -> Action
        ) {
            self.label = label
            self.text = text
            self.placeholder = placeholder
            self.problem = problem
            self.isEnabled = isEnabled
            self.isSecret = isSecret
            self.edit = edit
        }
    }

    /// Something to press, by its key or otherwise.
    public struct Button: Sendable {
        /// The text on the button, and its name for a scripted person.
        public var title: String
        /// The key that presses it; without one it is reached by moving the focus.
        public var key: Key?
        /// True if it can be pressed now.
        public var isEnabled: Bool
        /// The action of pressing it.
        public var action: Action

        /// Makes a button.
        public init(_ title: String, key: Key? = nil, isEnabled: Bool = true, action: Action) {
            self.title = title
            self.key = key
            self.isEnabled = isEnabled
            self.action = action
        }
    }

    /// Work that is under way.
    public struct Progress: Sendable, Equatable {
        /// The work, as a person calls it.
        public var label: String
        /// The part that is done, from 0 to 1; `nil` if that is unknown.
        public var fraction: Double?

        /// Makes progress of which a fraction is done, if that is known.
        public init(_ label: String, fraction: Double? = nil) {
            self.label = label
            self.fraction = fraction
        }

        /// Work that may not succeed the first time: `Loading, attempt 2`.
        public init(_ label: String, attempt: Int) {
            self.init(attempt > 1 ? "\(label), attempt \(attempt)" : label)
        }
    }

    /// Something that happened, and what can be done about it.
    public struct Notice: Sendable {
        /// The kind of the notice.
        public var kind: NoticeKind
        /// A sentence about what happened.
        public var message: String
        /// The way out, such as "Try again".
        public var button: Button?

        /// Makes a notice.
        public init(_ kind: NoticeKind, _ message: String, button: Button? = nil) {
            self.kind = kind
            self.message = message
            self.button = button
        }
    }
}

/// The kinds of notices, by which they are coloured.
public enum NoticeKind: String, Sendable {
    /// A kind, from news to failure.
    case information, success, warning, error
}

// MARK: - Equality

extension Screen.Row: Equatable where Action: Equatable {}
extension Screen.Choice: Equatable where Action: Equatable {}
extension Screen.Button: Equatable where Action: Equatable {}
extension Screen.Notice: Equatable where Action: Equatable {}

extension Screen.Field: Equatable where Action: Equatable {
    /// Equal fields look alike, and make the same action from the same text (compared for the text that they show).
    public static func == (a: Self, b: Self) -> Bool {
        a.label == b.label && a.text == b.text && a.placeholder == b.placeholder && a.problem == b.problem
            && a.isEnabled == b.isEnabled && a.isSecret == b.isSecret && a.edit(a.text) == b.edit(b.text)
    }
}

// MARK: - Other actions

extension Screen.Row {
    func map<Other>(_ transform: @escaping @Sendable (Action) -> Other) -> Screen<Other>.Row {
        switch self {
        case let .text(text): .text(text)
        case let .value(label, value): .value(label, value)
        case let .choice(choice):
            .choice(
                .init(
                    choice.title, detail: choice.detail, isSelected: choice.isSelected, isEnabled: choice.isEnabled,
                    action: transform(choice.action)))
        case let .field(field):
            .field(
                .init(
                    field.label, text: field.text, placeholder: field.placeholder, problem: field.problem,
                    isEnabled: field.isEnabled, isSecret: field.isSecret,
                    edit: { [edit = field.edit] in transform(edit($0)) }))
        case let .button(button): .button(button.map(transform))
        case let .progress(progress): .progress(.init(progress.label, fraction: progress.fraction))
        case let .notice(notice): .notice(notice.map(transform))
        case let .picture(picture): .picture(picture)
        }
    }
}

extension Screen.Button {
    func map<Other>(_ transform: (Action) -> Other) -> Screen<Other>.Button {
        .init(title, key: key, isEnabled: isEnabled, action: transform(action))
    }
}

extension Screen.Notice {
    func map<Other>(_ transform: (Action) -> Other) -> Screen<Other>.Notice {
        .init(kind, message, button: button.map { $0.map(transform) })
    }
}
