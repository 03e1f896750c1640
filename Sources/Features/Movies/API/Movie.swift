import Foundation
import Persistence

/// A movie.
public struct Movie: Equatable, Identifiable, Sendable {
    /// The id, made on this machine, so that repeating an addition adds the movie only once.
    public var id: UUID
    public var title: String
    public var rating: Rating
    /// The budget in whole dollars.
    public var budget: Int
    /// The year of the first showing; nil if it is not known.
    public var year: Int?
    /// The score from 0 to 10; nil before the first vote.
    public var score: Double?
    public var tagline: String?
    /// The genre; nil if it is not known.
    public var genre: Genre?

    public init(
        id: UUID = UUID(), title: String, rating: Rating, budget: Int, year: Int? = nil, score: Double? = nil,
        tagline: String? = nil, genre: Genre? = nil
    ) {
        self.id = id
        self.title = title
        self.rating = rating
        self.budget = budget
        self.year = year
        self.score = score
        self.tagline = tagline
        self.genre = genre
    }
}

extension Movie {
    /// The table of the movies, in a database and on the server.
    public static let schema = Schema<Movie>(
        "movies",
        {
            Movie(id: $0, title: $1, rating: $2, budget: $3, year: $4, score: $5, tagline: $6, genre: $7)
        },
        Column("id", \.id), Column("title", \.title, isIndexed: true), Column("rating", \.rating, isIndexed: true),
        Column("budget", \.budget, isIndexed: true), Column("year", \.year), Column("score", \.score),
        Column("tagline", \.tagline), Column("genre", \.genre))
}
