import Foundation
import Networking
import Persistence
import Presentation
import Sync

/// What the screens of the movies are built of.
public struct MoviesBuildingMaterials: Sendable {
    public var businessController: any MoviesBusinessControllerProtocol
    public var log: EventLog
    /// Gives a new movie its id.
    public var makeID: @Sendable () -> Movie.ID

    public init(
        businessController: any MoviesBusinessControllerProtocol, log: EventLog = .silent,
        makeID: @escaping @Sendable () -> Movie.ID = { UUID() }
    ) {
        self.businessController = businessController
        self.log = log
        self.makeID = makeID
    }

    /// Materials that ask a backend, and keep a copy in a database.
    public init(
        accessible: any AuthenticatedAccessible, database: SQLiteDatabase, log: EventLog = .silent
    ) throws(StoreError) {
        let movies = MirroredStore(
            Movie.schema, remote: PostgRESTStore(Movie.schema, accessible: accessible),
            local: try SQLiteStore(Movie.schema, in: database), answers: try AnswerLog(in: database))
        self.init(businessController: MoviesBusinessController(movies: movies), log: log)
    }
}

/// Builds the screens of the movies, each wired to where its routes lead.
public struct MoviesBuilder: Sendable {
    private let materials: MoviesBuildingMaterials

    public init(_ materials: MoviesBuildingMaterials) {
        self.materials = materials
    }

    public func movies(onRoute: @escaping @Sendable (MoviesViewModel.Route) -> Void) -> LiveScreen {
        let viewModel = MoviesViewModel(businessController: materials.businessController, log: materials.log)
        return LiveScreen(viewModel, MoviesRenderer(), onRoute: onRoute)
    }

    /// The form of a new movie.
    public func addition(onRoute: @escaping @Sendable (MovieEditorViewModel.Route) -> Void) -> LiveScreen {
        editor(MovieEditorViewModel.State(addingWithId: materials.makeID()), onRoute)
    }

    /// The form of a movie that there is.
    public func editor(
        of movie: Movie, onRoute: @escaping @Sendable (MovieEditorViewModel.Route) -> Void
    ) -> LiveScreen {
        editor(MovieEditorViewModel.State(changing: movie), onRoute)
    }

    private func editor(
        _ state: MovieEditorViewModel.State, _ onRoute: @escaping @Sendable (MovieEditorViewModel.Route) -> Void
    ) -> LiveScreen {
        let viewModel = MovieEditorViewModel(
            state, businessController: materials.businessController, log: materials.log)
        return LiveScreen(viewModel, MovieEditorRenderer(), onRoute: onRoute)
    }
}
