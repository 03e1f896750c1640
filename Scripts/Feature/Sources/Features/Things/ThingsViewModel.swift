import Feedback
import Networking
import Presentation

/// The list: loaded at once, and again on request.
public struct ThingsViewModel: ViewModel {
    public struct State: Equatable, Sendable {
        public var things: [Thing] = []
        /// The number of elements that could not be read.
        public var leftOut = 0
        public var loading = Attempt<CoreError>.underWay()

        public init() {}
    }

    public enum Action: Equatable, Sendable {
        case refresh
        case leave
    }

    public enum Event: ActionEvent, Equatable {
        case ui(Action)
        case didLoad(ThingsResponse)
        case didFail(CoreError)
    }

    public enum Route: Equatable, Sendable {
        case leave
    }

    private let businessController: any ThingsBusinessControllerProtocol

    public init(businessController: any ThingsBusinessControllerProtocol) {
        self.businessController = businessController
    }

    public var initial: State { State() }

    public var feedbacks: [Feedback<State, Event>] { [Self.whenLoading(businessController)] }

    public static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case .ui(.refresh):
            state.loading.start()
        case .ui(.leave):
            break
        case let .didLoad(response):
            state.things = response.things
            state.leftOut = response.$things.count
            state.loading = .done
        case let .didFail(error):
            state.loading.fail(error)
        }
    }

    public static func route(_ event: Event, _ state: State) -> Route? {
        event == .ui(.leave) ? .leave : nil
    }

    private static func whenLoading(
        _ businessController: any ThingsBusinessControllerProtocol
    ) -> Feedback<State, Event> {
        Feedback(whenBecomesTrue: \.loading.isUnderWay) { _ in
            businessController.fetchThings()
                .map(Event.didLoad)
                .replaceError(Event.didFail)
        }
    }
}
