/// Rows in one go: `.choice("London", action: .choose(1))` is `.choice(Screen.Choice("London", action: .choose(1)))`.
extension Screen.Row {
    public static func choice(
        _ title: String, detail: String = "", isSelected: Bool = false, action: Action
    ) -> Self {
        .choice(.init(title, detail: detail, isSelected: isSelected, action: action))
    }

    public static func field(
        _ label: String, text: String, placeholder: String = "", problem: String? = nil, isEnabled: Bool = true,
        edit: @escaping @Sendable (String) -> Action
    ) -> Self {
        .field(
            .init(label, text: text, placeholder: placeholder, problem: problem, isEnabled: isEnabled, edit: edit))
    }

    public static func button(
        _ title: String, key: Key? = nil, isEnabled: Bool = true, action: Action
    ) -> Self {
        .button(.init(title, key: key, isEnabled: isEnabled, action: action))
    }

    public static func progress(_ label: String, fraction: Double? = nil) -> Self {
        .progress(.init(label, fraction: fraction))
    }

    public static func progress(_ label: String, attempt: Int) -> Self {
        .progress(.init(label, attempt: attempt))
    }

    public static func notice(
        _ kind: Screen.Notice.Kind, _ message: String, button: Screen.Button? = nil
    ) -> Self {
        .notice(.init(kind, message, button: button))
    }
}
