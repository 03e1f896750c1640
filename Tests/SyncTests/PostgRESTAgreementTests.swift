import FeedbackTesting
import Foundation
import Persistence
import Testing

@testable import Sync

@Suite("The server answers as every other store does", .onOwnThread)
struct PostgRESTAgreementTests {
    /// The number of random queries; `SYNC_QUERIES` changes it.
    static let queries = ProcessInfo.processInfo.environment["SYNC_QUERIES"].flatMap(Int.init) ?? 200

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
                let query = random.query(for: memory, depth: 4)
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

    @Test("The same holds for a model with every other kind of column, from its schema alone", arguments: 1...4)
    func anyModel(seed: UInt64) async throws {
        let measurements = Measurement.random(150, seed: seed)
        let memory = MemoryStore(Measurement.schema)
        try await memory.insert(measurements)
        var random = RandomQueries(Measurement.schema, objects: measurements, seed: seed)
        try await withServer(of: Measurement.schema, measurements) { (server) async throws in
            for _ in 0..<Self.queries / 4 {
                let query = random.query(for: memory)
                let expected = try await query.result()
                #expect(try await query.asked(of: server.table).result() == expected, "SQLite differs on \(query)")
                #expect(try await query.asked(of: server.store).result() == expected, "the server differs on \(query)")
                let count = try await query.count()
                #expect(try await query.asked(of: server.store).count() == count, "the count differs: \(query)")
            }
        }
    }

    @Test("Objects of every kind of column are written, and read back as they were")
    func writing() async throws {
        try await withServer(of: Measurement.schema) { (server) async throws in
            let measurements =
                Measurement.random(60, seed: 5) + Measurement.extremes.filter { !$0.order.contains("\0") }
            try await server.store.insert(measurements)
            let sorted = measurements.sorted { $0.id < $1.id }
            #expect(try await server.store.all().result() == sorted)
            #expect(try await server.table.all().result() == sorted)
            var changed = measurements[0]
            changed.payload = Data([1, 2, 3])
            #expect(try await server.store.update(changed) == changed)
            #expect(try await server.store.object(withId: changed.id) == changed)
            try await server.store.delete(changed)
            #expect(try await server.store.object(withId: changed.id) == nil)
        }
    }

    @Test("A date between two microseconds is compared here, as PostgreSQL has no such date")
    func unsendableDate() async throws {
        let date = Date(timeIntervalSinceReferenceDate: 0.000_000_1)
        let translation = try PostgRESTTranslation(
            \Measurement.takenAt > date, in: Measurement.schema, textOrder: .codePoints)
        #expect(!translation.isExact)
    }
}
