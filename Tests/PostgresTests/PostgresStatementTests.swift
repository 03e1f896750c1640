import Feedback
import Foundation
import Persistence
import Postgres
import Synchronization
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

    @Test("A statement that fails within a part of a transaction is undone with that part")
    func failedRead() throws {
        let films = try PostgresStore(Film.schema, in: TestServer.running().database())
        try films.transaction { films throws(StoreError) in
            try films.insert([.fixture(id: 1)])
            #expect(throws: StoreError.self) {
                try films.withSavepoint {
                    try films.insert([.fixture(id: 2)])
                    // PostgreSQL then refuses every other statement of the transaction.
                    _ = try? films.select("SELECT nothing")
                    try films.insert([.fixture(id: 3)])
                }
            }
            try films.insert([.fixture(id: 4)])
        }.get()
        #expect(try films.sorted(by: \.id).result().get().map(\.id) == [1, 4])
    }

    @Test("A statement that selects objects may end with a semicolon", arguments: [";", " ;\n", "; ;"])
    func semicolonAtEnd(_ end: String) throws {
        let films = try PostgresStore(Film.schema, in: TestServer.running().database())
        try films.insert(.fixture(id: 1)).get()
        let statement = SQL(stringLiteral: "SELECT * FROM films" + end)
        #expect(try films.select(statement).get() == [.fixture(id: 1)])
        let selected = try films.perform { films throws(StoreError) in try films.select(statement) }
        #expect(selected == [.fixture(id: 1)])
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

    @Test("Statements that differ only in the composition of their letters are different ones")
    func compositions() throws {
        let database = try TestServer.running().database { $0.maximumConnections = 1 }
        try database.execute("CREATE TABLE words (word text)")
        for text in ["\u{E9}", "e\u{301}", "\u{E9}"] {
            let bytes = PrimitiveValue.data(Data(text.utf8))
            #expect(try database.rows(SQL(stringLiteral: "SELECT '\(text)'::bytea")) == [[bytes]])
            try database.execute(SQL(stringLiteral: "INSERT INTO words VALUES ('\(text)')"))
            #expect(try database.rows("SELECT word::bytea FROM words") == [[bytes]])
            try database.execute("DELETE FROM words")
        }
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

    // MARK: - COPY

    @Test(
        "COPY is refused, and the next statement is answered",
        arguments: ["COPY films FROM STDIN", "COPY films TO STDOUT", "COPY (SELECT 1) TO STDOUT"])
    func copy(_ statement: String) throws {
        let address = try TestServer.running().address()
        var configuration = PostgresDatabase.Configuration()
        configuration.maximumConnections = 1
        let database = try PostgresDatabase(address, configuration: configuration)
        let films = try PostgresStore(Film.schema, in: database)
        try films.insert(.fixture(id: 1)).get()
        let copy = SQL(stringLiteral: statement)
        let attempts = Atomic(0)
        let errors = [
            #expect(throws: StoreError.self) { try database.execute(copy) },
            #expect(throws: StoreError.self) { try database.rows(copy) },
            #expect(throws: StoreError.self) {
                try films.perform { films throws(StoreError) in
                    attempts.add(1, ordering: .relaxed)
                    try films.insert([.fixture(id: 2)])
                    // A body that swallows the error does not make it go away.
                    _ = try? films.execute(copy)
                }
            },
        ]
        for error in errors {
            guard case .refused(let reason)? = error else {
                Issue.record("\(String(describing: error)) is another error")
                continue
            }
            #expect(reason.contains("COPY") || (statement.contains("STDIN") && reason.contains("read-only")))
        }
        #expect(attempts.load(ordering: .relaxed) == 1)
        let error = #expect(throws: StoreError.self) {
            _ = try PostgresDatabase(address, migrations: [Migration(to: 2, "DELETE FROM films", statement)])
        }
        guard case .migrationFailed? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        #expect(try films.all().result().get().map(\.id) == [1])
        // This one concerns the server alone.
        #expect(try database.execute("COPY films TO '/dev/null'") == 1)
    }

    // MARK: - Reading only

    /// A database with an empty table and a function that writes a row and returns the films.
    private func logging(at address: String) throws -> PostgresStore<Film> {
        let films = try PostgresStore(Film.schema, in: PostgresDatabase(address))
        try films.insert(.fixture(id: 1)).get()
        try films.database.execute("CREATE TABLE log (number int)")
        try films.database.execute(
            """
            CREATE FUNCTION logging() RETURNS SETOF films LANGUAGE plpgsql AS
            $$ BEGIN INSERT INTO log VALUES (1); RETURN QUERY SELECT * FROM films; END $$
            """)
        return films
    }

    @Test("A statement that selects rows cannot write, so it can be repeated after a lost connection")
    func readOnly() async throws {
        let films = try logging(at: TestServer.running().address())
        let database = films.database
        let errors = [
            #expect(throws: StoreError.self) { try database.rows("INSERT INTO log VALUES (1) RETURNING number") },
            #expect(throws: StoreError.self) { try database.rows("SELECT id FROM logging()") },
            #expect(throws: StoreError.self) { try films.select("SELECT * FROM logging()").get() },
            await #expect(throws: StoreError.self) { try await films.select("SELECT * FROM logging()") },
        ]
        for error in errors {
            guard case .refused(let reason)? = error else {
                Issue.record("\(String(describing: error)) is another error")
                continue
            }
            #expect(reason.contains("read-only"))
        }
        #expect(try database.rows("SELECT count(*) FROM log") == [[.integer(0)]])
        // In a transaction it may.
        let found = try films.perform { films throws(StoreError) in try films.select("SELECT * FROM logging()") }
        #expect(found.map(\.id) == [1])
        #expect(try database.rows("SELECT count(*) FROM log") == [[.integer(1)]])
    }

    @Test("A statement that writes in a transaction is done once if the answer to the commit is lost")
    func writingSelect() throws {
        let server = try TestServer.running()
        let proxy = try CuttingProxy(to: server.folder)
        defer { proxy.close() }
        let films = try logging(at: server.address(folder: proxy.folder))
        proxy.cutNext(.after)
        let found = try films.perform { films throws(StoreError) in try films.select("SELECT * FROM logging()") }
        #expect(found.map(\.id) == [1])
        #expect(try films.database.rows("SELECT count(*) FROM log") == [[.integer(1)]])
    }

    @Test("Rows that a statement selects take one round trip to the server")
    func roundTrips() throws {
        let server = try TestServer.running()
        let proxy = try CuttingProxy(to: server.folder)
        defer { proxy.close() }
        let films = try PostgresStore(Film.schema, in: PostgresDatabase(server.address(folder: proxy.folder)))
        try films.insert(.fixture(id: 1)).get()
        for number: Int64 in 1...3 {
            let before = proxy.roundTrips
            #expect(try films.database.rows("SELECT \(number) + count(*) FROM films") == [[.integer(number + 1)]])
            #expect(proxy.roundTrips == before + 1)
            #expect(try films.select("SELECT * FROM films").get().map(\.id) == [1])
            #expect(proxy.roundTrips == before + 2)
        }
        // The transaction has ended, also after an error.
        #expect(throws: StoreError.self) { try films.database.rows("SELECT 1 / 0") }
        #expect(throws: StoreError.self) { try films.database.rows("SELECT nothing FROM films") }
        #expect(throws: StoreError.self) { try films.database.rows("DELETE FROM films RETURNING id") }
        try films.insert(.fixture(id: 2)).get()
        #expect(try films.database.rows("SELECT id FROM films ORDER BY id") == [[.integer(1)], [.integer(2)]])
    }

    @Test("A row that an outer join leaves empty fails as a row without an id")
    func outerJoin() throws {
        let films = try PostgresStore(Film.schema, in: TestServer.running().database())
        try films.insert([.fixture(id: 1), .fixture(id: 2)]).get()
        #expect(throws: StoreError.unreadable(table: "films", id: nil, column: "id", found: "nil")) {
            try films.select("SELECT f.* FROM films LEFT JOIN films f ON f.id = films.id + 1").get()
        }
    }

    @Test("A failed step of a transaction is undone, however many statements are prepared")
    func manyPrepared() throws {
        let address = try TestServer.running().address()
        // The server closes statements to prepare others, but not while a step has failed.
        for count in 235...255 {
            let films = try PostgresStore(Film.schema, in: PostgresDatabase(address))
            try films.perform { films throws(StoreError) in
                for number in 0..<count { try films.execute(SQL(stringLiteral: "SELECT \(number)")) }
                let error = #expect(throws: StoreError.self) { try films.execute("SELECT 1 / 0") }
                #expect(error?.description.contains("zero") == true)
                try films.upsert([.fixture(id: count)])
            }
            #expect(try films.find(count) != nil)
        }
    }

    // MARK: - Texts and values

    @Test("A time of the server is a date, also in 4714 BC, and is infinite if the server's is")
    func times() throws {
        let database = try TestServer.running().database()
        let rows = try database.rows(
            """
            SELECT 'infinity'::timestamptz, '-infinity'::timestamptz, '4714-11-24 00:00:00+00 BC'::timestamptz,
                '2001-01-01 01:00:00.25+01'::timestamptz
            """)
        let dates = rows[0].map { if case .date(let date) = $0 { date.timeIntervalSinceReferenceDate } else { 0.0 } }
        // The Julian day 0 is 2,451,911 days before 2001-01-01.
        #expect(dates == [.infinity, -.infinity, -2_451_911 * 86_400, 0.25])
    }

    @Test("A statement with a zero byte is refused, rather than cut off there")
    func zeroByte() throws {
        let films = try PostgresStore(Film.schema, in: TestServer.running().database())
        try films.insert([.fixture(id: 1), .fixture(id: 2)]).get()
        let database = films.database
        let errors = [
            #expect(throws: StoreError.self) { try database.execute("DELETE FROM films\u{0} WHERE id = 1") },
            #expect(throws: StoreError.self) { try database.rows("SELECT 1 \u{0} FROM films") },
            #expect(throws: StoreError.self) { try films.select("SELECT * FROM films) AS f\u{0} WHERE id = 1").get() },
        ]
        for error in errors {
            guard case .refused? = error else {
                Issue.record("\(String(describing: error)) is another error")
                continue
            }
        }
        #expect(try films.all().count().get() == 2)
    }

    @Test("A statement with more values than PostgreSQL takes is refused")
    func tooManyValues() throws {
        var statement = SQL.StringInterpolation(literalCapacity: 0, interpolationCount: 0)
        statement.appendLiteral("SELECT 1 WHERE 1 IN (1")
        for number in 0..<65_536 {
            statement.appendLiteral(", ")
            statement.appendInterpolation(number)
        }
        statement.appendLiteral(")")
        let database = try TestServer.running().database()
        let sql = SQL(stringInterpolation: statement)
        for error in [
            #expect(throws: StoreError.self) { try database.rows(sql) },
            #expect(throws: StoreError.self) { try database.execute(sql) },
        ] {
            guard case .refused? = error else {
                Issue.record("\(String(describing: error)) is another error")
                continue
            }
        }
    }

    @Test("An update by condition sets a property as Swift does")
    func observedProperties() throws {
        struct Review: Identifiable, Equatable, Sendable {
            var id: Int
            var stars: Int { didSet { stars = min(stars, 5) } }

            static let schema = Schema("reviews", Review.init, Column("id", \.id), Column("stars", \.stars))
        }
        let reviews = try PostgresStore(Review.schema, in: TestServer.running().database())
        try reviews.insert([Review(id: 1, stars: 1), Review(id: 2, stars: 7)]).get()
        #expect(try reviews.update(where: \.id == 1, set: .value(\.stars, 9)).get() == 1)
        #expect(try reviews.all().result().get().map(\.stars) == [5, 7])
    }
}
