import Animals
import Feedback
import Foundation
import Persistence
import Presentation

/// The place where animals are kept. An app chooses it once, when it is launched.
enum AnimalsPlace: CaseIterable, Sendable {
    case thisMachine, server

    var name: String {
        switch self {
        case .thisMachine: "On this machine"
        case .server: "On the server"
        }
    }
}

/// Leads from the choice of the place to the animals there. No other screen knows the place.
final class AnimalsLaunchFlowController: FlowController {
    let screens: ScreenStack
    private let materials: DemoMaterials
    private let flow = Locked<AnimalsFlowController?>(nil)

    init(_ materials: DemoMaterials, on screens: ScreenStack) {
        self.materials = materials
        self.screens = screens
    }

    func start() {
        let viewModel = AnimalsLaunchViewModel(open: { [materials] place throws(StoreError) in
            switch place {
            case .thisMachine: try LocalStore(.at(materials.database))
            case .server: RemoteStore(accessible: materials.session)
            }
        })
        screens.push(LiveScreen(viewModel, AnimalsLaunchRenderer()) { [weak self] in self?.follow($0) })
    }

    private func follow(_ route: AnimalsLaunchViewModel.Route) {
        switch route {
        case let .open(store):
            let controller = AnimalsFlowController(AnimalsBuilder(store: store), on: screens)
            let before = flow.withLock { flow in
                defer { flow = controller }
                return flow
            }
            withExtendedLifetime(before) { controller.start() }
        case .leave:
            screens.pop()
        }
    }
}

extension SQLiteDatabase.Location {
    /// A file, or memory if there is none.
    static func at(_ file: URL?) -> Self {
        file.map { .file($0.path(percentEncoded: false)) } ?? .memory
    }
}

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

struct AnimalsLaunchRenderer: Renderer {
    func render(_ state: AnimalsLaunchViewModel.State) -> Screen<AnimalsLaunchViewModel.Action> {
        Screen(
            title: "Where are the animals kept?",
            sections: [
                .init(rows: state.failure.map { [.notice(.error, "\($0)")] } ?? []),
                .init(rows: AnimalsPlace.allCases.map { .choice($0.name, action: .choose($0)) }),
            ],
            actions: [.init("Leave", key: .escape, action: .leave)])
    }
}
