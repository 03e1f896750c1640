import Feedback
import Persistence
import Presentation
import Sync

/// The screen of one movie, which is fetched by its id. The movie can be changed on another screen, or deleted after a
/// confirmation.
public struct MovieDetailViewModel: ViewModel {
    public struct State: Equatable, Sendable {
        public let id: Movie.ID
        /// The last known version of the movie.
        public var movie: Movie?
        public var origin = AnswerSource.remote
        public var loading = Attempt<StoreError>.underWay()
        public var deletion = Confirmed<StoreError>()
        /// `true` if the movie may have changed since the request under way was sent. It is then fetched once more.
        var isOutdated = false

        /// - Parameter movie: The known version of the movie, which is shown until it is fetched.
        public init(id: Movie.ID, movie: Movie? = nil) {
            self.id = id
            self.movie = movie
        }

        /// `true` if the movie does not exist, or no longer exists.
        public var isGone: Bool { movie == nil && loading.isDone }
        var canChange: Bool { movie != nil && deletion.isPossible }
        /// The id to fetch now; nil while none is fetched.
        var request: Movie.ID? { loading.isUnderWay ? id : nil }
    }

    public enum Action: Equatable, Sendable {
        case refresh
        case edit
        case delete
        case confirm
        case keep
        case leave
    }

    public enum Event: ActionEvent, Equatable {
        case ui(Action)
        case didChange
        case didLoad(Sourced<Movie?>)
        case didFailLoading(StoreError)
        case didDelete
        case didFailDeleting(StoreError)

        var isAnswer: Bool {
            switch self {
            case .didLoad, .didFailLoading: true
            default: false
            }
        }
    }

    public enum Route: Equatable, Sendable {
        case edit(Movie)
        case leave
    }

    public let initial: State
    private let businessController: any MoviesBusinessControllerProtocol

    public init(_ initial: State, businessController: any MoviesBusinessControllerProtocol) {
        self.initial = initial
        self.businessController = businessController
    }

    public var feedbacks: [Feedback<State, Event>] {
        [
            Self.whenLoading(businessController), Self.whenDeleting(businessController),
            Feedback(source: businessController.changes, as: { _ in .didChange }),
        ]
    }
}

// MARK: - State machine

extension MovieDetailViewModel {
    public static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case .ui(.refresh):
            if !state.loading.isUnderWay { state.load() }
        case .ui(.delete):
            if state.canChange { state.deletion.ask() }
        case .ui(.confirm):
            if state.canChange { state.deletion.confirm() }
        case .ui(.keep):
            state.deletion.decline()
        case .ui(.edit), .ui(.leave):
            break
        case .didChange:
            // During and after its own deletion there is nothing to fetch.
            guard state.deletion.isPossible else { return }
            state.reload()
        case let .didLoad(answer):
            guard state.loading.isUnderWay else { return }
            state.movie = answer.value
            state.origin = answer.source
            state.loading = .done
            if answer.value == nil { state.deletion.decline() }
            if state.isOutdated { state.load() }
        case let .didFailLoading(error):
            state.loading.fail(error)
            if state.isOutdated { state.load() }
        case .didDelete:
            state.deletion.attempt = .done
        case let .didFailDeleting(error):
            state.deletion.attempt.fail(error)
            // For what has changed during the deletion.
            state.reload()
        }
    }

    public static func route(_ event: Event, _ state: State) -> Route? {
        switch event {
        case .ui(.edit): state.canChange ? state.movie.map(Route.edit) : nil
        case .ui(.leave), .didDelete: .leave
        default: nil
        }
    }
}

extension MovieDetailViewModel.State {
    fileprivate mutating func load() {
        loading.start()
        isOutdated = false
    }

    /// Fetches the movie, once more if it is being fetched: that request may be older than the change.
    fileprivate mutating func reload() {
        if loading.isUnderWay { isOutdated = true } else { load() }
    }
}

// MARK: - Feedbacks

extension MovieDetailViewModel {
    private static func whenLoading(
        _ businessController: any MoviesBusinessControllerProtocol
    ) -> Feedback<State, Event> {
        // After an answer the movie may have to be fetched again, for a change that is newer than the answer.
        Feedback(skippingRepeated: \.request, restartingOn: \.isAnswer) { id in
            businessController.fetchMovie(withId: id).map(Event.didLoad).replaceError(Event.didFailLoading)
        }
    }

    private static func whenDeleting(
        _ businessController: any MoviesBusinessControllerProtocol
    ) -> Feedback<State, Event> {
        Feedback(whenBecomesTrue: \.deletion.attempt.isUnderWay) { state -> SignalProducer<Event, NoError> in
            guard let movie = state.movie else { return .empty }
            return businessController.deleteMovie(movie).map { _ in .didDelete }.replaceError(Event.didFailDeleting)
        }
    }
}
