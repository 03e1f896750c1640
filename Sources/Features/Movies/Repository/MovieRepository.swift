import Feedback
import Foundation
import Persistence

/// The movies, wherever they are: what is written goes to a remote store, and is mirrored in a local one; what is read comes
/// from the remote store, and from the local one when that fails.
///
///     let movies = MovieRepository(
///         remote: RemoteMovieStore(accessible: session), local: try SQLiteStore(Movie.schema, at: path))
///     movies.movies(where: \.rating == .PG_13 && \.budget >= 10_000_000)
///
/// It works the same with any two stores. What it reads is mirrored too, so that it can be read again without the network.
/// A mirror that fails fails nothing else: it is told with every answer (``Sourced/mirror``) and tried again before the
/// next one, or by ``repair()``.
public final class MovieRepository<RemoteStore: Store, LocalStore: Store>: Sendable
where RemoteStore.Object == Movie, LocalStore.Object == Movie {
    /// Tells of each write that the remote store has taken, once it is mirrored or the mirror has failed.
    public let changes: Signal<Void, NoError>

    private let remote: RemoteStore
    private let local: LocalStore
    private let answers: AnswerLog
    private let now: @Sendable () -> Date
    private let ledger = Locked(MirrorLedger())
    private let changeObserver: Signal<Void, NoError>.Observer

    /// - Parameters:
    ///   - answers: Remembers how old what the local store holds is; one in the local store's database outlives the program.
    ///   - now: The clock.
    public init(
        remote: RemoteStore, local: LocalStore, answers: AnswerLog = AnswerLog(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.remote = remote
        self.local = local
        self.answers = answers
        self.now = now
        (changes, changeObserver) = Signal.pipe()
    }

    // MARK: - Reading

    /// The movie with this id, or nil.
    public func movie(withId id: Movie.ID) -> SignalProducer<Sourced<Movie?>, StoreError> {
        movies(where: \.id == id).map { $0.map(\.first) }
    }

    /// The movies of which a predicate is true, sorted; a page of them where there is a limit, after the last movie of the
    /// page before.
    ///
    /// A question that the remote store has never answered is answered locally with what is known, and says so; the failure
    /// of the remote store it is if nothing is, or if the page is not the first.
    public func movies(
        where predicate: Condition<Movie> = .always, sortedBy criteria: [SortCriterion<Movie>] = [],
        after: Movie? = nil, limit: Int? = nil
    ) -> SignalProducer<Sourced<[Movie]>, StoreError> {
        SignalProducer { [self] () async throws(StoreError) in
            await settle()
            let ticket = ledger.withLock { $0.beginReading() }
            let question = criteria.reduce(remote.filter(where: predicate)) { $0.sorted(by: $1) }
                .page(after: after, limit: limit)
            do throws(StoreError) {
                let movies = try await remote.execute(question).first() ?? []
                if limit != 0 {
                    let answer = MirrorLedger.Answer(
                        question: question.description, window: window(of: movies, question), movies: movies)
                    ledger.withLock { $0.endReading(answer, ticket) }
                    await settle()
                }
                return Sourced(movies, mirror: status)
            } catch .cancelled(let reason) {
                throw .cancelled(reason: reason)
            } catch {
                return try await localAnswer(to: question, because: error)
            }
        }
    }

    // MARK: - Writing

    /// Adds a movie, or replaces the one that has its id; to do so twice, since an answer was lost, does no harm.
    public func save(_ movie: Movie) -> SignalProducer<Sourced<Movie>, StoreError> {
        write(movie, to: remote.upsert)
    }

    /// Adds a movie. Fails with ``Persistence/StoreError/duplicate(id:)`` where its id is taken.
    public func insert(_ movie: Movie) -> SignalProducer<Sourced<Movie>, StoreError> {
        write(movie, to: remote.insert)
    }

    /// Replaces a movie. Fails with ``Persistence/StoreError/missing(id:)`` where it is not there any more.
    public func update(_ movie: Movie) -> SignalProducer<Sourced<Movie>, StoreError> {
        write(movie, to: remote.update)
    }

    /// Removes a movie, if it is there.
    public func delete(_ movie: Movie) -> SignalProducer<Sourced<Void>, StoreError> {
        SignalProducer { [self] () async throws(StoreError) in
            try await write(movie.id) { () async throws(StoreError) in
                try await remote.delete(movie).wait()
                return .gone(movie.id)
            }
            return Sourced((), mirror: status)
        }
    }

    /// Mirrors what could not be mirrored so far, and says whether anything is left.
    public func repair() -> SignalProducer<MirrorStatus, NoError> {
        SignalProducer { [self] () async in
            await settle()
            return status
        }
    }

    private var status: MirrorStatus { ledger.withLock(\.status) }

    private func write(
        _ movie: Movie, to store: @escaping @Sendable (Movie) -> SignalProducer<Movie, StoreError>
    ) -> SignalProducer<Sourced<Movie>, StoreError> {
        SignalProducer { [self] () async throws(StoreError) in
            let change = try await write(movie.id) { () async throws(StoreError) in
                .stored(try await store(movie).first() ?? movie)
            }
            guard case let .stored(stored) = change else { return Sourced(movie, mirror: status) }
            return Sourced(stored, mirror: status)
        }
    }

    @discardableResult
    private func write(
        _ id: Movie.ID, _ work: () async throws(StoreError) -> MirrorLedger.Change
    ) async throws(StoreError) -> MirrorLedger.Change {
        ledger.withLock { $0.beginWriting(id) }
        let change: MirrorLedger.Change
        do throws(StoreError) {
            change = try await work()
        } catch {
            ledger.withLock { $0.endWriting(id, nil) }
            throw error
        }
        ledger.withLock { $0.endWriting(id, change) }
        await settle()
        changeObserver.send(value: ())
        return change
    }
}

// MARK: - The local store

extension MovieRepository {
    private func localAnswer(
        to question: Query<RemoteStore>, because remoteError: StoreError
    ) async throws(StoreError) -> Sourced<[Movie]> {
        let since = answers.date(of: question.description)
        let movies: [Movie]
        do throws(StoreError) {
            movies = try await local.execute(question.asked(of: local)).first() ?? []
        } catch {
            throw remoteError
        }
        // That nothing is known is no answer, and a page of what happens to be known would leave gaps in a list.
        if since == nil, movies.isEmpty || question.after != nil { throw remoteError }
        return Sourced(movies, origin: .local(staleSince: since, because: remoteError), mirror: status)
    }

    /// Mirrors what there is to mirror, as far as the local store takes it.
    private func settle() async {
        while let job = ledger.withLock({ $0.next() }) {
            let result: Result<Void, StoreError>
            do throws(StoreError) {
                switch job {
                case let .change(.stored(movie)): _ = try await local.upsert(movie).first()
                case let .change(.gone(id)): _ = try await local.delete(where: \.id == id).first()
                case let .answer(answer): try await mirror(answer)
                }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            ledger.withLock { $0.end(job, result) }
            if case .failure = result { return }
        }
    }

    /// Makes the local store answer as the remote one did.
    private func mirror(_ answer: MirrorLedger.Answer) async throws(StoreError) {
        let ids = Set(answer.movies.map(\.id))
        let known = try await local.filter(where: answer.window).result().first() ?? []
        let gone = known.filter { !ids.contains($0.id) }
        if !gone.isEmpty { try await local.delete(gone).wait() }
        if !answer.movies.isEmpty { _ = try await local.upsert(answer.movies).first() }
        try await answers.note(answer.question, at: now())
    }

    /// What an answer speaks of: from where its page begins to its last movie, or to the end where it has come to that.
    private func window(of movies: [Movie], _ question: Query<RemoteStore>) -> Condition<Movie> {
        let id = Movie.schema.id.attribute
        let begun = question.pagedCondition(id: id)
        guard let limit = question.limit, movies.count >= limit, let last = movies.last else { return begun }
        let beyond = question.sortCriteria.reduce(remote.all()) { $0.sorted(by: $1) }.page(after: last)
        return begun && !beyond.pagedCondition(id: id)
    }
}
