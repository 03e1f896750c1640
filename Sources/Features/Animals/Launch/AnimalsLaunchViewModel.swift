import Feedback
import Persistence
import Presentation

/// The choice of the place where animals are kept.
struct AnimalsLaunchViewModel: ViewModel {
    typealias Open = @Sendable (AnimalsPlace) throws(StoreError) -> any AnimalsStore

    struct State: Equatable, Sendable {
        var failure: StoreError?
    }

    enum Action: Equatable, Sendable {
        case choose(AnimalsPlace)
        case leave
    }

    enum Event: ActionEvent {
        case ui(Action)
        case didOpen(any AnimalsStore)
        case didFail(StoreError)
    }

    enum Route: Sendable {
        case open(any AnimalsStore)
        case leave
    }

    let open: Open

    var initial: State { State() }

    var feedbacks: [Feedback<State, Event>] { [Self.whenChosen(open)] }

    static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case .ui, .didOpen: state.failure = nil
        case let .didFail(error): state.failure = error
        }
    }

    static func route(_ event: Event, _ state: State) -> Route? {
        switch event {
        case .ui(.leave): .leave
        case let .didOpen(store): .open(store)
        case .ui(.choose), .didFail: nil
        }
    }

    private static func whenChosen(_ open: @escaping Open) -> Feedback<State, Event> {
        Feedback(extracting: { if case let .ui(.choose(place)) = $0 { place } else { nil } }) { place in
            SignalProducer<Event, NoError> { () -> Event in
                do throws(StoreError) { return .didOpen(try open(place)) } catch { return .didFail(error) }
            }
        }
    }
}
