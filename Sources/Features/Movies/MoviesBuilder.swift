import Foundation
import Networking
import Persistence
import Presentation
import Sync

/// Builds the screens of the movies, each connected to the function that follows its routes.
public struct MoviesBuilder: Sendable {
    private let businessController: any MoviesBusinessControllerProtocol
    private let makeID: @Sendable () -> Movie.ID

    /// - Parameter makeID: Makes the id of a new movie.
    public init(
        businessController: any MoviesBusinessControllerProtocol,
        makeID: @escaping @Sendable () -> Movie.ID = { UUID() }
    ) {
        self.businessController = businessController
        self.makeID = makeID
    }

    /// Makes a builder of screens that use a backend, and keep a copy of its movies in a database.
    ///
    /// - Parameters:
    ///   - now: Returns the current time, which is recorded with each answer.
    ///   - makeID: Makes the id of a new movie.
    public init(
        accessible: any AuthenticatedAccessible, database: SQLiteDatabase,
        now: @escaping @Sendable () -> Date = { Date() }, makeID: @escaping @Sendable () -> Movie.ID = { UUID() }
    ) throws(StoreError) {
        let movies = MirroredStore(
            Movie.schema, remote: PostgRESTStore(Movie.schema, accessible: accessible),
            local: try SQLiteStore(Movie.schema, in: database), answers: try AnswerLog(in: database), now: now)
        self.init(businessController: MoviesBusinessController(movies: movies), makeID: makeID)
    }

    /// Makes a builder of screens whose changes go to an outbox, so that they need no network.
    ///
    /// - Parameters:
    ///   - now: Returns the current time, which is recorded with each answer.
    ///   - makeID: Makes the id of a new movie.
    public init(
        accessible: any AuthenticatedAccessible, outbox: Outbox, now: @escaping @Sendable () -> Date = { Date() },
        makeID: @escaping @Sendable () -> Movie.ID = { UUID() }
    ) throws(StoreError) {
        let movies = try SyncedStore(
            Movie.schema, remote: PostgRESTStore(Movie.schema, accessible: accessible), outbox: outbox,
            answers: AnswerLog(in: outbox.database), now: now)
        self.init(businessController: SyncedMoviesBusinessController(movies: movies), makeID: makeID)
    }

    public func movies(onRoute: @escaping @Sendable (MoviesViewModel.Route) -> Void) -> LiveScreen {
        LiveScreen(MoviesViewModel(businessController: businessController), MoviesRenderer(), onRoute: onRoute)
    }

    /// Makes the screen of one movie.
    ///
    /// - Parameter movie: The known version of the movie. The screen fetches it by its id.
    public func detail(
        of movie: Movie, onRoute: @escaping @Sendable (MovieDetailViewModel.Route) -> Void
    ) -> LiveScreen {
        let viewModel = MovieDetailViewModel(
            MovieDetailViewModel.State(id: movie.id, movie: movie), businessController: businessController)
        return LiveScreen(viewModel, MovieDetailRenderer(), onRoute: onRoute)
    }

    /// Makes the form of a new movie.
    public func addition(onRoute: @escaping @Sendable (MovieEditorViewModel.Route) -> Void) -> LiveScreen {
        editor(MovieEditorViewModel.State(addingWithId: makeID()), onRoute)
    }

    /// Makes the form of an existing movie.
    public func editor(
        of movie: Movie, onRoute: @escaping @Sendable (MovieEditorViewModel.Route) -> Void
    ) -> LiveScreen {
        editor(MovieEditorViewModel.State(changing: movie), onRoute)
    }

    private func editor(
        _ state: MovieEditorViewModel.State, _ onRoute: @escaping @Sendable (MovieEditorViewModel.Route) -> Void
    ) -> LiveScreen {
        let viewModel = MovieEditorViewModel(state, businessController: businessController)
        return LiveScreen(viewModel, MovieEditorRenderer(), onRoute: onRoute)
    }
}
