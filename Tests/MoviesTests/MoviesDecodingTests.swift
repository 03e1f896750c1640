import CannedResponses
import FeedbackTesting
import Fixtures
import Foundation
import Movies
import Networking
import Persistence
import Sync
import Testing

struct MoviesDecodingTests {
    @Test("Movies are read as PostgREST sends them")
    func movies() async throws {
        let movies = try await canned().all().result()
        #expect(movies == MoviesExpectations.movies)
    }

    @Test("Unknown columns are ignored, and an optional column may be left out")
    func otherColumns() async throws {
        let movies = try await canned("other-columns").all().result()
        #expect(movies == [.fixture(tagline: nil)])
    }

    @Test(
        "A body that is not a list of movies is refused, with the place of the fault",
        arguments: [
            ("unknown-rating", "[1].rating"), ("null-title", "[0].title"), ("object", ""), ("empty", ""),
        ])
    func malformed(name: String, path: String) async throws {
        let error = await #expect(throws: StoreError.self) { try await canned(name).all().result() }
        guard case let .refused(reason) = error else {
            Issue.record("Expected a refusal, not \(String(describing: error))")
            return
        }
        #expect(reason.contains("could not be read"))
        #expect(path.isEmpty || reason.contains(path))
    }

    @Test("A web page in place of the movies counts as a server that cannot be reached, so that the copy answers")
    func webPage() async throws {
        let error = await #expect(throws: StoreError.self) { try await canned("page").all().result() }
        guard case let .unreachable(reason) = error else {
            Issue.record("Expected an unreachable server, not \(String(describing: error))")
            return
        }
        #expect(reason.contains("web page"))
    }

    @Test(
        "An error of PostgREST is passed on in its words",
        arguments: [
            (
                400,
                #"{"code":"42703","details":null,"hint":"Perhaps title.","message":"column movies.titel does not exist"}"#,
                .refused(reason: "column movies.titel does not exist; Perhaps title. (42703)")
            ),
            (
                409,
                #"{"code":"23505","details":"Key (id)=(7) already exists.","hint":null,"message":"duplicate key value"}"#,
                .duplicate(id: "7")
            ),
            (
                503, #"{"code":"PGRST001","details":null,"hint":null,"message":"no connection"}"#,
                .unreachable(reason: "no connection (PGRST001)")
            ),
        ] as [(Int, String, StoreError)])
    func errors(status: Int, body: String, error: StoreError) async throws {
        let backend = CannedBackend([
            CannedAnswer(.GET, "/movies", query: MoviesExpectations.all, status: status, body: body)
        ])
        let store = PostgRESTStore(Movie.schema, accessible: backend.session())
        await #expect(throws: error) { try await store.all().result() }
    }

    @Test("A count is read from the header", arguments: [("0-24/3573458", 3_573_458), ("*/0", 0)])
    func count(range: String, count: Int) async throws {
        #expect(try await counted(range) == count)
    }

    @Test("An answer without a count is refused", arguments: ["0-24/*", "many", ""])
    func noCount(range: String) async throws {
        await #expect(throws: StoreError.self) { try await counted(range) }
    }

    // MARK: - Machinery

    private func counted(_ range: String) async throws(StoreError) -> Int {
        let backend = CannedBackend([
            CannedAnswer(
                .HEAD, "/movies", query: [URLQueryItem(name: "select", value: "id")],
                headers: ["Content-Range": range])
        ])
        return try await PostgRESTStore(Movie.schema, accessible: backend.session()).all().count()
    }

    private func canned(_ malformed: String? = nil) throws -> PostgRESTStore<Movie> {
        let folder = malformed.map(MoviesExpectations.malformed) ?? MoviesExpectations.folder
        return PostgRESTStore(Movie.schema, accessible: try CannedBackend(folder).session())
    }
}
