import Canned
import Networking
import Presentation

/// The states and the events of one run without the secrets that were typed in it, as a replay shows them, in which the
/// mark is typed in place of each secret.
struct RedactedStates {
    var secrets = TypedSecrets()
    private var describer: ValueDescriber
    /// The lines of each model's state: all of them, and those that are shown in their places.
    private var states: [Int: (whole: ValueLines, shown: ValueLines)] = [:]

    private let redaction: Redaction
    /// The scrubber for answers, and the secrets that it was made for: it takes long to make.
    private var scrubber: (secrets: [String], scrubber: Scrubber)?

    init(_ redaction: Redaction) {
        self.redaction = redaction
        describer = ValueDescriber(redaction)
    }

    /// Returns an act without secrets, which is replayed with the marks in their places.
    func removed(from act: ScreenStack.Act) -> ScreenStack.Act {
        switch secrets.removed(from: act) {
        case let .uses(name, place): .uses(redaction.text(name), place: place)
        case let .types(text, name, place): .types(redaction.text(text), into: name, place: place)
        }
    }

    /// Returns an answer without secrets.
    mutating func removed(from answer: CannedAnswer) -> CannedAnswer {
        secrets.whole.isEmpty ? answer : answer.scrubbed(by: currentScrubber())
    }

    /// Returns a request without secrets.
    mutating func removed(from request: Recording.Request) -> Recording.Request {
        secrets.whole.isEmpty ? request : request.scrubbed(by: currentScrubber())
    }

    private mutating func currentScrubber() -> Scrubber {
        let secrets = secrets.whole
        if let scrubber, scrubber.secrets == secrets { return scrubber.scrubber }
        let made = Scrubber(secrets, redaction: redaction)
        scrubber = (secrets, made)
        return made
    }

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
            let known = Dictionary(
                zip(before.whole.lines, before.shown.lines).map { ($0.path, (text: $0.text, shown: $1)) },
                uniquingKeysWith: { $1 })
            shown = ValueLines(
                whole.lines.map { line in
                    guard let (text, shown) = known[line.path], text == line.text else {
                        return secrets.removed(from: line, typed: typed)
                    }
                    return shown
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
