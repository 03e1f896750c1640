import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

@Suite("Errors that name an id")
struct ErrorTextTests {
    private struct Moment: Identifiable, Hashable, Sendable {
        var id: Date
        var name: String

        static let schema = Schema(
            "moments", Moment.init, Column("id", \.id), Column("name", \.name, isUnique: true))
    }

    @Test("An error names any date, one without end and one that is not a date included")
    func dates() throws {
        func check(_ moments: some Store<Moment>, _ seconds: Double) throws {
            let moment = Moment(id: Date(timeIntervalSinceReferenceDate: seconds), name: "\(seconds)")
            let text = "\(seconds) s since 2001"
            #expect(throws: StoreError.missing(id: text)) { try moments.update(moment).get() }
            // A date made from NaN is not equal to itself, so a merge takes two such objects for different ones.
            if !seconds.isNaN {
                #expect(throws: StoreError.duplicate(id: text)) { try moments.merge([moment, moment]).get() }
            }
            try moments.insert(moment).get()
            let again = Moment(id: moment.id, name: "another")
            #expect(throws: StoreError.duplicate(id: text)) { try moments.insert(again).get() }
            try moments.update(moment).get()
            let other = Moment(id: Date(timeIntervalSinceReferenceDate: 0), name: moment.name)
            #expect(throws: StoreError.self) { try moments.insert(other).get() }
            #expect("\(moments.all().page(after: moment, limit: 1))".contains(text))
        }
        for seconds in [Double.nan, .infinity, 1e300, 1e11] {
            try check(MemoryStore(Moment.schema), seconds)
            try check(SQLiteStore(Moment.schema, in: SQLiteDatabase(.memory)), seconds)
        }
    }

    /// A number that is stored whatever it is, and is read only if it is positive.
    private struct Code: RawRepresentable, Primitive, Hashable {
        let rawValue: Int

        init(writing rawValue: Int) { self.rawValue = rawValue }

        init?(rawValue: Int) {
            guard rawValue > 0 else { return nil }
            self.rawValue = rawValue
        }
    }

    private struct Item: Identifiable, Hashable, Sendable {
        var id: Code
        var name: String

        static let schema = Schema("items", Item.init, Column("id", \.id), Column("name", \.name))
    }

    @Test("A row whose id cannot be read is found, and fails with it; so does the answer of an observer")
    func unreadableID() throws {
        let items = try SQLiteStore(Item.schema, in: SQLiteDatabase(.memory))
        let failures = Emissions<StoreError>()
        let observation = items.all().observe().startWithResult { result in
            if case .failure(let error) = result { failures.append(error) }
        }
        defer { observation.dispose() }
        let item = Item(id: Code(writing: -7), name: "a")
        try items.insert(item).get()
        let error = StoreError.unreadable(table: "items", id: "-7", column: "id", found: "-7")
        #expect(throws: error) { try items.object(withId: item.id).get() }
        #expect(throws: error) { try items.all().result().get() }
        awaitEmissions(failures) { $0 == [error] }
    }

    @Test("A repeated key of another table, or of a statement of SQL, is a constraint that is named, and no duplicate")
    func otherKeys() throws {
        let tags = try SQLiteStore(Tag.schema, in: SQLiteDatabase(.memory))
        try tags.insert(Tag(id: 1, name: "a")).get()
        try tags.database.execute("CREATE TABLE log (id INTEGER PRIMARY KEY)")
        try tags.database.execute("INSERT INTO log VALUES (7)")
        for event in ["INSERT", "UPDATE"] {
            let sql = "CREATE TRIGGER log\(event) AFTER \(event) ON tags BEGIN INSERT INTO log VALUES (7); END"
            try tags.database.execute(SQL(stringLiteral: sql))
        }
        let writes: [(String, () throws -> Void)] = [
            ("log.id", { try tags.insert(Tag(id: 2, name: "b")).get() }),
            ("log.id", { try tags.upsert(Tag(id: 2, name: "b")).get() }),
            ("log.id", { try tags.update(Tag(id: 1, name: "b")).get() }),
            ("tags.id", { try tags.database.execute("INSERT INTO tags VALUES (1, 'b')") }),
        ]
        for (name, write) in writes {
            let error = #expect(throws: StoreError.self) { try write() }
            guard case .constraint(let reason)? = error, reason.contains(name) else {
                Issue.record("\(String(describing: error)) is another error")
                continue
            }
        }
        #expect(throws: StoreError.duplicate(id: "1")) { try tags.insert(Tag(id: 1, name: "b")).get() }
        #expect(try tags.all().result().get() == [Tag(id: 1, name: "a")])
    }

    @Test("An error names a text without quotation marks")
    func texts() throws {
        let notes = MemoryStore(Note.schema)
        #expect(throws: StoreError.missing(id: "a")) { try notes.update(Note(id: "a", text: "")).get() }
    }
}
