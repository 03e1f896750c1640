import Fixtures
import Foundation
import Networking
import Persistence
import Testing

@testable import Movies

struct MoviesServiceTests {
    @Test("Movies are fetched with filters, order and page in the query")
    func fetching() throws {
        let condition = try PostgRESTTranslation(
            \.rating == .PG_13 && \.budget >= 10_000_000, textOrder: .codePoints
        ).condition
        let order = try PostgRESTQuery.order(by: [SortCriterion(\.title), SortCriterion(\.budget, .descending)])
        let resource = MoviesService.fetchMovies(
            PostgRESTQuery(condition: condition, order: order, limit: 20, offset: 40))
        #expect(resource.path == .api(.core, "/movies"))
        #expect(resource.method == .GET)
        #expect(resource.request == nil)
        #expect(
            text(resource.query)
                == "rating=eq.PG-13&budget=gte.10000000&order=title.asc,budget.desc,id.asc&limit=20&offset=40")
    }

    @Test("Movies are counted without fetching them")
    func counting() {
        let resource = MoviesService.countMovies(.test("year", "is", .word("null")))
        #expect(resource.method == .HEAD)
        #expect(resource.headers["Prefer"] == "count=exact")
        #expect(text(resource.query) == "year=is.null&select=id")
    }

    @Test("Movies are inserted and upserted as a list, and come back as they are stored")
    func writing() throws {
        #expect(MoviesService.insertMovies().method == .POST)
        #expect(MoviesService.insertMovies().headers["Prefer"] == "return=representation")
        #expect(
            MoviesService.upsertMovies().headers["Prefer"] == "return=representation,resolution=merge-duplicates")
        let rows: [[String: String?]] = try body(of: MoviesService.insertMovies(), [.plain])
        #expect(rows.count == 1)
    }

    @Test("What is nil is said to be null, since a server leaves alone what it is not told of")
    func nulls() throws {
        let row: [String: String?] = try body(of: MoviesService.updateMovie(withId: .fixture(1)), .plain)
        #expect(Set(row.keys) == ["id", "title", "rating", "budget", "year", "score", "tagline"])
        #expect(row["year"] == .some(nil))
    }

    @Test("A movie is changed by its id")
    func changing() {
        let resource = MoviesService.updateMovie(withId: .fixture(7))
        #expect(resource.method == .PATCH)
        #expect(text(resource.query) == "id=eq.00000000-0000-0000-0000-000000000007")
        #expect(resource.headers["Prefer"] == "return=representation")
    }

    @Test("Nothing is deleted without a filter")
    func deleting() {
        let resource = MoviesService.deleteMovies(.always)
        #expect(resource.method == .DELETE)
        #expect(text(resource.query) == "id=not.is.null&select=id")
    }

    private func text(_ items: [URLQueryItem]) -> String {
        items.map { "\($0.name)=\($0.value ?? "")" }.joined(separator: "&")
    }

    private func body<Request, Response, Body: Decodable>(
        of resource: BackendResource<Request, Response, KongAuth>, _ value: Request
    ) throws -> Body {
        let handler = try #require(resource.request)
        let data = try handler(value, JSONEncoder()).get()
        // All values as text, so that one type reads them.
        let text = String(decoding: data, as: UTF8.self).replacing(/:(\d+)/) { ":\"\($0.output.1)\"" }
        return try JSONDecoder().decode(Body.self, from: Data(text.utf8))
    }
}

extension Movie {
    /// A movie of which little is known.
    fileprivate static let plain = Movie.fixture(year: nil, score: nil, tagline: nil)
}
