import Networking
import Presentation

/// The texts that a person has typed into fields whose names are those of secrets. A view model can put them anywhere.
struct TypedSecrets {
    /// A shorter text is part of many others, so only a value that is equal to it is replaced.
    private static let minimumPart = 4

    /// The longest one first: a secret that is typed letter by letter contains the ones before it.
    private var texts: [String] = []

    var isEmpty: Bool { texts.isEmpty }

    mutating func add(_ text: String) {
        guard !text.isEmpty, !texts.contains(text) else { return }
        texts.append(text)
        texts.sort { $0.count > $1.count }
    }

    /// Returns a text of a value's line without the secrets in it.
    func removed(from text: String) -> String {
        var text = text
        for secret in texts {
            // A string is written with quotation marks, and other signs in it are escaped.
            let literal = secret.debugDescription
            if text == literal { return Redaction.mark.debugDescription }
            if secret.count >= Self.minimumPart, text.contains(literal.dropFirst().dropLast()) {
                text = text.replacing(literal.dropFirst().dropLast(), with: Redaction.mark)
            }
        }
        return text
    }

    func removed(from line: ValueLines.Line) -> ValueLines.Line {
        .init(path: line.path, text: removed(from: line.text))
    }
}

/// The states and the events of one run without the secrets that were typed in it, as a replay shows them, in which the
/// mark is typed in place of each secret.
struct Described {
    var secrets = TypedSecrets()
    private var describing: Describing
    /// The lines of each model's state: all of them, and those that are shown in their places.
    private var states: [Int: (whole: ValueLines, shown: ValueLines)] = [:]

    init(_ redaction: Redaction) { describing = Describing(redaction) }

    /// Returns the lines of the first state of a model.
    mutating func first(_ state: any Sendable, of model: Int) -> [ValueLines.Line] {
        let whole = describing.lines(of: state)
        let shown = secrets.isEmpty ? whole : ValueLines(whole.lines.map(secrets.removed))
        states[model] = (whole, shown)
        return shown.lines
    }

    /// Returns the changes from the state of a model before to the next one.
    mutating func next(_ state: any Sendable, of model: Int) -> ValueLines.Difference {
        let whole = describing.lines(of: state)
        guard let before = states[model] else {
            states[model] = (whole, whole)
            return .init()
        }
        var shown = whole
        if !secrets.isEmpty {
            // A line that has not changed since before a secret was typed has the text by chance.
            let (old, known) = (before.whole.byPath, before.shown.byPath)
            shown = ValueLines(
                whole.lines.map { line in
                    guard old[line.path] == line.text, let text = known[line.path] else {
                        return secrets.removed(from: line)
                    }
                    return .init(path: line.path, text: text)
                })
        }
        states[model] = (whole, shown)
        return shown.difference(from: before.shown)
    }

    mutating func line(of event: any Sendable) -> String {
        describing.line(of: event, secrets: secrets)
    }
}
