import Feedback
import Networking
import Presentation

/// The requests of a screen that shows statuses: loading them, and acting on them.
///
/// All screens of the feature have it in their state, one event for it, and
/// ``Feedback/requesting(_:_:_:refresh:older:acts:)`` among their feedbacks. The statuses themselves come from the cache.
public struct StatusRequests: Equatable, Sendable {
    /// The attempt to load the newest statuses, which begins with the screen.
    public var refreshing = Attempt<CoreError>.underWay()
    /// The attempt to load the next page.
    public var loadingOlder = Attempt<CoreError>.idle
    /// The number of elements in the server's last answer that could not be read.
    public var leftOut = 0
    /// The server's last refusal, until the next act on a status or renaming, on whichever screens they are made.
    public var refusal: Refusal?

    public init() {}

    /// An answer of the server: the number of elements that could not be read, or an error.
    public enum Event: Equatable, Sendable {
        case didRefresh(Result<Int, CoreError>)
        case didLoadOlder(Result<Int, CoreError>)
        case didChangeRefusal(Refusal?)
    }

    mutating func reduce(_ event: Event) {
        switch event {
        case let .didRefresh(answer): leftOut = refreshing.end(with: answer) ?? leftOut
        case let .didLoadOlder(answer): leftOut = loadingOlder.end(with: answer) ?? leftOut
        case let .didChangeRefusal(refusal): self.refusal = refusal
        }
    }
}

extension Attempt {
    /// Ends the attempt with an answer, and returns its value.
    mutating func end<Value>(with answer: Result<Value, Failure>) -> Value? {
        switch answer {
        case let .success(value):
            self = .done
            return value
        case let .failure(error):
            fail(error)
            return nil
        }
    }
}

extension Feedback {
    /// Performs the requests of a screen that shows statuses.
    ///
    /// - Parameters:
    ///   - older: Loads the next page, if the screen has pages.
    ///   - act: Returns the act that an event asks for. It continues when another one follows and when the screen is
    ///     left. Its result shows in the cache; only refusals become events.
    static func requesting(
        _ requests: @escaping @Sendable (State) -> StatusRequests,
        _ event: @escaping @Sendable (StatusRequests.Event) -> Event,
        _ businessController: any TimelineBusinessControllerProtocol,
        refresh: @escaping @Sendable () -> SignalProducer<Int, CoreError>,
        older: @escaping @Sendable () -> SignalProducer<Int, CoreError> = { .empty },
        acts act: @escaping @Sendable (Event) -> StatusAct?
    ) -> Feedback {
        let refreshing = Feedback(
            whenBecomesTrue: { requests($0).refreshing.isUnderWay },
            effects: { _ in refresh().answer().map { event(.didRefresh($0)) } }, name: "refreshing")
        let loadingOlder = Feedback(
            whenBecomesTrue: { requests($0).loadingOlder.isUnderWay },
            effects: { _ in older().answer().map { event(.didLoadOlder($0)) } }, name: "loadingOlder")
        let acting = Feedback.onEvent(name: "acting") { event, _ in
            if let act = act(event) { businessController.perform(act).start() }
        }
        let refusals = Feedback(
            source: businessController.watchRefusals(), as: { event(.didChangeRefusal($0)) }, name: "refusals")
        return .combine(refreshing, loadingOlder, acting, refusals)
    }
}

extension SignalProducer<Int, CoreError> {
    /// Emits the answer of a fetch; 0 if it completes without one, as there was nothing to fetch.
    func answer() -> SignalProducer<Result<Int, CoreError>, NoError> {
        concat(value: 0).take(first: 1).materializeResults()
    }
}
