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
            let other = Moment(id: Date(timeIntervalSinceReferenceDate: 0), name: moment.name)
            #expect(throws: StoreError.self) { try moments.insert(other).get() }
            #expect("\(moments.all().page(after: moment, limit: 1))".contains(text))
        }
        for seconds in [Double.nan, .infinity, 1e300] {
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

    @Test("An error names a text without quotation marks")
    func texts() throws {
        let notes = MemoryStore(Note.schema)
        #expect(throws: StoreError.missing(id: "a")) { try notes.update(Note(id: "a", text: "")).get() }
    }
}
