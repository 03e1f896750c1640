/// An explanation of the keys, for the screen that shows while a person asks for it.
struct KeyHelp {
    static func screen<Action>(of screen: Screen<Action>) -> Screen<AnyAction> {
        let own = screen.controls.compactMap { control -> Screen<AnyAction>.Row? in
            guard case let .button(button) = control, let key = button.key else { return nil }
            return .value("\(key)", button.title)
        }
        return Screen(
            title: "Keys",
            sections: [
                .init("On this screen", rows: own),
                .init(
                    "Everywhere",
                    rows: [
                        .value("Tab, Down", "the next control"), .value("Shift-Tab, Up", "the one before"),
                        .value("Enter, Space", "use the control that is marked with ▸"),
                        .value("Home, End", "the first and the last control"),
                        .value("PageUp, PageDown", "scroll"), .value("Ctrl-Z", "suspend; fg continues"),
                        .value("Ctrl-C", "leave the program"),
                    ]),
                .init(
                    "In a field",
                    rows: [
                        .value("Left, Right", "move the caret; with Ctrl by words"),
                        .value("Home, End", "to the start and the end of the text"),
                        .value("Backspace, Delete", "delete a character"), .value("Ctrl-W", "delete the word before"),
                        .value("Ctrl-U, Ctrl-K", "delete all before and after the caret"),
                    ]),
                .init(rows: [.text("Any other key goes back.")]),
            ].filter { !$0.rows.isEmpty })
    }
}
