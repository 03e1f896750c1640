import Networking
import Presentation

/// What the screens of the cities are built of.
public struct CitiesBuildingMaterials: Sendable {
    public var businessController: any CitiesBusinessControllerProtocol
    public var log: EventLog

    public init(businessController: any CitiesBusinessControllerProtocol, log: EventLog = .silent) {
        self.businessController = businessController
        self.log = log
    }

    /// Materials that ask a backend.
    public init(accessible: any AuthenticatedAccessible, log: EventLog = .silent) {
        self.init(businessController: CitiesBusinessController(accessible: accessible), log: log)
    }
}

/// Builds the screens of the cities, each wired to where its routes lead.
public struct CitiesBuilder: Sendable {
    private let materials: CitiesBuildingMaterials

    public init(_ materials: CitiesBuildingMaterials) {
        self.materials = materials
    }

    public func cities(onRoute: @escaping @Sendable (CitiesViewModel.Route) -> Void) -> LiveScreen {
        let viewModel = CitiesViewModel(businessController: materials.businessController, log: materials.log)
        return LiveScreen(viewModel, CitiesRenderer(), onRoute: onRoute)
    }

    public func delivery(
        to city: City, onRoute: @escaping @Sendable (DeliveryViewModel.Route) -> Void
    ) -> LiveScreen {
        let viewModel = DeliveryViewModel(
            city: city, businessController: materials.businessController, log: materials.log)
        return LiveScreen(viewModel, DeliveryRenderer(), onRoute: onRoute)
    }

    public func questions(onRoute: @escaping @Sendable (QuestionsViewModel.Route) -> Void) -> LiveScreen {
        let viewModel = QuestionsViewModel(businessController: materials.businessController, log: materials.log)
        return LiveScreen(viewModel, QuestionsRenderer(), onRoute: onRoute)
    }
}
