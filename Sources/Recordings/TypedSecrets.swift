import Networking
import Presentation

/// The texts that a person has typed into fields whose names are those of secrets. A view model can put them anywhere.
struct TypedSecrets {
    /// A shorter text is part of many others, and equal to some, so it is removed only where typing it has put it.
    private static let minimumLength = 4

    /// The longest one first: a secret that is typed letter by letter contains the ones before it.
    private var texts: [String] = []

    var isEmpty: Bool { texts.isEmpty }

    mutating func add(_ text: String) {
        guard text.count >= Self.minimumLength, !texts.contains(text) else { return }
        texts.append(text)
        texts.sort { $0.count > $1.count }
    }

    /// Returns a text of a value's line without the secrets in it.
    ///
    /// - Parameter typed: The text that was typed last, of any length, if this line comes from that.
    func removed(from text: String, typed: String? = nil) -> String {
        // A string is written with quotation marks, and other signs in it are escaped.
        if let typed, text == typed.debugDescription { return Redaction.mark.debugDescription }
        var text = text
        for secret in texts {
            let literal = secret.debugDescription.dropFirst().dropLast()
            if text.contains(literal) { text = text.replacing(literal, with: Redaction.mark) }
        }
        return text
    }

    func removed(from line: ValueLines.Line, typed: String? = nil) -> ValueLines.Line {
        .init(path: line.path, text: removed(from: line.text, typed: typed))
    }
}

/// The states and the events of one run without the secrets that were typed in it, as a replay shows them, in which the
/// mark is typed in place of each secret.
struct RedactedStates {
    var secrets = TypedSecrets()
    private var describer: ValueDescriber
    /// The lines of each model's state: all of them, and those that are shown in their places.
    private var states: [Int: (whole: ValueLines, shown: ValueLines)] = [:]

    init(_ redaction: Redaction) { describer = ValueDescriber(redaction) }

    /// Returns the lines of the first state of a model.
    mutating func first(_ state: any Sendable, of model: Int) -> [ValueLines.Line] {
        let whole = describer.lines(of: state)
        let shown = secrets.isEmpty ? whole : ValueLines(whole.lines.map { secrets.removed(from: $0) })
        states[model] = (whole, shown)
        return shown.lines
    }

    /// Returns the changes from the state of a model before to the next one.
    ///
    /// - Parameter typed: The secret that was typed, if the state comes from that.
    mutating func next(_ state: any Sendable, of model: Int, typed: String? = nil) -> ValueLines.Difference {
        let whole = describer.lines(of: state)
        guard let before = states[model] else {
            states[model] = (whole, whole)
            return .init()
        }
        var shown = whole
        if !secrets.isEmpty || typed != nil || before.whole != before.shown {
            // A line that has not changed since before a secret was typed has the text by chance.
            let (old, known) = (before.whole.byPath, before.shown.byPath)
            shown = ValueLines(
                whole.lines.map { line in
                    guard old[line.path] == line.text, let text = known[line.path] else {
                        return secrets.removed(from: line, typed: typed)
                    }
                    return .init(path: line.path, text: text)
                })
        }
        states[model] = (whole, shown)
        return shown.difference(from: before.shown)
    }

    /// - Parameter typed: The secret that was typed, if the event comes from that.
    mutating func line(of event: any Sendable, typed: String? = nil) -> String {
        describer.line(of: event, secrets: secrets, typed: typed)
    }
}
