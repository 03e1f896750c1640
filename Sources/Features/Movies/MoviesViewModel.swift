import Feedback
import Foundation
import Persistence
import Presentation
import Sync

/// The list of movies: searched, filtered, sorted, and read on page by page.
public final class MoviesViewModel: ViewModel {
    public let routes: Signal<Route, NoError>
    private let loop: FeedbackLoop<State, Event>

    public init(businessController: any MoviesBusinessControllerProtocol, log: EventLog = .silent) {
        let (routes, observer) = Signal<Route, NoError>.pipe()
        self.routes = routes
        loop = FeedbackLoop(
            initial: State(),
            reduce: log.recording(Self.reduce),
            feedbacks: Self.feedbacks(businessController: businessController, routes: observer))
        loop.start()
    }

    public var state: Property<State> { loop.property }

    public func send(_ action: Action) { loop.send(.ui(action)) }
}

// MARK: - State machine

extension MoviesViewModel {
    public struct State: Equatable, Sendable {
        public var selection = MovieSelection()
        public var movies: [Movie] = []
        public var hasMore = false
        /// Where the movies come from; of several pages, the one that is known worst.
        public var origin = AnswerSource.remote
        public var mirror = MirrorStatus.complete
        public var loading = Loading.underWay(Request(page: .first, number: 1), attempt: 1)
        /// Counts the requests, so that the same one can be made again.
        var requests = 1

        public enum Loading: Equatable, Sendable {
            case idle
            case underWay(Request, attempt: Int)
            case failed(StoreError, Page, attempt: Int)
        }

        public enum Page: Equatable, Sendable {
            case first
            case after(Movie)
        }

        /// What is asked for; another number is another request.
        public struct Request: Equatable, Sendable {
            var page: Page
            var number: Int
        }

        var request: Request? { if case let .underWay(request, _) = loading { request } else { nil } }

        /// What is to be asked; `nil` while nothing is.
        var question: Question? { request.map { Question(selection: selection, request: $0) } }

        struct Question: Equatable, Sendable {
            var selection: MovieSelection
            var request: Request
        }
    }

    public enum Action: Equatable, Sendable {
        case search(String)
        case filter(Rating?)
        case sort(MovieSelection.Order)
        case refresh
        case loadMore
        case retry
        case add
        case choose(Movie.ID)
        case leave
    }

    enum Event: Equatable, Sendable {
        case ui(Action)
        case didChange
        case didLoad(Sourced<MoviePage>)
        case didFail(StoreError)
    }

    public enum Route: Equatable, Sendable {
        case add
        case edit(Movie)
        case leave
    }

    static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case let .ui(.search(title)):
            state.select { $0.title = title }
        case let .ui(.filter(rating)):
            state.select { $0.rating = rating }
        case let .ui(.sort(order)):
            state.select { $0.order = order }
        case .ui(.refresh):
            if state.request?.page != .first { state.load(.first) }
        case .ui(.loadMore):
            guard state.request == nil, state.hasMore, let last = state.movies.last else { return }
            state.load(.after(last))
        case .ui(.retry):
            guard case let .failed(_, page, attempt) = state.loading else { return }
            state.load(page, attempt: attempt + 1)
        case .ui(.add), .ui(.choose), .ui(.leave):
            break
        case .didChange:
            // What is being loaded may be older than the change.
            state.load(.first)
        case let .didLoad(answer):
            guard let request = state.request else { return }
            switch request.page {
            case .first:
                state.movies = answer.value.movies
                state.origin = answer.source
            case .after:
                state.movies += answer.value.movies
                state.origin = state.origin.joined(with: answer.source)
            }
            state.hasMore = answer.value.hasMore
            state.mirror = answer.mirror
            state.loading = .idle
        case let .didFail(error):
            guard case let .underWay(request, attempt) = state.loading else { return }
            state.loading = .failed(error, request.page, attempt: attempt)
        }
    }

    static func route(_ event: Event, _ state: State) -> Route? {
        switch event {
        case let .ui(.choose(id)): state.movies.first { $0.id == id }.map(Route.edit)
        case .ui(.add): .add
        case .ui(.leave): .leave
        default: nil
        }
    }
}

extension MoviesViewModel.State {
    fileprivate mutating func select(_ change: (inout MovieSelection) -> Void) {
        let before = selection
        change(&selection)
        if selection != before { load(.first) }
    }

    fileprivate mutating func load(_ page: Page, attempt: Int = 1) {
        requests += 1
        loading = .underWay(Request(page: page, number: requests), attempt: attempt)
    }
}

// MARK: - Feedbacks

extension MoviesViewModel {
    static func feedbacks(
        businessController: any MoviesBusinessControllerProtocol, routes: Signal<Route, NoError>.Observer
    ) -> [Feedback<State, Event>] {
        [whenLoading(businessController), whenMoviesChange(businessController), .routing(to: routes, route)]
    }

    private static func whenLoading(
        _ businessController: any MoviesBusinessControllerProtocol
    ) -> Feedback<State, Event> {
        Feedback(skippingRepeated: \.question) { question in
            let last: Movie? = if case let .after(movie) = question.request.page { movie } else { nil }
            return businessController.fetchMovies(question.selection, after: last)
                .map(Event.didLoad)
                .replaceError(Event.didFail)
        }
    }

    private static func whenMoviesChange(
        _ businessController: any MoviesBusinessControllerProtocol
    ) -> Feedback<State, Event> {
        Feedback(source: businessController.changes, as: { _ in .didChange })
    }
}
