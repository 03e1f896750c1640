import Presentation

/// The first difference between a replay and its recording.
public struct ReplayError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The number of the entry in the recording, from 1.
    public let entry: Int
    let count: Int
    /// The last act before it.
    let after: ScreenStack.Act?
    /// The kind of the difference.
    public let reason: Reason

    /// The kinds of differences.
    public enum Reason: Error, Equatable, Sendable {
        /// A view model that was recorded did not begin.
        case noModel(String)
        /// Another view model began than the one that was recorded.
        case otherModel(String, String)
        /// The screen has no control for an act that was recorded; the text is the screen.
        case noControl(ScreenStack.Act, String?)
        /// A request that was recorded was not sent.
        case noRequest(String)
        /// A request that was not recorded was sent.
        case extraRequest(String)
        /// A view model did not reduce an event that was recorded.
        case noEvent(String, String)
        /// A view model reduced another event than the one that was recorded.
        case otherEvent(String, String, String)
        /// A state, the event before it, and the first line that differs.
        case otherState(String, String?, Lines)
    }

    /// One part of a state, recorded and now; `nil` if there is no such part.
    public struct Lines: Equatable, Sendable {
        /// The path of the part in the state.
        public let path: String
        /// The text that was recorded.
        public let recorded: String?
        /// The text of the replay.
        public let now: String?
    }

    public var description: String {
        let place = after.map { " after \($0.description)" } ?? ""
        return "The replay differs from the recording at entry \(entry) of \(count)\(place). \(reason.text)"
    }
}

extension ReplayError.Reason {
    fileprivate var text: String {
        switch self {
        case let .noModel(name): "The model \(name) did not begin."
        case let .otherModel(recorded, now): "The model \(now) began, not \(recorded)."
        case let .noControl(act, screen):
            "The screen has no enabled control for \(act.description)."
                + (screen.map { " The screen is:\n\n\($0)" } ?? " There is no screen.")
        case let .noRequest(request): "The request \(request) was not sent."
        case let .extraRequest(request): "The request \(request) was sent, which the recording does not have."
        case let .noEvent(name, event): "\(name) did not reduce the event \(event)."
        case let .otherEvent(name, recorded, now):
            "\(name) reduced another event.\n  recorded: \(recorded)\n  now:      \(now)"
        case let .otherState(name, event, lines):
            (event.map { "The state of \(name) after \($0)" } ?? "The first state of \(name)")
                + (lines.path.isEmpty ? " differs.\n" : " differs at \(lines.path).\n")
                + "  recorded: \(lines.recorded ?? "nothing")\n  now:      \(lines.now ?? "nothing")"
        }
    }
}

extension ScreenStack.Act {
    /// The act in words: `using "Refresh"`.
    public var description: String {
        switch self {
        case let .uses(name, place): "using \"\(name)\"" + (place == 0 ? "" : ", number \(place &+ 1) of that name")
        case let .types(text, name, place):
            "typing \"\(text)\" into \"\(name)\"" + (place == 0 ? "" : ", number \(place &+ 1) of that name")
        }
    }
}
