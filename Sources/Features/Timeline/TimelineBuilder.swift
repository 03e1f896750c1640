import Networking
import Persistence
import Presentation

/// Builds the screens of the timeline, each connected to the function that follows its routes.
public struct TimelineBuilder: Sendable {
    private let businessController: any TimelineBusinessControllerProtocol
    private let ownAccount: Account.ID

    /// - Parameter ownAccount: The signed-in account.
    public init(businessController: any TimelineBusinessControllerProtocol, ownAccount: Account.ID) {
        self.businessController = businessController
        self.ownAccount = ownAccount
    }

    /// Makes a builder of screens that use a backend.
    public init(
        accessible: any AuthenticatedAccessible, ownAccount: Account.ID,
        cache: NormalizedCache = TimelineBusinessController.makeCache()
    ) {
        self.init(
            businessController: TimelineBusinessController(accessible: accessible, cache: cache),
            ownAccount: ownAccount)
    }

    public func home(onRoute: @escaping @Sendable (HomeViewModel.Route) -> Void) -> LiveScreen {
        LiveScreen(HomeViewModel(businessController: businessController), HomeRenderer(), onRoute: onRoute)
    }

    public func status(
        _ id: Status.ID, onRoute: @escaping @Sendable (StatusViewModel.Route) -> Void
    ) -> LiveScreen {
        let viewModel = StatusViewModel(id: id, businessController: businessController)
        return LiveScreen(viewModel, StatusRenderer(), onRoute: onRoute)
    }

    /// - Parameter id: The account; `nil` for the signed-in one.
    public func profile(
        _ id: Account.ID?, onRoute: @escaping @Sendable (ProfileViewModel.Route) -> Void
    ) -> LiveScreen {
        let id = id ?? ownAccount
        let viewModel = ProfileViewModel(id: id, isOwn: id == ownAccount, businessController: businessController)
        return LiveScreen(viewModel, ProfileRenderer(), onRoute: onRoute)
    }
}
