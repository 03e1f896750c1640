import Feedback
import Foundation
import Networking
import Presentation

/// The order of a delivery to a city: the address, the request and the confirmation.
public struct DeliveryViewModel: ViewModel {
    public struct State: Equatable, Sendable {
        public var city: City
        public var form = AddressForm()
        /// Problems are shown only after the first attempt to order.
        public var showsProblems = false
        public var ordering = Attempt<CoreError>.idle

        public init(city: City) {
            self.city = city
        }

        /// The address of the order; nil while a field has a problem.
        var address: Address? { form.address(in: city) }
        var canEdit: Bool { !ordering.isUnderWay && !ordering.isDone }
    }

    public enum Action: Equatable, Sendable {
        case edit(AddressForm.Field, String)
        case order
        case leave
    }

    public enum Event: ActionEvent, Equatable {
        case ui(Action)
        case didOrder
        case didFail(CoreError)
    }

    public enum Route: Equatable, Sendable {
        case leave
    }

    public let initial: State
    /// The key of the order, the same for each attempt, so that a delivery is ordered only once.
    private let key: UUID
    private let businessController: any CitiesBusinessControllerProtocol

    public init(city: City, key: UUID = UUID(), businessController: any CitiesBusinessControllerProtocol) {
        initial = State(city: city)
        self.key = key
        self.businessController = businessController
    }

    public var feedbacks: [Feedback<State, Event>] { [Self.whenOrdering(businessController, key)] }

    public static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case let .ui(.edit(field, text)):
            guard state.canEdit else { return }
            state.form[field] = text
            state.ordering = .idle
        case .ui(.order):
            guard state.canEdit else { return }
            if state.address == nil { state.showsProblems = true } else { state.ordering.start() }
        case .ui(.leave):
            break
        case .didOrder:
            state.ordering = .done
        case let .didFail(error):
            state.ordering.fail(error)
        }
    }

    public static func route(_ event: Event, _ state: State) -> Route? {
        event == .ui(.leave) ? .leave : nil
    }

    private static func whenOrdering(
        _ businessController: any CitiesBusinessControllerProtocol, _ key: UUID
    ) -> Feedback<State, Event> {
        Feedback(firstValueAfterNil: { $0.ordering.isUnderWay ? $0.address : nil }) { address in
            businessController.requestDelivery(to: address, key: key)
                .then(value: Event.didOrder)
                .replaceError(Event.didFail)
        }
    }
}
