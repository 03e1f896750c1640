import Feedback
import Networking
import Presentation

/// The list of cities to choose from.
public struct CitiesViewModel: ViewModel {
    public struct State: Equatable, Sendable {
        public var cities: [City] = []
        /// The number of elements in the server's list that could not be read as a city.
        public var leftOut = 0
        public var loading = Attempt<CoreError>.underWay()

        public init() {}
    }

    public enum Action: Equatable, Sendable {
        case refresh
        case choose(City.ID)
        case ask
        case leave
    }

    public enum Event: ActionEvent, Equatable {
        case ui(Action)
        case didLoad(CitiesResponse)
        case didFail(CoreError)
    }

    public enum Route: Equatable, Sendable {
        case deliver(City)
        case ask
        case leave
    }

    private let businessController: any CitiesBusinessControllerProtocol

    public init(businessController: any CitiesBusinessControllerProtocol) {
        self.businessController = businessController
    }

    public var initial: State { State() }

    public var feedbacks: [Feedback<State, Event>] { [Self.whenLoading(businessController)] }

    public static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case .ui(.refresh):
            state.loading.start()
        case .ui(.choose), .ui(.ask), .ui(.leave):
            break
        case let .didLoad(response):
            state.cities = response.cities
            state.leftOut = response.$cities.count
            state.loading = .done
        case let .didFail(error):
            state.loading.fail(error)
        }
    }

    public static func route(_ event: Event, _ state: State) -> Route? {
        switch event {
        case let .ui(.choose(id)): state.cities.first { $0.id == id }.map(Route.deliver)
        case .ui(.ask): .ask
        case .ui(.leave): .leave
        default: nil
        }
    }

    private static func whenLoading(
        _ businessController: any CitiesBusinessControllerProtocol
    ) -> Feedback<State, Event> {
        Feedback(whenBecomesTrue: \.loading.isUnderWay) { _ in
            businessController.fetchCities()
                .map(Event.didLoad)
                .replaceError(Event.didFail)
        }
    }
}
