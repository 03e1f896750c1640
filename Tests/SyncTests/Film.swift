import Foundation
import Persistence

/// The model of most tests.
struct Film: Equatable, Identifiable, Sendable {
    var id: UUID
    var title: String
    var rating: Rating
    var budget: Int
    var year: Int?
    var score: Double?
    var tagline: String?

    static let schema = Schema<Film>(
        "films",
        { Film(id: $0, title: $1, rating: $2, budget: $3, year: $4, score: $5, tagline: $6) },
        Column("id", \.id), Column("title", \.title, isIndexed: true), Column("rating", \.rating, isIndexed: true),
        Column("budget", \.budget, isIndexed: true), Column("year", \.year), Column("score", \.score),
        Column("tagline", \.tagline))

    static func fixture(
        id: UUID = .fixture(1), title: String = "Amélie", rating: Rating = .R, budget: Int = 10_000_000,
        year: Int? = 2001, score: Double? = 8.3, tagline: String? = "She'll change your life."
    ) -> Film {
        Film(id: id, title: title, rating: rating, budget: budget, year: year, score: score, tagline: tagline)
    }
}

enum Rating: String, CaseIterable, Primitive {
    case G
    case PG
    case PG_13 = "PG-13"
    case R
    case NC_17 = "NC-17"
}

extension UUID {
    /// The UUID that ends in a number: `00000000-0000-0000-0000-000000000001`.
    static func fixture(_ number: UInt32) -> UUID {
        let bytes = withUnsafeBytes(of: number.bigEndian) { Array($0) }
        return UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, bytes[0], bytes[1], bytes[2], bytes[3]))
    }
}
