import Feedback
import Movies
import Persistence

/// A memory store that fails when the test says so, and counts what it is asked.
final class FailingStore: Store {
    typealias Object = Movie

    private struct State {
        var readError: StoreError?
        var writeError: StoreError?
        var reads = 0
    }

    let memory = MemoryStore(Movie.schema)
    private let state = Locked(State())

    init(_ movies: [Movie] = []) async throws { try await memory.insert(movies).get() }

    func fail(reading readError: StoreError? = nil, writing writeError: StoreError? = nil) {
        state.withLock { ($0.readError, $0.writeError) = (readError, writeError) }
    }

    /// Fails with everything, as a server that is gone does.
    func vanish() { fail(reading: .gone, writing: .gone) }

    func returnToWork() { fail() }

    /// How often it was read.
    var reads: Int { state.withLock(\.reads) }

    var movies: [Movie] {
        get async throws { try await memory.all().result().get() }
    }

    // MARK: - Store

    func execute(_ query: Query<FailingStore>) -> SignalProducer<[Movie], StoreError> {
        reading(query.asked(of: memory).result())
    }

    func count(_ query: Query<FailingStore>) -> SignalProducer<Int, StoreError> {
        reading(query.asked(of: memory).count())
    }

    func plan(_ query: Query<FailingStore>) -> SignalProducer<QueryPlan, StoreError> {
        query.asked(of: memory).plan()
    }

    func insert(_ movie: Movie) -> SignalProducer<Movie, StoreError> { writing(memory.insert(movie)) }
    func insert(_ movies: [Movie]) -> SignalProducer<[Movie], StoreError> { writing(memory.insert(movies)) }
    func update(_ movie: Movie) -> SignalProducer<Movie, StoreError> { writing(memory.update(movie)) }
    func update(_ movies: [Movie]) -> SignalProducer<[Movie], StoreError> { writing(memory.update(movies)) }
    func upsert(_ movie: Movie) -> SignalProducer<Movie, StoreError> { writing(memory.upsert(movie)) }
    func upsert(_ movies: [Movie]) -> SignalProducer<[Movie], StoreError> { writing(memory.upsert(movies)) }
    func delete(_ movie: Movie) -> SignalProducer<Never, StoreError> { writing(memory.delete(movie)) }
    func delete(_ movies: [Movie]) -> SignalProducer<Never, StoreError> { writing(memory.delete(movies)) }

    func delete(where predicate: Condition<Movie>) -> SignalProducer<Int, StoreError> {
        writing(memory.delete(where: predicate))
    }

    private func reading<Value>(_ producer: SignalProducer<Value, StoreError>) -> SignalProducer<Value, StoreError> {
        choosing(producer) { state in
            state.reads += 1
            return state.readError
        }
    }

    private func writing<Value>(_ producer: SignalProducer<Value, StoreError>) -> SignalProducer<Value, StoreError> {
        choosing(producer) { $0.writeError }
    }

    private func choosing<Value>(
        _ producer: SignalProducer<Value, StoreError>, _ error: @escaping @Sendable (inout State) -> StoreError?
    ) -> SignalProducer<Value, StoreError> {
        SignalProducer { [self] observer, lifetime in
            if let error = state.withLock({ error(&$0) }) {
                observer.send(error: error)
            } else {
                let disposable = producer.start(observer)
                lifetime.observeEnded { disposable.dispose() }
            }
        }
    }
}

extension StoreError {
    /// What is said of a server that is gone.
    static let gone = StoreError.unreachable(reason: "the line is cut")
    static let full = StoreError.full(file: "movies.sqlite")
}
