import Persistence

/// The model that the rows on persistence store.
struct BenchmarkMovie: Identifiable, Equatable, Sendable {
    enum Rating: String, Primitive, CaseIterable {
        case G, PG
        case PG_13 = "PG-13"
        case R
        case NC_17 = "NC-17"
    }

    var id: Int
    var title: String
    var rating: Rating
    var budget: Int
    var score: Double
    var year: Int?
    var tagline: String?

    static let schema = Schema<BenchmarkMovie>(
        "movies", BenchmarkMovie.init,
        Column("id", \.id), Column("title", \.title), Column("rating", \.rating), Column("budget", \.budget),
        Column("score", \.score), Column("year", \.year), Column("tagline", \.tagline))

    static func sample(_ count: Int) -> [BenchmarkMovie] {
        (0..<count).map { index in
            BenchmarkMovie(
                id: index, title: "The title of movie \(index)", rating: Rating.allCases[index % 5],
                budget: index &* 7919 % 10_000_000, score: Double(index % 100) / 10,
                year: index % 3 == 0 ? nil : 1900 + index % 120, tagline: index % 2 == 0 ? nil : "tagline \(index)")
        }
    }
}
