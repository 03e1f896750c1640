import Feedback
import Persistence
import Sync

/// A business controller that reads and writes movies in a synced store. Changes are done as soon as they are on the
/// disk, and sent when there is a network.
public struct SyncedMoviesBusinessController: MoviesBusinessControllerProtocol {
    private let movies: SyncedStore<Movie>
    private let pageSize: Int
    private let movieChanges = MovieChanges()

    public init(movies: SyncedStore<Movie>, pageSize: Int = 20) {
        self.movies = movies
        self.pageSize = pageSize
    }

    public var changes: Signal<Void, NoError> { movies.changes }

    public func fetchMovies(
        _ selection: MovieSelection, after: Movie?, atLeast count: Int
    ) -> SignalProducer<Sourced<MoviePage>, StoreError> {
        movies.pages(of: selection, after: after, size: pageSize, atLeast: count)
    }

    public func fetchMovie(withId id: Movie.ID) -> SignalProducer<Sourced<Movie?>, StoreError> {
        movies.movie(withId: id)
    }

    public func addMovie(_ movie: Movie) -> SignalProducer<Sourced<Movie>, StoreError> {
        movieChanges.perform(
            .addition, of: movie,
            SignalProducer { [movies] () async throws(StoreError) in
                try await movies.save(movie)
                return Sourced(movie)
            })
    }

    /// Changes what differs between a movie and the one that the person saw.
    public func changeMovie(_ movie: Movie, basedOn original: Movie) -> SignalProducer<Sourced<Movie>, StoreError> {
        movieChanges.perform(
            .alteration(of: original), of: movie,
            SignalProducer { [movies] () async throws(StoreError) in
                try await movies.mend(movie, basedOn: original)
                return Sourced(movie)
            })
    }

    public func deleteMovie(_ movie: Movie) -> SignalProducer<Sourced<Void>, StoreError> {
        movieChanges.perform(
            .deletion, of: movie,
            SignalProducer { [movies] () async throws(StoreError) in
                try await movies.delete(movie)
                return Sourced(())
            })
    }

    public func watchRefusals() -> SignalProducer<MovieRefusal?, NoError> { movieChanges.watchRefusals() }

    public var syncStatus: Property<SyncStatus> { movies.outbox.status }

    public var parkedChanges: Property<[ParkedWrite]> { movies.outbox.parked }

    public func retryChange(_ id: ParkedWrite.ID) -> SignalProducer<Never, StoreError> {
        SignalProducer { [movies] () async throws(StoreError) in try await movies.outbox.retry(id) }
    }

    public func giveUpChange(_ id: ParkedWrite.ID) -> SignalProducer<Never, StoreError> {
        SignalProducer { [movies] () async throws(StoreError) in try await movies.outbox.giveUp(id) }
    }
}
