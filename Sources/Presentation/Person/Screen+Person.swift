/// The screen as a ``ScriptedPerson`` uses it: its text, and its controls by name.
extension Screen {
    /// The screen as text, on lines that are long enough for most texts.
    var wideText: String { text(width: 200) }

    /// The screen without the examples in its empty fields.
    fileprivate var withoutExamples: Screen {
        var screen = self
        for section in screen.sections.indices {
            for row in screen.sections[section].rows.indices {
                guard case var .field(field) = screen.sections[section].rows[row] else { continue }
                field.placeholder = ""
                screen.sections[section].rows[row] = .field(field)
            }
        }
        return screen
    }

    func edit(_ text: String, in name: String, number: Int) -> Action? {
        let fields = controls.compactMap { control in
            if case let .field(field) = control, field.label == name { field } else { nil }
        }
        return fields.usable(number, \.isEnabled)?.edit(text)
    }

    func action(named name: String, number: Int) -> Action? {
        switch pressable(named: name).usable(number, \.isEnabled) {
        case let .button(button): button.action
        case let .choice(choice): choice.action
        case .field, nil: nil
        }
    }
}

extension Screen<AnyAction>? {
    /// Returns true if there is a screen and a person can read the text on it, however long the text is.
    func shows(_ text: String) -> Bool {
        guard let screen = self?.withoutExamples else { return false }
        return ScreenLayout.unlimited.text(of: screen).contains(text)
    }
}

extension Array {
    /// Returns the element at a place, if it can be used; for 0, the first one that can.
    fileprivate func usable(_ number: Int, _ isUsable: (Element) -> Bool) -> Element? {
        if number == 0 { return first(where: isUsable) }
        return indices.contains(number) && isUsable(self[number]) ? self[number] : nil
    }
}
