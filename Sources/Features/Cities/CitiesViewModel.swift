import Feedback
import Networking
import Presentation

/// The list of cities to choose from.
public final class CitiesViewModel: ViewModel {
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

extension CitiesViewModel {
    public struct State: Equatable, Sendable {
        public var cities: [City] = []
        /// How many of the cities that the server sent were no cities.
        public var leftOut = 0
        public var loading = Loading.underWay(attempt: 1)

        public enum Loading: Equatable, Sendable {
            case idle
            case underWay(attempt: Int)
            case failed(CoreError, attempt: Int)
        }

        var isLoading: Bool { if case .underWay = loading { true } else { false } }
    }

    public enum Action: Equatable, Sendable {
        case refresh
        case choose(City.ID)
        case ask
        case leave
    }

    enum Event: Equatable, Sendable {
        case ui(Action)
        case didLoad(CitiesResponse)
        case didFail(CoreError)
    }

    public enum Route: Equatable, Sendable {
        case deliver(City)
        case ask
        case leave
    }

    static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case .ui(.refresh):
            switch state.loading {
            case .idle: state.loading = .underWay(attempt: 1)
            case .underWay: break
            case let .failed(_, attempt): state.loading = .underWay(attempt: attempt + 1)
            }
        case .ui(.choose), .ui(.ask), .ui(.leave):
            break
        case let .didLoad(response):
            state.cities = response.cities
            state.leftOut = response.$cities.count
            state.loading = .idle
        case let .didFail(error):
            guard case let .underWay(attempt) = state.loading else { return }
            state.loading = .failed(error, attempt: attempt)
        }
    }

    static func route(_ event: Event, _ state: State) -> Route? {
        switch event {
        case let .ui(.choose(id)): state.cities.first { $0.id == id }.map(Route.deliver)
        case .ui(.ask): .ask
        case .ui(.leave): .leave
        default: nil
        }
    }
}

// MARK: - Feedbacks

extension CitiesViewModel {
    static func feedbacks(
        businessController: any CitiesBusinessControllerProtocol, routes: Signal<Route, NoError>.Observer
    ) -> [Feedback<State, Event>] {
        [whenLoading(businessController), .routing(to: routes, route)]
    }

    private static func whenLoading(
        _ businessController: any CitiesBusinessControllerProtocol
    ) -> Feedback<State, Event> {
        Feedback(whenBecomesTrue: \.isLoading) { _ in
            businessController.fetchCities()
                .map(Event.didLoad)
                .replaceError(Event.didFail)
        }
    }
}
