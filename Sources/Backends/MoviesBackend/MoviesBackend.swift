import Feedback
import Foundation
import LocalBackend
import Movies
import Persistence
import TableBackend

/// The server of the movies: a table at `/movies`, in PostgREST's dialect.
///
/// ```swift
/// try MoviesBackend().serve(on: backend)
/// ```
public struct MoviesBackend: Sendable {
    /// The path of the table.
    public static let path = "/movies"
    /// The highest budget that the server accepts, in dollars.
    public static let highestBudget = 500_000_000

    private let addRoutes: @Sendable (LocalBackend) -> Void

    /// Makes a server of the sample movies, in memory.
    public init() throws(StoreError) {
        let database = try SQLiteDatabase(.memory)
        try self.init(
            store: SQLiteStore(Movie.schema, in: database), answers: SQLiteStore(KeptAnswer.schema, in: database))
    }

    /// Makes a server of a store, which gets the sample movies if it is empty. Several servers may share one database.
    ///
    /// - Parameter answers: The store of the answers to writes with a key, in the same database.
    public init(
        store: some TransactionalStore<Movie>, answers: some TransactionalStore<KeptAnswer>
    ) throws(StoreError) {
        let seeding = Self.seed(store)
        if case let .failure(error) = seeding.single() { throw error }
        let table = Table(store, Movie.schema, keepingAnswersIn: answers) { movie in
            if movie.budget > Self.highestBudget {
                return "no movie has a budget of more than \(Self.highestBudget) dollars"
            }
            return movie.problem
        }
        addRoutes = { $0.serve(table, at: Self.path) }
    }

    private static func seed<Movies: TransactionalStore<Movie>>(_ store: Movies) -> SignalProducer<Void, StoreError> {
        let everything = store.all()
        return store.transaction { movies throws(StoreError) in
            if try movies.count(everything) == 0 { try movies.insert(sample) }
        }
    }

    public func serve(on backend: LocalBackend) { addRoutes(backend) }
}

// MARK: - Sample movies

extension MoviesBackend {
    public static let sample: [Movie] = [
        movie(1, "The Third Man", .thriller, .PG, 600_000, 1949, 8.1, "Hunted by men… sought by women!"),
        movie(2, "Amélie", .romance, .R, 10_000_000, 2001, 8.3, nil),
        movie(3, "2001: A Space Odyssey", .scienceFiction, .G, 10_500_000, 1968, 8.3, "The ultimate trip"),
        movie(4, "The Dark Knight", .crime, .PG_13, 185_000_000, 2008, 9, "Why so serious?"),
        movie(5, "Inception", .scienceFiction, .PG_13, 160_000_000, 2010, 8.8, "Your mind is the scene of the crime"),
        movie(6, "Interstellar", .scienceFiction, .PG_13, 165_000_000, 2014, 8.7, nil),
        movie(7, "Toy Story", .animation, .G, 30_000_000, 1995, 8.3, nil),
        movie(8, "WALL·E", .animation, .G, 180_000_000, 2008, 8.4, nil),
        movie(9, "Casablanca", .romance, .PG, 878_000, 1942, 8.5, nil),
        movie(10, "Back to the Future", .comedy, .PG, 19_000_000, 1985, 8.5, nil),
        movie(11, "Alien", .horror, .R, 11_000_000, 1979, 8.5, "In space no one can hear you scream."),
        movie(12, "The Matrix", .scienceFiction, .R, 63_000_000, 1999, 8.7, nil),
        movie(13, "Pulp Fiction", .crime, .R, 8_000_000, 1994, 8.9, nil),
        movie(14, "七人の侍", .adventure, .PG, 500_000, 1954, 8.6, nil),
        movie(15, "Das Boot", .drama, .R, 15_000_000, 1981, 8.4, nil),
        movie(16, "La dolce vita", .drama, .NC_17, 600_000, 1960, 8, nil),
        movie(17, "Metropolis", .scienceFiction, .G, 1_200_000, 1927, 8.3, nil),
        movie(18, "Parasite", .thriller, .R, 11_400_000, 2019, 8.5, nil),
        movie(19, "Spirited Away", .animation, .PG, 19_000_000, 2001, 8.6, nil),
        movie(20, "The Lion King", .animation, .G, 45_000_000, 1994, 8.5, nil),
        movie(21, "Jaws", .thriller, .PG, 9_000_000, 1975, 8.1, nil),
        movie(22, "The Lost Reel", nil, .G, 0, nil, nil, "Nobody knows when, or how good."),
        movie(23, "100% Wolf", .animation, .PG, 16_000_000, 2020, 5.7, nil),
        movie(24, "Gravity", .scienceFiction, .PG_13, 100_000_000, 2013, 7.7, "Don't let go"),
    ]

    private static func movie(
        _ number: UInt8, _ title: String, _ genre: Genre?, _ rating: Rating, _ budget: Int, _ year: Int?,
        _ score: Double?, _ tagline: String?
    ) -> Movie {
        let id = UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number))
        return Movie(
            id: id, title: title, rating: rating, budget: budget, year: year, score: score, tagline: tagline,
            genre: genre)
    }
}
