import Presentation

/// The flow from the home timeline to statuses and profiles, from these to others, and back.
public final class TimelineFlowController: FlowController {
    public let screens: ScreenStack
    private let builder: TimelineBuilder

    public init(_ builder: TimelineBuilder, on screens: ScreenStack = ScreenStack()) {
        self.builder = builder
        self.screens = screens
    }

    public func start() {
        screens.push(builder.home(onRoute: { [weak self] in self?.follow($0) }))
    }

    private func follow(_ route: HomeViewModel.Route) {
        switch route {
        case let .status(id): showStatus(id)
        case .ownAccount: showProfile(nil)
        case .leave: screens.pop()
        }
    }

    private func follow(_ route: StatusViewModel.Route) {
        switch route {
        case let .status(id): showStatus(id)
        case let .account(id): showProfile(id)
        case .leave: screens.pop()
        }
    }

    private func follow(_ route: ProfileViewModel.Route) {
        switch route {
        case let .status(id): showStatus(id)
        case .leave: screens.pop()
        }
    }

    private func showStatus(_ id: Status.ID) {
        screens.push(builder.status(id, onRoute: { [weak self] in self?.follow($0) }))
    }

    private func showProfile(_ id: Account.ID?) {
        screens.push(builder.profile(id, onRoute: { [weak self] in self?.follow($0) }))
    }
}
