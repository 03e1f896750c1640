import Persistence
import Testing

@testable import Postgres

@Suite("The state of a listener")
struct ListenerStateTests {
    private final class Caller: Sendable {}

    private static let late = StoreError.unreachable(reason: "late")

    private var state = ListenerState<Caller>()
    private let first = Caller()
    private let second = Caller()

    private mutating func expectEnter(
        _ phase: ListenerState<Caller>.Phase, _ failure: StoreError? = nil, wakes callers: [Caller],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let woken = state.enter(phase, failure)
        #expect(woken.map(ObjectIdentifier.init) == callers.map(ObjectIdentifier.init), sourceLocation: sourceLocation)
    }

    @Test("The first caller connects, others wait with it, and later ones need not wait")
    mutating func callers() {
        expect(state.add(first), .connect)
        expect(state.add(second), .wait)
        #expect(state.phase == .connecting)
        expectEnter(.connecting, wakes: [])
        expectEnter(.listening, wakes: [first, second])
        expect(state.remove(first, orLate: Self.late), nil)
        expect(state.add(Caller()), .nothing)
        expect(state.add(Caller()), .nothing)
    }

    @Test("A caller that has waited too long is told so, and not woken later")
    mutating func late() {
        _ = state.add(first)
        _ = state.add(second)
        expect(state.remove(first, orLate: Self.late), Self.late)
        expectEnter(.listening, wakes: [second])
    }

    @Test("If the server refuses the connection, all callers are told why")
    mutating func refused() {
        let error = StoreError.refused(reason: "no")
        _ = state.add(first)
        expectEnter(.connecting, error, wakes: [first])
        expect(state.remove(first, orLate: Self.late), error)
        expectEnter(.connecting, wakes: [])
        expect(state.remove(first, orLate: Self.late), Self.late)
    }

    @Test("After the end, it does not listen again, and nobody waits")
    mutating func over() {
        expectEnter(.over, wakes: [])
        expectEnter(.listening, wakes: [])
        #expect(state.phase == .over)
        expect(state.add(first), .nothing)
    }

    @Test("Pauses are longer and longer, up to two seconds, and short again once it has listened")
    mutating func pauses() {
        for pause in [50, 100, 200, 400, 800, 1_600, 2_000, 2_000] as [Int32] { expect(state.pause(), pause) }
        _ = state.enter(.connecting)
        expect(state.pause(), 2_000)
        _ = state.enter(.listening)
        expect(state.pause(), 50)
    }
}
