import Feedback
import Foundation
import LocalBackend
import Movies
import Persistence
import Presentation
import TableBackend

/// Looks through the movies, adds one and changes it, and goes on when the network is gone.
final class MoviesDemo: DemoFlow {
    let feature = DemoFeature(
        name: "movies", summary: "search and change movies, also without the network", keepsData: true)

    /// The backend on this machine, whose line can be cut; there is none where another one is asked.
    private let backend = Locked<LocalBackend?>(nil)

    func makeController(_ materials: DemoMaterials, on screens: ScreenStack) -> any FlowController {
        do throws(StoreError) {
            let location = materials.database.map { SQLiteDatabase.Location.file($0.path(percentEncoded: false)) }
            let database = try SQLiteDatabase(location ?? .memory)
            return MoviesFlowController(
                try MoviesBuilder(accessible: materials.session, database: database), on: screens)
        } catch {
            return DeadEnd(title: "Movies", reason: "\(error)", on: screens)
        }
    }

    func play(_ person: ScriptedPerson) async throws {
        try await person.sees("The first 20 movies.")
        try await person.uses("More")
        try await person.sees("24 movies in all.")
        try await person.uses("PG-13")
        try await person.uses("The dearest first")
        try await person.sees("The Dark Knight")
        try await person.uses("Any rating")
        try await person.types("THE ", into: "Title")
        try await person.sees("The Third Man")

        try await person.uses("Add a movie")
        try await person.types("ten", into: "Budget in dollars")
        try await person.uses("Save")
        try await person.sees("What is it called?")
        try await person.types("The Trial, \"Le procès\"", into: "Title")
        try await person.types("1,300,000", into: "Budget in dollars")
        try await person.types("1962", into: "Year")
        try await person.uses("Save", times: 2)
        try await person.sees("is saved.")
        try await person.uses("Done")
        try await person.sees("The Trial, \"Le procès\"")
        try await person.uses("The Trial, \"Le procès\"")
        try await person.types("7.6", into: "Score")
        try await person.uses("Save")
        try await person.uses("Done")
        try await person.sees("7.6 of 10")

        if let backend = backend.withLock({ $0 }) {
            backend.misbehave(.drop, at: Self.path)
            try await person.uses("Refresh")
            try await person.sees("This is the copy on this machine")
            try await person.sees("7.6 of 10")
            backend.behave()
            try await person.uses("Ask the server again")
            try await person.sees("7.6 of 10")
        }
        try await person.uses("Leave")
    }
}

// MARK: - Backend

extension MoviesDemo {
    private static let path = "/movies"

    func serve(on backend: LocalBackend) {
        self.backend.withLock { $0 = backend }
        do throws(StoreError) {
            let table = try SQLiteStore(Movie.schema, in: SQLiteDatabase(.memory))
            _ = try table.insert(Self.movies).first()?.get()
            backend.serve(Table(table, Movie.schema), at: Self.path)
        } catch {
            backend.get(Self.path) { _ in throw LocalBackend.Refusal(500, "\(error)") }
        }
    }

    private static let movies: [Movie] = [
        movie(1, "The Third Man", .PG, 600_000, 1949, 8.1, "Hunted by men… sought by women!"),
        movie(2, "Amélie", .R, 10_000_000, 2001, 8.3, nil),
        movie(3, "2001: A Space Odyssey", .G, 10_500_000, 1968, 8.3, "The ultimate trip"),
        movie(4, "The Dark Knight", .PG_13, 185_000_000, 2008, 9, "Why so serious?"),
        movie(5, "Inception", .PG_13, 160_000_000, 2010, 8.8, "Your mind is the scene of the crime"),
        movie(6, "Interstellar", .PG_13, 165_000_000, 2014, 8.7, nil),
        movie(7, "Toy Story", .G, 30_000_000, 1995, 8.3, nil),
        movie(8, "WALL·E", .G, 180_000_000, 2008, 8.4, nil),
        movie(9, "Casablanca", .PG, 878_000, 1942, 8.5, nil),
        movie(10, "Back to the Future", .PG, 19_000_000, 1985, 8.5, nil),
        movie(11, "Alien", .R, 11_000_000, 1979, 8.5, "In space no one can hear you scream."),
        movie(12, "The Matrix", .R, 63_000_000, 1999, 8.7, nil),
        movie(13, "Pulp Fiction", .R, 8_000_000, 1994, 8.9, nil),
        movie(14, "七人の侍", .PG, 500_000, 1954, 8.6, nil),
        movie(15, "Das Boot", .R, 15_000_000, 1981, 8.4, nil),
        movie(16, "La dolce vita", .NC_17, 600_000, 1960, 8, nil),
        movie(17, "Metropolis", .G, 1_200_000, 1927, 8.3, nil),
        movie(18, "Parasite", .R, 11_400_000, 2019, 8.5, nil),
        movie(19, "Spirited Away", .PG, 19_000_000, 2001, 8.6, nil),
        movie(20, "The Lion King", .G, 45_000_000, 1994, 8.5, nil),
        movie(21, "Jaws", .PG, 9_000_000, 1975, 8.1, nil),
        movie(22, "The Lost Reel", .G, 0, nil, nil, "Nobody knows when, or how good."),
        movie(23, "100% Wolf", .PG, 16_000_000, 2020, 5.7, nil),
        movie(24, "Gravity", .PG_13, 100_000_000, 2013, 7.7, "Don't let go"),
    ]

    private static func movie(
        _ number: UInt8, _ title: String, _ rating: Rating, _ budget: Int, _ year: Int?, _ score: Double?,
        _ tagline: String?
    ) -> Movie {
        let id = UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number))
        return Movie(
            id: id, title: title, rating: rating, budget: budget, year: year, score: score, tagline: tagline)
    }
}
