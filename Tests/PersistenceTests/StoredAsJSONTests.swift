import Feedback
import Foundation
import Persistence
import Testing

@Suite("Columns with JSON")
struct StoredAsJSONTests {
    struct Address: Codable, Hashable, StoredAsJSON {
        var street: String
        var city: String
        var floors: [Double]? = nil
    }

    struct Cinema: Identifiable, Hashable, Sendable {
        var id: Int
        var address: Address
        var former: Address?
        var tags: [String]
        var seats: [String: Int]

        static let schema = Schema<Cinema>(
            "cinemas", Cinema.init, Column("id", \.id), Column("address", \.address, isIndexed: true),
            Column("former", \.former), Column("tags", \.tags), Column("seats", \.seats))

        static func fixture(
            id: Int = 1, address: Address = .home, former: Address? = nil, tags: [String] = ["old", "café"],
            seats: [String: Int] = ["balcony": 40, "stalls": 200]
        ) -> Cinema {
            Cinema(id: id, address: address, former: former, tags: tags, seats: seats)
        }
    }

    private static func stores() throws -> [any TransactionalStore<Cinema>] {
        [MemoryStore(Cinema.schema), try SQLiteStore(Cinema.schema, in: SQLiteDatabase(.memory))]
    }

    @Test("Values of several parts, lists and dictionaries come back as they were stored")
    func roundTrip() async throws {
        let cinemas: [Cinema] = [
            .fixture(id: 1),
            .fixture(
                id: 2, former: Address(street: "Quote \" and slash /", city: "\u{1F3AC}\n\u{0}"), tags: [], seats: [:]),
            .fixture(
                id: 3, address: Address(street: "", city: "", floors: [.infinity, -.infinity, 0.1, 1e300, -0.5]),
                tags: ["", "null", "[1]"]),
        ]
        func check(_ store: some TransactionalStore<Cinema>) async throws {
            try await store.insert(cinemas)
            #expect(try await store.all().result() == cinemas)
            #expect(try await store.object(withId: 3) == cinemas[2])
            try await store.update(where: \.id == 1, set: .value(\.tags, ["new"]))
            #expect(try await store.object(withId: 1)?.tags == ["new"])
        }
        for store in try Self.stores() { try await check(store) }
    }

    @Test("Conditions compare a value as a whole, on every store")
    func conditions() async throws {
        func check(_ store: some TransactionalStore<Cinema>) async throws {
            try await store.insert([
                .fixture(id: 1), .fixture(id: 2, address: Address(street: "b", city: "Rome"), former: .home, tags: []),
                .fixture(id: 3, tags: ["cafe\u{301}", "old"], seats: ["stalls": 200, "balcony": 40]),
            ])
            func ids(_ condition: Condition<Cinema>) async throws -> [Int] {
                try await store.filter(where: condition).result().map(\.id)
            }
            #expect(try await ids(\.address == .home) == [1, 3])
            #expect(try await ids(\.address != .home) == [2])
            #expect(try await ids(\.former == .home) == [2])
            #expect(try await ids(\.former == nil) == [1, 3])
            #expect(try await ids(\.tags == ["old", "caf\u{E9}"]) == [1])
            #expect(try await ids(.in(\.tags, [[], ["caf\u{E9}", "old"]])) == [2, 3])
            #expect(try await ids(\.seats == ["balcony": 40, "stalls": 200]) == [1, 2, 3])
        }
        for store in try Self.stores() { try await check(store) }
    }

    @Test(
        "A text that is not the JSON of a value is refused with its place", arguments: ["{}", "no", "", "null", "[1]"])
    func unreadable(_ text: String) async throws {
        let database = try SQLiteDatabase(.memory)
        let cinemas = try SQLiteStore(Cinema.schema, in: database)
        try await cinemas.insert(.fixture(id: 7))
        try database.execute("UPDATE cinemas SET address = \(text)")
        let error = await #expect(throws: StoreError.self) { try await cinemas.all().result() }
        guard case .unreadable(table: "cinemas", id: "7", column: "address", found: _)? = error else {
            Issue.record("\(String(describing: error)) is another error")
            return
        }
    }

    @Test("An array in a statement of SQL is its JSON")
    func interpolatedArray() async throws {
        let cinemas = try SQLiteStore(Cinema.schema, in: SQLiteDatabase(.memory))
        try await cinemas.insert([.fixture(id: 1), .fixture(id: 2), .fixture(id: 3)])
        let ids = [3, 1]
        let found = try await cinemas.select(
            "SELECT * FROM cinemas WHERE id IN (SELECT value FROM json_each(\(ids))) ORDER BY id")
        #expect(found.map(\.id) == [1, 3])
    }

    private struct Counted: Codable, Hashable, StoredAsJSON {
        static let encodings = Locked(0)

        var number: Int

        func encode(to encoder: any Encoder) throws {
            Self.encodings.withLock { $0 += 1 }
            var container = encoder.singleValueContainer()
            try container.encode(number)
        }

        init(number: Int) { self.number = number }

        init(from decoder: any Decoder) throws { number = try decoder.singleValueContainer().decode(Int.self) }
    }

    private struct Counter: Identifiable, Sendable {
        var id: Int
        var value: Counted

        static let schema = Schema<Counter>(
            "counters", Counter.init, Column("id", \.id), Column("value", \.value, isIndexed: true))
    }

    @Test("An index in memory encodes each value once, and does not encode others to compare them")
    func encodings() async throws {
        let counters = MemoryStore(Counter.schema)
        try await counters.insert((0..<200).map { Counter(id: $0, value: Counted(number: $0 * 7 % 200)) })
        #expect(Counted.encodings.withLock { $0 } == 200)
        #expect(try await counters.filter(where: \.value == Counted(number: 14)).result().map(\.id) == [2])
        #expect(try await counters.sorted(by: \.value).page(limit: 3).result().map(\.id) == [0, 143, 30])
    }
}

extension StoredAsJSONTests.Address {
    static let home = Self(street: "a", city: "Vienna")
}
