import Presentation

/// The part of a row that a person sees, without the actions of its controls. It is compared to see if a row has
/// changed.
enum RowContent: Equatable, Sendable {
    case text(String)
    case value(String, String)
    case choice(title: String, detail: String, isSelected: Bool, isEnabled: Bool)
    case field(FieldContent)
    case button(ButtonContent)
    case progress(label: String, fraction: Double?)
    case picture(Picture)
    case notice(NoticeKind, String, ButtonContent?)

    /// The name of the row, without the parts that change. It is equal for a row and its successor in the next state.
    var name: String {
        switch self {
        case .text: "text"
        case let .value(label, _): "value \(label)"
        case let .choice(title, _, _, _): "choice \(title)"
        case let .field(field): "field \(field.label)"
        case let .button(button): "button \(button.title)"
        case let .progress(label, _): "progress \(label)"
        case let .picture(picture): "picture \(picture.label)"
        case let .notice(kind, _, _): "notice \(kind)"
        }
    }
}

struct FieldContent: Equatable, Sendable {
    let label: String
    let text: String
    let placeholder: String
    let problem: String?
    let isEnabled: Bool
    let isSecret: Bool
}

struct ButtonContent: Equatable, Sendable {
    let title: String
    let key: Key?
    let isEnabled: Bool

    init<Action>(_ button: Screen<Action>.Button) {
        title = button.title
        key = button.key
        isEnabled = button.isEnabled
    }
}

extension RowContent {
    init<Action>(_ row: Screen<Action>.Row) {
        switch row {
        case let .text(text): self = .text(text)
        case let .value(label, value): self = .value(label, value)
        case let .choice(choice):
            self = .choice(
                title: choice.title, detail: choice.detail, isSelected: choice.isSelected, isEnabled: choice.isEnabled)
        case let .field(field):
            self = .field(
                FieldContent(
                    label: field.label, text: field.text, placeholder: field.placeholder, problem: field.problem,
                    isEnabled: field.isEnabled, isSecret: field.isSecret))
        case let .button(button): self = .button(ButtonContent(button))
        case let .progress(progress): self = .progress(label: progress.label, fraction: progress.fraction)
        case let .picture(picture): self = .picture(picture)
        case let .notice(notice):
            self = .notice(notice.kind, notice.message, notice.button.map { ButtonContent($0) })
        }
    }
}

// MARK: - HTML

extension RowContent {
    /// - Parameter id: The row's place in the page; its control is known by it.
    func html(id: String) -> HTML {
        switch self {
        case let .text(text):
            .element("li", id: id, class: "text", .element("p", attributes: ["dir": "auto"], .text(text)))
        case let .value(label, value):
            .element(
                "li", id: id, class: "value",
                .element("dl", .element("dt", .isolated(label)), .element("dd", .isolated(value))))
        case let .choice(title, detail, isSelected, isEnabled):
            .element(
                "li", id: id, class: "choice",
                .element(
                    "button",
                    attributes: [
                        "type": "button", "data-control": id, "aria-pressed": isSelected ? "true" : nil,
                        "disabled": isEnabled ? nil : "",
                    ],
                    .isolated(title, class: "title"), .isolated(detail, class: "detail")))
        case let .field(field):
            .element("li", id: id, class: "field", field.html(id: id))
        case let .button(button):
            .element("li", id: id, class: "button", button.html(control: id))
        case let .progress(label, fraction):
            .element(
                "li", id: id, class: "progress", attributes: ["data-announce": ""],
                .element("label", attributes: ["for": "\(id)-bar"], .isolated(label)),
                .element("progress", id: "\(id)-bar", attributes: ["max": "1", "value": fraction.map { "\($0)" }]))
        case let .picture(picture):
            .element("li", id: id, class: "picture", .picture(picture))
        case let .notice(kind, message, button):
            .element(
                "li", id: id, class: "notice \(kind.rawValue)",
                [
                    .element(
                        "div", attributes: ["data-announce": ""],
                        .element("span", class: "kind", .text("\(kind.word): ")),
                        .element("p", attributes: ["dir": "auto"], .text(message)))
                ] + (button.map { [$0.html(control: id)] } ?? []))
        }
    }
}

extension NoticeKind {
    /// The kind for a person, who may not see its colour.
    fileprivate var word: String {
        switch self {
        case .information: "Note"
        case .success: "Success"
        case .warning: "Warning"
        case .error: "Error"
        }
    }
}

extension FieldContent {
    fileprivate func html(id: String) -> [HTML] {
        let problemID = problem == nil ? nil : "\(id)-problem"
        let input = HTML.element(
            "input", id: "\(id)-input",
            attributes: [
                "type": isSecret ? "password" : "text", "dir": "auto", "autocomplete": "off", "value": text,
                "maxlength": "\(BrowserSession.maximumText)",
                "placeholder": placeholder.isEmpty ? nil : placeholder, "data-control": id, "data-label": label,
                "disabled": isEnabled ? nil : "", "aria-invalid": problem == nil ? nil : "true",
                "aria-describedby": problemID,
            ])
        let label = HTML.element("label", attributes: ["for": "\(id)-input"], .isolated(label))
        guard let problem else { return [label, input] }
        let attributes: KeyValuePairs<String, String?> = ["data-announce": "", "dir": "auto"]
        return [label, input, .element("p", id: problemID, class: "problem", attributes: attributes, .text(problem))]
    }
}

extension ButtonContent {
    func html(control: String) -> HTML {
        .element(
            "button",
            attributes: [
                "type": "button", "data-control": control, "data-key": key?.shortcut, "disabled": isEnabled ? nil : "",
                "aria-keyshortcuts": key?.shortcut,
            ],
            [.isolated(title)] + (key.map { [.element("kbd", .text($0.shortcut))] } ?? []))
    }
}

extension Key {
    /// The key as the page names it. Browsers use most Control keys themselves, so the page uses Alt instead.
    var shortcut: String {
        switch self {
        case let .character(character): character == " " ? "Space" : String(character)
        case let .control(character): "Alt+\(character.uppercased())"
        case .escape: "Escape"
        case .enter: "Enter"
        case .up: "ArrowUp"
        case .down: "ArrowDown"
        case .left: "ArrowLeft"
        case .right: "ArrowRight"
        default: description
        }
    }
}
