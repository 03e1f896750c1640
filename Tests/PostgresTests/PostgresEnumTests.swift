import Feedback
import FeedbackTesting
import Persistence
import Synchronization
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

    @Test("The list of cases of a type is freed with the store that reads them")
    func freed() async throws {
        do {
            let schema = Schema<Seal>("seals", Seal.init, Column("id", \.id), Column("color", \.color))
            let store = try await PostgresStore(schema, in: TestServer.running().database())
            try await store.insert(Seal(id: 1, color: Color(rawValue: "blue")))
            #expect(try await store.object(withId: 1)?.color.rawValue == "blue")
            #expect(Color.living > 0)
        }
        await eventually("all are freed") { Color.living == 0 }
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

private struct Seal: Identifiable, Sendable {
    var id: Int
    var color: Color
}

/// A text of which there are two, and that counts how many of its kind are in memory.
private struct Color: RawRepresentable, Primitive, CaseIterable {
    private final class Mark: Sendable {
        static let count = Atomic(0)

        init() { Self.count.add(1, ordering: .relaxed) }

        deinit { Self.count.subtract(1, ordering: .relaxed) }
    }

    static var living: Int { Mark.count.load(ordering: .relaxed) }
    static var allCases: [Color] { ["red", "blue"].map { Color(rawValue: $0) } }

    let rawValue: String
    private let mark = Mark()

    init(rawValue: String) { self.rawValue = rawValue }

    static func == (one: Color, other: Color) -> Bool { one.rawValue == other.rawValue }

    func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
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
