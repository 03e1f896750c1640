import FeedbackTesting
import Fixtures
import Foundation
import LocalBackend
import Movies
import Persistence
import Presentation
import Testing

/// The whole feature, over real sockets.
struct MoviesFlowTests {
    private let movies: [Movie] = (1...25).map {
        .fixture(id: .fixture($0), title: "Movie \($0 < 10 ? "0" : "")\($0)", rating: $0 < 20 ? .R : .PG_13)
    }

    @Test("Browsing: the list goes on page by page, and is searched, filtered and sorted by the server")
    func browsing() async throws {
        try await withFlow(movies) { (backend, flow, person) in
            try await person.sees("The first 20 movies.")
            try await person.uses("More")
            try await person.sees("25 movies in all.")
            try await person.uses("PG-13")
            try await person.sees("6 movies in all.")
            try await person.types("movie 23", into: "Title")
            try await person.sees("1 movie in all.")
            let target = try #require(backend.requests.last?.target)
            #expect(target.contains("rating=eq.PG-13"))
            #expect(target.contains("title=ilike."))
            try await person.uses("Leave")
            #expect(flow.screens.screens.isEmpty)
        }
    }

    @Test("Adding and changing a movie shows it in the list, and two quick taps send it once")
    func editing() async throws {
        try await withFlow([]) { (backend, _, person) in
            try await person.sees("There are no movies yet.")
            try await person.uses("Add a movie")
            try await person.types("Alien", into: "Title")
            try await person.types("11,000,000", into: "Budget in dollars")
            try await person.uses("Save", times: 2)
            try await person.sees("is saved.")
            #expect(backend.requests.filter { $0.method == .post }.count == 1)
            try await person.uses("Done")
            try await person.sees("1 movie in all.")

            try await person.uses("Alien")
            try await person.uses("Edit")
            try await person.types("1979", into: "Year")
            try await person.uses("Save")
            try await person.sees("is saved.")
            try await person.uses("Done")
            try await person.sees("1979")
            try await person.uses("Back")
            try await person.sees("1 movie in all.")
            #expect(backend.requests.contains { $0.method == .patch })
        }
    }

    @Test("A movie is deleted after a confirmation, once despite two taps, and leaves the list")
    func deleting() async throws {
        try await withFlow(movies) { (backend, _, person) in
            try await person.uses("Movie 01")
            try await person.uses("Delete")
            try await person.uses("Keep it")
            try await person.uses("Delete")
            try await person.uses("Delete it", times: 2)
            try await person.sees("The first 20 movies.")
            #expect(try await person.looks()?.contains("Movie 01") == false)
            #expect(backend.requests.filter { $0.method == .delete }.count == 1)
        }
    }

    @Test("The list is filtered by genre, year and budget at once, by the server")
    func filtering() async throws {
        let movies: [Movie] = [
            .fixture(), .fixture(id: .fixture(2), title: "Alien", budget: 11_000_000, year: 1979, genre: .horror),
            .fixture(id: .fixture(3), title: "Jaws", budget: 9_000_000, year: 1975, genre: .thriller),
            .fixture(id: .fixture(4), title: "It", budget: 35_000_000, year: 2017, genre: .horror),
        ]
        try await withFlow(movies) { (backend, _, person) in
            try await person.sees("4 movies in all.")
            try await person.uses("horror")
            try await person.sees("2 movies in all.")
            try await person.uses("1960 to 1979")
            try await person.uses("Up to $20,000,000")
            try await person.sees("1 movie in all.")
            try await person.sees("Alien")
            let target = try #require(backend.requests.last?.target)
            for part in ["genre=eq.horror", "year=gte.1960", "year=lte.1979", "budget=gte.0", "budget=lte.20000000"] {
                #expect(target.contains(part), "\(target)")
            }
        }
    }

    @Test("The network goes away and the list still works, marked as the copy, until the network is back")
    func withoutNetwork() async throws {
        try await withFlow(movies) { (backend, _, person) in
            try await person.sees("The first 20 movies.")
            backend.misbehave(.drop)
            try await person.uses("Refresh")
            try await person.sees("This is the copy on this machine, as it was on")
            try await person.sees("Movie 20")
            try await person.uses("PG-13")
            try await person.sees("as far as it was seen before")
            try await person.sees("Movie 20")
            try await person.uses("Any rating")
            try await person.sees("as it was on")
            try await person.sees("Movie 01")
            try await person.uses("More")
            try await person.sees("Try again")
            try await person.sees("Movie 20")

            backend.behave()
            try await person.uses("Try again")
            try await person.sees("Movie 25")
            try await person.uses("Refresh")
            try await person.sees("The first 20 movies.")
            #expect(try await person.looks()?.contains("This is the copy") == false)
        }
    }

    @Test("A movie that cannot be saved shows the error, and is saved when the network is back")
    func savingWithoutNetwork() async throws {
        try await withFlow(movies) { (backend, _, person) in
            try await person.sees("The first 20 movies.")
            try await person.uses("Movie 01")
            try await person.uses("Edit")
            try await person.types("Changed", into: "Title")
            backend.misbehave(.fail(rate: 1))
            try await person.uses("Save")
            try await person.sees("cannot be reached")
            backend.behave()
            try await person.uses("Try again")
            try await person.sees("is saved.")
            try await person.uses("Done")
            try await person.sees("Changed")
            try await person.uses("Back")
            try await person.sees("Changed")
        }
    }
}

// MARK: - Running the flow

private func withFlow(
    _ movies: [Movie], _ body: (LocalBackend, MoviesFlowController, ScriptedPerson) async throws -> Void
) async throws {
    try await withMovies(movies) { (server) async throws in
        let builder = try MoviesBuilder(accessible: server.session, database: SQLiteDatabase(.memory))
        let flow = MoviesFlowController(builder)
        flow.start()
        try await body(server.backend, flow, ScriptedPerson(flow.screens))
    }
}
