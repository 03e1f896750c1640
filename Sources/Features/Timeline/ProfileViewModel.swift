import Feedback
import Networking
import Presentation

/// An account with its statuses. The signed-in account can be renamed.
public struct ProfileViewModel: ViewModel {
    public struct State: Equatable, Sendable {
        public let id: Account.ID
        /// `true` if it is the signed-in account.
        public let isOwn: Bool
        /// The known part of the account; `nil` if nothing is known.
        public var profile: Profile?
        public var requests = StatusRequests()
        /// The text of the name field; `nil` before it was edited.
        public var newName: String?
        public var renaming = Attempt<CoreError>.idle

        public init(id: Account.ID, isOwn: Bool) {
            self.id = id
            self.isOwn = isOwn
        }

        public var content: TimelineContent { TimelineContent(profile?.timeline, requests.refreshing) }

        var canRename: Bool {
            guard isOwn, !renaming.isUnderWay, let newName else { return false }
            return newName.contains { !$0.isWhitespace } && newName != profile?.account.displayName
        }

        var nameBeingSaved: String? { renaming.isUnderWay ? newName : nil }

        /// Ends a renaming that has failed if the server shows the new name nevertheless: only its answer was lost.
        ///
        /// The name that is shown may still be the one that was refused, as the cache may take it back on another thread.
        mutating func settleRenaming() {
            guard renaming.failure != nil, let account = profile?.account, !account.isBeingRenamed,
                newName == account.displayName
            else { return }
            renaming = .done
            newName = nil
        }

        /// Shows a refusal. If it is that of a renaming on this screen when it was shown before, the form continues from
        /// there.
        mutating func receive(_ refusal: Refusal) {
            guard isOwn, case .renaming(_, to: let name) = refusal.request, newName == nil || newName == name else {
                requests.refusal = refusal
                return
            }
            // The failure of a renaming on this screen comes by itself.
            guard !renaming.isUnderWay, renaming.failure == nil else { return }
            newName = name
            renaming = .failed(refusal.error, number: 1)
            settleRenaming()
        }
    }

    public enum Action: Equatable, Sendable {
        case refresh
        /// The person has reached the end.
        case loadOlder
        case act(StatusAct)
        case open(Status.ID)
        case editName(String)
        case rename
        case leave
    }

    public enum Event: ActionEvent, Equatable {
        case ui(Action)
        case didChange(Profile?)
        case requests(StatusRequests.Event)
        case didRename
        case didFailToRename(CoreError)

        var act: StatusAct? { if case let .ui(.act(act)) = self { act } else { nil } }
    }

    public enum Route: Equatable, Sendable {
        case status(Status.ID)
        case leave
    }

    public let initial: State
    private let businessController: any TimelineBusinessControllerProtocol

    public init(id: Account.ID, isOwn: Bool, businessController: any TimelineBusinessControllerProtocol) {
        initial = State(id: id, isOwn: isOwn)
        self.businessController = businessController
    }

    public var feedbacks: [Feedback<State, Event>] {
        [
            Feedback(source: businessController.watchProfile(of: initial.id), as: Event.didChange),
            .requesting(
                \.requests, Event.requests, businessController,
                refresh: { [self] in businessController.fetchProfile(of: initial.id) },
                older: { [self] in businessController.fetchOlderStatuses(of: initial.id) }, acts: \.act),
            Self.whenRenaming(businessController, initial.id),
        ]
    }

    public static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case .ui(.refresh):
            state.requests.refreshing.start()
        case .ui(.loadOlder):
            guard state.profile?.timeline?.list.next != nil else { return }
            state.requests.loadingOlder.start()
        case let .ui(.editName(name)):
            guard state.isOwn, !state.renaming.isUnderWay else { return }
            state.newName = name
            state.renaming = .idle
        case .ui(.rename):
            guard state.canRename else { return }
            state.renaming.start()
        case .ui(.act), .ui(.open), .ui(.leave):
            break
        case let .didChange(profile):
            state.profile = profile
            state.settleRenaming()
        case let .requests(.didChangeRefusal(refusal?)):
            state.receive(refusal)
        case let .requests(event):
            state.requests.reduce(event)
        case .didRename:
            state.renaming = .done
            state.newName = nil
        case let .didFailToRename(error):
            state.renaming.fail(error)
            state.settleRenaming()
        }
    }

    public static func route(_ event: Event, _ state: State) -> Route? {
        switch event {
        case let .ui(.open(id)): .status(id)
        case .ui(.leave): .leave
        default: nil
        }
    }

    private static func whenRenaming(
        _ businessController: any TimelineBusinessControllerProtocol, _ id: Account.ID
    ) -> Feedback<State, Event> {
        Feedback(skippingRepeated: \.nameBeingSaved) { name in
            businessController.rename(id, to: name)
                .then(value: Event.didRename)
                .replaceError(Event.didFailToRename)
        }
    }
}
