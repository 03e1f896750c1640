import Foundation
import Movies
import Persistence
import Sync

extension Movie {
    public static func fixture(
        id: UUID = .fixture(1), title: String = "Amélie", rating: Rating = .R, budget: Int = 10_000_000,
        year: Int? = 2001, score: Double? = 8.3, tagline: String? = "She'll change your life.",
        genre: Genre? = nil
    ) -> Movie {
        Movie(
            id: id, title: title, rating: rating, budget: budget, year: year, score: score, tagline: tagline,
            genre: genre)
    }
}

extension UUID {
    /// The UUID that ends in a number: `00000000-0000-0000-0000-000000000001`.
    public static func fixture(_ number: UInt32) -> UUID {
        let bytes = withUnsafeBytes(of: number.bigEndian) { Array($0) }
        return UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, bytes[0], bytes[1], bytes[2], bytes[3]))
    }
}

extension MovieForm {
    public static func fixture(
        title: String = "Amélie", rating: Rating = .R, budget: String = "10,000,000", year: String = "2001",
        score: String = "8.3", tagline: String = "She'll change your life."
    ) -> MovieForm {
        MovieForm(title: title, rating: rating, budget: budget, year: year, score: score, tagline: tagline)
    }
}

extension Sourced where Value == MoviePage {
    public static func fixture(
        _ movies: [Movie] = [.fixture()], hasMore: Bool = false, origin: AnswerSource = .remote,
        mirror: MirrorStatus = .complete
    ) -> Sourced<MoviePage> {
        Sourced(MoviePage(movies: movies, hasMore: hasMore), source: origin, mirror: mirror)
    }
}

extension StoreError {
    /// A failure that a person would try again.
    public static func fixture() -> StoreError { .unreachable(reason: "the line is cut") }
}
