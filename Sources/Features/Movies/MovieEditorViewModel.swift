import Feedback
import Foundation
import Persistence
import Presentation
import Sync

/// The form in which a movie is added or changed, and its request to the server.
public struct MovieEditorViewModel: ViewModel {
    public struct State: Equatable, Sendable {
        /// The movie's id. A new movie gets it before it is saved, so that several attempts add it only once.
        public let id: Movie.ID
        /// The movie that is changed, as it was when the form was opened; `nil` if a new one is added.
        public let original: Movie?
        public var form: MovieForm
        /// Problems are shown only after the first attempt to save.
        public var showsProblems = false
        public var saving = Attempt<StoreError>.idle
        /// The movie as it was saved.
        public var saved: Sourced<Movie>?

        /// The empty form of a new movie.
        public init(addingWithId id: Movie.ID) {
            self.id = id
            original = nil
            form = MovieForm()
        }

        /// The form of an existing movie.
        public init(changing movie: Movie) {
            id = movie.id
            original = movie
            form = MovieForm(movie)
        }

        var isNew: Bool { original == nil }

        /// The movie to save; `nil` while a field has a problem.
        var movie: Movie? { form.movie(withId: id) }
        var canEdit: Bool { !saving.isUnderWay && !saving.isDone }
    }

    public enum Action: Equatable, Sendable {
        case edit(MovieForm.Field, String)
        case rate(Rating)
        case classify(Genre?)
        case save
        case leave
    }

    public enum Event: ActionEvent, Equatable {
        case ui(Action)
        case didSave(Sourced<Movie>)
        case didFail(StoreError)
    }

    public enum Route: Equatable, Sendable {
        case leave
    }

    public let initial: State
    private let businessController: any MoviesBusinessControllerProtocol

    public init(_ initial: State, businessController: any MoviesBusinessControllerProtocol) {
        self.initial = initial
        self.businessController = businessController
    }

    public var feedbacks: [Feedback<State, Event>] { [Self.whenSaving(businessController)] }

    public static func reduce(_ state: inout State, _ event: Event) {
        switch event {
        case let .ui(.edit(field, text)):
            guard state.canEdit else { return }
            state.form[field] = text
            state.saving = .idle
        case let .ui(.rate(rating)):
            guard state.canEdit else { return }
            state.form.rating = rating
            state.saving = .idle
        case let .ui(.classify(genre)):
            guard state.canEdit else { return }
            state.form.genre = genre
            state.saving = .idle
        case .ui(.save):
            guard state.canEdit else { return }
            if state.movie == nil { state.showsProblems = true } else { state.saving.start() }
        case .ui(.leave):
            break
        case let .didSave(movie):
            state.saved = movie
            state.saving = .done
        case let .didFail(error):
            state.saving.fail(error)
        }
    }

    public static func route(_ event: Event, _ state: State) -> Route? {
        event == .ui(.leave) ? .leave : nil
    }

    private static func whenSaving(
        _ businessController: any MoviesBusinessControllerProtocol
    ) -> Feedback<State, Event> {
        Feedback(whenBecomesTrue: \.saving.isUnderWay) { state -> SignalProducer<Event, NoError> in
            guard let movie = state.movie else { return .empty }
            let saving =
                state.original.map { businessController.changeMovie(movie, basedOn: $0) }
                ?? businessController.addMovie(movie)
            return saving.map(Event.didSave).replaceError(Event.didFail)
        }
    }
}
