import Feedback
import Foundation
import Networking
import Persistence

/// The movies of a server that speaks PostgREST's dialect, such as PostgREST itself, or Supabase.
///
///     let movies = RemoteMovieStore(accessible: session)
///     movies.filter(where: \.rating == .PG_13 && \.budget >= 10_000_000).sorted(by: \.title).result()
///
/// It answers as every other store does. What the server cannot be told exactly, such as a search for text by Swift's rules,
/// is asked for as well as it can be, and filtered here; a query for which too much would have to be looked at fails with
/// ``StoreError/refused(reason:)``, and is never answered in part.
///
/// The table it expects, with all text in composed form (NFC), as it writes it:
///
///     CREATE TABLE movies (
///         id uuid PRIMARY KEY, title text COLLATE "C" NOT NULL, rating text COLLATE "C" NOT NULL,
///         budget bigint NOT NULL, year bigint, score double precision, tagline text COLLATE "C");
public struct RemoteMovieStore: Sendable {
    public struct Configuration: Sendable {
        /// How the server orders text.
        public var textOrder = TextOrder.codePoints
        /// How many rows one request asks for. A server that gives less at once is asked again.
        public var rowsPerRequest = 1_000
        /// How many rows are looked at here for one query at most.
        public var maximumLookedAt = 50_000
        /// How long a condition in a URL may be, in bytes; common servers take about 8,000 for the whole.
        public var maximumConditionLength = 5_000
    }

    let configuration: Configuration
    private let accessible: any AuthenticatedAccessible

    public init(accessible: any AuthenticatedAccessible, configure: (inout Configuration) -> Void = { _ in }) {
        var configuration = Configuration()
        configure(&configuration)
        self.configuration = configuration
        self.accessible = accessible
    }

    private func access<Request, Response>(
        _ resource: BackendResource<Request, Response, KongAuth>, with request: Request
    ) async throws(StoreError) -> Response {
        do throws(CoreError) {
            return try await accessible.access(resource, with: request)
        } catch {
            throw StoreError(error)
        }
    }

    func fetch(_ query: RemoteQuery) async throws(StoreError) -> [Movie] {
        try await access(MoviesService.fetchMovies(query), with: ())
    }

    func fetchCount(_ condition: RemoteCondition) async throws(StoreError) -> Int {
        try await access(MoviesService.countMovies(condition), with: ())
    }
}

// MARK: - Store

extension RemoteMovieStore: Store {
    public func execute(_ query: Query<RemoteMovieStore>) -> SignalProducer<[Movie], StoreError> {
        SignalProducer { () async throws(StoreError) in
            try await RemoteReading(query, of: self).answer()
        }
    }

    public func count(_ query: Query<RemoteMovieStore>) -> SignalProducer<Int, StoreError> {
        SignalProducer { () async throws(StoreError) in
            try await RemoteReading(all().filter(where: query.condition), of: self).count()
        }
    }

    /// What the server is asked, and what is done here.
    public func plan(_ query: Query<RemoteMovieStore>) -> SignalProducer<QueryPlan, StoreError> {
        SignalProducer { Result { () throws(StoreError) in try RemoteReading(query, of: self).plan } }
    }

    public func insert(_ movie: Movie) -> SignalProducer<Movie, StoreError> {
        insert([movie]).map { $0.first ?? movie }
    }

    public func insert(_ movies: [Movie]) -> SignalProducer<[Movie], StoreError> {
        if movies.isEmpty { return SignalProducer(value: []) }
        return SignalProducer { () async throws(StoreError) in
            do throws(StoreError) {
                return try await access(MoviesService.insertMovies(), with: movies)
            } catch .duplicate where movies.count == 1 {
                throw .duplicate(id: movies[0].id.uuidString)
            }
        }
    }

    public func update(_ movie: Movie) -> SignalProducer<Movie, StoreError> {
        SignalProducer { () async throws(StoreError) in
            guard let stored = try await access(MoviesService.updateMovie(withId: movie.id), with: movie).first else {
                throw .missing(id: movie.id.uuidString)
            }
            return stored
        }
    }

    /// Replaces all, or none if one is missing. One that somebody else deletes at this very moment is there again afterwards.
    public func update(_ movies: [Movie]) -> SignalProducer<[Movie], StoreError> {
        if movies.isEmpty { return SignalProducer(value: []) }
        return filter(where: .in(\.id, movies.map(\.id))).result().flatMap(.latest) { stored in
            let ids = Set(stored.map(\.id))
            if let missing = movies.first(where: { !ids.contains($0.id) }) {
                return SignalProducer<[Movie], StoreError>(error: .missing(id: missing.id.uuidString))
            }
            return upsert(movies)
        }
    }

    public func upsert(_ movie: Movie) -> SignalProducer<Movie, StoreError> {
        upsert([movie]).map { $0.first ?? movie }
    }

    /// Adds or replaces all; of movies with the same id the last one counts.
    public func upsert(_ movies: [Movie]) -> SignalProducer<[Movie], StoreError> {
        if movies.isEmpty { return SignalProducer(value: []) }
        return SignalProducer { () async throws(StoreError) in
            // PostgreSQL refuses to touch one row twice in one statement.
            let last = Dictionary(movies.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
            var seen: Set<Movie.ID> = []
            let rows = movies.compactMap { seen.insert($0.id).inserted ? last[$0.id] : nil }
            _ = try await access(MoviesService.upsertMovies(), with: rows)
            return movies
        }
    }

    public func delete(_ movie: Movie) -> SignalProducer<Never, StoreError> { delete([movie]) }

    /// Removes those that are there, a few hundred with one request.
    public func delete(_ movies: [Movie]) -> SignalProducer<Never, StoreError> {
        SignalProducer<[Movie], StoreError> { () async throws(StoreError) in
            // An id and its comma take 39 bytes of a URL.
            let size = max(1, configuration.maximumConditionLength / 40)
            for start in stride(from: 0, to: movies.count, by: size) {
                let ids = movies[start..<min(start + size, movies.count)].map(\.id)
                let condition = try RemoteTranslation(.in(\.id, ids), textOrder: configuration.textOrder).condition
                _ = try await access(MoviesService.deleteMovies(condition), with: ())
            }
            return []
        }.then(SignalProducer<Never, StoreError>.empty)
    }

    /// Removes what the server can be told exactly; a predicate that it can be told in part only is refused.
    public func delete(where predicate: Condition<Movie>) -> SignalProducer<Int, StoreError> {
        SignalProducer { () async throws(StoreError) in
            let translation = try RemoteTranslation(predicate, textOrder: configuration.textOrder)
                .fitting(configuration.maximumConditionLength)
            guard translation.isExact else {
                throw .refused(
                    reason: "the server cannot be told exactly what to delete where \(predicate); "
                        + "fetch these objects, and delete them one by one")
            }
            if translation.condition == .never { return 0 }
            return try await access(MoviesService.deleteMovies(translation.condition), with: ()).count
        }
    }
}
