import Foundation
import Persistence
import Postgres
import Testing

@Suite("Tables and roles that somebody else has made")
struct PostgresForeignTableTests {
    private struct Reading: Identifiable, Equatable, Sendable {
        var id: Int
        var level: Int
        var total: UInt64
        var name: String

        static let schema = Schema<Reading>(
            "readings", Reading.init, Column("id", \.id), Column("level", \.level), Column("total", \.total),
            Column("name", \.name))
    }

    @Test("An answer with fewer columns than were asked for is refused")
    func missingColumns() throws {
        let database = try TestServer.running().database { $0.maximumConnections = 1 }
        let notes = try PostgresStore(Note.schema, in: database)
        #expect(try notes.find("1") == nil)
        // Another statement takes the place of the prepared one.
        try database.execute(
            """
            DO $$ DECLARE prepared text; BEGIN
                SELECT name INTO STRICT prepared FROM pg_prepared_statements WHERE statement LIKE 'SELECT "id", "text"%';
                EXECUTE format('DEALLOCATE %I', prepared);
                EXECUTE format('PREPARE %I (text) AS SELECT $1', prepared);
            END $$
            """)
        let error = #expect(throws: StoreError.self) { try notes.find("1") }
        #expect(error == .schemaMismatch(table: "notes", reason: "the server has sent 1 of 2 columns"))
    }

    @Test("A number or text that its narrower column cannot hold is refused, and nothing else is lost")
    func narrowColumns() throws {
        let database = try TestServer.running().database()
        try database.execute(
            """
            CREATE TABLE readings (id int4 PRIMARY KEY, level smallint NOT NULL, total numeric(5) NOT NULL,
                name varchar(8) COLLATE "C" NOT NULL)
            """)
        let readings = try PostgresStore(Reading.schema, in: database)
        let reading = Reading(id: 1, level: -32_768, total: 99_999, name: "12345678")
        try readings.insert(reading).get()
        #expect(try readings.all().result().get() == [reading])
        let tooLarge = [
            Reading(id: 2, level: 32_768, total: 0, name: ""), Reading(id: 2, level: 0, total: 100_000, name: ""),
            Reading(id: 2, level: 0, total: .max, name: ""), Reading(id: .max, level: 0, total: 0, name: ""),
        ]
        for other in tooLarge {
            for write in [readings.insert(other), readings.upsert(other)] {
                let error = #expect(throws: StoreError.self) { try write.get() }
                guard case .outOfRange? = error else {
                    Issue.record("\(String(describing: error)) is another error")
                    continue
                }
            }
        }
        let error = #expect(throws: StoreError.self) {
            try readings.insert(Reading(id: 2, level: 0, total: 0, name: "123456789")).get()
        }
        guard case .constraint? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        // In a transaction, the other steps are kept.
        try readings.perform { readings throws(StoreError) in
            try readings.insert([Reading(id: 3, level: 3, total: 3, name: "3")])
            try? readings.insert([Reading(id: 4, level: 4, total: 4, name: "4"), tooLarge[0]])
            _ = try? readings.update(where: \.id == 3, set: [.value(\.level, 100_000)])
        }
        #expect(try readings.all().result().get().map(\.id) == [1, 3])
        // Conditions may name numbers that the column cannot hold.
        #expect(try readings.filter(where: \.level < 40_000).count().get() == 2)
        #expect(try readings.filter(where: \.level == 1 << 40 || \.total == .max).count().get() == 0)
        #expect(try readings.object(withId: .max).get() == nil)
        #expect(try readings.delete(ids: [.max, .min]).get() == 0)
        #expect(try readings.filter(where: .in(\.level, [3, 1 << 50])).result().get().map(\.id) == [3])
        #expect(try readings.all().sum(\.level).get() == 3 - 32_768)
    }

    @Test("A number with digits after the point is not read as a whole one")
    func fractions() throws {
        let database = try TestServer.running().database()
        try database.execute(
            "CREATE TABLE readings (id int8 PRIMARY KEY, level int8 NOT NULL, total numeric NOT NULL, name text COLLATE \"C\" NOT NULL)"
        )
        let readings = try PostgresStore(Reading.schema, in: database)
        for (id, total) in ["1.5", "-1", "'NaN'", "18446744073709551616", "'Infinity'"].enumerated() {
            try database.execute(SQL(stringLiteral: "INSERT INTO readings VALUES (\(id), 0, \(total), '')"))
            let error = #expect(throws: StoreError.self) { try readings.object(withId: id).get() }
            guard case .unreadable("readings", "\(id)", "total", _)? = error else {
                Issue.record("\(String(describing: error)) is another error")
                continue
            }
        }
    }

    @Test("A number of a statement of SQL that is not a whole one, or is too large, is the nearest real")
    func reals() throws {
        let database = try TestServer.running().database()
        for number in [
            "0.1", "-1.5", "12345678.90123", "0.00000000123", "1e40", "-123456789012345678901234567890.5",
            // Whole numbers that no kind holds: the first ones that 64 and 128 bits do not hold.
            "18446744073709551616", "-9223372036854775809", "170141183460469231731687303715884105727",
            "170141183460469231731687303715884105728", "-170141183460469231731687303715884105729",
        ] {
            let rows = try database.rows(SQL(stringLiteral: "SELECT \(number)::numeric"))
            #expect(try rows == [[.real(#require(Double(number)))]])
        }
        #expect(try database.rows("SELECT avg(n) FROM unnest(ARRAY[1, 2]) n") == [[.real(1.5)]])
        #expect(try database.rows("SELECT 10000::numeric, 0::numeric") == [[.integer(10_000), .integer(0)]])
        guard case .real(let number) = try database.rows("SELECT 'NaN'::numeric")[0][0] else {
            Issue.record("NaN is not a real")
            return
        }
        #expect(number.isNaN)
    }

    // MARK: - Partitions

    @Test("An id that is stored in a partition is a duplicate; other violations are not")
    func partitions() throws {
        let database = try TestServer.running().database()
        for statement: SQL in [
            """
            CREATE TABLE notes (id text COLLATE "C" PRIMARY KEY, text text COLLATE "C" NOT NULL) PARTITION BY RANGE (id)
            """,
            "CREATE TABLE early PARTITION OF notes FOR VALUES FROM ('a') TO ('m') PARTITION BY RANGE (id)",
            "CREATE TABLE earliest PARTITION OF early FOR VALUES FROM ('a') TO ('c')",
            "CREATE UNIQUE INDEX ON earliest (text)",
        ] { try database.execute(statement) }
        let notes = try PostgresStore(Note.schema, in: database)
        // A partition that is made while the store is open.
        try database.execute("CREATE TABLE \"Late\" PARTITION OF notes FOR VALUES FROM ('m') TO ('z')")
        try notes.insert([Note(id: "a", text: "1"), Note(id: "n", text: "2")]).get()
        for id in ["a", "n"] {
            #expect(throws: StoreError.duplicate(id: id)) { try notes.insert(Note(id: id, text: "3")).get() }
            try notes.perform { notes throws(StoreError) in
                try notes.insert([Note(id: "b\(id)", text: id)])
                #expect(throws: StoreError.duplicate(id: id)) { try notes.insert([Note(id: id, text: "3")]) }
                try notes.insert([Note(id: "o\(id)", text: id)])
            }
        }
        let error = #expect(throws: StoreError.self) { try notes.insert(Note(id: "bb", text: "1")).get() }
        guard case .constraint? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        #expect(try notes.sorted(by: \.id).result().get().map(\.id) == ["a", "ba", "bn", "n", "oa", "on"])
    }

    /// Expects that a text is refused the second time, and an id as a duplicate.
    private func expectTextsOnce(_ notes: PostgresStore<Note>) throws {
        try notes.insert(Note(id: "a", text: "1")).get()
        let error = #expect(throws: StoreError.self) { try notes.insert(Note(id: "b", text: "1")).get() }
        guard case .constraint? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        #expect(throws: StoreError.duplicate(id: "a")) { try notes.insert(Note(id: "a", text: "2")).get() }
    }

    @Test("An id that is stored in a table of the same name in another schema is not a duplicate")
    func otherSchema() throws {
        let database = try PostgresDatabase(TestServer.running().addressOfOwnDatabase())
        let notes = try PostgresStore(Note.schema, in: database)
        for statement: SQL in [
            "CREATE SCHEMA history", "CREATE TABLE history.notes (id text PRIMARY KEY)",
            """
            CREATE FUNCTION remember() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN INSERT INTO history.notes VALUES (new.text); RETURN NULL; END'
            """,
            "CREATE TRIGGER remember AFTER INSERT ON notes FOR EACH ROW EXECUTE FUNCTION remember()",
        ] { try database.execute(statement) }
        try expectTextsOnce(notes)
    }

    // MARK: - Roles

    /// An address for a role of its own, without a search path in the address.
    private func address(of role: String, _ setUp: [String]) throws -> String {
        let server = try TestServer.running()
        let owner = try server.database()
        for statement in ["CREATE ROLE \(role) LOGIN"] + setUp { try owner.execute(SQL(stringLiteral: statement)) }
        return "postgresql:///postgres?host=\(server.folder)&user=\(role)"
    }

    @Test("The tables of a role are in the first schema of its search path")
    func searchPath() async throws {
        let address = try address(
            of: "walker",
            [
                "CREATE SCHEMA walking AUTHORIZATION walker", "CREATE SCHEMA \"Odd, \"\"path\" AUTHORIZATION walker",
                "ALTER ROLE walker SET search_path = \"Odd, \"\"path\", walking, public",
            ])
        let migrations = [Migration(to: 2, "UPDATE films SET title = 'migrated'")]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 0..<4 {
                group.addTask {
                    let films = try await PostgresStore(
                        Film.schema, in: PostgresDatabase(address, migrations: migrations))
                    try await films.insert(.fixture(id: id))
                }
            }
            try await group.waitForAll()
        }
        let database = try await PostgresDatabase(address, migrations: migrations)
        #expect(try await PostgresStore(Film.schema, in: database).all().count() == 4)
        let places = try database.rows(
            "SELECT schemaname::text, tablename::text FROM pg_tables WHERE tableowner = 'walker' ORDER BY 2")
        #expect(places == ["feedback_version", "films"].map { [.text("Odd, \"path"), .text($0)] })
    }

    @Test("A role that may not make tables is told so, and reads and writes those that are there")
    func noPermission() throws {
        let address = try address(
            of: "guest",
            [
                "CREATE SCHEMA shared",
                "CREATE TABLE shared.notes (id text COLLATE \"C\" PRIMARY KEY, text text COLLATE \"C\" NOT NULL)",
                "GRANT USAGE ON SCHEMA shared TO guest", "GRANT SELECT, INSERT ON shared.notes TO guest",
                "ALTER ROLE guest SET search_path = nowhere, shared",
            ])
        let database = try PostgresDatabase(address)
        let notes = try PostgresStore(Note.schema, in: database)
        try notes.insert(Note(id: "a", text: "b")).get()
        #expect(try notes.all().result().get() == [Note(id: "a", text: "b")])
        let refused = [
            #expect(throws: StoreError.self) { _ = try PostgresStore(Film.schema, in: database) },
            #expect(throws: StoreError.self) { try notes.delete(ids: ["a"]).get() },
            #expect(throws: StoreError.self) {
                _ = try PostgresDatabase(address, migrations: [Migration(to: 2, "SELECT 1")])
            },
        ]
        for error in refused {
            guard case .refused(let reason)? = error else {
                Issue.record("\(String(describing: error)) is another error")
                continue
            }
            #expect(reason.hasPrefix("permission denied"))
        }
        let nowhere = try self.address(of: "nowhere", ["ALTER ROLE nowhere SET search_path = nowhere"])
        let error = #expect(throws: StoreError.self) {
            _ = try PostgresStore(Film.schema, in: PostgresDatabase(nowhere))
        }
        #expect(error?.description.contains("search_path") == true, "\(String(describing: error))")
    }

    @Test("A violated constraint about which the role may not ask is not taken for that of the ids")
    func hiddenConstraint() throws {
        let address = try address(
            of: "lodger",
            [
                "CREATE SCHEMA lodging", "CREATE SCHEMA hidden", "CREATE TABLE hidden.log (text text PRIMARY KEY)",
                "CREATE TABLE lodging.notes (id text COLLATE \"C\" PRIMARY KEY, text text COLLATE \"C\" NOT NULL)",
                """
                CREATE FUNCTION hidden.remember() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
                'BEGIN INSERT INTO hidden.log VALUES (new.text); RETURN NULL; END'
                """,
                "CREATE TRIGGER remember AFTER INSERT ON lodging.notes FOR EACH ROW EXECUTE FUNCTION hidden.remember()",
                "GRANT USAGE ON SCHEMA lodging TO lodger", "GRANT SELECT, INSERT ON lodging.notes TO lodger",
                "ALTER ROLE lodger SET search_path = lodging",
            ])
        let notes = try PostgresStore(Note.schema, in: PostgresDatabase(address))
        try expectTextsOnce(notes)
    }
}
