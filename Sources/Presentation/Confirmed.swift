/// Something that is attempted only after a person has confirmed it, such as a deletion.
///
/// ```swift
/// struct State { var deletion = Confirmed<CoreError>() }
///
/// var state = State()
/// state.deletion.ask()                       // the screen asks if it is meant
/// state.deletion.confirm()                   // under way
/// state.deletion.attempt.fail(.cancelled)    // failed
/// state.deletion.confirm()                   // under way again, as it was confirmed before
/// ```
public struct Confirmed<Failure: Error>: Sendable {
    /// True while the person is asked.
    public private(set) var isAsking = false
    /// The progress after the confirmation.
    public var attempt = Attempt<Failure>.idle

    /// Makes one for which nothing was asked yet.
    public init() {}

    /// True if it can be asked for: it is not under way, and has not succeeded.
    public var isPossible: Bool { !attempt.isUnderWay && !attempt.isDone }

    /// Asks the person, if it is possible.
    public mutating func ask() {
        if isPossible { isAsking = true }
    }

    /// Begins the attempt if the person was asked, or if it has failed. Otherwise does nothing.
    public mutating func confirm() {
        guard isPossible, isAsking || attempt.failure != nil else { return }
        isAsking = false
        attempt.start()
    }

    /// Begins anew if the person was asked: also an earlier failure is forgotten.
    public mutating func decline() {
        if isAsking { self = Confirmed() }
    }
}

extension Confirmed: Equatable where Failure: Equatable {}
