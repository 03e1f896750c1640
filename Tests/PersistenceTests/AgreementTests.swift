import FeedbackTesting
import Foundation
import Persistence
import Testing

@Suite("The same query gives the same answer on every store", .onOwnThread)
struct AgreementTests {
    /// The number of random queries; `PERSISTENCE_QUERIES` changes it.
    static let queries = ProcessInfo.processInfo.environment["PERSISTENCE_QUERIES"].flatMap(Int.init) ?? 600

    @Test(
        "Random queries on random films give identical answers from memory and SQLite", arguments: 1...4)
    func randomQueries(seed: UInt64) throws {
        var random = RandomFilms(seed: seed)
        let films = random.films(250).shuffled(using: &random.numbers)
        let memory = MemoryStore(Film.schema)
        let plain = MemoryStore(id: \Film.id)
        let sqlite = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        try memory.insert(films).get()
        try plain.insert(films).get()
        try sqlite.insert(films).get()

        var answered = 0
        for _ in 0..<Self.queries / 4 {
            let query = random.query(for: memory)
            let expected = try query.result().get()
            if !expected.isEmpty { answered += 1 }
            let reference = PlainAnswer(query).answer(from: films)
            var isSame = same(expected, reference)
            #expect(isSame, "memory differs from the reference on \(query)")
            isSame = same(try query.asked(of: plain).result().get(), expected)
            #expect(
                isSame,
                "the store without indexes differs on \(query)")
            isSame = same(try query.asked(of: sqlite).result().get(), expected)
            #expect(isSame, "SQLite differs on \(query)")
            isSame = same(try query.optimized.result().get(), expected)
            #expect(isSame, "optimized, the answer differs on \(query)")
            let count = try query.count().get()
            #expect(try query.asked(of: sqlite).count().get() == count, "SQLite counts differently on \(query)")
        }
        #expect(answered > Self.queries / 10, "too few queries found anything")
    }

    @Test("Conditions of any depth give identical answers")
    func depths() throws {
        var random = RandomFilms(seed: 9)
        let films = random.films(200)
        let memory = MemoryStore(Film.schema)
        let sqlite = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        try memory.insert(films).get()
        try sqlite.insert(films).get()
        var condition = random.condition(depth: 1)
        for depth in 1...80 {
            let other = random.condition(depth: 2)
            condition =
                depth % 3 == 0 ? !(condition && other) : depth % 3 == 1 ? condition || other : condition && other
            // Otherwise it would soon be true of all films, or of none.
            condition = depth % 2 == 0 ? condition || \.id == depth * 3 - 20 : condition && \.id != depth * 3 - 20
            let query = memory.filter(where: condition).sorted(by: \.title)
            let isSame = same(try query.result().get(), try query.asked(of: sqlite).result().get())
            #expect(isSame, "at depth \(depth)")
        }
    }

    @Test("A condition that is nested a thousand deep is answered")
    func veryDeep() throws {
        var condition: Condition<Film> = \.id == 1
        for depth in 0..<1_000 {
            condition = depth % 2 == 0 ? condition || \.id == depth : condition && \.budget != depth
        }
        let memory = MemoryStore(Film.schema)
        let sqlite = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        for id in 0..<20 {
            try memory.insert(.fixture(id: id, budget: id * 2)).get()
            try sqlite.insert(.fixture(id: id, budget: id * 2)).get()
        }
        let expected = try memory.filter(where: condition).result().get().map(\.id)
        #expect(expected == [0, 1, 2, 4, 6, 8, 10, 12, 14, 16, 18])
        #expect(try sqlite.filter(where: condition).result().get().map(\.id) == expected)
        #expect(try sqlite.filter(where: !condition).count().get() == 20 - expected.count)
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
