import Feedback
import Networking
import Persistence
import Presentation

/// The condition of a list of statuses.
public enum TimelineContent: Equatable, Sendable {
    /// Nothing is known, and nothing was asked for.
    case initial
    /// Nothing is known yet.
    case loading
    case noStatuses
    case statuses([Status])
    /// Nothing is known, and the request has failed.
    case failure(CoreError)

    init(_ timeline: CachedList<Status>?, _ loading: Attempt<CoreError>) {
        if let timeline {
            self = timeline.entities.isEmpty ? .noStatuses : .statuses(timeline.entities)
        } else if let error = loading.failure {
            self = .failure(error)
        } else {
            self = loading.isUnderWay ? .loading : .initial
        }
    }
}

/// Something that a person has done with a status, and why the server refused it.
public struct Refusal: Equatable, Sendable {
    public var act: StatusAct
    public var error: CoreError

    public init(_ act: StatusAct, _ error: CoreError) {
        self.act = act
        self.error = error
    }
}

extension Feedback {
    /// Does with statuses what events ask for. The result is seen by watching; only refusals are events.
    static func acting(
        _ businessController: any TimelineBusinessControllerProtocol,
        on act: @escaping @Sendable (Event) -> StatusAct?, refused: @escaping @Sendable (Refusal) -> Event
    ) -> Feedback {
        Feedback(
            extracting: act,
            effects: { act -> SignalProducer<Event, NoError> in
                businessController.perform(act)
                    .then(SignalProducer<Event, CoreError>.empty)
                    .replaceError { refused(Refusal(act, $0)) }
            })
    }
}

extension SignalProducer<Int, CoreError> {
    /// Sends 0 if it completes without a value, as a fetch does when there is nothing to be fetched.
    func orNothing() -> Self { concat(value: 0).take(first: 1) }
}
