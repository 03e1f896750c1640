import Feedback
import Networking
import Presentation

/// A status with its thread.
public struct StatusViewModel: ViewModel {
    public struct State: Equatable, Sendable {
        public let id: Status.ID
        /// The known part of the status and its thread; `nil` if nothing is known.
        public var thread: StatusThread?
        public var requests = StatusRequests()

        public init(id: Status.ID) { self.id = id }
    }

    public enum Action: Equatable, Sendable {
        case refresh
        case act(StatusAct)
        case open(Status.ID)
        case openAccount(Account.ID)
        case leave
    }

    public enum Event: ActionEvent, Equatable {
        case ui(Action)
        case didChange(StatusThread?)
        case requests(StatusRequests.Event)

        var act: StatusAct? { if case let .ui(.act(act)) = self { act } else { nil } }
    }

    public enum Route: Equatable, Sendable {
        case status(Status.ID)
        case account(Account.ID)
        case leave
    }

    public let initial: State
    private let businessController: any TimelineBusinessControllerProtocol

    public init(id: Status.ID, businessController: any TimelineBusinessControllerProtocol) {
        initial = State(id: id)
        self.businessController = businessController
    }

    public var feedbacks: [Feedback<State, Event>] {
        [
            Feedback(source: businessController.watchThread(of: initial.id), as: Event.didChange),
            .requesting(
                \.requests, Event.requests, businessController,
                refresh: { [self] in businessController.fetchThread(of: initial.id) }, acts: \.act),
        ]
    }

    public static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case .ui(.refresh):
            state.requests.refreshing.start()
        case .ui(.act), .ui(.open), .ui(.openAccount), .ui(.leave):
            break
        case let .didChange(thread):
            state.thread = thread
        case let .requests(event):
            state.requests.reduce(event)
        }
    }

    public static func route(_ event: Event, _ state: State) -> Route? {
        switch event {
        case let .ui(.open(id)): .status(id)
        case let .ui(.openAccount(id)): .account(id)
        case .ui(.leave): .leave
        default: nil
        }
    }
}
