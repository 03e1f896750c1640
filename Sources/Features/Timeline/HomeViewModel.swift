import Feedback
import Networking
import Persistence
import Presentation

/// The home timeline of the person who is signed in.
public struct HomeViewModel: ViewModel {
    public struct State: Equatable, Sendable {
        /// The known part of the timeline; `nil` before it was fetched for the first time.
        public var timeline: CachedList<Status>?
        public var refreshing = Attempt<CoreError>.underWay()
        public var loadingOlder = Attempt<CoreError>.idle
        /// The status after which a gap is being filled, or was last.
        public var gap: Status.ID?
        public var filling = Attempt<CoreError>.idle
        /// The topmost status before the last refresh: where the person was.
        public var place: Status.ID?
        /// The number of elements in the server's last answer that could not be read.
        public var leftOut = 0
        /// The server's last refusal.
        public var refusal: Refusal?

        public init() {}

        public var content: TimelineContent { TimelineContent(timeline, refreshing) }

        var gapBeingFilled: Status.ID? { filling.isUnderWay ? gap : nil }
    }

    public enum Action: Equatable, Sendable {
        case refresh
        /// The person has reached the end.
        case loadOlder
        case fillGap(after: Status.ID)
        case act(StatusAct)
        case open(Status.ID)
        case openAccount(Account.ID)
        case openOwnAccount
        case leave
    }

    public enum Event: ActionEvent, Equatable {
        case ui(Action)
        case didChange(CachedList<Status>?)
        case didRefresh(leftOut: Int)
        case didFailToRefresh(CoreError)
        case didLoadOlder(leftOut: Int)
        case didFailToLoadOlder(CoreError)
        case didFillGap(leftOut: Int)
        case didFailToFillGap(CoreError)
        case didRefuse(Refusal)
    }

    public enum Route: Equatable, Sendable {
        case status(Status.ID)
        case account(Account.ID)
        case ownAccount
        case leave
    }

    private let businessController: any TimelineBusinessControllerProtocol

    public init(businessController: any TimelineBusinessControllerProtocol) {
        self.businessController = businessController
    }

    public var initial: State { State() }

    public var feedbacks: [Feedback<State, Event>] {
        [
            Feedback(source: businessController.watchHome(), as: Event.didChange),
            Self.whenRefreshing(businessController),
            Self.whenLoadingOlder(businessController),
            Self.whenFillingGap(businessController),
            .acting(
                businessController, on: { if case let .ui(.act(act)) = $0 { act } else { nil } },
                refused: Event.didRefuse),
        ]
    }

    public static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case .ui(.refresh):
            state.refreshing.start()
            state.place = state.timeline?.list.ids.first
        case .ui(.loadOlder):
            guard state.timeline?.list.next != nil else { return }
            state.loadingOlder.start()
        case let .ui(.fillGap(id)):
            guard !state.filling.isUnderWay, state.timeline?.list.gaps.contains(id) == true else { return }
            if state.gap != id { state.filling = .idle }
            state.gap = id
            state.filling.start()
        case .ui(.act):
            state.refusal = nil
        case .ui(.open), .ui(.openAccount), .ui(.openOwnAccount), .ui(.leave):
            break
        case let .didChange(timeline):
            state.timeline = timeline
        case let .didRefresh(leftOut):
            state.refreshing = .done
            state.leftOut = leftOut
        case let .didFailToRefresh(error):
            state.refreshing.fail(error)
        case let .didLoadOlder(leftOut):
            state.loadingOlder = .done
            state.leftOut = leftOut
        case let .didFailToLoadOlder(error):
            state.loadingOlder.fail(error)
        case let .didFillGap(leftOut):
            state.filling = .done
            state.leftOut = leftOut
        case let .didFailToFillGap(error):
            state.filling.fail(error)
        case let .didRefuse(refusal):
            state.refusal = refusal
        }
    }

    public static func route(_ event: Event, _ state: State) -> Route? {
        switch event {
        case let .ui(.open(id)): .status(id)
        case let .ui(.openAccount(id)): .account(id)
        case .ui(.openOwnAccount): .ownAccount
        case .ui(.leave): .leave
        default: nil
        }
    }
}

// MARK: - Feedbacks

extension HomeViewModel {
    private static func whenRefreshing(
        _ businessController: any TimelineBusinessControllerProtocol
    ) -> Feedback<State, Event> {
        Feedback(whenBecomesTrue: \.refreshing.isUnderWay) { _ in
            businessController.refreshHome()
                .map(Event.didRefresh(leftOut:))
                .replaceError(Event.didFailToRefresh)
        }
    }

    private static func whenLoadingOlder(
        _ businessController: any TimelineBusinessControllerProtocol
    ) -> Feedback<State, Event> {
        Feedback(whenBecomesTrue: \.loadingOlder.isUnderWay) { _ in
            businessController.fetchOlderHome().orNothing()
                .map(Event.didLoadOlder(leftOut:))
                .replaceError(Event.didFailToLoadOlder)
        }
    }

    private static func whenFillingGap(
        _ businessController: any TimelineBusinessControllerProtocol
    ) -> Feedback<State, Event> {
        Feedback(skippingRepeated: \.gapBeingFilled) { id in
            businessController.fillGap(after: id).orNothing()
                .map(Event.didFillGap(leftOut:))
                .replaceError(Event.didFailToFillGap)
        }
    }
}
