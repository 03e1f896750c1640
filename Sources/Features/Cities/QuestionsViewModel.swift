import Feedback
import Networking
import Presentation

/// A question, and what others who asked alike were answered.
public final class QuestionsViewModel: ViewModel {
    public let routes: Signal<Route, NoError>
    private let loop: FeedbackLoop<State, Event>

    public init(businessController: any CitiesBusinessControllerProtocol, log: EventLog = .silent) {
        let (routes, observer) = Signal<Route, NoError>.pipe()
        self.routes = routes
        loop = FeedbackLoop(
            initial: State(),
            reduce: log.recording(Self.reduce),
            feedbacks: Self.feedbacks(businessController: businessController, routes: observer))
        loop.start()
    }

    public var state: Property<State> { loop.property }

    public func send(_ action: Action) { loop.send(.ui(action)) }
}

// MARK: - State machine

extension QuestionsViewModel {
    public struct State: Equatable, Sendable {
        public var query = ""
        public var phase = Phase.editing
        /// What the server answered last; `nil` before anything was asked.
        public var questions: [Question]?

        public enum Phase: Equatable, Sendable {
            case editing
            case asking(String, attempt: Int)
            case failed(CoreError, attempt: Int)
        }

        public init() {}

        var asked: String? { if case let .asking(query, _) = phase { query } else { nil } }
        var canAsk: Bool { asked == nil && query.contains { !$0.isWhitespace } }
    }

    public enum Action: Equatable, Sendable {
        case edit(String)
        case ask
        case leave
    }

    enum Event: Equatable, Sendable {
        case ui(Action)
        case didAnswer([Question])
        case didFail(CoreError)
    }

    public enum Route: Equatable, Sendable {
        case leave
    }

    static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case let .ui(.edit(query)):
            // What is asked already is not wanted any more: the effect is cancelled with the phase.
            state.query = query
            state.phase = .editing
        case .ui(.ask):
            guard state.canAsk else { return }
            let attempt = if case let .failed(_, attempt) = state.phase { attempt + 1 } else { 1 }
            state.phase = .asking(state.query, attempt: attempt)
        case .ui(.leave):
            break
        case let .didAnswer(questions):
            state.questions = questions
            state.phase = .editing
        case let .didFail(error):
            guard case let .asking(_, attempt) = state.phase else { return }
            state.phase = .failed(error, attempt: attempt)
        }
    }

    static func route(_ event: Event, _ state: State) -> Route? {
        event == .ui(.leave) ? .leave : nil
    }
}

// MARK: - Feedbacks

extension QuestionsViewModel {
    static func feedbacks(
        businessController: any CitiesBusinessControllerProtocol, routes: Signal<Route, NoError>.Observer
    ) -> [Feedback<State, Event>] {
        [whenAsking(businessController), .routing(to: routes, route)]
    }

    private static func whenAsking(
        _ businessController: any CitiesBusinessControllerProtocol
    ) -> Feedback<State, Event> {
        Feedback(skippingRepeated: \.asked) { query in
            businessController.obtainQuestions(about: query)
                .map(Event.didAnswer)
                .replaceError(Event.didFail)
        }
    }
}
