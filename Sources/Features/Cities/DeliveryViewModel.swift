import Feedback
import Networking
import Presentation

/// The order of a delivery to one city: the address, the way to the server, the confirmation.
public final class DeliveryViewModel: ViewModel {
    public let routes: Signal<Route, NoError>
    private let loop: FeedbackLoop<State, Event>

    public init(city: City, businessController: any CitiesBusinessControllerProtocol, log: EventLog = .silent) {
        let (routes, observer) = Signal<Route, NoError>.pipe()
        self.routes = routes
        loop = FeedbackLoop(
            initial: State(city: city),
            reduce: log.recording(Self.reduce),
            feedbacks: Self.feedbacks(businessController: businessController, routes: observer))
        loop.start()
    }

    public var state: Property<State> { loop.property }

    public func send(_ action: Action) { loop.send(.ui(action)) }
}

// MARK: - State machine

extension DeliveryViewModel {
    public struct State: Equatable, Sendable {
        public var city: City
        public var form = AddressForm()
        /// Nobody is told of a problem before saying that the form is complete.
        public var showsProblems = false
        public var phase = Phase.editing

        public enum Phase: Equatable, Sendable {
            case editing
            case ordering(Address, attempt: Int)
            case failed(CoreError, attempt: Int)
            case ordered(Address)
        }

        public init(city: City) {
            self.city = city
        }

        var order: Address? { if case let .ordering(address, _) = phase { address } else { nil } }

        var canEdit: Bool {
            switch phase {
            case .editing, .failed: true
            case .ordering, .ordered: false
            }
        }
    }

    public enum Action: Equatable, Sendable {
        case edit(AddressForm.Field, String)
        case order
        case leave
    }

    enum Event: Equatable, Sendable {
        case ui(Action)
        case didOrder
        case didFail(CoreError)
    }

    public enum Route: Equatable, Sendable {
        case leave
    }

    static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case let .ui(.edit(field, text)):
            guard state.canEdit else { return }
            state.form[field] = text
            state.phase = .editing
        case .ui(.order):
            guard state.canEdit else { return }
            guard let address = state.form.address(in: state.city) else {
                state.showsProblems = true
                return
            }
            let attempt = if case let .failed(_, attempt) = state.phase { attempt + 1 } else { 1 }
            state.phase = .ordering(address, attempt: attempt)
        case .ui(.leave):
            break
        case .didOrder:
            guard case let .ordering(address, _) = state.phase else { return }
            state.phase = .ordered(address)
        case let .didFail(error):
            guard case let .ordering(_, attempt) = state.phase else { return }
            state.phase = .failed(error, attempt: attempt)
        }
    }

    static func route(_ event: Event, _ state: State) -> Route? {
        event == .ui(.leave) ? .leave : nil
    }
}

// MARK: - Feedbacks

extension DeliveryViewModel {
    static func feedbacks(
        businessController: any CitiesBusinessControllerProtocol, routes: Signal<Route, NoError>.Observer
    ) -> [Feedback<State, Event>] {
        [whenOrdering(businessController), .routing(to: routes, route)]
    }

    private static func whenOrdering(
        _ businessController: any CitiesBusinessControllerProtocol
    ) -> Feedback<State, Event> {
        Feedback(skippingRepeated: \.order) { address in
            businessController.requestDelivery(to: address)
                .then(value: Event.didOrder)
                .replaceError(Event.didFail)
        }
    }
}
