/// The reason why a scripted person could not go on.
public struct ScriptError: Error, Equatable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Problem: Equatable, Sendable {
        /// The text did not appear.
        case textNotSeen(String)
        /// The text did not go away.
        case textSeen(String)
        /// There is no control with this name that can be used.
        case controlNotFound(String)
        /// The work that the screen shows did not end.
        case stillBusy(String)
        /// The screen still shows an error after this number of retries.
        case stillFailing(String, retries: Int)
    }

    /// The kind of the failure.
    public let problem: Problem
    /// The screen at that time, as text; `nil` if there was none.
    public let screen: String?
    /// The line of the script, such as `CitiesTests/CitiesFlowTests.swift:18`.
    public let place: String

    public var description: String {
        "\(reason) (\(place))\n" + (screen.map { "The screen is:\n\n\($0)" } ?? "There is no screen.")
    }

    /// The problem, on one line.
    public var reason: String {
        switch problem {
        case let .textNotSeen(text): "\"\(text)\" did not appear."
        case let .textSeen(text): "\"\(text)\" is still on the screen."
        case let .controlNotFound(name): "There is no control \"\(name)\" that can be used."
        case let .stillBusy(activity): "\"\(activity)\" did not end."
        case let .stillFailing(message, 0): "The screen shows an error: \(message)"
        case let .stillFailing(message, retries):
            "The screen shows an error after trying again \(retries.counting("time", "times")): \(message)"
        }
    }
}
