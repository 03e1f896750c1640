import Foundation
import Feedback
import Presentation

/// The features to choose from, where there are several.
final class MenuViewModel: ViewModel {
    enum Action: Equatable, Sendable {
        case choose(Int)
        case leave
    }

    let state: Property<[DemoFeature]>
    let routes: Signal<Action, NoError>
    private let observer: Signal<Action, NoError>.Observer

    init(_ features: [DemoFeature]) {
        state = Property(value: features)
        (routes, observer) = Signal.pipe()
    }

    func send(_ action: Action) { observer.send(value: action) }
}

struct MenuRenderer: Renderer {
    func render(_ features: [DemoFeature]) -> Screen<MenuViewModel.Action> {
        Screen(
            title: "Feedback",
            sections: [
                .init(
                    rows: features.enumerated().map { index, feature in
                        .choice(feature.name.capitalized, detail: feature.summary, action: .choose(index))
                    })
            ],
            actions: [.init("Leave", key: .escape, action: .leave)])
    }
}

/// From the menu into the flow of a feature, and back.
final class MenuFlowController: FlowController {
    let screens: ScreenStack
    private let flows: [any DemoFlow]
    private let controllers: [any FlowController]

    init(_ flows: [any DemoFlow], _ materials: DemoMaterials, on screens: ScreenStack) {
        self.flows = flows
        self.screens = screens
        controllers = flows.map { $0.makeController(materials, on: screens) }
    }

    func start() {
        let viewModel = MenuViewModel(flows.map(\.feature))
        screens.push(LiveScreen(viewModel, MenuRenderer()) { [weak self] in self?.follow($0) })
    }

    private func follow(_ route: MenuViewModel.Action) {
        switch route {
        case let .choose(index): controllers[index].start()
        case .leave: screens.pop()
        }
    }
}
