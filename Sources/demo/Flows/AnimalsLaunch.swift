import Animals
import Feedback
import Foundation
import Persistence
import Presentation

/// Where animals are kept: the choice that an app makes once, when it is launched.
enum AnimalsPlace: CaseIterable, Sendable {
    case thisMachine, server

    var name: String {
        switch self {
        case .thisMachine: "On this machine"
        case .server: "On the server"
        }
    }
}

/// From the choice of the place to the animals there. Beyond it nothing knows of the place.
final class AnimalsLaunchFlowController: FlowController {
    let screens: ScreenStack
    private let materials: DemoMaterials
    private let flow = Locked<AnimalsFlowController?>(nil)

    init(_ materials: DemoMaterials, on screens: ScreenStack) {
        self.materials = materials
        self.screens = screens
    }

    func start() {
        let viewModel = AnimalsLaunchViewModel(log: materials.log) { [materials] place throws(StoreError) in
            switch place {
            case .thisMachine: try LocalStore(.at(materials.database))
            case .server: RemoteStore(accessible: materials.session)
            }
        }
        screens.push(LiveScreen(viewModel, AnimalsLaunchRenderer()) { [weak self] in self?.follow($0) })
    }

    private func follow(_ route: AnimalsLaunchViewModel.Route) {
        switch route {
        case let .open(store):
            let materials = AnimalsBuildingMaterials(store: store, log: materials.log)
            let controller = AnimalsFlowController(AnimalsBuilder(materials), on: screens)
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
    /// A file, or memory where there is none.
    static func at(_ file: URL?) -> Self {
        file.map { .file($0.path(percentEncoded: false)) } ?? .memory
    }
}

final class AnimalsLaunchViewModel: ViewModel {
    typealias Open = @Sendable (AnimalsPlace) throws(StoreError) -> any AnimalsStore

    struct State: Equatable, Sendable {
        var failure: StoreError?
    }

    enum Action: Equatable, Sendable {
        case choose(AnimalsPlace)
        case leave
    }

    enum Event: Equatable, Sendable {
        case ui(Action)
        case didFail(StoreError)
    }

    enum Route: Sendable {
        case open(any AnimalsStore)
        case leave
    }

    let routes: Signal<Route, NoError>
    private let loop: FeedbackLoop<State, Event>

    init(log: EventLog, open: @escaping Open) {
        let (routes, observer) = Signal<Route, NoError>.pipe()
        self.routes = routes
        loop = FeedbackLoop(
            initial: State(), reduce: log.recording(Self.reduce),
            feedbacks: [
                Self.whenChoosing(open, routes: observer),
                .routing(to: observer) { event, _ in event == .ui(.leave) ? .leave : nil },
            ])
        loop.start()
    }

    var state: Property<State> { loop.property }

    func send(_ action: Action) { loop.send(.ui(action)) }

    private static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case .ui: state.failure = nil
        case let .didFail(error): state.failure = error
        }
    }

    private static func whenChoosing(
        _ open: @escaping Open, routes: Signal<Route, NoError>.Observer
    ) -> Feedback<State, Event> {
        Feedback(extracting: { if case let .ui(.choose(place)) = $0 { place } else { nil } }) { place in
            SignalProducer<Event, NoError> { effect, _ in
                do throws(StoreError) {
                    routes.send(value: .open(try open(place)))
                } catch {
                    effect.send(value: .didFail(error))
                }
                effect.sendCompleted()
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
