import CSQLite
import Foundation
import Testing

@testable import Persistence

@Suite("Statements that stores keep prepared")
struct SQLiteSlotTests {
    @Test("Stores of the same columns share their statements, so that making stores does not add to them")
    func shared() throws {
        let database = try SQLiteDatabase(.memory)
        let films = try SQLiteStore(Film.schema, in: database)
        let notes = try SQLiteStore(Note.schema, in: database)
        let others = try SQLiteStore(Film.schema, in: database)
        #expect(films.table.slots.find == others.table.slots.find)
        #expect(abs(films.table.slots.find - notes.table.slots.find) >= SQLiteTableSlots.count)
        try films.insert(.fixture(id: 1)).get()
        try notes.insert(Note(id: "a", text: "b")).get()
        #expect(try others.object(withId: 1).get() == .fixture(id: 1))
        #expect(try notes.object(withId: "a").get() == Note(id: "a", text: "b"))
    }

    @Test("Stores that make other objects of the same columns do not share observed answers")
    func observed() throws {
        let database = try SQLiteDatabase(.memory)
        let loud = Schema<Note>(
            "notes", { Note(id: $0, text: $1.uppercased()) }, Column("id", \.id), Column("text", \.text))
        let (notes, others) = (try SQLiteStore(Note.schema, in: database), try SQLiteStore(loud, in: database))
        try notes.insert(Note(id: "a", text: "b")).get()
        let (first, second) = (notes.all().observe().collecting(), others.all().observe().collecting())
        #expect(first.emissions.all == [[Note(id: "a", text: "b")]])
        #expect(second.emissions.all == [[Note(id: "a", text: "B")]])
        first.disposable.dispose()
        second.disposable.dispose()
    }

    @Test("A statement is prepared once, unless its text is very long")
    func preparedOnce() throws {
        func isPreparedOnce(_ length: Int) throws -> Bool {
            let text = "SELECT 1".padding(toLength: length, withPad: " ", startingAt: 0)
            return try SQLiteDatabase(.memory).read { connection throws(StoreError) in
                try connection.statement(text) === connection.statement(text)
            }
        }
        #expect(try isPreparedOnce(100))
        #expect(try isPreparedOnce(16_383))
        #expect(try !isPreparedOnce(16_384))
    }

    @Test("A statement runs after one of its values could not be encoded, as soon as all values can")
    func boundAgain() throws {
        try SQLiteDatabase(.memory).read { connection throws(StoreError) in
            let statement = try connection.prepare("SELECT ?")
            statement.bind([.primitive(.unencodable(reason: "it has no end"))])
            let status = statement.step()
            #expect(status == SQLITE_MISMATCH)
            #expect(
                connection.error(status, of: statement)
                    == .constraint(reason: "a value cannot be encoded: it has no end"))
            statement.bind([.primitive(.integer(1))])
            #expect(statement.step() == SQLITE_ROW && statement.binder.refusal == nil)
        }
    }

    @Test("A statement that updates some columns is prepared once for each set of them")
    func updates() throws {
        var (first, both) = (ColumnSet(), ColumnSet())
        first.insert(1)
        for column in 1...2 { both.insert(column) }
        try SQLiteDatabase(.memory).read { connection throws(StoreError) in
            let statements = [
                try connection.statement(50, first, "SELECT 1"), try connection.statement(50, both, "SELECT 2"),
                try connection.statement(51, first, "SELECT 3"),
            ]
            #expect(try connection.statement(50, first, "SELECT 4") === statements[0])
            #expect(try connection.statement(50, both, "SELECT 5") === statements[1])
            #expect(try connection.statement(51, first, "SELECT 6") === statements[2])
            #expect(Set(statements.map(ObjectIdentifier.init)).count == 3)
        }
    }

    @Test("Questions that differ only in their values share a statement, which is made once")
    func shapes() throws {
        let films = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        let isShared = try films.database.read { connection throws(StoreError) in
            var statements: [ShapedStatement?] = []
            for title in ["a", "b"] {
                let question = films.filter(where: \.title == title).question.erased(id: films.table.ids.property)
                var values: [PrimitiveValue] = []
                guard let shape = QuestionShape(question, Film.schema.names.positions, values: &values) else {
                    continue
                }
                let key = ShapedStatement.Key(store: films.table.number, shape: shape, piece: .whole)
                statements.append(try connection.statement(for: key, question, in: Film.schema.names))
            }
            return statements.count == 2 && statements[0] != nil && statements[0] === statements[1]
        }
        #expect(isShared)
    }

    @Test("A set of columns has those that were put into it")
    func columnSet() {
        var columns = ColumnSet()
        #expect(columns.isEmpty && columns.columns == [] && !columns.contains(0))
        for column in [63, 5, 5, 0] { columns.insert(column) }
        #expect(!columns.isEmpty && columns.columns == [0, 5, 63] && columns.contains(63) && !columns.contains(62))
        #expect(columns != ColumnSet())
    }

    @Test("A limited cache has each value until it is full, and then begins anew")
    func limitedCache() {
        var cache = LimitedCache<Int, String>(limit: 3)
        func keys() -> [Int] { (0..<9).filter { cache[$0] == "\($0)" } }
        for key in 0..<3 { cache.insert("\(key)", for: key) }
        #expect(keys() == [0, 1, 2])
        cache.insert("7", for: 7)
        #expect(keys() == [7])
        cache.insert("8", for: 8)
        #expect(keys() == [7, 8])
    }
}
