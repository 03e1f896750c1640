import Feedback
import Networking
import Persistence
import Presentation

/// The home timeline of the person who is signed in.
public struct HomeViewModel: ViewModel {
    public struct State: Equatable, Sendable {
        /// The known part of the timeline; `nil` before it was fetched for the first time.
        public var timeline: CachedList<Status>?
        public var requests = StatusRequests()
        /// The status after which a gap is being filled, or was filled last.
        public var gap: Status.ID?
        public var filling = Attempt<CoreError>.idle
        /// The topmost status before the last refresh, which marks the person's place.
        public var place: Status.ID?

        public init() {}

        public var content: TimelineContent { TimelineContent(timeline, requests.refreshing) }

        var gapBeingFilled: Status.ID? { filling.isUnderWay ? gap : nil }
    }

    public enum Action: Equatable, Sendable {
        case refresh
        /// The person has reached the end.
        case loadOlder
        case fillGap(after: Status.ID)
        case act(StatusAct)
        case open(Status.ID)
        case openOwnAccount
        case leave
    }

    public enum Event: ActionEvent, Equatable {
        case ui(Action)
        case didChange(CachedList<Status>?)
        case requests(StatusRequests.Event)
        case didFillGap(Result<Int, CoreError>)

        var act: StatusAct? { if case let .ui(.act(act)) = self { act } else { nil } }
    }

    public enum Route: Equatable, Sendable {
        case status(Status.ID)
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
            .requesting(
                \.requests, Event.requests, businessController, refresh: businessController.refreshHome,
                older: businessController.fetchOlderHome, acts: \.act),
            Self.whenFillingGap(businessController),
        ]
    }

    public static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case .ui(.refresh):
            state.requests.refreshing.start()
            state.place = state.timeline?.list.ids.first
        case .ui(.loadOlder):
            guard state.timeline?.list.next != nil else { return }
            state.requests.loadingOlder.start()
        case let .ui(.fillGap(id)):
            guard !state.filling.isUnderWay, state.timeline?.list.gaps.contains(id) == true else { return }
            if state.gap != id { state.filling = .idle }
            state.gap = id
            state.filling.start()
        case .ui(.act), .ui(.open), .ui(.openOwnAccount), .ui(.leave):
            break
        case let .didChange(timeline):
            // The screen begins with a refresh, and the person's place is the top of the list kept from last time.
            if state.timeline == nil { state.place = timeline?.list.ids.first }
            state.timeline = timeline
        case let .requests(event):
            state.requests.reduce(event)
        case let .didFillGap(answer):
            state.requests.leftOut = state.filling.end(with: answer) ?? state.requests.leftOut
        }
    }

    public static func route(_ event: Event, _ state: State) -> Route? {
        switch event {
        case let .ui(.open(id)): .status(id)
        case .ui(.openOwnAccount): .ownAccount
        case .ui(.leave): .leave
        default: nil
        }
    }

    private static func whenFillingGap(
        _ businessController: any TimelineBusinessControllerProtocol
    ) -> Feedback<State, Event> {
        Feedback(skippingRepeated: \.gapBeingFilled) { id in
            businessController.fillGap(after: id).answer().map(Event.didFillGap)
        }
    }
}
