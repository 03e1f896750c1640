import Foundation
import Movies
import Persistence
import Testing

@Suite("The server's answer is that of every other store")
struct RemoteAgreementTests {
    /// How many random queries to ask; `MOVIES_QUERIES` raises it.
    static let queries = ProcessInfo.processInfo.environment["MOVIES_QUERIES"].flatMap(Int.init) ?? 400

    @Test("Random queries on random movies give identical answers from memory, SQLite and the server", arguments: 1...4)
    func randomQueries(seed: UInt64) async throws {
        var random = RandomMovies(seed: seed)
        let movies = random.movies(200)
        let memory = MemoryStore(Movie.schema)
        try await memory.insert(movies).get()
        // The last server gives less at once than it is asked for.
        try await withMovies(movies, maximumRows: seed == 4 ? 17 : nil) { (server) async throws in
            var remote = PostgRESTStore(accessible: server.session)
            if seed == 3 {
                remote = PostgRESTStore(accessible: server.session) {
                    $0.textOrder = .other
                    $0.rowsPerRequest = 30
                    $0.maximumConditionLength = 300
                }
            }
            for _ in 0..<Self.queries / 4 {
                let query = random.query(for: memory)
                let expected = try await query.result().get()
                #expect(
                    try await query.asked(of: server.table).result().get() == expected, "SQLite differs on \(query)")
                let answer = try await query.asked(of: remote).result().get()
                #expect(answer == expected, "the server differs on \(query)")
                if random.chance(20) {
                    let count = try await query.count().get()
                    #expect(
                        try await query.asked(of: remote).count().get() == count,
                        "the server counts differently: \(query)")
                }
            }
        }
    }
}
