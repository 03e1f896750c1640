import Feedback
import Persistence
import Postgres
import Testing

@Suite("Columns with JSON on PostgreSQL")
struct PostgresJSONTests {
    private struct Secret: Codable, Hashable, StoredAsJSON {
        var text: String?

        init(text: String? = nil) { self.text = text }

        init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }

        func encode(to encoder: any Encoder) throws {
            guard let text else {
                throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "It is secret."))
            }
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }

    private struct Safe: Identifiable, Hashable, Sendable {
        var id: Int
        var tags: [String] = []
        var secret: Secret? = nil

        static let schema = Schema<Safe>(
            "safes", Safe.init, Column("id", \.id), Column("tags", \.tags), Column("secret", \.secret))
    }

    @Test("A value that cannot be encoded is refused with its place, and nothing is lost")
    func notEncodable() throws {
        let safes = try PostgresStore(Safe.schema, in: TestServer.running().database())
        let old = Safe(id: 7, secret: Secret(text: "old"))
        try safes.insert(old).get()
        @Sendable func refused(_ body: () throws(StoreError) -> Void) {
            do throws(StoreError) {
                try body()
                Issue.record("nothing was refused")
            } catch .constraint(let reason) {
                #expect(reason.contains("It is secret."))
                #expect(reason.contains("secret of the object with the id 7") || reason.contains("a value cannot"))
            } catch {
                Issue.record("\(error) is another error")
            }
        }
        let new = Safe(id: 7, secret: Secret())
        refused { () throws(StoreError) in _ = try safes.update(new).values() }
        refused { () throws(StoreError) in _ = try safes.upsert(new).values() }
        refused { () throws(StoreError) in _ = try safes.insert([Safe(id: 8), Safe(id: 77, secret: Secret())]).values()
        }
        refused { () throws(StoreError) in _ = try safes.merge([new]).values() }
        refused { () throws(StoreError) in
            _ = try safes.update(where: \.id == 7, set: .value(\.secret, Secret())).values()
        }
        try safes.transaction { transaction throws(StoreError) in
            try transaction.insert([Safe(id: 9)])
            refused { () throws(StoreError) in try transaction.insert([Safe(id: 10), Safe(id: 7, secret: Secret())]) }
            try transaction.insert([Safe(id: 11)])
        }.get()
        #expect(try safes.sorted(by: \.id).result().get() == [old, Safe(id: 9), Safe(id: 11)])
        #expect(try safes.filter(where: \.secret == Secret()).count().get() == 0)
        #expect(try safes.filter(where: \.secret != Secret()).count().get() == 3)
    }

    @Test("Texts with zero bytes, and with accents after an escape, are kept in JSON")
    func awkwardTexts() throws {
        let safes = try PostgresStore(Safe.schema, in: TestServer.running().database())
        let safe = Safe(id: 1, tags: ["\u{0}", "\n\u{303}", "\u{E}\u{301}", "\"\u{301}"])
        try safes.insert(safe).get()
        #expect(try safes.all().result().get() == [safe])
        #expect(try safes.filter(where: \.tags == safe.tags).count().get() == 1)
    }

    @Test(
        "A text that is not the JSON of a value is refused with its place", arguments: ["{}", "no", "", "null", "[1]"])
    func unreadable(_ text: String) throws {
        let database = try TestServer.running().database()
        let safes = try PostgresStore(Safe.schema, in: database)
        try safes.insert(Safe(id: 7)).get()
        try database.execute("UPDATE safes SET tags = \(text)")
        let error = #expect(throws: StoreError.self) { try safes.all().result().get() }
        guard case .unreadable(table: "safes", id: "7", column: "tags", found: _)? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        try safes.update(Safe(id: 7, tags: ["mended"])).get()
        #expect(try safes.all().result().get() == [Safe(id: 7, tags: ["mended"])])
    }

    @Test("A table whose column is of another type than text is refused", arguments: ["jsonb", "json", "text[]"])
    func otherType(_ type: String) throws {
        let database = try TestServer.running().database()
        try database.execute(
            SQL(
                stringLiteral:
                    "CREATE TABLE safes (id bigint PRIMARY KEY, tags \(type) NOT NULL, secret text COLLATE \"C\")"))
        let error = #expect(throws: StoreError.self) {
            let safes = try PostgresStore(Safe.schema, in: database)
            try safes.insert(Safe(id: 1)).get()
        }
        guard case .schemaMismatch(table: "safes", let reason)? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        #expect(reason.contains("tags"))
    }
}
