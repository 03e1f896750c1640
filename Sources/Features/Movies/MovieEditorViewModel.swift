import Feedback
import Foundation
import Persistence
import Presentation
import Sync

/// The form in which a movie is added or changed, and its way to the server.
public final class MovieEditorViewModel: ViewModel {
    public let routes: Signal<Route, NoError>
    private let loop: FeedbackLoop<State, Event>

    public init(_ state: State, businessController: any MoviesBusinessControllerProtocol, log: EventLog = .silent) {
        let (routes, observer) = Signal<Route, NoError>.pipe()
        self.routes = routes
        loop = FeedbackLoop(
            initial: state,
            reduce: log.recording(Self.reduce),
            feedbacks: Self.feedbacks(businessController: businessController, routes: observer))
        loop.start()
    }

    public var state: Property<State> { loop.property }

    public func send(_ action: Action) { loop.send(.ui(action)) }
}

// MARK: - State machine

extension MovieEditorViewModel {
    public struct State: Equatable, Sendable {
        /// The movie's id, which a new one gets before it is saved: so it is one movie, however often that is tried.
        public let id: Movie.ID
        public let isNew: Bool
        public var form: MovieForm
        /// Nobody is told of a problem before saying that the form is complete.
        public var showsProblems = false
        public var phase = Phase.editing

        public enum Phase: Equatable, Sendable {
            case editing
            case saving(Movie, attempt: Int)
            case failed(StoreError, attempt: Int)
            case saved(Sourced<Movie>)
        }

        /// The empty form of a new movie.
        public init(addingWithId id: Movie.ID) {
            self.id = id
            isNew = true
            form = MovieForm()
        }

        /// The form of a movie that there is.
        public init(changing movie: Movie) {
            id = movie.id
            isNew = false
            form = MovieForm(movie)
        }

        var order: Order? {
            if case let .saving(movie, _) = phase { Order(movie: movie, isNew: isNew) } else { nil }
        }

        /// What is to be saved.
        struct Order: Equatable, Sendable {
            var movie: Movie
            var isNew: Bool
        }

        var canEdit: Bool {
            switch phase {
            case .editing, .failed: true
            case .saving, .saved: false
            }
        }
    }

    public enum Action: Equatable, Sendable {
        case edit(MovieForm.Field, String)
        case rate(Rating)
        case save
        case leave
    }

    enum Event: Equatable, Sendable {
        case ui(Action)
        case didSave(Sourced<Movie>)
        case didFail(StoreError)
    }

    public enum Route: Equatable, Sendable {
        case leave
    }

    static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case let .ui(.edit(field, text)):
            guard state.canEdit else { return }
            state.form[field] = text
            state.phase = .editing
        case let .ui(.rate(rating)):
            guard state.canEdit else { return }
            state.form.rating = rating
            state.phase = .editing
        case .ui(.save):
            guard state.canEdit else { return }
            guard let movie = state.form.movie(withId: state.id) else {
                state.showsProblems = true
                return
            }
            let attempt = if case let .failed(_, attempt) = state.phase { attempt + 1 } else { 1 }
            state.phase = .saving(movie, attempt: attempt)
        case .ui(.leave):
            break
        case let .didSave(movie):
            guard case .saving = state.phase else { return }
            state.phase = .saved(movie)
        case let .didFail(error):
            guard case let .saving(_, attempt) = state.phase else { return }
            state.phase = .failed(error, attempt: attempt)
        }
    }

    static func route(_ event: Event, _ state: State) -> Route? {
        event == .ui(.leave) ? .leave : nil
    }
}

// MARK: - Feedbacks

extension MovieEditorViewModel {
    static func feedbacks(
        businessController: any MoviesBusinessControllerProtocol, routes: Signal<Route, NoError>.Observer
    ) -> [Feedback<State, Event>] {
        [whenSaving(businessController), .routing(to: routes, route)]
    }

    private static func whenSaving(
        _ businessController: any MoviesBusinessControllerProtocol
    ) -> Feedback<State, Event> {
        Feedback(skippingRepeated: \.order) { order in
            (order.isNew ? businessController.addMovie(order.movie) : businessController.changeMovie(order.movie))
                .map(Event.didSave)
                .replaceError(Event.didFail)
        }
    }
}
