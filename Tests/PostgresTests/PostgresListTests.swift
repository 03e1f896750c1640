import Foundation
import Persistence
import Postgres
import Testing

@Suite("Conditions with long lists")
struct PostgresListTests {
    /// A list that is longer than one statement has parameters.
    private static let length = 40_000

    private static func film(_ number: Int) -> Film {
        var film = Film.fixture(id: number * 1_000, title: "t\(number)", budget: number, studio: uuid(number))
        film.score = number == 7 ? .nan : Double(number) / 2
        film.year = number % 3 == 0 ? nil : number
        film.subtitle = number % 5 == 0 ? nil : "\"s\",{\(number)}\\é"
        film.premiere = number % 4 == 0 ? nil : Date(timeIntervalSinceReferenceDate: Double(number))
        film.poster = number % 6 == 0 ? nil : data(number)
        film.votes = votes(number)
        return film
    }

    private static func uuid(_ number: Int) -> UUID {
        UUID(uuid: (UInt8(number & 0xFF), UInt8(number >> 8), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }

    private static func data(_ number: Int) -> Data { Data([UInt8(number & 0xFF), UInt8(number >> 8)]) }

    private static func votes(_ number: Int) -> UInt64 { number % 2 == 0 ? .max - UInt64(number) : UInt64(number) }

    /// Conditions that about half of the films meet.
    private static var conditions: [Condition<Film>] {
        let numbers = Array(30..<30 + length)
        let scores = numbers.map { Double($0) / 2 } + [.nan, .infinity, 0]
        let subtitles: [String?] = numbers.map { "\"s\",{\($0)}\\e\u{301}" }
        let premieres: [Date?] = numbers.map { Date(timeIntervalSinceReferenceDate: Double($0)) }
        return [
            .in(\.id, numbers), .in(\.title, numbers.map { "t\($0)" } + ["a\u{0}b"]), .in(\.score, scores),
            .in(\.year, numbers), .in(\.year, numbers + [nil]), .in(\.subtitle, subtitles),
            .in(\.premiere, premieres), .in(\.studio, numbers.map { uuid($0) }),
            .in(\.poster, numbers.map { data($0) } + [Data()]), .in(\.votes, numbers.map { votes($0) }),
        ]
    }

    @Test("A list of any length is tested by the server, and the answers are those of the store in memory")
    func longLists() throws {
        let films = try PostgresStore(Film.schema, in: TestServer.running().database())
        let expected = MemoryStore(id: \Film.id)
        let stored = (0..<60).map { Self.film($0) }
        try films.insert(stored).get()
        try expected.insert(stored).get()
        let conditions = Self.conditions
        for condition in conditions + conditions.map({ !$0 }) + [
            conditions[0] || conditions[4], conditions[1] && !conditions[5],
        ] {
            let query = films.filter(where: condition)
            let answer = try expected.filter(where: condition).sorted(by: \.id).result().get()
            // NaN equals no number, so the films are compared by their ids.
            #expect(try query.result().get().map(\.id) == answer.map(\.id))
            #expect(try query.plan().get().steps.allSatisfy { !$0.hasPrefix("FILTER in memory") })
        }
        #expect(try films.delete(where: conditions[1]).get() == 30)
        #expect(try films.update(where: !conditions[3], set: .value(\.budget, -1)).get() == 30)
    }

    @Test("A connection that has answered a long list often does not slow down")
    func repeatedly() throws {
        let films = try PostgresStore(
            Film.schema, in: TestServer.running().database { $0.maximumConnections = 1 })
        try films.database.execute(
            """
            INSERT INTO films SELECT n, '', 'G', n, n, NULL, NULL, false, NULL, \(UUID.zero), NULL, n, NULL, NULL, '[]', NULL
            FROM generate_series(1, 50000) n
            """)
        // The score has no index. After five executions, PostgreSQL may keep a plan that knows nothing of the values, in
        // which each row would be compared with each value of an array.
        let query = films.filter(where: .in(\.score, (0..<5_000).map { Double($0 * 2) }))
        var times: [Duration] = []
        for _ in 0..<9 {
            let start = ContinuousClock.now
            #expect(try query.count().get() == 4_999)
            times.append(start.duration(to: .now))
        }
        #expect(try #require(times[5...].min()) < #require(times[..<5].max()) * 10)
    }
}
