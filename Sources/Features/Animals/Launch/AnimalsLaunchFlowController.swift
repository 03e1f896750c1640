import Feedback
import Networking
import Persistence
import Presentation

/// The flow from the choice of the place to the animals there. No other screen knows the place.
public final class AnimalsLaunchFlowController: FlowController {
    public let screens: ScreenStack
    private let open: AnimalsLaunchViewModel.Open
    private let flow = Locked<AnimalsFlowController?>(nil)

    /// - Parameters:
    ///   - accessible: Performs the requests to the server.
    ///   - location: The location of the database on this machine.
    ///   - makeID: Makes the id of a new animal on this machine.
    public init(
        accessible: any Accessible, location: SQLiteDatabase.Location,
        makeID: @escaping @Sendable () -> Animal.ID, on screens: ScreenStack
    ) {
        self.screens = screens
        open = { place throws(StoreError) in
            switch place {
            case .thisMachine: try LocalStore(location, makeID: makeID)
            case .server: RemoteStore(accessible: accessible)
            }
        }
    }

    public func start() {
        screens.push(
            LiveScreen(AnimalsLaunchViewModel(open: open), AnimalsLaunchRenderer()) { [weak self] in self?.follow($0) })
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
