import Feedback
import Foundation
import Persistence
import Postgres
import Testing

@Suite("Statements of SQL on PostgreSQL")
struct PostgresStatementTests {
    fileprivate static let controlling: [SQL] = [
        "COMMIT", "ROLLBACK", "  end", "ABORT", "SAVEPOINT a", "RELEASE step", "ROLLBACK TO step", "BEGIN",
        "START TRANSACTION",
        "-- a comment\nCOMMIT", "/* one /* in another */ */ COMMIT", ";; COMMIT", "PREPARE TRANSACTION 'a'",
    ]

    @Test(
        "A statement of SQL does not end the transaction that it is part of",
        arguments: PostgresStatementTests.controlling.indices)
    func transactionControl(_ index: Int) throws {
        let films = try PostgresStore(Film.schema, in: TestServer.running().database())
        let error = #expect(throws: StoreError.self) {
            try films.transaction { films throws(StoreError) in
                try films.insert([.fixture(id: 1)])
                try films.execute(Self.controlling[index])
            }.get()
        }
        guard case .refused? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        #expect(try films.all().count().get() == 0)
    }

    @Test("A statement that selects rows leaves no transaction behind")
    func leftOpen() throws {
        let database = try TestServer.running().database { $0.maximumConnections = 1 }
        let films = try PostgresStore(Film.schema, in: database)
        #expect(throws: StoreError.self) { try database.rows("BEGIN") }
        // A check of the first word alone would not find it.
        _ = try? database.rows("DO $$ BEGIN COMMIT; END $$")
        try films.insert(.fixture(id: 1)).get()
        #expect(try films.find(1) != nil)
        let rows = try database.rows(
            "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' AND query LIKE 'BEGIN'")
        #expect(rows == [[.integer(0)]])
    }

    @Test("A name is only a name, whatever is in it")
    func names() throws {
        struct Odd: Identifiable, Hashable, Sendable {
            var id: Int
            var text: String
        }
        let schema = Schema<Odd>(
            "Cafe\u{301} o\"\u{301}; DROP TABLE films; --", Odd.init, Column("i\"d", \.id),
            Column("t\"\u{301} text); --", \.text, isIndexed: true))
        let database = try TestServer.running().database()
        let films = try PostgresStore(Film.schema, in: database)
        let odd = try PostgresStore(schema, in: database)
        try odd.insert(Odd(id: 1, text: "a\" OR 1 = 1")).get()
        #expect(try odd.filter(where: \.text == "a\" OR 1 = 1").result().get() == [Odd(id: 1, text: "a\" OR 1 = 1")])
        #expect(try odd.delete(where: \.text == "none").get() == 0)
        // Opened again, the table is the schema's.
        #expect(try PostgresStore(schema, in: database).find(1)?.text == "a\" OR 1 = 1")
        #expect(try films.all().count().get() == 0)
    }
}
