import Foundation
import Sync
import Persistence
import Testing

@Suite("The server's answer is that of every other store")
struct PostgRESTAgreementTests {
    /// How many random queries to ask; `SYNC_QUERIES` raises it.
    static let queries = ProcessInfo.processInfo.environment["SYNC_QUERIES"].flatMap(Int.init) ?? 400

    @Test("Random queries on random films give identical answers from memory, SQLite and the server", arguments: 1...4)
    func randomQueries(seed: UInt64) async throws {
        var random = RandomFilms(seed: seed)
        let films = random.films(200)
        let memory = MemoryStore(Film.schema)
        try await memory.insert(films)
        // The last server gives less at once than it is asked for.
        try await withFilms(films, maximumRows: seed == 4 ? 17 : nil) { (server) async throws in
            var remote = PostgRESTStore(Film.schema, accessible: server.session)
            if seed == 3 {
                remote = PostgRESTStore(Film.schema, accessible: server.session) {
                    $0.textOrder = .other
                    $0.rowsPerRequest = 30
                    $0.maximumConditionLength = 300
                }
            }
            for _ in 0..<Self.queries / 4 {
                let query = random.query(for: memory)
                let expected = try await query.result()
                #expect(
                    try await query.asked(of: server.table).result() == expected, "SQLite differs on \(query)")
                let answer = try await query.asked(of: remote).result()
                #expect(answer == expected, "the server differs on \(query)")
                if random.chance(20) {
                    let count = try await query.count()
                    #expect(
                        try await query.asked(of: remote).count() == count,
                        "the server counts differently: \(query)")
                }
            }
        }
    }
}
