import Foundation
import Networking

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The resources of the movies, as PostgREST serves a table. They describe requests, and perform none.
struct MoviesService {
    static let path = ResourcePath.api(.core, "/movies")

    // MARK: - Reading

    static func fetchMovies(_ query: RemoteQuery) -> BackendResource<Void, [Movie], KongAuth> {
        BackendResource(path: path, method: .GET, query: query.items)
    }

    /// How many rows there are; the answer has no body.
    static func countMovies(_ condition: RemoteCondition) -> BackendResource<Void, Int, KongAuth> {
        BackendResource(
            path: path, method: .HEAD, query: RemoteQuery(condition: condition, columns: ["id"]).items,
            headers: ["Prefer": "count=exact"],
            response: { _, response in total(of: response) })
    }

    // MARK: - Writing

    static func insertMovies() -> BackendResource<[Movie], [Movie], KongAuth> {
        BackendResource(path: path, method: .POST, headers: ["Prefer": "return=representation"])
    }

    static func upsertMovies() -> BackendResource<[Movie], [Movie], KongAuth> {
        BackendResource(
            path: path, method: .POST, headers: ["Prefer": "return=representation,resolution=merge-duplicates"])
    }

    /// Answers with the movie, or with none where there is none.
    static func updateMovie(withId id: Movie.ID) -> BackendResource<Movie, [Movie], KongAuth> {
        BackendResource(
            path: path, method: .PATCH, query: [URLQueryItem(name: "id", value: "eq.\(id.uuidString)")],
            headers: ["Prefer": "return=representation"])
    }

    /// Answers with the ids of what was deleted.
    static func deleteMovies(_ condition: RemoteCondition) -> BackendResource<Void, [DeletedMovie], KongAuth> {
        // A server may refuse to delete without a filter, even where everything is meant.
        let condition = condition == .always ? .test("id", "not.is", .word("null")) : condition
        return BackendResource(
            path: path, method: .DELETE, query: RemoteQuery(condition: condition, columns: ["id"]).items,
            headers: ["Prefer": "return=representation"])
    }

    /// What is left of a movie.
    struct DeletedMovie: Decodable, Equatable, Sendable {
        let id: Movie.ID
    }

    // MARK: - Machinery

    /// The number behind the slash of `Content-Range: 0-24/3573458`.
    private static func total(of response: URLResponse) -> Result<Int, CoreError> {
        let range = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Range") ?? ""
        guard let slash = range.lastIndex(of: "/"), let total = Int(range[range.index(after: slash)...]) else {
            return .failure(
                .parsing(
                    ParsingFailure(reason: "The field Content-Range does not say how many there are: \"\(range)\"")))
        }
        return .success(total)
    }
}
