import FeedbackTesting
import Foundation
import Persistence
import Postgres
import Testing

@Suite("PostgreSQL gives the answers of the other stores")
struct PostgresAgreementTests {
    /// The number of random queries; `POSTGRES_QUERIES` changes it.
    static let queries = ProcessInfo.processInfo.environment["POSTGRES_QUERIES"].flatMap(Int.init) ?? 200

    @Test(
        "Random queries on random films give identical answers from memory, SQLite and PostgreSQL", .onOwnThread,
        arguments: 1...2)
    func randomQueries(seed: UInt64) throws {
        var random = RandomFilms(seed: seed + 100, hasZeroBytes: false)
        let films = random.films(250).shuffled(using: &random.numbers)
        let memory = MemoryStore(Film.schema)
        let sqlite = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        let postgres = try PostgresStore(Film.schema, in: TestServer.running().database())
        try memory.insert(films).get()
        try sqlite.insert(films).get()
        try postgres.insert(films).get()

        var answered = 0
        for _ in 0..<Self.queries / 2 {
            let query = random.query(for: memory)
            let expected = try query.result().get()
            if !expected.isEmpty { answered += 1 }
            var isSame = same(expected, PlainAnswer(query).answer(from: films))
            #expect(isSame, "memory differs from the reference on \(query)")
            isSame = same(try query.asked(of: sqlite).result().get(), expected)
            #expect(isSame, "SQLite differs on \(query)")
            isSame = same(try query.asked(of: postgres).result().get(), expected)
            #expect(isSame, "PostgreSQL differs on \(query)")
            isSame = same(try query.optimized.asked(of: postgres).result().get(), expected)
            #expect(isSame, "optimized, PostgreSQL differs on \(query)")
            let count = try query.count().get()
            #expect(
                try query.asked(of: postgres).count().get() == count, "PostgreSQL counts differently on \(query)")
        }
        #expect(answered > Self.queries / 20, "too few queries found anything")
    }

    @Test("Random aggregates agree with those of memory", .onOwnThread)
    func aggregates() throws {
        var random = RandomFilms(seed: 121, hasZeroBytes: false)
        let films = random.films(200)
        let memory = MemoryStore(Film.schema)
        let postgres = try PostgresStore(Film.schema, in: TestServer.running().database())
        try memory.insert(films).get()
        try postgres.insert(films).get()
        for round in 0..<150 {
            let query = random.query(for: memory)
            let attribute = random.pick(Film.schema.columns).attribute
            var kinds = [Aggregate<Film>.Kind.minimum, .maximum, .distinct, .counts]
            if [.integer, .unsigned, .real].contains(attribute.kind) { kinds += [.sum, .average] }
            for kind in kinds {
                let aggregate = Aggregate(kind, of: attribute)
                let expected = Result { () throws(StoreError) in
                    try memory.aggregate(aggregate, of: query).values()
                }
                let rows = Result { () throws(StoreError) in
                    try postgres.aggregate(aggregate, of: query.asked(of: postgres)).values()
                }
                #expect(rows == expected, "in round \(round): \(kind) of \(attribute) for \(query)")
            }
        }
    }

    @Test("Random writes by a condition do what they do in memory", .onOwnThread)
    func writesByCondition() throws {
        var random = RandomFilms(seed: 131, hasZeroBytes: false)
        let films = random.films(120)
        let server = try TestServer.running()
        let postgres = try PostgresStore(Film.schema, in: server.database())
        for round in 0..<20 {
            let memory = MemoryStore(Film.schema)
            try memory.insert(films).get()
            _ = try postgres.merge(films).get()
            let (first, second) = (random.condition(depth: 3), random.condition(depth: 3))
            let merged = random.films(30)
            func write(_ store: some TestedStore) throws -> [Int] {
                let updated = try store.update(
                    where: first, set: .value(\.year, nil), .value(\.title, "q\u{307}\u{323}"), .value(\.votes, .max)
                ).get()
                let result = try store.merge(merged, where: second).get()
                let deleted = try store.delete(where: first || second).get()
                return [updated, result.inserted.count, result.updated.count, result.deleted.count, deleted]
            }
            #expect(try write(postgres) == write(memory), "in round \(round)")
            let isSame = try same(postgres.all().result().get(), memory.all().result().get())
            #expect(isSame, "in round \(round)")
        }
    }

    /// Returns true for equal films, where NaN equals NaN. (The films are no part of an expectation, as Foundation cannot print
    /// all of their dates.)
    private func same(_ lhs: [Film], _ rhs: [Film]) -> Bool {
        lhs.count == rhs.count
            && zip(lhs, rhs).allSatisfy { lhs, rhs in
                lhs == rhs
                    || Film.schema.columns.allSatisfy { $0.attribute.value(in: lhs) == $0.attribute.value(in: rhs) }
            }
    }
}
