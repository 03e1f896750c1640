import Feedback
import Presentation

/// The list of categories to choose from.
public struct CategoryListViewModel: ViewModel {
    public struct State: Equatable, Sendable {
        public var categories: [AnimalsLibrary.CategorySummary] = []
        public var fetching = Attempt<AnimalsError>.idle
        public var reloading = Attempt<AnimalsError>.idle

        public init() {}
    }

    public enum Action: Equatable, Sendable {
        case choose(Category.ID)
        case add
        case refresh
        case reloadSampleData
        case leave
    }

    public enum Event: ActionEvent, Equatable {
        case ui(Action)
        case didChangeCategories([AnimalsLibrary.CategorySummary])
        case didChangeFetching(Attempt<AnimalsError>)
        case didChangeReloading(Attempt<AnimalsError>)
    }

    public enum Route: Equatable, Sendable {
        case open(Category)
        case add
        case leave
    }

    private let library: LiveViewModel<AnimalsLibrary>

    public init(library: LiveViewModel<AnimalsLibrary>) {
        self.library = library
    }

    public var initial: State { State() }

    public var feedbacks: [Feedback<State, Event>] {
        [
            Feedback(source: library.summaries(), as: Event.didChangeCategories),
            Feedback(source: library.attempt(of: .fetch), as: Event.didChangeFetching),
            Feedback(source: library.attempt(of: .reloadSampleData), as: Event.didChangeReloading),
            .onEvent { [library] event, _ in Self.request(event).map(library.send) },
        ]
    }

    public static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case .ui: break
        case let .didChangeCategories(categories): state.categories = categories
        case let .didChangeFetching(attempt): state.fetching = attempt
        case let .didChangeReloading(attempt): state.reloading = attempt
        }
    }

    public static func route(_ event: Event, _ state: State) -> Route? {
        switch event {
        case let .ui(.choose(id)): state.categories.first { $0.category.id == id }.map { .open($0.category) }
        case .ui(.add): .add
        case .ui(.leave): .leave
        default: nil
        }
    }

    private static func request(_ event: Event) -> AnimalsLibrary.Action? {
        switch event {
        case .ui(.refresh): .perform(.fetch, for: .fetch)
        case .ui(.reloadSampleData): .perform(.reloadSampleData, for: .reloadSampleData)
        default: nil
        }
    }
}
