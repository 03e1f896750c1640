import Feedback
import Foundation
import LocalBackend
import Movies
import Networking
import Persistence
import Sync
import TableBackend
import Testing

/// A server of movies over real sockets, and a remote store that asks it.
struct MoviesServer {
    let backend: LocalBackend
    /// The store that the server keeps its movies in.
    let table: SQLiteStore<Movie>
    let session: BackendSession

    var remote: PostgRESTStore<Movie> { PostgRESTStore(Movie.schema, accessible: session) }
}

/// Runs a server while `body` does.
func withMovies(
    _ movies: [Movie] = [], maximumRows: Int? = nil, _ body: (MoviesServer) async throws -> Void
) async throws {
    let table = try SQLiteStore(Movie.schema, in: SQLiteDatabase(.memory))
    try await table.insert(movies)
    let backend = LocalBackend()
    backend.serve(Table(table, Movie.schema, maximumRows: maximumRows), at: "/movies")
    let url = try await backend.start()
    let session = BackendSession(
        environment: BackendEnvironment(name: "test", services: [.core: url]),
        credentials: FixedCredentials(.bearer("test")))
    do {
        try await body(MoviesServer(backend: backend, table: table, session: session))
    } catch {
        await backend.stop(within: .zero)
        throw error
    }
    await backend.stop(within: .zero)
}
