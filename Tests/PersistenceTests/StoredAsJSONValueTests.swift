import Feedback
import FeedbackTesting
import Foundation
import Persistence
import Testing

/// Values whose JSON is not one text, or none.
@Suite("Awkward values in columns with JSON")
struct StoredAsJSONValueTests {
    struct Secret: Codable, Hashable, StoredAsJSON {
        var text = ""
        var isSecret = true

        func encode(to encoder: any Encoder) throws {
            if isSecret {
                throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: "It is secret."))
            }
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }

        init(text: String = "", isSecret: Bool = true) { (self.text, self.isSecret) = (text, isSecret) }

        init(from decoder: any Decoder) throws {
            self.init(text: try decoder.singleValueContainer().decode(String.self), isSecret: false)
        }
    }

    struct Place: Codable, Hashable, StoredAsJSON {
        var x = 0.0
        var y = 0.0
    }

    struct Reading: Identifiable, Hashable, Sendable {
        var id: Int
        var numbers: [Double] = []
        var names: [String] = []
        var marks: [String: Double]? = nil
        var secret: Secret? = nil
        var place = Place()

        static let schema = Schema<Reading>(
            "readings", Reading.init, Column("id", \.id), Column("numbers", \.numbers), Column("names", \.names),
            Column("marks", \.marks), Column("secret", \.secret), Column("place", \.place))
        static let indexed = Schema<Reading>(
            "indexed", Reading.init, Column("id", \.id), Column("numbers", \.numbers, isIndexed: true),
            Column("names", \.names, isIndexed: true), Column("marks", \.marks, isIndexed: true),
            Column("secret", \.secret), Column("place", \.place, isIndexed: true))
    }

    private static func stores() throws -> [any TransactionalStore<Reading>] {
        let database = try SQLiteDatabase(.memory)
        return [
            MemoryStore(Reading.schema), MemoryStore(Reading.indexed), MemoryStore(id: \Reading.id),
            try SQLiteStore(Reading.schema, in: database), try SQLiteStore(Reading.indexed, in: database),
        ]
    }

    @Test(
        "An accent after a character that JSON escapes comes back",
        arguments: [
            "\n\u{303}", "\u{E}\u{301}", "\r\u{344}x\u{301}", "\t\u{1D165}\u{301}", "\"\u{301}", "\\\u{338}",
            "\n\u{F73}\u{301}", "\u{8}\u{323}\u{307}", "\u{301}", "\n\u{E9}",
        ])
    func accentAfterEscape(_ text: String) async throws {
        func check(_ store: some TransactionalStore<Reading>) async throws {
            let reading = Reading(id: 1, names: [text], marks: [text: 1])
            try await store.insert(reading)
            #expect(try await store.object(withId: 1) == reading)
            let other = text.decomposedStringWithCanonicalMapping
            #expect(try await store.filter(where: \.names == [other] && \.marks == [other: 1]).count() == 1)
        }
        for store in try Self.stores() { try await check(store) }
    }

    @Test("Equal dictionaries are found, whatever the form of their keys")
    func keys() async throws {
        func check(_ store: some TransactionalStore<Reading>) async throws {
            try await store.insert(Reading(id: 1, marks: ["\u{E9}a": 1, "z": 2, "\u{212A}": 3, "a!": 4, "a": 5]))
            let equal = ["e\u{301}a": 1.0, "z": 2, "K": 3, "a!": 4, "a": 5]
            #expect(try await store.filter(where: \.marks == equal).count() == 1)
            try await store.update(Reading(id: 1, marks: ["\u{212A}": 1, "a": 2, "a!": 3, "a ": 4]))
            #expect(try await store.filter(where: \.marks == ["K": 1, "a": 2, "a!": 3, "a ": 4]).count() == 1)
            // An escaped character is in another order than the character itself. A key may be empty.
            try await store.update(Reading(id: 1, marks: ["\u{212A}\n": 1, "K!": 2, "": 3, "\u{212A}": 4]))
            #expect(try await store.filter(where: \.marks == ["K\n": 1, "K!": 2, "": 3, "K": 4]).count() == 1)
        }
        for store in try Self.stores() { try await check(store) }
    }

    @Test("-0.0 within a value is equal to 0.0")
    func negativeZero() async throws {
        func check(_ store: some TransactionalStore<Reading>) async throws {
            try await store.insert([
                Reading(id: 1, numbers: [-0.0, -1, -0.5]), Reading(id: 2, names: ["-0"], marks: ["-0": -0.0]),
            ])
            #expect(try await store.filter(where: \.numbers == [0, -1, -0.5]).result().map(\.id) == [1])
            #expect(try await store.filter(where: \.marks == ["-0": 0]).result().map(\.id) == [2])
            #expect(try await store.object(withId: 2)?.names == ["-0"])
        }
        for store in try Self.stores() { try await check(store) }
    }

    @Test("NaN within a value is equal to NaN in conditions, on every store")
    func notANumber() async throws {
        func check(_ store: some TransactionalStore<Reading>) async throws {
            try await store.insert([
                Reading(id: 1, numbers: [.nan, 1]), Reading(id: 2, numbers: [.nan, 2]),
                Reading(id: 3, numbers: [1], place: Place(x: .nan)),
            ])
            func ids(_ condition: Condition<Reading>) async throws -> [Int] {
                try await store.filter(where: condition).result().map(\.id)
            }
            #expect(try await ids(\.numbers == [.nan, 1]) == [1])
            #expect(try await ids(\.numbers != [.nan, 1]) == [2, 3])
            #expect(try await ids(.in(\.numbers, [[.nan, 2], [1]])) == [2, 3])
            #expect(try await ids(\.place == Place(x: .nan)) == [3])
        }
        for store in try Self.stores() { try await check(store) }
    }

    @Test("A value with NaN can be changed to another one with NaN, and observers are told")
    func changedNaN() async throws {
        func check(_ store: some TransactionalStore<Reading> & ObservableStore<Reading>) async throws {
            try await store.insert(Reading(id: 1, numbers: [.nan], place: Place(x: .nan, y: 1)))
            let (told, observation) = store.observe(store.all()).collecting()
            defer { observation.dispose() }
            try await store.update(Reading(id: 1, numbers: [.nan], place: Place(x: .nan, y: 2)))
            #expect(try await store.object(withId: 1)?.place.y == 2)
            try await store.upsert(Reading(id: 1, numbers: [.nan], place: Place(x: .nan, y: 3)))
            #expect(try await store.object(withId: 1)?.place.y == 3)
            try await store.merge([Reading(id: 1, numbers: [.nan], place: Place(x: .nan, y: 4))])
            #expect(try await store.object(withId: 1)?.place.y == 4)
            await eventually("the last value is told") { told.all.last?.first?.place.y == 4 }
        }
        let database = try SQLiteDatabase(.memory)
        try await check(MemoryStore(Reading.schema))
        try await check(MemoryStore(Reading.indexed))
        try await check(SQLiteStore(Reading.schema, in: database))
        try await check(SQLiteStore(Reading.indexed, in: database))
    }

    @Test("A value that cannot be encoded is refused with its place, and nothing is lost")
    func notEncodable() async throws {
        let database = try SQLiteDatabase(.memory)
        func check(_ store: SQLiteStore<Reading>) async throws {
            let old = Reading(id: 7, secret: Secret(text: "old", isSecret: false))
            try await store.insert(old)
            let new = Reading(id: 7, secret: Secret())
            func refused<Value: Sendable>(_ producer: SignalProducer<Value, StoreError>) {
                let error = #expect(throws: StoreError.self) { try producer.values() }
                guard case .constraint(let reason)? = error else {
                    Issue.record("\(String(describing: error)) is another error")
                    return
                }
                #expect(reason.contains("secret") && reason.contains("7") && reason.contains("It is secret."))
            }
            refused(store.update(new))
            refused(store.upsert(new))
            refused(store.insert([Reading(id: 8), Reading(id: 77, secret: Secret())]))
            refused(store.merge([new]))
            #expect(throws: StoreError.self) {
                try store.update(where: \.id == 7, set: .value(\.secret, Secret())).get()
            }
            // Other failures have their own reasons afterwards.
            #expect(throws: StoreError.duplicate(id: "7")) { try store.insert(old).get() }
            #expect(try await store.all().result() == [old])
            let next = Reading(id: 7, secret: Secret(text: "next", isSecret: false))
            try await store.update(next)
            #expect(try await store.all().result() == [next])
        }
        try await check(SQLiteStore(Reading.schema, in: database))
        try await check(SQLiteStore(Reading.indexed, in: database))
    }

    @Test("A value that cannot be encoded is equal to nothing in conditions")
    func notEncodableInConditions() async throws {
        func check(_ store: some TransactionalStore<Reading>) async throws {
            try await store.insert([Reading(id: 1), Reading(id: 2, secret: Secret(text: "a", isSecret: false))])
            let bad: Secret? = Secret()
            #expect(try await store.filter(where: \.secret == bad).count() == 0)
            #expect(try await store.filter(where: \.secret != bad).count() == 2)
            #expect(try await store.filter(where: .in(\.secret, [bad, nil])).result().map(\.id) == [1])
            #expect(try await store.delete(where: \.secret == bad) == 0)
        }
        for store in try Self.stores() { try await check(store) }
    }

    @Test("After a value that cannot be encoded, nothing follows if those without a value come first")
    func notEncodableBeforeLastPage() async throws {
        func check(_ store: some TransactionalStore<Reading>) async throws {
            try await store.insert([Reading(id: 1), Reading(id: 2, secret: Secret(text: "a", isSecret: false))])
            for order in [SortCriterion<Reading>.Order.ascending, .descending] {
                let query = store.sorted(by: \.secret, inOrder: order, nil: .first).page(
                    after: Reading(id: 3, secret: Secret()))
                #expect(try await query.result().map(\.id) == [])
            }
        }
        for store in try Self.stores() { try await check(store) }
    }

    @Test("After a value that cannot be encoded, only those without a value can follow")
    func notEncodableBeforePage() async throws {
        func check(_ store: some TransactionalStore<Reading>) async throws {
            try await store.insert([Reading(id: 1), Reading(id: 2, secret: Secret(text: "a", isSecret: false))])
            let last = Reading(id: 3, secret: Secret())
            for order in [SortCriterion<Reading>.Order.ascending, .descending] {
                let query = store.sorted(by: \.secret, inOrder: order, nil: .last).page(after: last)
                #expect(try await query.result().map(\.id) == [1])
            }
        }
        for store in try Self.stores() { try await check(store) }
    }
}
