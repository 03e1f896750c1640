/// One thing that happened in a loop, as ``FeedbackLoop/steps`` reports it.
///
/// For each effect there is one `started` step, and after it one `ended` step. All events that an effect contributed to
/// the state are reduced between the two.
public enum LoopStep<State: Sendable, Event: Sendable>: Sendable {
    /// The state when the listening began, and the effects that were running, oldest first. This is always the first
    /// step.
    case initial(State, running: [LoopEffect])
    /// The loop reduced an event; `state` is the state after it.
    case reduced(Event, from: EventSource, state: State)
    /// The loop dropped an event unreduced, as its effect was cancelled or replaced, or as the loop stopped.
    case withdrawn(Event, from: EventSource)
    /// An effect started.
    case started(LoopEffect)
    /// An effect ended.
    case ended(LoopEffect, LoopEffect.End)
}

/// The origin of an event.
public enum EventSource: Hashable, Sendable {
    /// The event was sent to the loop.
    case sent
    /// The event comes from an effect of a feedback.
    case effect(LoopEffect)
    /// The event comes from a feedback that has no effects, such as ``Feedback/init(source:as:name:)``.
    case feedback(FeedbackID)
}

/// One run of an effect.
public struct LoopEffect: Hashable, Sendable {
    /// The feedback that started the effect.
    public let feedback: FeedbackID
    /// The number of the effect among all effects of its loop, from 1.
    public let number: Int

    /// Makes an effect's identity, for tests of code that listens to steps.
    public init(feedback: FeedbackID, number: Int) {
        self.feedback = feedback
        self.number = number
    }

    /// The end of an effect.
    public enum End: Hashable, Sendable {
        /// The effect completed, and all its events are reduced.
        case completed
        /// An event of the effect itself made the loop cancel it, as the answer to a request does: after it, the state
        /// does not ask for the effect any more.
        case answered
        /// Another change of the state cancelled the effect, or the loop stopped.
        case cancelled
        /// Another effect of the same feedback took its place.
        case replaced
    }
}

/// The identity of a feedback in its loop.
public struct FeedbackID: Hashable, Sendable {
    /// The place of the feedback in the loop's list, from 0. Feedbacks that are combined into one share it.
    public let index: Int
    /// The name of the feedback, by default that of the function that made it.
    public let name: String

    /// Makes a feedback's identity, for tests of code that listens to steps.
    public init(index: Int, name: String) {
        self.index = index
        self.name = name
    }
}

// MARK: - Describing

extension EventSource: CustomStringConvertible {
    public var description: String {
        switch self {
        case .sent: "sent"
        case let .effect(effect): "\(effect)"
        case let .feedback(feedback): "\(feedback)"
        }
    }
}

extension LoopEffect: CustomStringConvertible {
    /// The feedback's name and the effect's number: `whenLoading #2`.
    public var description: String { "\(feedback) #\(number)" }
}

extension FeedbackID: CustomStringConvertible {
    /// The name without its parameters: `whenLoading`.
    public var description: String { String(name.prefix { $0 != "(" }) }
}

// MARK: - Erasing

extension LoopStep {
    /// The same step without its types, for lists of steps of different loops.
    public var erased: LoopStep<any Sendable, any Sendable> {
        switch self {
        case let .initial(state, running): .initial(state, running: running)
        case let .reduced(event, source, state): .reduced(event, from: source, state: state)
        case let .withdrawn(event, source): .withdrawn(event, from: source)
        case let .started(effect): .started(effect)
        case let .ended(effect, end): .ended(effect, end)
        }
    }
}

extension LoopStep: Equatable where State: Equatable, Event: Equatable {}
