import Presentation

/// The features to choose from, if there are several.
struct MenuViewModel: ViewModel {
    enum Action: Equatable, Sendable {
        case choose(Int)
        case leave
    }

    enum Event: ActionEvent, Equatable { case ui(Action) }

    /// The features.
    let initial: [DemoFeature]

    static func reduce(_ state: inout [DemoFeature], _ event: Event) {}

    static func route(_ event: Event, _ state: [DemoFeature]) -> Action? {
        switch event {
        case let .ui(action): action
        }
    }
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

/// Leads from the menu into the flow of a feature, and back.
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
        screens.push(
            LiveScreen(MenuViewModel(initial: flows.map(\.feature)), MenuRenderer()) { [weak self] in self?.follow($0) }
        )
    }

    private func follow(_ route: MenuViewModel.Action) {
        switch route {
        case let .choose(index): controllers[index].start()
        case .leave: screens.pop()
        }
    }
}

extension [any DemoFlow] {
    /// The flow of the only feature, or a menu of all.
    func makeController(_ materials: DemoMaterials, on screens: ScreenStack) -> any FlowController {
        count == 1 ? self[0].makeController(materials, on: screens) : MenuFlowController(self, materials, on: screens)
    }
}
