import Presentation

/// The flow from the categories to their animals, to one animal, to the editor, and back.
public final class AnimalsFlowController: FlowController {
    public let screens: ScreenStack
    private let builder: AnimalsBuilder

    public init(_ builder: AnimalsBuilder, on screens: ScreenStack = ScreenStack()) {
        self.builder = builder
        self.screens = screens
    }

    public func start() {
        screens.report(builder.library)
        screens.push(builder.categories(onRoute: { [weak self] in self?.follow($0) }))
    }

    private func follow(_ route: CategoryListViewModel.Route) {
        switch route {
        case let .open(category):
            screens.push(builder.animals(in: category, onRoute: { [weak self] in self?.follow($0) }))
        case .add: edit(.new(in: nil))
        case .leave: screens.pop()
        }
    }

    private func follow(_ route: AnimalListViewModel.Route) {
        switch route {
        case let .open(animal):
            screens.push(builder.detail(of: animal, onRoute: { [weak self] in self?.follow($0) }))
        case let .add(category): edit(.new(in: category.id))
        case .leave: screens.pop()
        }
    }

    private func follow(_ route: AnimalDetailViewModel.Route) {
        switch route {
        case let .edit(animal): edit(.existing(animal))
        case .leave: screens.pop()
        }
    }

    private func edit(_ subject: AnimalEditorViewModel.Subject) {
        screens.push(builder.editor(of: subject, onRoute: { [weak screens] _ in screens?.pop() }))
    }
}
