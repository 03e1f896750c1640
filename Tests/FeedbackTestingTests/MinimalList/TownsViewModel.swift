import Feedback
import Presentation

/// The list of towns: loaded at once, loaded again on request, each to be chosen.
struct TownsViewModel: ViewModel {
    struct State: Equatable, Sendable {
        var towns: [String] = []
        var loading = Attempt<TownsError>.underWay()
    }

    enum Action: Equatable, Sendable {
        case refresh
        case choose(String)
    }

    enum Event: ActionEvent, Equatable {
        case ui(Action)
        case didLoad([String])
        case didFail(TownsError)
    }

    enum Route: Equatable, Sendable {
        case open(String)
    }

    let businessController: any TownsBusinessControllerProtocol

    var initial: State { State() }

    var feedbacks: [Feedback<State, Event>] { [Self.whenLoading(businessController)] }

    static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case .ui(.refresh): state.loading.start()
        case .ui(.choose): break
        case let .didLoad(towns):
            state.towns = towns
            state.loading = .done
        case let .didFail(error): state.loading.fail(error)
        }
    }

    static func route(_ event: Event, _ state: State) -> Route? {
        if case let .ui(.choose(town)) = event { .open(town) } else { nil }
    }

    private static func whenLoading(_ controller: any TownsBusinessControllerProtocol) -> Feedback<State, Event> {
        Feedback(whenBecomesTrue: \.loading.isUnderWay) { _ in
            controller.fetchTowns().map(Event.didLoad).replaceError(Event.didFail)
        }
    }
}
