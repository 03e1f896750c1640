import Feedback
import Presentation

/// The list of categories to choose from.
public final class CategoryListViewModel: ViewModel {
    public let routes: Signal<Route, NoError>
    private let loop: FeedbackLoop<State, Event>

    public init(library: AnimalsLibrary, log: EventLog = .silent) {
        let (routes, observer) = Signal<Route, NoError>.pipe()
        self.routes = routes
        loop = FeedbackLoop(
            initial: State(), reduce: log.recording(Self.reduce),
            feedbacks: Self.feedbacks(library: library, routes: observer))
        loop.start()
    }

    public var state: Property<State> { loop.property }

    public func send(_ action: Action) { loop.send(.ui(action)) }
}

// MARK: - State machine

extension CategoryListViewModel {
    public struct State: Equatable, Sendable {
        public var shelves: [AnimalsLibrary.Shelf] = []
        public var fetching = AnimalsLibrary.Status.empty
        public var reloading = AnimalsLibrary.Status.empty

        public init() {}
    }

    public enum Action: Equatable, Sendable {
        case choose(Category.ID)
        case add
        case refresh
        case reloadSampleData
        case leave
    }

    enum Event: Equatable, Sendable {
        case ui(Action)
        case didChangeShelves([AnimalsLibrary.Shelf])
        case didChangeFetching(AnimalsLibrary.Status)
        case didChangeReloading(AnimalsLibrary.Status)
    }

    public enum Route: Equatable, Sendable {
        case open(Category)
        case add
        case leave
    }

    static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case .ui: break
        case let .didChangeShelves(shelves): state.shelves = shelves
        case let .didChangeFetching(status): state.fetching = status
        case let .didChangeReloading(status): state.reloading = status
        }
    }

    static func route(_ event: Event, _ state: State) -> Route? {
        switch event {
        case let .ui(.choose(id)): state.shelves.first { $0.category.id == id }.map { .open($0.category) }
        case .ui(.add): .add
        case .ui(.leave): .leave
        default: nil
        }
    }

    static func request(_ event: Event, _ state: State) -> AnimalsLibrary.Action? {
        switch event {
        case .ui(.refresh): .perform(.fetch, for: .fetch)
        case .ui(.reloadSampleData): .perform(.reloadSampleData, for: .reloadSampleData)
        default: nil
        }
    }
}

// MARK: - Feedbacks

extension CategoryListViewModel {
    static func feedbacks(
        library: AnimalsLibrary, routes: Signal<Route, NoError>.Observer
    ) -> [Feedback<State, Event>] {
        [
            Feedback(source: library.shelves(), as: Event.didChangeShelves),
            Feedback(source: library.status(of: .fetch), as: Event.didChangeFetching),
            Feedback(source: library.status(of: .reloadSampleData), as: Event.didChangeReloading),
            .asking(library, request),
            .routing(to: routes, route),
        ]
    }
}
