import Feedback
import Movies
import Persistence
import Sync

/// A business controller that answers when the test says so, and remembers what it is asked for.
final class MoviesBusinessControllerStub: MoviesBusinessControllerProtocol {
    /// One kind of request, answered by hand.
    final class Requests<Asked: Sendable, Answer: Sendable>: Sendable {
        private let state = Locked(State())

        private struct State {
            var asked: [Asked] = []
            var running: [Int: Signal<Answer, StoreError>.Observer] = [:]
        }

        /// What was asked for, in order.
        var asked: [Asked] { state.withLock { $0.asked } }
        /// How many requests wait for their answer.
        var running: Int { state.withLock { $0.running.count } }

        func producer(_ asked: Asked) -> SignalProducer<Answer, StoreError> {
            SignalProducer { [self] observer, lifetime in
                let number = state.withLock { state in
                    state.asked.append(asked)
                    state.running[state.asked.count] = observer
                    return state.asked.count
                }
                lifetime.observeEnded { [self] in _ = state.withLock { $0.running.removeValue(forKey: number) } }
            }
        }

        /// Answers all that wait.
        func answer(_ result: Result<Answer, StoreError>) {
            for observer in state.withLock({ $0.running.values.map { $0 } }) {
                switch result {
                case let .success(answer):
                    observer.send(value: answer)
                    observer.sendCompleted()
                case let .failure(error):
                    observer.send(error: error)
                }
            }
        }
    }

    /// What a page was asked of.
    struct Question: Equatable, Sendable {
        var selection = MovieSelection()
        var after: Movie?
    }

    let changes: Signal<Void, NoError>
    let pages = Requests<Question, Sourced<MoviePage>>()
    let additions = Requests<Movie, Sourced<Movie>>()
    let alterations = Requests<Movie, Sourced<Movie>>()
    let movies = Requests<Movie.ID, Sourced<Movie?>>()
    let deletions = Requests<Movie, Sourced<Void>>()
    private let changeObserver: Signal<Void, NoError>.Observer

    init() { (changes, changeObserver) = Signal.pipe() }

    /// Says that a movie was changed.
    func change() { changeObserver.send(value: ()) }

    func fetchMovies(_ selection: MovieSelection, after: Movie?) -> SignalProducer<Sourced<MoviePage>, StoreError> {
        pages.producer(Question(selection: selection, after: after))
    }

    func addMovie(_ movie: Movie) -> SignalProducer<Sourced<Movie>, StoreError> { additions.producer(movie) }

    func changeMovie(_ movie: Movie) -> SignalProducer<Sourced<Movie>, StoreError> { alterations.producer(movie) }

    func fetchMovie(withId id: Movie.ID) -> SignalProducer<Sourced<Movie?>, StoreError> { movies.producer(id) }

    func deleteMovie(_ movie: Movie) -> SignalProducer<Sourced<Void>, StoreError> { deletions.producer(movie) }
}
