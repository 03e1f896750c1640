import Feedback
import Networking
import Presentation

/// A status with its thread.
public struct StatusViewModel: ViewModel {
    public struct State: Equatable, Sendable {
        public let id: Status.ID
        /// The known part of the status and its thread; `nil` if nothing is known.
        public var thread: StatusThread?
        public var loading = Attempt<CoreError>.underWay()
        /// The number of elements in the server's answer that could not be read.
        public var leftOut = 0
        public var refusal: Refusal?

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
        case didLoad(leftOut: Int)
        case didFail(CoreError)
        case didRefuse(Refusal)
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
            Self.whenLoading(businessController),
            .acting(
                businessController, on: { if case let .ui(.act(act)) = $0 { act } else { nil } },
                refused: Event.didRefuse),
        ]
    }

    public static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case .ui(.refresh):
            state.loading.start()
        case .ui(.act):
            state.refusal = nil
        case .ui(.open), .ui(.openAccount), .ui(.leave):
            break
        case let .didChange(thread):
            state.thread = thread
        case let .didLoad(leftOut):
            state.loading = .done
            state.leftOut = leftOut
        case let .didFail(error):
            state.loading.fail(error)
        case let .didRefuse(refusal):
            state.refusal = refusal
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

    private static func whenLoading(
        _ businessController: any TimelineBusinessControllerProtocol
    ) -> Feedback<State, Event> {
        Feedback(whenBecomesTrue: \.loading.isUnderWay) { state in
            businessController.fetchThread(of: state.id)
                .map(Event.didLoad(leftOut:))
                .replaceError(Event.didFail)
        }
    }
}
