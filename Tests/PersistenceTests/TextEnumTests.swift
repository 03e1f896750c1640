import Foundation
import Persistence
import Testing

@Suite("Enums that SQLite keeps as texts")
struct TextEnumTests {
    private let database: SQLiteDatabase
    private let stones: SQLiteStore<Stone>

    init() throws {
        database = try SQLiteDatabase(.memory)
        stones = try SQLiteStore(Stone.schema, in: database)
    }

    @Test("Every case is read as it was written, whatever its text")
    func cases() throws {
        let all = Mineral.allCases.enumerated().map { Stone(id: $0.offset, mineral: $0.element, inclusion: $0.element) }
        try stones.insert(all).get()
        #expect(try stones.all().result().get() == all)
        for stone in all { #expect(try stones.object(withId: stone.id).get() == stone) }
    }

    @Test("NULL is nil, and only that")
    func null() throws {
        let stone = Stone(id: 1, mineral: .unnamed, inclusion: nil)
        try stones.insert(stone).get()
        #expect(try stones.object(withId: 1).get() == stone)
        #expect(try database.rows("SELECT mineral, inclusion FROM stones") == [[.text(""), .null]])
    }

    @Test(
        "A text that no case has cannot be read",
        arguments: [
            "Quartz", "quartz ", "quart", "quartz\u{0}", "a text of more than fifteen bytes", "zircon\u{301}",
        ])
    func unknown(_ text: String) throws {
        try database.execute("INSERT INTO stones VALUES (1, \(text), NULL), (2, 'quartz', \(text))")
        for (id, column) in [(1, "mineral"), (2, "inclusion")] {
            let error = #expect(throws: StoreError.self) { try stones.object(withId: id).get() }
            guard case .unreadable("stones", "\(id)", column, _)? = error else {
                Issue.record("\(String(describing: error)) is another error")
                continue
            }
        }
    }

    @Test("A number is not a case, even if its digits are")
    func number() throws {
        try database.execute("CREATE TABLE loose (id INTEGER NOT NULL PRIMARY KEY, mineral, inclusion)")
        try database.execute("INSERT INTO loose VALUES (1, 7, NULL), (2, '7', x'37')")
        for id in 1...2 {
            #expect(throws: StoreError.self) {
                try stones.select("SELECT * FROM loose WHERE id = \(id)").get()
            }
        }
    }

    @Test("A text in another form of Unicode is the same case")
    func decomposed() throws {
        try database.execute("INSERT INTO stones VALUES (1, \(Data("ame\u{301}thyste".utf8)), NULL)")
        try database.execute("UPDATE stones SET mineral = CAST(mineral AS TEXT)")
        #expect(try stones.object(withId: 1).get()?.mineral == .améthyste)
    }
}

private enum Mineral: String, Primitive, CaseIterable {
    case unnamed = ""
    case digit = "7"
    case quartz
    case améthyste
    case fifteenBytes12 = "fifteenBytes12."
    case ofSixteenBytes = "of sixteen bytes"
    case longer = "a text of more than sixteen bytes"
    case a, b, c, d, e, f, g, h, i, j, k
}

private struct Stone: Identifiable, Hashable, Sendable {
    var id: Int
    var mineral: Mineral
    var inclusion: Mineral?

    static let schema = Schema<Stone>(
        "stones", Stone.init, Column("id", \.id), Column("mineral", \.mineral), Column("inclusion", \.inclusion))
}
