import Feedback
import Persistence

/// A change of a movie that failed, and the error.
public struct MovieRefusal: Equatable, Sendable {
    /// The change that was asked for.
    public enum Change: Equatable, Sendable {
        case addition
        /// The movie that the person saw is kept, to ask for the same change again.
        case alteration(of: Movie)
        case deletion
    }

    public var change: Change
    /// The movie as it was to be saved, or the one to delete.
    public var movie: Movie
    public var error: StoreError

    public init(of change: Change, _ movie: Movie, _ error: StoreError) {
        self.change = change
        self.movie = movie
        self.error = error
    }
}

extension MoviesBusinessControllerProtocol {
    /// Asks for a change again that failed.
    func repeatChange(_ refusal: MovieRefusal) -> SignalProducer<Void, StoreError> {
        switch refusal.change {
        case .addition: addMovie(refusal.movie).map { _ in }
        case let .alteration(original): changeMovie(refusal.movie, basedOn: original).map { _ in }
        case .deletion: deleteMovie(refusal.movie).map { _ in }
        }
    }
}

/// Performs the changes of movies: those of one movie one after the other, each to its end, also after its screen was
/// left.
struct MovieChanges: Sendable {
    private let queue = RequestQueue<Movie.ID>()
    /// The last refusal, until the next change begins. A change that waited for the refused one, and succeeds, also ends it.
    private let refusal = MutableProperty<MovieRefusal?>(nil)

    /// Returns a producer that performs a request when all earlier changes of the movie have ended.
    func perform<Value>(
        _ change: MovieRefusal.Change, of movie: Movie, _ request: SignalProducer<Value, StoreError>
    ) -> SignalProducer<Value, StoreError> {
        queue.perform(request, about: movie.id)
            .on(
                starting: { [refusal] in refusal.value = nil },
                failed: { [refusal] in refusal.value = MovieRefusal(of: change, movie, $0) },
                completed: { [refusal] in refusal.modify { if $0?.movie.id == movie.id { $0 = nil } } }
            )
            .continuingAfterDisposal()
    }

    /// Emits each refusal from now on, and `nil` when the next change begins or a later one of the movie has succeeded.
    func watchRefusals() -> SignalProducer<MovieRefusal?, NoError> { refusal.producer.skipRepeats().skip(first: 1) }
}
