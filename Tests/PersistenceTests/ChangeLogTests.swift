import Testing

@testable import Persistence

@Suite("The changes of a transaction, as observed queries get to know them")
struct ChangeLogTests {
    private let films: ObservedQuery
    private let notes: ObservedQuery
    private let film = Film.fixture(id: 1, title: "own")

    init() throws {
        films = try ObservedQuery(Question<Film>(), table: "films", id: .id, areSame: ==, isEditable: true) {
            [.fixture(id: 1, title: "asked")]
        }
        notes = try ObservedQuery(Question<Note>(), table: "notes", id: .id, areSame: ==, isEditable: true) { [] }
        for query in [films, notes] { _ = query.answer() }
    }

    private func titles() throws -> [String] {
        let answer = try #require(try films.answer()?.get())
        return try #require(answer as? ObservedObjects<Film>).all.map(\.title)
    }

    private func names(of queries: [ObservedQuery]) -> [String] { queries.map(\.table).sorted() }

    @Test("Objects concern the queries of their table, and no others")
    func objects() {
        var log = ChangeLog([films, notes])
        #expect(log.isObserved("films") && !log.isObserved("tags"))
        log.note(table: "films")
        #expect(!log.concerns("films"))
        log.note(table: "films", [film])
        #expect(log.concerns("films") && !log.concerns("notes"))
        #expect(names(of: log.pass(to: [films, notes])) == ["films"])
    }

    @Test("If any object of a table may have changed, all its queries are concerned; without a table, all queries are")
    func anything() {
        var log = ChangeLog([films, notes])
        log.noteAnything(table: "notes")
        #expect(log.concerns("notes") && !log.concerns("films"))
        #expect(names(of: log.pass(to: [films, notes])) == ["notes"])
        log.noteAnything()
        #expect(names(of: log.pass(to: [films, notes])) == ["films", "notes"])
    }

    @Test("A query that was not observed when the transaction began is concerned if its table was written to")
    func begunMeanwhile() {
        var log = ChangeLog([])
        #expect(log.isEmpty && log.pass(to: [films, notes]).isEmpty)
        log.noteAnything(table: "notes")
        #expect(names(of: log.pass(to: [films, notes])) == ["notes"])
        log.note(table: "films")
        #expect(names(of: log.pass(to: [films, notes])) == ["films", "notes"])
        #expect(log.pass(to: []).isEmpty)
    }

    @Test("An edit of a table changes the answers about it, unless other objects of it may have changed")
    func edits() throws {
        let edit = TableEdit(touched: ObservedObjects([film]), present: ObservedObjects([film]))
        var log = ChangeLog([films, notes])
        log.note(table: "films")
        log.note(table: "films", [film])
        log.note(edit, of: "films")
        log.willCommit()
        _ = log.pass(to: [films, notes])
        #expect(try titles() == ["own"])
        log.noteAnything(table: "notes")
        log.willCommit()
        _ = log.pass(to: [films, notes])
        #expect(try titles() == ["own"])
        log.noteAnything(table: "films")
        log.willCommit()
        _ = log.pass(to: [films, notes])
        #expect(try titles() == ["asked"])
    }
}
