import Networking
import Presentation

/// Builds the screens of the feature, each connected to the function that follows its routes.
public struct ThingsBuilder: Sendable {
    private let businessController: any ThingsBusinessControllerProtocol

    public init(businessController: any ThingsBusinessControllerProtocol) {
        self.businessController = businessController
    }

    /// Makes a builder of screens that use a backend.
    public init(accessible: any AuthenticatedAccessible) {
        self.init(businessController: ThingsBusinessController(accessible: accessible))
    }

    public func things(onRoute: @escaping @Sendable (ThingsViewModel.Route) -> Void) -> LiveScreen {
        LiveScreen(ThingsViewModel(businessController: businessController), ThingsRenderer(), onRoute: onRoute)
    }
}
