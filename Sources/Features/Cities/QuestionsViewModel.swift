import Feedback
import Networking
import Presentation

/// A question, and the answers to similar ones.
public struct QuestionsViewModel: ViewModel {
    public struct State: Equatable, Sendable {
        public var query = ""
        public var asking = Attempt<CoreError>.idle
        /// The last answer of the server; `nil` before the first.
        public var questions: [Question]?

        public init() {}

        var canAsk: Bool { !asking.isUnderWay && query.contains { !$0.isWhitespace } }
    }

    public enum Action: Equatable, Sendable {
        case edit(String)
        case ask
        case leave
    }

    public enum Event: ActionEvent, Equatable {
        case ui(Action)
        case didAnswer([Question])
        case didFail(CoreError)
    }

    public enum Route: Equatable, Sendable {
        case leave
    }

    private let businessController: any CitiesBusinessControllerProtocol

    public init(businessController: any CitiesBusinessControllerProtocol) {
        self.businessController = businessController
    }

    public var initial: State { State() }

    public var feedbacks: [Feedback<State, Event>] { [Self.whenAsking(businessController)] }

    public static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case let .ui(.edit(query)):
            // The answer to the earlier text is no longer needed: ending the attempt cancels the request.
            state.query = query
            state.asking = .idle
        case .ui(.ask):
            if state.canAsk { state.asking.start() }
        case .ui(.leave):
            break
        case let .didAnswer(questions):
            state.questions = questions
            state.asking = .done
        case let .didFail(error):
            state.asking.fail(error)
        }
    }

    public static func route(_ event: Event, _ state: State) -> Route? {
        event == .ui(.leave) ? .leave : nil
    }

    private static func whenAsking(
        _ businessController: any CitiesBusinessControllerProtocol
    ) -> Feedback<State, Event> {
        Feedback(whenBecomesTrue: \.asking.isUnderWay) { state in
            businessController.obtainQuestions(about: state.query)
                .map(Event.didAnswer)
                .replaceError(Event.didFail)
        }
    }
}
