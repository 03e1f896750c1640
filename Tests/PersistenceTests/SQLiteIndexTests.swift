import CSQLite
import Foundation
import Persistence
import Testing

@Suite("Indexes of SQLite tables that others have made or renamed")
struct SQLiteIndexTests {
    private struct Pair: Identifiable, Equatable, Sendable {
        var id: Int
        var a: String
        var b: String

        static func schema(uniqueA: Bool = false, uniqueB: Bool = false) -> Schema<Pair> {
            Schema<Pair>(
                "pairs", Pair.init, Column("id", \.id), Column("a", \.a, isUnique: uniqueA),
                Column("b", \.b, isUnique: uniqueB))
        }
    }

    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("pairs.sqlite")
    }

    private func expectUniqueA(_ pairs: SQLiteStore<Pair>, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try pairs.insert(Pair(id: 101, a: "same", b: "p")).get()
        let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation) {
            try pairs.insert(Pair(id: 102, a: "same", b: "q")).get()
        }
        guard case .constraint? = error else {
            Issue.record("\(String(describing: error)) is another error", sourceLocation: sourceLocation)
            return
        }
    }

    @Test("A unique column is unique although the name of its index belongs to an index of a renamed column")
    func renamedColumn() throws {
        try SQLiteStore(Pair.schema(uniqueA: true), at: path).insert(Pair(id: 1, a: "x", b: "y")).get()
        let migrations = [
            Migration(
                to: 2, "ALTER TABLE pairs RENAME COLUMN a TO c; ALTER TABLE pairs RENAME COLUMN b TO a",
                "ALTER TABLE pairs RENAME COLUMN c TO b")
        ]
        for _ in 0..<2 {
            let pairs = try SQLiteStore(Pair.schema(uniqueA: true), at: path, migrations: migrations)
            try pairs.delete(where: \.id > 100).get()
            try expectUniqueA(pairs)
        }
        // The columns have changed places twice, and each index is still made once.
        let both = try SQLiteStore(Pair.schema(uniqueA: true, uniqueB: true), at: path, migrations: migrations)
        #expect(try indexCount(both.database) == 2)
        #expect(throws: StoreError.self) { try both.insert(Pair(id: 9, a: "new", b: "x")).get() }
    }

    @Test("A unique column is unique although the name of its index belongs to an index of a renamed table")
    func renamedTable() throws {
        let old = try SQLiteStore(Pair.schema(uniqueA: true), at: path)
        try old.insert(Pair(id: 1, a: "x", b: "y")).get()
        try old.database.execute("ALTER TABLE pairs RENAME TO old_pairs")
        let pairs = try SQLiteStore(Pair.schema(uniqueA: true), at: path)
        try expectUniqueA(pairs)
        #expect(try pairs.all().count().get() == 1)
    }

    @Test(
        "An index under the expected name that does not make the column unique is not taken for one that does",
        arguments: [
            "CREATE INDEX NAME ON pairs (a)", "CREATE UNIQUE INDEX NAME ON pairs (a) WHERE id < 100",
            "CREATE UNIQUE INDEX NAME ON pairs (a, b)", "CREATE UNIQUE INDEX NAME ON pairs (a || b)",
            "CREATE TABLE NAME (x)",
        ])
    func foreignIndex(_ statement: String) throws {
        let plain = try SQLiteStore(Pair.schema(), at: path)
        let taken = #""unique ""pairs""(""a"")""#
        try plain.database.execute(SQL(stringLiteral: statement.replacing("NAME", with: taken)))
        try expectUniqueA(try SQLiteStore(Pair.schema(uniqueA: true), at: path))
    }

    @Test("An index that the schema has got since the table was made is made when the store is made")
    func laterIndex() throws {
        func schema(_ isIndexed: Bool) -> Schema<Pair> {
            Schema("pairs", Pair.init, Column("id", \.id), Column("a", \.a, isIndexed: isIndexed), Column("b", \.b))
        }
        #expect(try indexCount(SQLiteStore(schema(false), at: path).database) == 0)
        for _ in 0..<2 { #expect(try indexCount(SQLiteStore(schema(true), at: path).database) == 1) }
    }

    @Test("A table without a column that is to be indexed is refused with the migration that adds it")
    func missingColumn() throws {
        let short = Schema<Pair>("pairs", { Pair(id: $0, a: $1, b: "") }, Column("id", \.id), Column("a", \.a))
        let pairs = try SQLiteStore(short, at: path)
        try pairs.insert([Pair(id: 1, a: "x", b: ""), Pair(id: 2, a: "y", b: "")]).get()
        let error = #expect(throws: StoreError.self) { _ = try SQLiteStore(Pair.schema(uniqueB: true), at: path) }
        guard case .schemaMismatch("pairs", let reason)? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
        #expect(reason.contains("ADD COLUMN \"b\" TEXT NOT NULL"))
        #expect(try indexCount(pairs.database) == 0)
    }

    @Test("An index of the same texts without case does not stand for one that compares bytes")
    func foreignCollation() throws {
        let plain = try SQLiteStore(Pair.schema(), at: path)
        try plain.database.execute(#"CREATE UNIQUE INDEX "unique ""pairs""(""b"")" ON pairs (a COLLATE NOCASE)"#)
        let pairs = try SQLiteStore(Pair.schema(uniqueA: true, uniqueB: true), at: path)
        try pairs.insert(Pair(id: 1, a: "x", b: "one")).get()
        #expect(throws: StoreError.self) { try pairs.insert(Pair(id: 2, a: "y", b: "one")).get() }
        #expect(try indexCount(pairs.database) == 3)
    }

    private func indexCount(_ database: SQLiteDatabase) throws -> Int {
        try database.rows("SELECT name FROM pragma_index_list('pairs')").count
    }
}
