import Presentation

/// The flow of the feature, which has one screen.
public final class ThingsFlowController: FlowController {
    public let screens: ScreenStack
    private let builder: ThingsBuilder

    public init(_ builder: ThingsBuilder, on screens: ScreenStack = ScreenStack()) {
        self.builder = builder
        self.screens = screens
    }

    public func start() {
        screens.push(builder.things(onRoute: { [weak screens] _ in screens?.pop() }))
    }
}
