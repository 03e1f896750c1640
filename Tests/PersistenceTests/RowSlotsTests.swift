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
}
