import Feedback
import Persistence
import Sync

/// The requests of the movies' screens.
///
/// Changes of the same movie are made one after the other. A change continues if its producer is disposed of, as when its
/// screen is left.
public protocol MoviesBusinessControllerProtocol: Sendable {
    /// Sends a value for each local change of the movies.
    var changes: Signal<Void, NoError> { get }

    /// Fetches a page of the movies of a selection, after the last movie of the page before.
    ///
    /// - Parameter count: The least number of movies to fetch, if it is more than a page.
    func fetchMovies(
        _ selection: MovieSelection, after: Movie?, atLeast count: Int
    ) -> SignalProducer<Sourced<MoviePage>, StoreError>

    /// Fetches the movie with this id, or nil.
    func fetchMovie(withId id: Movie.ID) -> SignalProducer<Sourced<Movie?>, StoreError>

    /// Adds a movie. It can be tried again safely.
    func addMovie(_ movie: Movie) -> SignalProducer<Sourced<Movie>, StoreError>

    /// Changes a movie that exists.
    ///
    /// - Parameter original: The movie as the person saw it, so that no change of others is undone.
    func changeMovie(_ movie: Movie, basedOn original: Movie) -> SignalProducer<Sourced<Movie>, StoreError>

    /// Deletes a movie, if it exists.
    func deleteMovie(_ movie: Movie) -> SignalProducer<Sourced<Void>, StoreError>

    /// Emits each change from now on that failed, whichever screen has asked for it, and `nil` when the next one begins.
    func watchRefusals() -> SignalProducer<MovieRefusal?, NoError>

    /// The number of changes that are still to be sent, and the state of the network.
    var syncStatus: Property<SyncStatus> { get }

    /// The changes that the server has refused.
    var parkedChanges: Property<[ParkedWrite]> { get }

    /// Sends a refused change again.
    func retryChange(_ id: ParkedWrite.ID) -> SignalProducer<Never, StoreError>

    /// Drops a refused change.
    func giveUpChange(_ id: ParkedWrite.ID) -> SignalProducer<Never, StoreError>
}

extension MoviesBusinessControllerProtocol {
    /// Emits nothing, for a business controller that does not report failed changes.
    public func watchRefusals() -> SignalProducer<MovieRefusal?, NoError> { .empty }
}

/// The defaults for a business controller without an outbox.
extension MoviesBusinessControllerProtocol {
    public var syncStatus: Property<SyncStatus> { Property(value: SyncStatus()) }

    public var parkedChanges: Property<[ParkedWrite]> { Property(value: []) }

    public func retryChange(_ id: ParkedWrite.ID) -> SignalProducer<Never, StoreError> { .empty }

    public func giveUpChange(_ id: ParkedWrite.ID) -> SignalProducer<Never, StoreError> { .empty }
}

/// A page of the list of movies.
public struct MoviePage: Equatable, Sendable {
    public var movies: [Movie]
    /// `true` if there are movies after these.
    public var hasMore: Bool

    public init(movies: [Movie], hasMore: Bool) {
        self.movies = movies
        self.hasMore = hasMore
    }
}

extension [Movie] {
    /// Returns these movies and those of the next page. A movie that was changed meanwhile may be on both; it is then at
    /// its new place only.
    func followed(by next: [Movie]) -> [Movie] {
        let ids = Set(next.map(\.id))
        return filter { !ids.contains($0.id) } + next
    }
}

extension SourcedReading<Movie> {
    /// Fetches a page of the movies of a selection, and the pages after it until there are at least `count` movies.
    ///
    /// They are the pages that were fetched one by one before, so that without a network their last answers are known.
    func pages(
        of selection: MovieSelection, after: Movie?, size: Int, atLeast count: Int
    ) -> SignalProducer<Sourced<MoviePage>, StoreError> {
        SignalProducer { () async throws(StoreError) in
            var pages = try await page(of: selection, after: after, size: size)
            while pages.value.movies.count < count, pages.value.hasMore, let last = pages.value.movies.last {
                let next = try await page(of: selection, after: last, size: size)
                let known = pages.value.movies.count
                let movies = pages.value.movies.followed(by: next.value.movies)
                pages = Sourced(
                    MoviePage(movies: movies, hasMore: next.value.hasMore),
                    source: pages.source.joined(with: next.source), mirror: next.mirror)
                // A server that gives the same page again would be asked for ever.
                guard movies.count > known else { break }
            }
            return pages
        }
    }

    private func page(
        of selection: MovieSelection, after: Movie?, size: Int
    ) async throws(StoreError) -> Sourced<MoviePage> {
        // One more movie than is shown is fetched, to know if there are more.
        let answer = try await fetch(
            where: selection.condition, sortedBy: [selection.order.criterion], after: after, limit: size + 1)
        return answer.map { MoviePage(movies: Array($0.prefix(size)), hasMore: $0.count > size) }
    }

    func movie(withId id: Movie.ID) -> SignalProducer<Sourced<Movie?>, StoreError> {
        SignalProducer { () async throws(StoreError) in try await object(withId: id) }
    }
}

/// A business controller that reads and writes movies in a mirrored store.
public struct MoviesBusinessController<RemoteStore: Store<Movie>, LocalStore: Store<Movie>>:
    MoviesBusinessControllerProtocol
{
    private let movies: MirroredStore<RemoteStore, LocalStore>
    private let pageSize: Int
    private let movieChanges = MovieChanges()

    public init(movies: MirroredStore<RemoteStore, LocalStore>, pageSize: Int = 20) {
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
            SignalProducer { [movies] () async throws(StoreError) in try await movies.save(movie) })
    }

    /// Changes all of a movie, as a mirrored store writes whole objects.
    public func changeMovie(_ movie: Movie, basedOn original: Movie) -> SignalProducer<Sourced<Movie>, StoreError> {
        movieChanges.perform(
            .alteration(of: original), of: movie,
            SignalProducer { [movies] () async throws(StoreError) in try await movies.update(movie) })
    }

    public func deleteMovie(_ movie: Movie) -> SignalProducer<Sourced<Void>, StoreError> {
        movieChanges.perform(
            .deletion, of: movie,
            SignalProducer { [movies] () async throws(StoreError) in try await movies.delete(movie) })
    }

    public func watchRefusals() -> SignalProducer<MovieRefusal?, NoError> { movieChanges.watchRefusals() }
}
