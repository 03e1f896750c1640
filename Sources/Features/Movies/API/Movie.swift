import Foundation
import Persistence

/// A movie, the same in memory, in a database and on the wire.
public struct Movie: Decodable, Equatable, Identifiable, Sendable {
    /// Made where the movie is, so that adding it twice is adding it once.
    public var id: UUID
    public var title: String
    public var rating: Rating
    /// In whole dollars.
    public var budget: Int
    /// In which it was first shown; `nil` where that is not known.
    public var year: Int?
    /// From 0 to 10; `nil` before anybody has judged it.
    public var score: Double?
    public var tagline: String?

    public init(
        id: UUID = UUID(), title: String, rating: Rating, budget: Int, year: Int? = nil, score: Double? = nil,
        tagline: String? = nil
    ) {
        self.id = id
        self.title = title
        self.rating = rating
        self.budget = budget
        self.year = year
        self.score = score
        self.tagline = tagline
    }
}

extension Movie {
    /// The table of the movies, in a database and on the server.
    public static let schema = Schema(
        "movies",
        { Movie(id: $0, title: $1, rating: $2, budget: $3, year: $4, score: $5, tagline: $6) },
        Column("id", \.id), Column("title", \.title, isIndexed: true), Column("rating", \.rating, isIndexed: true),
        Column("budget", \.budget, isIndexed: true), Column("year", \.year), Column("score", \.score),
        Column("tagline", \.tagline))
}

extension Movie: Encodable {
    private enum CodingKeys: String, CodingKey {
        case id, title, rating, budget, year, score, tagline
    }

    /// Writes also what is nil: a server leaves a column as it is of which it is told nothing.
    ///
    /// Text is composed (NFC), since servers compare bytes, and Swift characters.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(title.precomposedStringWithCanonicalMapping, forKey: .title)
        try container.encode(rating, forKey: .rating)
        try container.encode(budget, forKey: .budget)
        try container.encode(year, forKey: .year)
        try container.encode(score, forKey: .score)
        try container.encode(tagline?.precomposedStringWithCanonicalMapping, forKey: .tagline)
    }
}
