import Feedback
import Persistence
import Testing

@testable import Postgres

@Suite("Enums in PostgreSQL")
struct PostgresEnumTests {
    private let cards = [
        Card(id: 1, suit: .hearts, other: nil, length: .long, code: Code(rawValue: "")),
        Card(id: 2, suit: .spades, other: .hearts, length: .short, code: Code(rawValue: "x")),
        Card(id: 3, suit: .hearts, other: .spades, length: .long, code: Code(rawValue: "é")),
    ]

    @Test(
        "Values with short and long texts, without a value, and of types without a list of cases are read as they were written"
    )
    func values() async throws {
        let store = try await PostgresStore(Card.schema, in: TestServer.running().database())
        try await store.insert(cards)
        #expect(try await store.sorted(by: \.id).result() == cards)
        #expect(try await store.filter(where: \.other == nil).result() == [cards[0]])
        #expect(try await store.object(withId: 2) == cards[1])
    }

    @Test(
        "A text that no case has is told with its column", arguments: ["suit", "other", "length"],
        ["", "hearts ", "Hearts"])
    func unknown(column: String, text: String) async throws {
        let store = try await PostgresStore(Card.schema, in: TestServer.running().database())
        try await store.insert(cards)
        try store.database.execute("UPDATE cards SET \(name: column) = \(text) WHERE id = 2")
        let error = await #expect(throws: StoreError.self) { try await store.all().result() }
        guard case .unreadable(table: "cards", id: "2", column: column, found: _)? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
    }

    @Test("Only a text is read as a case, not the same bytes of another type")
    func otherType() async throws {
        let store = try await PostgresStore(Card.schema, in: TestServer.running().database())
        try await store.insert(cards)
        let error = await #expect(throws: StoreError.self) {
            try await store.select("SELECT id, suit::bytea AS suit, other, length, code FROM cards WHERE id = 2")
        }
        guard case .unreadable(table: "cards", id: "2", column: "suit", found: _)? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
    }
}

private struct Card: Identifiable, Equatable {
    var id: Int
    var suit: Suit
    var other: Suit?
    var length: Length
    var code: Code

    static let schema = Schema<Card>(
        "cards", Card.init, Column("id", \.id), Column("suit", \.suit), Column("other", \.other),
        Column("length", \.length), Column("code", \.code))
}

private enum Suit: String, Primitive, CaseIterable {
    case hearts, spades
}

private enum Length: String, Primitive, CaseIterable {
    case short
    case long = "a text of more than fifteen bytes"
}

private struct Code: RawRepresentable, Primitive {
    var rawValue: String
}
