import Feedback
import Persistence
import Testing

@Suite("Sorting by columns with JSON")
struct StoredAsJSONSortingTests {
    /// A value that counts how often it is encoded.
    private struct Counted: StoredAsJSON {
        static let encodings = Locked(0)
        var number: Int

        init(_ number: Int) { self.number = number }

        init(from decoder: any Decoder) throws { number = try decoder.singleValueContainer().decode(Int.self) }

        func encode(to encoder: any Encoder) throws {
            Self.encodings.withLock { $0 += 1 }
            var container = encoder.singleValueContainer()
            try container.encode(number)
        }
    }

    private struct Item: Identifiable, Sendable {
        var id: Int
        var value: Counted?
        var group: Int

        static let schema = Schema<Item>(
            "items", Item.init, Column("id", \.id), Column("value", \.value), Column("group", \.group))
    }

    @Test("A store in memory encodes each value once to sort by it")
    func encodedOnce() async throws {
        let store = MemoryStore(Item.schema)
        let items = (0..<200).map {
            Item(id: $0, value: $0 % 50 == 7 ? nil : Counted(100 + $0 * 7 % 200), group: $0 % 3)
        }
        try await store.insert(items)
        let reference = try SQLiteStore(Item.schema, in: SQLiteDatabase(.memory))
        try await reference.insert(items)
        for order in [SortCriterion<Item>.Order.ascending, .descending] {
            for nilPlace in [SortCriterion<Item>.NilPlace.first, .last] {
                func query<S: Store<Item>>(_ store: S) -> Query<S> {
                    store.sorted(by: \.group).sorted(by: \.value, inOrder: order, nil: nilPlace).page(
                        limit: 150, offset: 9)
                }
                let expected = try await query(reference).result().map(\.id)
                Counted.encodings.withLock { $0 = 0 }
                #expect(try await query(store).result().map(\.id) == expected)
                #expect(Counted.encodings.withLock { $0 } <= 200)
                #expect(try query(store).answer(from: items).map(\.id) == expected)
                #expect(Counted.encodings.withLock { $0 } <= 400)
            }
        }
    }
}
