import Presentation

/// Builds the screens of the animals around one library, each connected to the function that follows its routes.
public struct AnimalsBuilder: Sendable {
    public let library: LiveViewModel<AnimalsLibrary>

    public init(businessController: any AnimalsBusinessControllerProtocol) {
        library = LiveViewModel(AnimalsLibrary(businessController: businessController))
    }

    /// Makes a builder of screens that use a store. An app with a database and one with a server differ only in the
    /// store.
    public init(store: any AnimalsStore) {
        self.init(businessController: AnimalsBusinessController(store: store))
    }

    public func categories(onRoute: @escaping @Sendable (CategoryListViewModel.Route) -> Void) -> LiveScreen {
        LiveScreen(CategoryListViewModel(library: library), CategoryListRenderer(), onRoute: onRoute)
    }

    public func animals(
        in category: Category, onRoute: @escaping @Sendable (AnimalListViewModel.Route) -> Void
    ) -> LiveScreen {
        LiveScreen(AnimalListViewModel(category: category, library: library), AnimalListRenderer(), onRoute: onRoute)
    }

    public func detail(
        of animal: Animal, onRoute: @escaping @Sendable (AnimalDetailViewModel.Route) -> Void
    ) -> LiveScreen {
        LiveScreen(AnimalDetailViewModel(animal: animal, library: library), AnimalDetailRenderer(), onRoute: onRoute)
    }

    public func editor(
        of subject: AnimalEditorViewModel.Subject, onRoute: @escaping @Sendable (AnimalEditorViewModel.Route) -> Void
    ) -> LiveScreen {
        LiveScreen(AnimalEditorViewModel(subject, library: library), AnimalEditorRenderer(), onRoute: onRoute)
    }
}
