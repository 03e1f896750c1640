import Feedback
import Networking
import Presentation

public struct DeparturesViewModel: ViewModel {
    public struct State: Equatable, Sendable {
        public var departures: [Departure] = []
        public var leftOut = 0
        public var loading = Attempt<CoreError>.underWay()
    }

    public enum Action: Equatable, Sendable {
        case refresh, leave
    }

    public enum Event: ActionEvent, Equatable {
        case ui(Action), didLoad(DeparturesResponse), didFail(CoreError)
    }

    public enum Route: Equatable, Sendable {
        case leave
    }

    private let businessController: any DeparturesBusinessControllerProtocol

    public init(businessController: any DeparturesBusinessControllerProtocol) {
        self.businessController = businessController
    }

    public var initial: State { State() }

    public var feedbacks: [Feedback<State, Event>] { [Self.whenLoading(businessController)] }

    public static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case .ui(.refresh): state.loading.start()
        case .ui(.leave): break
        case let .didLoad(response):
            state.departures = response.departures
            state.leftOut = response.$departures.count
            state.loading = .done
        case let .didFail(error): state.loading.fail(error)
        }
    }

    public static func route(_ event: Event, _ state: State) -> Route? {
        event == .ui(.leave) ? .leave : nil
    }

    private static func whenLoading(
        _ businessController: any DeparturesBusinessControllerProtocol
    ) -> Feedback<State, Event> {
        Feedback(whenBecomesTrue: \.loading.isUnderWay) { _ in
            businessController.fetchDepartures().map(Event.didLoad).replaceError(Event.didFail)
        }
    }
}
