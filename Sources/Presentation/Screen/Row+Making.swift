/// Short forms: `.choice("London", action: .choose(1))` is `.choice(Screen.Choice("London", action: .choose(1)))`.
extension Screen.Row {
    /// A row that a person can choose: one of several, a switch, or a way to another screen.
    public static func choice(
        _ title: String, detail: String = "", isSelected: Bool = false, isEnabled: Bool = true, action: Action
    ) -> Self {
        .choice(.init(title, detail: detail, isSelected: isSelected, isEnabled: isEnabled, action: action))
    }

    /// A line of text that can be edited. A secret, such as a password, is shown as dots, and is not recorded.
    public static func field(
        _ label: String, text: String, placeholder: String = "", problem: String? = nil, isEnabled: Bool = true,
        isSecret: Bool = false, edit: @escaping @Sendable (String) -> Action
    ) -> Self {
        .field(
            .init(
                label, text: text, placeholder: placeholder, problem: problem, isEnabled: isEnabled, isSecret: isSecret,
                edit: edit))
    }

    /// Something to press.
    public static func button(
        _ title: String, key: Key? = nil, isEnabled: Bool = true, action: Action
    ) -> Self {
        .button(.init(title, key: key, isEnabled: isEnabled, action: action))
    }

    /// Work that is under way; `fraction` is the part that is done, from 0 to 1.
    public static func progress(_ label: String, fraction: Double? = nil) -> Self {
        .progress(.init(label, fraction: fraction))
    }

    /// Work that may not succeed the first time: `Loading, attempt 2`.
    public static func progress(_ label: String, attempt: Int) -> Self {
        .progress(.init(label, attempt: attempt))
    }

    /// Something that happened, and what can be done about it.
    public static func notice(
        _ kind: NoticeKind, _ message: String, button: Screen.Button? = nil
    ) -> Self {
        .notice(.init(kind, message, button: button))
    }
}
