import Feedback
import Foundation
import Synchronization

private let count = 1_000_000

/// The rows on the loop.
let loopBenchmarks: [Benchmark] =
    [loopSend, idleFeedbacks, loopEffect, manyEntities, manyEntitiesListened] + [1, 2, 4, 8].map(loopUnderThreads)

private struct State: Sendable {
    var count = 0
    var query = "London"
    var isLoading = false
    var entities: [Int: Int] = [:]

    init(entities: Int = 0) {
        for id in 0..<entities { self.entities[id] = id }
    }
}

private enum Event: Sendable {
    case increment, load, didLoad
    case entity(Int, Int)
}

@Sendable
private func reduce(_ state: inout State, _ event: Event) {
    switch event {
    case .increment: state.count &+= 1
    case .load: state.isLoading = true
    case .didLoad: state.isLoading = false
    case let .entity(id, value): state.entities[id] = value
    }
}

private func makeLoop(_ initial: State = State(), _ feedbacks: [Feedback<State, Event>] = [])
    -> FeedbackLoop<State, Event>
{
    let loop = FeedbackLoop(initial: initial, reduce: reduce, feedbacks: feedbacks)
    loop.start()
    return loop
}

private let loopSend = Benchmark(
    "loop: send and reduce, no feedback", per: "event", operations: count, goal: .nanoseconds(30),
    baseline: (
        "a mutation in place under a lock",
        {
            let state = Mutex(State())
            for _ in 0..<count { state.withLock { reduce(&$0, .increment) } }
        }
    ),
    ours: {
        let loop = makeLoop()
        for _ in 0..<count { loop.send(.increment) }
    })

/// The cost that one feedback adds to one event, and a fortieth of the loop's own cost.
private let idleFeedbacks = Benchmark(
    "loop: one of forty idle skippingRepeated feedbacks", per: "event", operations: count,
    goal: .nanoseconds(8),
    baseline: (
        "a closure and a comparison",
        {
            let query: @Sendable (State) -> String? = opaque(\.query)
            let state = opaque(State())
            var last = query(state)
            for _ in 0..<count {
                let next = query(state)
                if next != last { last = next }
            }
            sink.add(last?.count ?? 0)
        }
    ),
    ours: {
        let feedbacks = (0..<40).map { _ in
            Feedback<State, Event>(skippingRepeated: \.query) { _ in SignalProducer<Event, NoError>.empty }
        }
        let loop = makeLoop(State(), feedbacks)
        for _ in 0..<count / 40 { loop.send(.increment) }
    })

private let loopEffect = Benchmark(
    "loop: an event starts an effect that answers at once", per: "event", operations: 100_000,
    goal: .nanoseconds(400),
    ours: {
        let loop = makeLoop(
            State(),
            [Feedback(predicate: \.isLoading) { _ in SignalProducer<Event, NoError>(value: .didLoad) }])
        for _ in 0..<100_000 { loop.send(.load) }
    })

private func watchedLoop(entities: Int) -> FeedbackLoop<State, Event> {
    let loop = makeLoop(
        State(entities: entities),
        [Feedback(skippingRepeated: \.query) { _ in SignalProducer<Event, NoError>.empty }])
    loop.producer.startWithValues { sink.add($0.count) }
    loop.property.map(\.isLoading).producer.startWithValues { sink.add($0 ? 1 : 0) }
    loop.select(\.count) { $0 }.producer.startWithValues { sink.add($0) }
    return loop
}

private let fewLoop = watchedLoop(entities: 10)
private let manyLoop = watchedLoop(entities: 100_000)

private func changeEntities(of loop: FeedbackLoop<State, Event>) {
    // The same ten entities in both, so that the processor's cache does not influence the comparison.
    for number in 0..<200_000 { loop.send(.entity(number % 10, number)) }
}

private let manyEntities = Benchmark(
    "loop: event with 100,000 entities, watched", per: "event", operations: 200_000, goal: .ratio(1.1),
    baseline: ("the same with 10 entities", { changeEntities(of: fewLoop) }),
    ours: { changeEntities(of: manyLoop) })

private func listenedLoop(entities: Int) -> FeedbackLoop<State, Event> {
    let loop = watchedLoop(entities: entities)
    loop.steps.startWithValues { if case let .reduced(_, _, state) = $0 { sink.add(state.count) } }
    return loop
}

private let fewListenedLoop = listenedLoop(entities: 10)
private let manyListenedLoop = listenedLoop(entities: 100_000)

private let manyEntitiesListened = Benchmark(
    "loop: the same, with a listener to its steps", per: "event", operations: 200_000, goal: .ratio(1.1),
    baseline: ("the same with 10 entities", { changeEntities(of: fewListenedLoop) }),
    ours: { changeEntities(of: manyListenedLoop) })

private func loopUnderThreads(_ threads: Int) -> Benchmark {
    Benchmark(
        "loop: sends from \(threads) \(threads == 1 ? "thread" : "threads")", per: "event", operations: 400_000,
        baseline: (
            "a mutation in place under a lock, from as many",
            {
                let state = LockedState()
                onThreads(threads) {
                    for _ in 0..<400_000 / threads { state.value.withLock { reduce(&$0, .increment) } }
                }
            }
        ),
        ours: {
            let loop = makeLoop()
            onThreads(threads) {
                for _ in 0..<400_000 / threads { loop.send(.increment) }
            }
        })
}

private final class LockedState: Sendable {
    let value = Mutex(State())
}

private func onThreads(_ threads: Int, _ body: @escaping @Sendable () -> Void) {
    let group = DispatchGroup()
    for _ in 0..<threads {
        group.enter()
        Thread.detachNewThread {
            body()
            group.leave()
        }
    }
    group.wait()
}
