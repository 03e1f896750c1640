import Persistence

/// A row of each kind that the table's dialect knows.
struct Film: Equatable, Identifiable, Sendable {
    var id: Int
    var title = "The Third Man"
    var rating = "PG"
    var year: Int? = 1949
    var score: Double = 8.1
    var isColor = false

    static let schema = Schema<Film>(
        "films", { Film(id: $0, title: $1, rating: $2, year: $3, score: $4, isColor: $5) },
        Column("id", \.id), Column("title", \.title), Column("rating", \.rating), Column("year", \.year),
        Column("score", \.score), Column("isColor", \.isColor))

    static let unknownYear = Film(id: 1, year: nil)

    static let all = [
        Film(id: 1), Film(id: 2, isColor: true), Film(id: 3, isColor: true), Film(id: 4, year: 1950, isColor: true),
        Film(id: 5, title: "a,b)", year: 1950, isColor: true), Film(id: 6, year: nil, isColor: true),
        Film(id: 7, title: "a,b)", year: nil, isColor: true),
    ]
}
