import Feedback
import Presentation

/// The animals of one category.
public final class AnimalListViewModel: ViewModel {
    public let routes: Signal<Route, NoError>
    private let loop: FeedbackLoop<State, Event>

    public init(category: Category, library: AnimalsLibrary, log: EventLog = .silent) {
        let (routes, observer) = Signal<Route, NoError>.pipe()
        self.routes = routes
        loop = FeedbackLoop(
            initial: State(category: category), reduce: log.recording(Self.reduce),
            feedbacks: Self.feedbacks(category: category.id, library: library, routes: observer))
        loop.start()
    }

    public var state: Property<State> { loop.property }

    public func send(_ action: Action) { loop.send(.ui(action)) }
}

// MARK: - State machine

extension AnimalListViewModel {
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

    enum Event: Equatable, Sendable {
        case ui(Action)
        case didChangeAnimals([Animal])
    }

    public enum Route: Equatable, Sendable {
        case open(Animal)
        case add(Category)
        case leave
    }

    static func reduce(_ state: inout State, _ event: Event) {
        if case let .didChangeAnimals(animals) = event { state.animals = animals }
    }

    static func route(_ event: Event, _ state: State) -> Route? {
        switch event {
        case let .ui(.choose(id)): state.animals.first { $0.id == id }.map(Route.open)
        case .ui(.add): .add(state.category)
        case .ui(.leave): .leave
        case .didChangeAnimals: nil
        }
    }
}

// MARK: - Feedbacks

extension AnimalListViewModel {
    static func feedbacks(
        category: Category.ID, library: AnimalsLibrary, routes: Signal<Route, NoError>.Observer
    ) -> [Feedback<State, Event>] {
        [
            Feedback(source: library.animals(in: category), as: Event.didChangeAnimals),
            .routing(to: routes, route),
        ]
    }
}
