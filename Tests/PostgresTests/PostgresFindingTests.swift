import Feedback
import Foundation
import Persistence
import Testing

@testable import Postgres

@Suite("Reads of several ids by one statement of PostgreSQL")
struct PostgresFindingTests {
    private func find<Object>(_ ids: [Object.ID], in store: PostgresStore<Object>) async throws -> [Object?] {
        try await store.table.rows(withIds: ids.map(\.primitiveValue), in: store.database).map { outcome in
            try outcome.get().map { row throws(StoreError) in try store.table.object(of: row) }
        }
    }

    @Test("Each id has its object, or none, also if an id is asked for twice")
    func found() async throws {
        let films = try await PostgresStore(Film.schema, in: TestServer.running().database())
        try await films.insert((0..<50).map { .fixture(id: $0) })
        #expect(try await find([7, 100, 3, 7], in: films).map { $0?.id } == [7, nil, 3, 7])
        let many = Array(0..<200)
        #expect(try await find(many, in: films).map { $0?.id } == many.map { $0 < 50 ? $0 : nil })
        #expect(try await find([1], in: films) == [.fixture(id: 1)])
    }

    @Test("PostgreSQL does not make a plan for each list of ids, however short")
    func plans() async throws {
        let database = try TestServer.running().database { $0.maximumConnections = 1 }
        let films = try await PostgresStore(Film.schema, in: database)
        try await films.insert((0..<2_000).map { .fixture(id: $0) })
        try database.execute("ANALYZE films")
        for id in 0..<20 { _ = try await find([id, id + 1], in: films) }
        let plans = try database.rows(
            "SELECT custom_plans FROM pg_prepared_statements WHERE statement LIKE '%ANY($1)'")
        // PostgreSQL makes five before it compares their costs with those of a plan for all lists.
        #expect(plans == [[.integer(5)]])
    }

    @Test("A row that cannot be read is the failure of its own read only")
    func unreadable() async throws {
        let films = try await PostgresStore(Film.schema, in: TestServer.running().database())
        try await films.insert((1...3).map { .fixture(id: $0) })
        try films.database.execute("UPDATE films SET rating = 'X' WHERE id = 2")
        let ids = [1, 2, 3].map(\.primitiveValue)
        let rows = await films.table.rows(withIds: ids, in: films.database)
        let read = rows.map { outcome in
            Result { () throws(StoreError) in
                try outcome.get().map { row throws(StoreError) in try films.table.object(of: row) }
            }
        }
        #expect(try read[0].get() == .fixture(id: 1))
        guard case .failure(.unreadable(table: "films", id: "2", column: "rating", found: _)) = read[1] else {
            Issue.record("\(read[1]) is another result")
            return
        }
        #expect(try read[2].get() == .fixture(id: 3))
    }

    @Test("A statement that fails is the failure of all its reads")
    func failed() async throws {
        let films = try await PostgresStore(Film.schema, in: TestServer.running().database())
        try films.database.execute("ALTER TABLE films RENAME TO movies")
        let outcomes = await films.table.rows(withIds: [1, 2].map(\.primitiveValue), in: films.database)
        #expect(outcomes.count == 2)
        for outcome in outcomes { #expect(throws: StoreError.self) { try outcome.get() } }
    }

    @Test("A statement is short if it can be sent, with its parameters, before the server reads")
    func short() throws {
        let parameters = try PostgresParameters(.text(String(repeating: "a", count: 100)))
        let most = PostgresConnection.maximumUnreadSize - parameters.size
        #expect(PostgresStatement(text: String(repeating: "a", count: most), parameters: parameters).isShort)
        #expect(!PostgresStatement(text: String(repeating: "a", count: most + 1), parameters: parameters).isShort)
    }

    @Test("Ids of each kind are found", arguments: [1, 2, 3])
    func kinds(count: Int) async throws {
        try await expectFound((0..<count).map { Word(id: "l\u{e4}ng \($0)") }, "words")
        try await expectFound(
            (0..<count).map { Word(id: Date(timeIntervalSinceReferenceDate: Double($0) / 3)) }, "times")
        try await expectFound((0..<count).map { _ in Word(id: UUID()) }, "uuids")
        try await expectFound((0..<count).map { Word(id: UInt64.max - UInt64($0)) }, "numbers")
        try await expectFound([.nan, -0.0, 1.5].prefix(count).map { Word(id: $0) }, "reals")
        try await expectFound((0..<count).map { Word(id: Data([UInt8($0), 0])) }, "bytes")
        // The stored form is not the one that is read from it, so each is read alone.
        try await expectFound((0..<count).map { Word(id: Code(exactly: "a\($0)")) }, "codes")
    }

    private func expectFound<ID>(_ words: [Word<ID>], _ name: String) async throws {
        let schema = Schema<Word<ID>>(name, Word.init, Column("id", \.id))
        let store = try await PostgresStore(schema, in: TestServer.running().database())
        try await store.insert(words)
        let found = try await find(words.map(\.id), in: store)
        #expect(
            found.map { $0?.id.primitiveValue }
                == words.map { ID(primitiveValue: $0.id.primitiveValue)?.primitiveValue }, "\(name)")
    }
}

private struct Word<ID: Primitive>: Identifiable {
    var id: ID
}

/// A text that is read in capital letters.
private struct Code: RawRepresentable, Primitive {
    let rawValue: String

    init(exactly text: String) { rawValue = text }
    init(rawValue: String) { self.rawValue = rawValue.uppercased() }
}
