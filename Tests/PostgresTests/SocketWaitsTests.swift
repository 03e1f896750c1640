import Testing

@testable import Postgres

@Suite("Waits for sockets")
struct SocketWaitsTests {
    private var waits = SocketWaits<String>(maximumVisits: 2)

    @Test("Waits that are likely to end soon are watched in visits, up to a limit; the others by the thread")
    mutating func visits() {
        expect(waits.add("late", as: 1, isSoon: false), .thread)
        expect(waits.add("soon", as: 2, isSoon: true), .visit)
        expect(waits.add("late", as: 3, isSoon: false), .nothing)
        expect(waits.add("soon", as: 4, isSoon: true), .visit)
        expect(waits.add("soon", as: 5, isSoon: true), .nothing)
    }

    @Test("There are no more visits than waits that are likely to end soon")
    mutating func fewWaits() {
        expect(waits.add("a", as: 1, isSoon: true), .visit)
        expect(waits.take(1), "a")
        // The visit of the first wait goes on.
        expect(waits.add("b", as: 2, isSoon: true), .nothing)
        expect(waits.add("c", as: 3, isSoon: true), .visit)
    }

    @Test("A wait is taken once")
    mutating func taken() {
        expect(waits.take(1), nil)
        _ = waits.add("a", as: 1, isSoon: false)
        waits.addUnwatched("b", as: 2)
        expect(waits.take(2), "b")
        expect(waits.take(1), "a")
        expect(waits.take(1), nil)
        // None of them was likely to end soon.
        expect(waits.add("c", as: 3, isSoon: true), .visit)
    }

    @Test("A visit goes on while an answer is likely to come soon, and ends with the last such wait")
    mutating func visitGoesOn() {
        _ = waits.add("a", as: 1, isSoon: true)
        expect(waits.leave(isLate: false), nil)
        _ = waits.take(1)
        expect(waits.leave(isLate: false), .nothing)
        expect(waits.add("b", as: 2, isSoon: true), .visit)
    }

    @Test("After a late visit, the thread watches what is left, which is no longer likely to end soon")
    mutating func late() {
        _ = waits.add("a", as: 1, isSoon: true)
        expect(waits.leave(isLate: true), .thread)
        // Only this one counts as soon, so there is one visit.
        expect(waits.add("b", as: 2, isSoon: true), .visit)
        expect(waits.add("c", as: 3, isSoon: false), .nothing)
        _ = waits.take(2)
        expect(waits.leave(isLate: false), .nothing)
        _ = waits.take(1)
        expect(waits.add("d", as: 4, isSoon: true), .visit)
    }

    @Test("One of two visits that ends late leaves the waits to the other")
    mutating func oneOfTwo() {
        _ = waits.add("a", as: 1, isSoon: true)
        _ = waits.add("b", as: 2, isSoon: true)
        expect(waits.leave(isLate: true), .nothing)
        expect(waits.leave(isLate: false), nil)
        expect(waits.leave(isLate: true), .thread)
    }

    @Test("The thread rests during visits, and is woken for what they leave")
    mutating func rest() {
        expect(waits.add("a", as: 1, isSoon: false), .thread)
        expect(waits.afterWatching(isIdle: false), .watching)
        expect(waits.add("b", as: 2, isSoon: true), .visit)
        expect(waits.afterWatching(isIdle: false), .resting)
        expect(waits.leave(isLate: true), .wakeUp)
        expect(waits.afterWatching(isIdle: true), .watching)
        expect(waits.endRest(), false)
    }

    @Test("The thread ends if nobody has waited for a while, and the next wait needs a new one")
    mutating func end() {
        _ = waits.add("a", as: 1, isSoon: false)
        expect(waits.afterWatching(isIdle: true), .watching)
        _ = waits.take(1)
        expect(waits.afterWatching(isIdle: false), .watching)
        expect(waits.afterWatching(isIdle: true), .none)
        expect(waits.add("b", as: 2, isSoon: false), .thread)
    }

    @Test("A thread that has rested for long ends, unless it is needed meanwhile")
    mutating func endOfRest() {
        _ = waits.add("a", as: 1, isSoon: true)
        expect(waits.afterWatching(isIdle: true), .resting)
        expect(waits.endRest(), true)
        expect(waits.endRest(), false)
        expect(waits.leave(isLate: true), .thread)
    }
}
