import Foundation
import Persistence

/// A model with a property of each kind that a store can keep.
struct Film: Identifiable, Hashable, Sendable {
    var id: Int
    var title: String
    var rating: Rating
    var budget: Int
    var score: Double
    var year: Int?
    var subtitle: String?
    var isColor: Bool
    var premiere: Date?
    var studio: UUID
    var poster: Data?
    var votes: UInt64
    var grade: Grade?
    var length: Double?
    var tags: [String]
    var marks: [String: Double]?
}

enum Rating: String, Primitive, CaseIterable {
    case G, PG
    case PG_13 = "PG-13"
    case R
    case NC_17 = "NC-17"
}

enum Grade: Int, OrderedPrimitive, Comparable, CaseIterable {
    case poor = -1
    case fair = 0
    case good = 7

    static func < (lhs: Grade, rhs: Grade) -> Bool { lhs.rawValue < rhs.rawValue }
}

extension Film {
    static let schema = Schema<Film>(
        "films", Film.init,
        Column("id", \.id), Column("title", \.title, isIndexed: true), Column("rating", \.rating, isIndexed: true),
        Column("budget", \.budget, isIndexed: true), Column("score", \.score), Column("year", \.year, isIndexed: true),
        Column("subtitle", \.subtitle), Column("is_color", \.isColor), Column("premiere", \.premiere),
        Column("studio", \.studio), Column("poster", \.poster), Column("votes", \.votes, isIndexed: true),
        Column("grade", \.grade), Column("length", \.length, isIndexed: true),
        Column("tags", \.tags, isIndexed: true), Column("marks", \.marks))

    static func fixture(
        id: Int = 1, title: String = "The Third Man", rating: Rating = .PG, budget: Int = 1_000_000,
        score: Double = 8.1,
        year: Int? = 1949, subtitle: String? = nil, isColor: Bool = false, premiere: Date? = nil, studio: UUID = .zero,
        poster: Data? = nil, votes: UInt64 = 0, grade: Grade? = nil, length: Double? = nil,
        tags: [String] = [], marks: [String: Double]? = nil
    ) -> Film {
        Film(
            id: id, title: title, rating: rating, budget: budget, score: score, year: year, subtitle: subtitle,
            isColor: isColor, premiere: premiere, studio: studio, poster: poster, votes: votes, grade: grade,
            length: length, tags: tags, marks: marks)
    }
}

extension UUID {
    static let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
