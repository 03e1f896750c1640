import Foundation
import Testing

@testable import Networking

@Suite("Connection slots")
struct ConnectionSlotsTests {
    private let a = Origin(URL(string: "http://a/") ?? URL(filePath: "/"))
    private let b = Origin(URL(string: "http://b/") ?? URL(filePath: "/"))

    @Test("Each server takes so many at a time; others begin in the order in which they came")
    func order() throws {
        let (a, b) = (try #require(a), try #require(b))
        var slots = ConnectionSlots<Origin, Int>(limit: 2, multiplexedLimit: 10)
        let begun = (1...4).map { slots.begin($0, at: a) }
        #expect(begun == [true, true, false, false])
        let isBegun = slots.begin(5, at: b)
        #expect(isBegun)
        #expect(slots.end(at: a, multiplexes: false) == [3])
        #expect(slots.end(at: a, multiplexes: nil) == [4])
        #expect(slots.end(at: a, multiplexes: nil).isEmpty)
        let isBegunAgain = slots.begin(6, at: a)
        #expect(isBegunAgain)
        let isTooMany = slots.begin(7, at: a)
        #expect(!isTooMany)
    }

    @Test("A server that multiplexes takes more as soon as that is known")
    func multiplexing() throws {
        let a = try #require(a)
        var slots = ConnectionSlots<Origin, Int>(limit: 1, multiplexedLimit: 3)
        let begun = (1...5).map { slots.begin($0, at: a) }
        #expect(begun == [true, false, false, false, false])
        #expect(slots.end(at: a, multiplexes: true) == [2, 3, 4])
        #expect(slots.end(at: a, multiplexes: true) == [5])
    }

    @Test("A server that is found to multiplex before its first answer ends takes more at once")
    func longAnswers() throws {
        let a = try #require(a)
        var slots = ConnectionSlots<Origin, Int>(limit: 1, multiplexedLimit: 3)
        let begun = (1...4).map { slots.begin($0, at: a) }
        #expect(begun == [true, false, false, false])
        #expect(slots.note(at: a, multiplexes: true) == [2, 3])
        #expect(slots.note(at: a, multiplexes: true).isEmpty)
        #expect(slots.end(at: a, multiplexes: nil) == [4])
    }

    @Test("A request that has begun is released while others wait")
    func release() throws {
        final class Request: Hashable {
            static func == (a: Request, b: Request) -> Bool { a === b }
            func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
        }
        let a = try #require(a)
        var slots = ConnectionSlots<Origin, Request>(limit: 1, multiplexedLimit: 1)
        _ = slots.begin(Request(), at: a)
        weak var begun: Request?
        do {
            let request = Request()
            begun = request
            _ = slots.begin(request, at: a)
        }
        for _ in 0..<3 { _ = slots.begin(Request(), at: a) }
        #expect(begun != nil)
        #expect(slots.end(at: a, multiplexes: nil).count == 1)
        #expect(begun == nil)
    }

    @Test("One that no longer waits is passed over")
    func removal() throws {
        let (a, b) = (try #require(a), try #require(b))
        var slots = ConnectionSlots<Origin, Int>(limit: 1, multiplexedLimit: 1)
        let begun = (1...3).map { slots.begin($0, at: a) }
        #expect(begun == [true, false, false])
        let isRemoved = slots.remove(2, at: a)
        #expect(isRemoved)
        let others = [slots.remove(2, at: a), slots.remove(1, at: a), slots.remove(3, at: b)]
        #expect(others == [false, false, false])
        #expect(slots.end(at: a, multiplexes: nil) == [3])
    }
}
