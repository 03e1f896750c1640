import Feedback
import Foundation
import Testing

@testable import Persistence

@Suite("Places for the values of a row")
struct RowSlotsTests {
    @Test("Each is as large as the largest value needs, in steps of 16 bytes")
    func sizes() {
        func stride(_ types: [any Primitive.Type]) -> Int { RowSlots(types).stride }
        #expect(MemoryLayout<UUID?>.size == 17)
        #expect(stride([Bool.self]) == 16 && stride([Bool.self, String?.self, Int.self]) == 16)
        #expect(stride([Int.self, UUID?.self]) == 32)
        let slots = RowSlots([Int.self, UUID?.self, Bool.self])
        #expect(slots.offsets == [0, 32, 64])
        #expect(slots.byteCount == 96)
    }

    /// A value with an object that is counted while it exists.
    private struct Held: RawRepresentable, Primitive {
        static let count = Locked(0)

        final class Object: Sendable {
            init() { Held.count.withLock { $0 += 1 } }
            deinit { Held.count.withLock { $0 -= 1 } }
        }

        let rawValue: String
        let object = Object()

        init(rawValue: String) { self.rawValue = rawValue }

        static func == (lhs: Held, rhs: Held) -> Bool { lhs.rawValue == rhs.rawValue }

        func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
    }

    private struct Item: Identifiable {
        let id: Int
        let held: Held
        let size: Double

        static let schema = Schema<Item>(
            "items", Item.init, Column("id", \.id), Column("held", \.held), Column("size", \.size))
    }

    @Test("Values of a row are released with its object, or at once if another value of the row does not fit")
    func released() throws {
        do {
            let item = try Item.schema.object(from: [.integer(1), .text("a"), .real(1)])
            #expect(item.held.rawValue == "a" && Held.count.withLock { $0 } == 1)
        }
        #expect(Held.count.withLock { $0 } == 0)
        #expect(throws: RowMismatch(column: 2)) {
            try Item.schema.object(from: [.integer(1), .text("a"), .text("large")])
        }
        #expect(throws: RowMismatch(column: 2)) { try Item.schema.object(from: [.integer(1), .text("a")]) }
        #expect(Held.count.withLock { $0 } == 0)
    }
}
