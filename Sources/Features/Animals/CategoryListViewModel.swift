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
            .onEvent { [library] in Self.requests($0, $1).forEach(library.send) },
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

    private static func requests(_ event: Event, _ state: State) -> [AnimalsLibrary.Action] {
        switch event {
        // A refresh also dismisses the error of a reload.
        case .ui(.refresh) where state.reloading.failure != nil:
            [.forget(.reloadSampleData), .perform(.fetch, for: .fetch)]
        case .ui(.refresh): [.perform(.fetch, for: .fetch)]
        case .ui(.reloadSampleData): [.perform(.reloadSampleData, for: .reloadSampleData)]
        default: []
        }
    }
}
