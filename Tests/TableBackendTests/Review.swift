import Persistence

/// A row with properties that cannot have every value of their columns.
struct Review: Equatable, Identifiable, Sendable {
    enum Grade: String, Primitive { case good, bad }

    var id: String
    var grade = Grade.good
    var stars: Int8 = 3
    var weight: Float = 0.1

    static let schema = Schema<Review>(
        "reviews", { Review(id: $0, grade: $1, stars: $2, weight: $3) }, Column("id", \.id), Column("grade", \.grade),
        Column("stars", \.stars), Column("weight", \.weight))
}
