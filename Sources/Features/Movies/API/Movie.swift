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

extension Movie {
    /// The years that a movie can be of. The oldest surviving film was shot in 1888.
    public static let years = 1888...2100
    /// The scores that a movie can have.
    public static let scores = 0.0...10
    /// The budgets that a movie can have, in whole dollars.
    public static let budgets = 0...1_000_000_000_000
    /// The greatest number of letters in a title, and in a tagline.
    public static let longestText = 1_000

    /// Returns a sentence about what is wrong with a title; `nil` if a movie can have it.
    public static func problem(inTitle title: String) -> String? {
        if title.allSatisfy(\.isWhitespace) { return "What is it called?" }
        if title.contains(where: \.isNewline) { return "A title is one line." }
        return isShort(title) ? nil : "A title has \(longestText) letters at most."
    }

    /// Returns a sentence about what is wrong with a tagline; `nil` if a movie can have it.
    public static func problem(inTagline tagline: String) -> String? {
        isShort(tagline) ? nil : "A tagline has \(longestText) letters at most."
    }

    // A letter can have any number of marks.
    private static func isShort(_ text: String) -> Bool {
        text.count <= longestText && text.utf8.count <= longestText * 8
    }

    /// A sentence about the first problem of the movie; `nil` if it can be stored.
    public var problem: String? {
        if let problem = Self.problem(inTitle: title) ?? tagline.flatMap(Self.problem(inTagline:)) { return problem }
        if !(Self.budgets ~= budget) { return "A budget is a number of dollars, such as 10,000,000." }
        if let year, !(Self.years ~= year) { return "A year is a number such as 1949." }
        if let score, !(Self.scores ~= score) { return "A score is a number from 0 to 10." }
        return nil
    }
}
