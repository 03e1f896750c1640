import Persistence
import Postgres
import Testing

@Suite("Making the tables of PostgreSQL")
struct PostgresCreationTests {
    @Test("A table gets the indexes of its schema once, however often it is opened")
    func indexes() throws {
        let schema = Schema<Note>("notes", Note.init, Column("id", \.id), Column("text", \.text, isUnique: true))
        let database = try TestServer.running().database()
        func indexes() throws -> [[PrimitiveValue]] {
            try database.rows(
                """
                SELECT tablename::text, indexdef LIKE 'CREATE UNIQUE%', substring(indexdef FROM '[(].*[)]')
                FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1, 2, 3
                """)
        }
        for _ in 1...3 {
            _ = try PostgresStore(schema, in: database)
            #expect(
                try indexes() == [
                    [.text("notes"), .bool(true), .text("(id)")], [.text("notes"), .bool(true), .text("(text)")],
                ])
        }
        try database.execute("DROP TABLE notes")
        let columns = ["budget", "length", "rating", "tags", "title", "votes", "year"]
        for _ in 1...3 {
            _ = try PostgresStore(Film.schema, in: database)
            #expect(
                try indexes() == columns.map { [.text("films"), .bool(false), .text("(\($0))")] }
                    + [[.text("films"), .bool(true), .text("(id)")]])
        }
    }

    @Test("An index that is not unique does not do for a property that is to be unique")
    func unique() throws {
        let database = try TestServer.running().database()
        let indexed = Schema<Note>("notes", Note.init, Column("id", \.id), Column("text", \.text, isIndexed: true))
        let unique = Schema<Note>("notes", Note.init, Column("id", \.id), Column("text", \.text, isUnique: true))
        func count() throws -> [[PrimitiveValue]] {
            try database.rows("SELECT count(*) FROM pg_indexes WHERE schemaname = current_schema()")
        }
        _ = try PostgresStore(indexed, in: database)
        let notes = try PostgresStore(unique, in: database)
        #expect(try count() == [[.integer(3)]])
        try notes.insert(Note(id: "a", text: "x")).get()
        #expect(throws: StoreError.self) { try notes.insert(Note(id: "b", text: "x")).get() }
        // A unique one does for both.
        _ = try PostgresStore(indexed, in: database)
        #expect(try count() == [[.integer(3)]])
    }
}
