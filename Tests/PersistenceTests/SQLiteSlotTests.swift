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
}
