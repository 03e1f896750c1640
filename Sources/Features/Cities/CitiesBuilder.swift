import Networking
import Presentation

/// Builds the screens of the cities, each connected to the function that follows its routes.
public struct CitiesBuilder: Sendable {
    private let businessController: any CitiesBusinessControllerProtocol

    public init(businessController: any CitiesBusinessControllerProtocol) {
        self.businessController = businessController
    }

    /// Makes a builder of screens that use a backend.
    public init(accessible: any AuthenticatedAccessible) {
        self.init(businessController: CitiesBusinessController(accessible: accessible))
    }

    public func cities(onRoute: @escaping @Sendable (CitiesViewModel.Route) -> Void) -> LiveScreen {
        LiveScreen(CitiesViewModel(businessController: businessController), CitiesRenderer(), onRoute: onRoute)
    }

    public func delivery(
        to city: City, onRoute: @escaping @Sendable (DeliveryViewModel.Route) -> Void
    ) -> LiveScreen {
        let viewModel = DeliveryViewModel(city: city, businessController: businessController)
        return LiveScreen(viewModel, DeliveryRenderer(), onRoute: onRoute)
    }

    public func questions(onRoute: @escaping @Sendable (QuestionsViewModel.Route) -> Void) -> LiveScreen {
        LiveScreen(QuestionsViewModel(businessController: businessController), QuestionsRenderer(), onRoute: onRoute)
    }
}
