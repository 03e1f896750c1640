import Presentation

/// The flow from the list of cities to the order of a delivery, or to a question, and back.
public final class CitiesFlowController: FlowController {
    public let screens: ScreenStack
    private let builder: CitiesBuilder

    public init(_ builder: CitiesBuilder, on screens: ScreenStack = ScreenStack()) {
        self.builder = builder
        self.screens = screens
    }

    public func start() {
        screens.push(builder.cities(onRoute: { [weak self] in self?.follow($0) }))
    }

    private func follow(_ route: CitiesViewModel.Route) {
        switch route {
        case let .deliver(city):
            screens.push(builder.delivery(to: city, onRoute: { [weak screens] _ in screens?.pop() }))
        case .ask: screens.push(builder.questions(onRoute: { [weak screens] _ in screens?.pop() }))
        case .leave: screens.pop()
        }
    }
}
