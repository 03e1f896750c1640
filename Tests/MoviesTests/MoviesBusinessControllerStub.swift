import Feedback
import FeedbackTesting
import Movies
import Persistence
import Sync

/// A business controller that answers when the test says so.
struct MoviesBusinessControllerStub: MoviesBusinessControllerProtocol {
    /// The inputs of a request for a page.
    struct PageRequest: Equatable, Sendable {
        var selection = MovieSelection()
        var after: Movie?
        var count = 0
    }

    /// The inputs of a change.
    struct Change: Equatable, Sendable {
        var movie: Movie
        var original: Movie
    }

    let changes: Signal<Void, NoError>
    let pages = Stub<PageRequest, Sourced<MoviePage>, StoreError>()
    let additions = Stub<Movie, Sourced<Movie>, StoreError>()
    let alterations = Stub<Change, Sourced<Movie>, StoreError>()
    let movies = Stub<Movie.ID, Sourced<Movie?>, StoreError>()
    let deletions = Stub<Movie, Sourced<Void>, StoreError>()
    private let changeObserver: Signal<Void, NoError>.Observer

    init() {
        (changes, changeObserver) = Signal.pipe()
        syncStatus = Property(status)
        parkedChanges = Property(parked)
    }

    /// Reports a change of the movies.
    func change() { changeObserver.send(value: ()) }

    func fetchMovies(
        _ selection: MovieSelection, after: Movie?, atLeast count: Int
    ) -> SignalProducer<Sourced<MoviePage>, StoreError> {
        pages(PageRequest(selection: selection, after: after, count: count))
    }

    func addMovie(_ movie: Movie) -> SignalProducer<Sourced<Movie>, StoreError> { additions(movie) }

    func changeMovie(_ movie: Movie, basedOn original: Movie) -> SignalProducer<Sourced<Movie>, StoreError> {
        alterations(Change(movie: movie, original: original))
    }

    func fetchMovie(withId id: Movie.ID) -> SignalProducer<Sourced<Movie?>, StoreError> { movies(id) }

    func deleteMovie(_ movie: Movie) -> SignalProducer<Sourced<Void>, StoreError> { deletions(movie) }

    /// The last refusal.
    let refusal = MutableProperty<MovieRefusal?>(nil)

    func watchRefusals() -> SignalProducer<MovieRefusal?, NoError> { refusal.signal.producer }

    let status = MutableProperty(SyncStatus())
    let parked = MutableProperty<[ParkedWrite]>([])
    let retries = Stub<ParkedWrite.ID, Never, StoreError>()
    let surrenders = Stub<ParkedWrite.ID, Never, StoreError>()

    let syncStatus: Property<SyncStatus>
    let parkedChanges: Property<[ParkedWrite]>

    func retryChange(_ id: ParkedWrite.ID) -> SignalProducer<Never, StoreError> { retries(id) }

    func giveUpChange(_ id: ParkedWrite.ID) -> SignalProducer<Never, StoreError> { surrenders(id) }
}
