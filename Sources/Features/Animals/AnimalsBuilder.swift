import Feedback
import Presentation

/// What the screens of the animals are built of.
public struct AnimalsBuildingMaterials: Sendable {
    public var businessController: any AnimalsBusinessControllerProtocol
    public var log: EventLog

    public init(businessController: any AnimalsBusinessControllerProtocol, log: EventLog = .silent) {
        self.businessController = businessController
        self.log = log
    }

    /// Materials that ask a store, which is all that differs between an app with a database and one with a server.
    public init(store: any AnimalsStore, log: EventLog = .silent) {
        self.init(businessController: AnimalsBusinessController(store: store), log: log)
    }
}

/// Builds the screens of the animals around one library, each wired to where its routes lead.
public struct AnimalsBuilder: Sendable {
    public let library: AnimalsLibrary
    private let log: EventLog

    public init(_ materials: AnimalsBuildingMaterials) {
        library = AnimalsLibrary(businessController: materials.businessController, log: materials.log)
        log = materials.log
    }

    public func categories(onRoute: @escaping @Sendable (CategoryListViewModel.Route) -> Void) -> LiveScreen {
        LiveScreen(CategoryListViewModel(library: library, log: log), CategoryListRenderer(), onRoute: onRoute)
    }

    public func animals(
        in category: Category, onRoute: @escaping @Sendable (AnimalListViewModel.Route) -> Void
    ) -> LiveScreen {
        let viewModel = AnimalListViewModel(category: category, library: library, log: log)
        return LiveScreen(viewModel, AnimalListRenderer(), onRoute: onRoute)
    }

    public func detail(
        of animal: Animal, onRoute: @escaping @Sendable (AnimalDetailViewModel.Route) -> Void
    ) -> LiveScreen {
        let viewModel = AnimalDetailViewModel(animal: animal, library: library, log: log)
        return LiveScreen(viewModel, AnimalDetailRenderer(), onRoute: onRoute)
    }

    public func editor(
        of subject: AnimalEditorViewModel.Subject, onRoute: @escaping @Sendable (AnimalEditorViewModel.Route) -> Void
    ) -> LiveScreen {
        let viewModel = AnimalEditorViewModel(subject, library: library, log: log)
        return LiveScreen(viewModel, AnimalEditorRenderer(), onRoute: onRoute)
    }
}
