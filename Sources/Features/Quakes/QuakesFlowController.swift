import Presentation

/// The flow of the quakes, which has one screen.
public final class QuakesFlowController: FlowController {
    public let screens: ScreenStack
    private let builder: QuakesBuilder

    public init(_ builder: QuakesBuilder, on screens: ScreenStack = ScreenStack()) {
        self.builder = builder
        self.screens = screens
    }

    public func start() {
        screens.push(builder.quakes(onRoute: { [weak self] in self?.follow($0) }))
    }

    private func follow(_ route: QuakesViewModel.Route) {
        switch route {
        case .leave: screens.pop()
        }
    }
}
