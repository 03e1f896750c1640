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

    @Test("Of several that wait, the one that is removed is passed over, and the others keep their order")
    func removalAmongOthers() throws {
        let a = try #require(a)
        for removed in 2...4 {
            var slots = ConnectionSlots<Origin, Int>(limit: 1, multiplexedLimit: 3)
            for item in 1...4 { _ = slots.begin(item, at: a) }
            let isRemoved = slots.remove(removed, at: a)
            #expect(isRemoved)
            #expect(slots.end(at: a, multiplexes: true) == [2, 3, 4].filter { $0 != removed })
        }
    }

    @Test("A limit below one is one, and a server that multiplexes takes no fewer than another")
    func leastLimits() throws {
        let a = try #require(a)
        for (limit, multiplexedLimit, most) in [(0, -1, 1), (-1, 2, 2), (3, 2, 3)] {
            var slots = ConnectionSlots<Origin, Int>(limit: limit, multiplexedLimit: multiplexedLimit)
            let begun = (1...6).filter { slots.begin($0, at: a) }
            #expect(begun == Array(1...max(1, limit)))
            _ = slots.note(at: a, multiplexes: true)
            let waiting = (7...9).filter { !slots.begin($0, at: a) }
            #expect(waiting == [7, 8, 9])
            var others = 0
            for _ in 1...most { others += slots.end(at: a, multiplexes: nil).count }
            #expect(others == most)
        }
    }

    @Test("A server that no longer multiplexes takes no more than before")
    func noLongerMultiplexing() throws {
        let a = try #require(a)
        var slots = ConnectionSlots<Origin, Int>(limit: 1, multiplexedLimit: 3)
        for item in 1...6 { _ = slots.begin(item, at: a) }
        #expect(slots.note(at: a, multiplexes: true) == [2, 3])
        #expect(slots.end(at: a, multiplexes: false).isEmpty)
        #expect(slots.end(at: a, multiplexes: nil).isEmpty)
        #expect(slots.end(at: a, multiplexes: nil) == [4])
        #expect(slots.note(at: a, multiplexes: nil).isEmpty)
    }
}
