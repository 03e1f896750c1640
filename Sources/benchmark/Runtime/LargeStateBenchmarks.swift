import Feedback
import Foundation

private typealias Loop = FeedbackLoop<LargeState, Int>

private let count = 100

/// The rows on a state of 64 KB that is held inline. Each runs on a stack of 512 KB. If an optimized build needs more, the
/// process ends. So these rows are tests as well.
let largeStateBenchmarks: [Benchmark] = [
    large("ten cold operators in a row") { loop in
        let first = loop.producer.map { $0 }.filter { $0.count >= 0 }.skipRepeats { $0.count == $1.count }
        let second = first.take(first: 1_000).skip(first: 0).take(while: { $0.count < 1_000 })
        let third = second.skip(while: { $0.count < 0 }).map { $0 }.on(value: { _ in })
        third.map { $0 }.startWithValues { sink.add($0.count) }
    },
    large("ten hot operators in a row") { loop in
        let first = loop.signal.map { $0 }.filter { $0.count >= 0 }.skipRepeats { $0.count == $1.count }
        let second = first.take(first: 1_000).skip(first: 0).take(while: { $0.count < 1_000 })
        let third = second.skip(while: { $0.count < 0 }).map { $0 }.on(value: { _ in })
        third.map { $0 }.observeValues { sink.add($0.count) }
    },
    large("ten properties in a row") { loop in
        var property = loop.property.map { $0 }
        for _ in 1..<10 { property = property.map { $0 } }
        property.map(\.count).signal.observeValues { sink.add($0) }
    },
    large("contexts, in a row") { loop in
        loop.contexts.startWithValues { sink.add($0.count) }
    },
    large("an observed object, in a row") { loop in
        let observed = Observed(loop.property, on: ImmediateScheduler())
        loop.signal.observeValues { _ in sink.add(observed.count) }
    },
]

/// Returns a row that sends events to a loop that `observe` has begun to observe.
private func large(_ name: String, _ observe: @escaping @Sendable (Loop) -> Void) -> Benchmark {
    Benchmark("A state of 64 KB through \(name), on a stack of 512 KB", per: "event", operations: count) {
        let made = Locked<Loop?>(nil)
        // On a stack of its own, as it takes several copies to make such a state.
        await onStack(ofKilobytes: 8 << 10, named: "initial state") {
            let loop = Loop(initial: LargeState(), reduce: { state, number in state.count += number })
            made.withLock { $0 = loop }
        }
        guard let loop = made.withLock({ $0 }) else { return }
        await onStack(ofKilobytes: 512, named: name) {
            loop.start()
            observe(loop)
            for _ in 0..<count { loop.send(1) }
        }
    }
}

/// A state of 64 KB without an indirection.
private struct LargeState: Sendable {
    var count = 0
    var first = Eight(Eight(Eight(Eight(0))))
    var second = Eight(Eight(Eight(Eight(0))))
}

/// Eight values held inline.
private struct Eight<Value: Sendable>: Sendable {
    var a, b, c, d, e, f, g, h: Value

    init(_ value: Value) {
        (a, b, c, d) = (value, value, value, value)
        (e, f, g, h) = (value, value, value, value)
    }
}
