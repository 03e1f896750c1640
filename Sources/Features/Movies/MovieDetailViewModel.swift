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
            state.loading.start()
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
            if state.deletion.isPossible { state.loading = .underWay() }
        case let .didLoad(answer):
            guard state.loading.isUnderWay else { return }
            state.movie = answer.value
            state.origin = answer.source
            state.loading = .done
            if answer.value == nil { state.deletion.decline() }
        case let .didFailLoading(error):
            state.loading.fail(error)
        case .didDelete:
            state.deletion.attempt = .done
        case let .didFailDeleting(error):
            state.deletion.attempt.fail(error)
            // For what has changed during the deletion.
            state.loading.start()
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

// MARK: - Feedbacks

extension MovieDetailViewModel {
    private static func whenLoading(
        _ businessController: any MoviesBusinessControllerProtocol
    ) -> Feedback<State, Event> {
        // A change may be newer than the answer to a request that was made before it.
        Feedback(skippingRepeated: \.request, restartingOn: { $0 == .didChange }) { id in
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
