import Feedback
import Presentation

/// The animals of one category.
public struct AnimalListViewModel: ViewModel {
    public struct State: Equatable, Sendable {
        public var category: Category
        public var animals: [Animal] = []

        public init(category: Category) {
            self.category = category
        }
    }

    public enum Action: Equatable, Sendable {
        case choose(Animal.ID)
        case add
        case leave
    }

    public enum Event: ActionEvent, Equatable {
        case ui(Action)
        case didChangeAnimals([Animal])
    }

    public enum Route: Equatable, Sendable {
        case open(Animal)
        case add(Category)
        case leave
    }

    public let initial: State
    private let library: LiveViewModel<AnimalsLibrary>

    public init(category: Category, library: LiveViewModel<AnimalsLibrary>) {
        initial = State(category: category)
        self.library = library
    }

    public var feedbacks: [Feedback<State, Event>] {
        [Feedback(source: library.animals(in: initial.category.id), as: Event.didChangeAnimals)]
    }

    public static func reduce(_ state: inout State, _ event: Event) {
        if case let .didChangeAnimals(animals) = event { state.animals = animals }
    }

    public static func route(_ event: Event, _ state: State) -> Route? {
        switch event {
        case let .ui(.choose(id)): state.animals.first { $0.id == id }.map(Route.open)
        case .ui(.add): .add(state.category)
        case .ui(.leave): .leave
        case .didChangeAnimals: nil
        }
    }
}
