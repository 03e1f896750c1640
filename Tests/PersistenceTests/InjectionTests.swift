import Foundation
import Persistence
import Testing

@Suite("Injection")
struct InjectionTests {
    static let attacks = [
        "'; DROP TABLE films; --", "\" OR 1=1 --", "' OR '1'='1", "x'; DELETE FROM films WHERE ''='", "?", "?1", ":id",
        "$1", "\\",
        "%", "_", "\u{0}'; DROP TABLE films; --", "); DROP TABLE films; --", "\"\"", "''", "/*", "--",
        // A combining mark makes one character with the quote before it.
        "\"\u{301}; DROP TABLE films; --", "\"\u{301}) VALUES (1); --", "\"\u{FE0F}",
        // Text that is not in composed form.
        "Cafe\u{301}", "\u{1112}\u{1161}\u{11AB}",
    ]

    @Test("Text in conditions is a value and nothing else", arguments: attacks)
    func inConditions(_ attack: String) throws {
        let films = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        try films.insert([.fixture(id: 1, title: attack, subtitle: attack), .fixture(id: 2, title: "innocent")]).get()
        let conditions: [Condition<Film>] = [
            \.title == attack, .in(\.title, [attack, attack + "x"]), .startsWith(\.title, attack),
            .endsWith(\.title, attack),
            .contains(\.title, attack), .equals(\.title, attack, .caseInsensitive), .between(\.title, attack...attack),
            \.subtitle == attack,
        ]
        for condition in conditions {
            #expect(try films.filter(where: condition).result().get().map(\.id) == [1], "\(condition)")
        }
        #expect(try films.filter(where: \.title != attack).result().get().map(\.id) == [2])
        #expect(try films.delete(where: \.title == attack).get() == 1)
        #expect(try films.all().result().get().map(\.id) == [2])
    }

    @Test("Names of tables and columns are names and nothing else", arguments: attacks)
    func inNames(_ attack: String) throws {
        // SQLite's own names end at a zero byte.
        let name = attack.replacing("\u{0}", with: "") + "x"
        let schema = Schema<Note>(
            name, Note.init, Column("id \(name)", \.id), Column("text \(name)", \.text, isIndexed: true))
        let database = try SQLiteDatabase(.memory)
        let films = try SQLiteStore(Film.schema, in: database)
        let notes = try SQLiteStore(schema, in: database)
        try films.insert(.fixture()).get()
        try notes.insert(Note(id: "a", text: "b")).get()
        try notes.upsert(Note(id: "a", text: "c")).get()
        try notes.update(Note(id: "a", text: "d")).get()
        #expect(try notes.filter(where: \.text == "d").sorted(by: \.text).result().get() == [Note(id: "a", text: "d")])
        try notes.delete(Note(id: "a", text: "")).run()
        #expect(try notes.all().count().get() == 0)
        #expect(try films.all().count().get() == 1)
        _ = try SQLiteStore(schema, in: database)
    }

    @Test("Names of tables and columns with a zero byte, or without any, are refused")
    func names() throws {
        for (table, column) in [("no\0tes", "text"), ("", "text"), ("notes", "te\0xt"), ("notes", "")] {
            let schema = Schema<Note>(table, Note.init, Column("id", \.id), Column(column, \.text))
            let error = StoreError.schemaMismatch(table: table, reason: "a name is empty or contains a zero byte")
            #expect(throws: error) { _ = try SQLiteStore(schema, in: SQLiteDatabase(.memory)) }
        }
    }

    @Test("Values never become part of the SQL")
    func boundValues() throws {
        let films = try SQLiteStore(Film.schema, in: SQLiteDatabase(.memory))
        let plan = try films.filter(
            where: \.title == "secret" && .contains(\.subtitle, "hidden") || \.budget == 987_654
        )
        .page(limit: 4321).plan().get().description
        for value in ["secret", "hidden", "987654", "4321"] { #expect(!plan.contains(value)) }
    }
}
