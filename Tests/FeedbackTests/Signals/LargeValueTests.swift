import Foundation
import Testing

@testable import Feedback

/// For an optimized build, `benchmark` has the same cases: the rows on a state of 64 KB.
@Suite("Large values", .timeLimit(.minutes(10)))
struct LargeValueTests {
    /// Eight values held inline.
    private struct Eight<Value: Sendable>: Sendable {
        var a, b, c, d, e, f, g, h: Value

        init(_ value: Value) {
            (a, b, c, d) = (value, value, value, value)
            (e, f, g, h) = (value, value, value, value)
        }
    }

    /// A state of 64 KB without an indirection.
    private struct State: Sendable {
        var count = 0
        var first = Eight(Eight(Eight(Eight(0))))
        var second = Eight(Eight(Eight(Eight(0))))
    }

    /// Runs `body` on a small stack with a loop that was made elsewhere, as making such a state takes several copies.
    private func withLoop(_ body: @escaping @Sendable (FeedbackLoop<State, Int>) -> Void) async {
        let made = Log<FeedbackLoop<State, Int>>()
        await onStack(ofKilobytes: 8 << 10) {
            made.add(
                FeedbackLoop(initial: State(), reduce: { (state: inout State, number: Int) in state.count += number }))
        }
        await onSmallStack {
            made.entries[0].start()
            body(made.entries[0])
        }
    }

    @Test("A state of 64 KB passes through ten cold operators on a small stack")
    func cold() async {
        await withLoop { loop in
            let counts = Log<Int>()
            let first = loop.producer.map { $0 }.filter { $0.count >= 0 }.skipRepeats { $0.count == $1.count }
            let second = first.take(first: 100).skip(first: 0).take(while: { $0.count < 100 })
            let third = second.skip(while: { $0.count < 0 }).map { $0 }.on(value: { _ in })
            third.map { $0 }.startWithValues { counts.add($0.count) }
            loop.send(1)
            loop.send(2)
            #expect(counts.entries == [0, 1, 3])
        }
    }

    @Test("A state of 64 KB passes through ten hot operators on a small stack")
    func hot() async {
        await withLoop { loop in
            let counts = Log<Int>()
            let first = loop.signal.map { $0 }.filter { $0.count >= 0 }.skipRepeats { $0.count == $1.count }
            let second = first.take(first: 100).skip(first: 0).take(while: { $0.count < 100 })
            let third = second.skip(while: { $0.count < 0 }).map { $0 }.on(value: { _ in })
            third.map { $0 }.observeValues { counts.add($0.count) }
            loop.send(1)
            loop.send(2)
            #expect(counts.entries == [1, 3])
        }
    }

    @Test("A state of 64 KB passes through ten derived properties on a small stack")
    func properties() async {
        await withLoop { loop in
            var property = loop.property.map { $0 }
            for _ in 1..<10 { property = property.map { $0 } }
            let count = property.map(\.count)
            loop.send(1)
            #expect(count.value == 1)
        }
    }

    @Test("A state of 64 KB is shown by contexts on a small stack")
    func contexts() async {
        await withLoop { loop in
            let counts = Log<Int>()
            loop.contexts.startWithValues { context in
                counts.add(context.count)
                if context.count == 0 { context.send(1) }
            }
            #expect(counts.entries == [0, 1])
        }
    }

    @Test("A state of 64 KB is shown by an observed object on a small stack")
    func observed() async {
        await withLoop { loop in
            let observed = Observed(loop.property, on: ImmediateScheduler())
            loop.send(1)
            let count = observed.count
            #expect(count == 1)
        }
    }

    @Test("A value is large from one byte beyond 1 KB on")
    func limit() {
        struct OneMore {
            var kilobyte: Eight<Eight<Eight<Int16>>>
            var byte: UInt8
        }
        #expect(MemoryLayout<Eight<Eight<Eight<Int16>>>>.size == 1_024 && MemoryLayout<OneMore>.size == 1_025)
        #expect(!isLarge(Eight<Eight<Eight<Int16>>>.self) && isLarge(OneMore.self) && !isLarge(Int.self))
    }

    @Test("Where an optimized build calls the unspecialized form of a function, that does the same")
    func unspecialized() {
        let property = MutableProperty(1)
        let values = Log<Int>()
        let (lifetime, token) = Lifetime.make()
        property.core.unspecializedObserveToDerive(
            Observer(receive: { values.add($0) }, finish: { _ in }), during: lifetime)
        #expect(property.core.unspecializedSwap(2) == 1)
        property.value = 3
        #expect(property.value == 3 && values.entries == [1, 2, 3])
        token.dispose()
        property.value = 4
        #expect(values.entries == [1, 2, 3])
    }
}
