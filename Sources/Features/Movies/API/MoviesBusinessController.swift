import Feedback
import Persistence

/// What the screens of the movies need to have done.
public protocol MoviesBusinessControllerProtocol: Sendable {
    /// Tells of each change that was made to the movies here.
    var changes: Signal<Void, NoError> { get }

    /// A page of the movies that a selection asks for, after the last movie of the page before.
    func fetchMovies(_ selection: MovieSelection, after: Movie?) -> SignalProducer<Sourced<MoviePage>, StoreError>

    /// Adds a movie. To try again is safe.
    func addMovie(_ movie: Movie) -> SignalProducer<Sourced<Movie>, StoreError>

    /// Changes a movie that is there.
    func changeMovie(_ movie: Movie) -> SignalProducer<Sourced<Movie>, StoreError>
}

/// A part of a list.
public struct MoviePage: Equatable, Sendable {
    public var movies: [Movie]
    /// Whether there are movies after these.
    public var hasMore: Bool

    public init(movies: [Movie], hasMore: Bool) {
        self.movies = movies
        self.hasMore = hasMore
    }
}

public struct MoviesBusinessController<RemoteStore: Store, LocalStore: Store>: MoviesBusinessControllerProtocol
where RemoteStore.Object == Movie, LocalStore.Object == Movie {
    private let repository: MovieRepository<RemoteStore, LocalStore>
    private let pageSize: Int

    public init(repository: MovieRepository<RemoteStore, LocalStore>, pageSize: Int = 20) {
        self.repository = repository
        self.pageSize = pageSize
    }

    public var changes: Signal<Void, NoError> { repository.changes }

    public func fetchMovies(
        _ selection: MovieSelection, after: Movie?
    ) -> SignalProducer<Sourced<MoviePage>, StoreError> {
        // One more than is shown says whether there are more.
        repository
            .movies(
                where: selection.predicate, sortedBy: [selection.order.criterion], after: after, limit: pageSize + 1
            )
            .map { [pageSize] answer in
                answer.map { MoviePage(movies: Array($0.prefix(pageSize)), hasMore: $0.count > pageSize) }
            }
    }

    public func addMovie(_ movie: Movie) -> SignalProducer<Sourced<Movie>, StoreError> {
        repository.save(movie)
    }

    public func changeMovie(_ movie: Movie) -> SignalProducer<Sourced<Movie>, StoreError> {
        repository.update(movie)
    }
}
