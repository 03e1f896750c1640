import Feedback
import Foundation
import Persistence
import Presentation
import Sync

/// The list of movies, which is searched, filtered, sorted, and read page by page.
public struct MoviesViewModel: ViewModel {
    public struct State: Equatable, Sendable {
        public var selection = MovieSelection()
        public var movies: [Movie] = []
        public var hasMore = false
        /// The store that the movies come from; if pages come from different stores, the less up to date one.
        public var origin = AnswerSource.remote
        public var mirror = MirrorStatus.complete
        /// The changes that are still to be sent.
        public var sync = SyncStatus()
        /// The changes that the server has refused.
        public var parked: [ParkedWrite] = []
        /// The refused change that the person is asked about before it is given up; `nil` while none is.
        public var surrender: ParkedWrite.ID?
        /// The error of the last refused change that was sent again or given up; `nil` if that succeeded.
        public var parkedFailure: StoreError?
        /// The last change of a movie that failed, until the next change, on whichever screens they are made.
        public var refusal: MovieRefusal?
        /// The change that failed and is asked for again; `nil` while none is.
        public var repeatedChange: MovieRefusal?
        public var loading = Attempt<StoreError>.underWay()
        /// The page that is being loaded, or was loaded last.
        public var page = Page.first
        /// `true` if movies have changed since the request under way was sent. The list is then loaded once more.
        var isOutdated = false

        public enum Page: Equatable, Sendable {
            case first
            case after(Movie)
            /// The first page again, together with the others that are shown.
            case again(count: Int)
        }

        public init() {}

        /// `true` if the next page can be loaded. After a refresh that failed, it would not belong to the movies shown.
        var canLoadMore: Bool {
            guard hasMore, !loading.isUnderWay else { return false }
            if case .after = page { return true } else { return loading.failure == nil }
        }

        /// The movies to load now; `nil` while none are.
        var request: Request? {
            loading.isUnderWay ? Request(selection: selection, page: page) : nil
        }

        struct Request: Equatable, Sendable {
            var selection: MovieSelection
            var page: Page
        }
    }

    public enum Action: Equatable, Sendable {
        case search(String)
        case filter(Filter)
        case sort(MovieSelection.Order)
        case refresh
        case loadMore
        case retry
        case sendAgain(ParkedWrite.ID)
        /// Has the person asked, as a change that is given up is lost.
        case giveUp(ParkedWrite.ID)
        case confirmGivingUp(ParkedWrite.ID)
        case keepParked
        /// Asks for the change again that failed.
        case changeAgain
        case add
        case choose(Movie.ID)
        case leave
    }

    /// A part of the selection that is set by one choice.
    public enum Filter: Equatable, Sendable {
        case rating(Rating?)
        case genre(Genre?)
        case years(ClosedRange<Int>?)
        case budgets(ClosedRange<Int>?)
    }

    public enum Event: ActionEvent, Equatable {
        case ui(Action)
        case didChange
        case didLoad(Sourced<MoviePage>)
        case didFail(StoreError)
        case didSync(SyncStatus)
        case didPark([ParkedWrite])
        case didFailParked(StoreError)
        case didChangeRefusal(MovieRefusal?)
        /// The change that was asked for again has succeeded, or failed, which is another refusal.
        case didChangeAgain

        var isAnswer: Bool {
            switch self {
            case .didLoad, .didFail: true
            default: false
            }
        }
    }

    public enum Route: Equatable, Sendable {
        case add
        case open(Movie)
        case leave
    }

    private let businessController: any MoviesBusinessControllerProtocol

    public init(businessController: any MoviesBusinessControllerProtocol) {
        self.businessController = businessController
    }

    public var initial: State { State() }

    public var feedbacks: [Feedback<State, Event>] {
        [
            Self.whenLoading(businessController), Self.whenMoviesChange(businessController),
            Self.whenUsingParked(businessController), Self.whenChangingAgain(businessController),
            Feedback(source: businessController.syncStatus, as: Event.didSync),
            Feedback(source: businessController.parkedChanges, as: Event.didPark),
            Feedback(source: businessController.watchRefusals(), as: Event.didChangeRefusal),
        ]
    }
}

// MARK: - State machine

extension MoviesViewModel {
    public static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case let .ui(.search(title)):
            state.select { $0.title = title }
        case let .ui(.filter(filter)):
            state.select { selection in
                switch filter {
                case let .rating(rating): selection.rating = rating
                case let .genre(genre): selection.genre = genre
                case let .years(years): selection.years = years
                case let .budgets(budgets): selection.budgets = budgets
                }
            }
        case let .ui(.sort(order)):
            state.select { $0.order = order }
        case .ui(.refresh):
            if state.request?.page != .first { state.load(.first) }
        case .ui(.loadMore):
            guard state.canLoadMore, let last = state.movies.last else { return }
            state.load(.after(last))
        case .ui(.retry):
            if state.loading.failure != nil { state.loading.start() }
        case .ui(.add), .ui(.choose), .ui(.leave):
            break
        case let .ui(.giveUp(id)):
            state.surrender = id
        case .ui(.keepParked):
            state.surrender = nil
        case .ui(.sendAgain), .ui(.confirmGivingUp):
            (state.parkedFailure, state.surrender) = (nil, nil)
        case .ui(.changeAgain):
            guard state.repeatedChange == nil, let refusal = state.refusal else { return }
            (state.repeatedChange, state.refusal) = (refusal, nil)
        case .didChange:
            state.reload()
        case let .didLoad(answer):
            guard state.loading.isUnderWay else { return }
            switch state.page {
            case .first, .again:
                state.movies = answer.value.movies
                state.origin = answer.source
            case .after:
                state.movies = state.movies.followed(by: answer.value.movies)
                state.origin = state.origin.joined(with: answer.source)
            }
            state.hasMore = answer.value.hasMore
            state.mirror = answer.mirror
            state.loading = .done
            if state.isOutdated { state.reload() }
        case let .didFail(error):
            state.loading.fail(error)
            if state.isOutdated { state.reload() }
        case let .didSync(status):
            state.sync = status
        case let .didPark(writes):
            state.parked = writes
            if !writes.contains(where: { $0.id == state.surrender }) { state.surrender = nil }
        case .didFailParked(.missing):
            // It was sent or given up already, as by the first of two taps.
            break
        case let .didFailParked(error):
            state.parkedFailure = error
        case let .didChangeRefusal(refusal):
            state.refusal = refusal
        case .didChangeAgain:
            state.repeatedChange = nil
        }
    }

    public static func route(_ event: Event, _ state: State) -> Route? {
        switch event {
        case let .ui(.choose(id)): state.movies.first { $0.id == id }.map(Route.open)
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
        guard selection != before else { return }
        // The list shows the former selection until the new one has loaded, and cannot be continued with it.
        hasMore = false
        load(.first)
    }

    fileprivate mutating func load(_ page: Page) {
        self.page = page
        loading = .underWay()
        isOutdated = false
    }

    /// Loads again what is shown. A request that is under way is not cancelled, as changes may follow each other faster
    /// than the server answers.
    fileprivate mutating func reload() {
        if loading.isUnderWay { isOutdated = true } else { load(.again(count: movies.count)) }
    }
}

// MARK: - Feedbacks

extension MoviesViewModel {
    private static func whenLoading(
        _ businessController: any MoviesBusinessControllerProtocol
    ) -> Feedback<State, Event> {
        // After an answer the same request may have to be sent again, for changes that are newer than the answer.
        Feedback(skippingRepeated: \.request, restartingOn: \.isAnswer) { request in
            let movies =
                switch request.page {
                case .first: businessController.fetchMovies(request.selection, after: nil, atLeast: 0)
                case let .after(movie): businessController.fetchMovies(request.selection, after: movie, atLeast: 0)
                case let .again(count): businessController.fetchMovies(request.selection, after: nil, atLeast: count)
                }
            return movies.map(Event.didLoad).replaceError(Event.didFail)
        }
    }

    private static func whenMoviesChange(
        _ businessController: any MoviesBusinessControllerProtocol
    ) -> Feedback<State, Event> {
        Feedback(source: businessController.changes, as: { _ in .didChange })
    }

    private static func whenUsingParked(
        _ businessController: any MoviesBusinessControllerProtocol
    ) -> Feedback<State, Event> {
        // Each request ends by itself, also if the person has used another change meanwhile.
        let (failures, send) = Feedback<State, Event>.input
        let requests = Feedback<State, Event>.onEvent { event, _ in
            switch event {
            case let .ui(.sendAgain(id)):
                businessController.retryChange(id).startWithFailed { send(.didFailParked($0)) }
            case let .ui(.confirmGivingUp(id)):
                businessController.giveUpChange(id).startWithFailed { send(.didFailParked($0)) }
            default: break
            }
        }
        return .combine(requests, failures)
    }

    private static func whenChangingAgain(
        _ businessController: any MoviesBusinessControllerProtocol
    ) -> Feedback<State, Event> {
        Feedback(firstValueAfterNil: \.repeatedChange) { refusal in
            businessController.repeatChange(refusal).then(value: Event.didChangeAgain)
                .replaceError { _ in .didChangeAgain }
        }
    }
}
