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

    @Test("An error names a text without quotation marks")
    func texts() throws {
        let notes = MemoryStore(Note.schema)
        #expect(throws: StoreError.missing(id: "a")) { try notes.update(Note(id: "a", text: "")).get() }
    }
}
