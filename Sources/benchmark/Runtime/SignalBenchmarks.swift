import Feedback
import Synchronization

private let count = 1_000_000

/// The rows on signals, producers and properties.
let signalBenchmarks: [Benchmark] = [
    hotSignal, coldRange, hiddenRange, producerStart, hiddenStart, flatMapLatest, combineLatestOfTwo,
    combineLatestOfFour, propertySet, observedPropertySet,
]

/// The bare way of a pipeline: an object that holds its three closures, as any pipeline must.
private final class Closures: Sendable {
    typealias Transform = @Sendable (Int) -> Int

    let first: Transform
    let isIncluded: @Sendable (Int) -> Bool
    let second: Transform
    let end: @Sendable (Int) -> Void

    init(
        first: @escaping Transform, isIncluded: @escaping @Sendable (Int) -> Bool, second: @escaping Transform,
        end: @escaping @Sendable (Int) -> Void
    ) {
        self.first = first
        self.isIncluded = isIncluded
        self.second = second
        self.end = end
    }

    @inline(never)
    func receive(_ value: Int) {
        let value = first(value)
        if isIncluded(value) { end(second(value)) }
    }
}

private let bareClosures: (name: String, work: Benchmark.Work) = (
    "three closures and a branch, held in an object",
    {
        let closures = opaque(
            Closures(
                first: { $0 &+ 1 }, isIncluded: { $0 & 1 == 0 }, second: { $0 &* 3 }, end: { sink.add($0) }))
        for value in 0..<count { closures.receive(value) }
    }
)

private let hotSignal = Benchmark(
    "hot signal, map.filter.map", per: "value", operations: count, goal: .ratio(3),
    baseline: bareClosures,
    ours: {
        let (signal, observer) = Signal<Int, NoError>.pipe()
        signal.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.map { $0 &* 3 }.observeValues { sink.add($0) }
        for value in 0..<count { observer.send(value: value) }
    })

private let coldRange = Benchmark(
    "cold range, map.filter.map, fused", per: "value", operations: count, goal: .ratio(4),
    baseline: bareClosures,
    ours: {
        SignalProducer<Int, NoError>(0..<opaque(count))
            .map { $0 &+ 1 }.filter { $0 & 1 == 0 }.map { $0 &* 3 }
            .startWithValues { sink.add($0) }
    })

/// The same work, but the compiler does not see which stage precedes another, as behind a function of another module.
private let hiddenRange = Benchmark(
    "cold range, map.filter.map, stages hidden", per: "value", operations: count, goal: .nanoseconds(10),
    baseline: bareClosures,
    ours: {
        let range = opaque(SignalProducer<Int, NoError>(0..<opaque(count)))
        let mapped = opaque(range.map { $0 &+ 1 })
        let filtered = opaque(mapped.filter { $0 & 1 == 0 })
        opaque(filtered.map { $0 &* 3 }).startWithValues { sink.add($0) }
    })

private let producerStart = Benchmark(
    "start of value.map.filter, to its end, fused", per: "start", operations: 100_000, goal: .nanoseconds(40),
    ours: {
        for value in 0..<100_000 {
            SignalProducer<Int, NoError>(value: value).map { $0 &+ 1 }.filter { $0 & 1 == 0 }
                .startWithValues { sink.add($0) }
        }
    })

private let hiddenStart = Benchmark(
    "start of value.map.filter, to its end, stages hidden", per: "start", operations: 100_000,
    goal: .nanoseconds(200),
    ours: {
        for value in 0..<100_000 {
            let one = opaque(SignalProducer<Int, NoError>(value: value))
            let mapped = opaque(one.map { $0 &+ 1 })
            opaque(mapped.filter { $0 & 1 == 0 }).startWithValues { sink.add($0) }
        }
    })

private let flatMapLatest = Benchmark(
    "flatMap(.latest)", per: "outer value", operations: 100_000, goal: .nanoseconds(150),
    ours: {
        let (signal, observer) = Signal<Int, NoError>.pipe()
        signal.flatMap(.latest) { SignalProducer<Int, NoError>(value: $0) }.observeValues { sink.add($0) }
        for value in 0..<100_000 { observer.send(value: value) }
    })

private let combineLatestOfTwo = Benchmark(
    "combineLatest of two", per: "value", operations: count, goal: .nanoseconds(40),
    ours: {
        let (first, firstObserver) = Signal<Int, NoError>.pipe()
        let (second, secondObserver) = Signal<Int, NoError>.pipe()
        Signal.combineLatest(first, second).observeValues { sink.add($0 &+ $1) }
        secondObserver.send(value: 0)
        for value in 0..<count / 2 {
            firstObserver.send(value: value)
            secondObserver.send(value: value)
        }
    })

private let combineLatestOfFour = Benchmark(
    "combineLatest of four", per: "value", operations: count, goal: .nanoseconds(100),
    ours: {
        let pipes = (0..<4).map { _ in Signal<Int, NoError>.pipe() }
        Signal.combineLatest(pipes[0].output, pipes[1].output, pipes[2].output, pipes[3].output)
            .observeValues { sink.add($0 &+ $1 &+ $2 &+ $3) }
        for value in 0..<count { pipes[value & 3].input.send(value: value) }
    })

private let lockedStore: (name: String, work: Benchmark.Work) = (
    "a store under a lock",
    {
        let store = Mutex(0)
        for value in 0..<count { store.withLock { $0 = value } }
    }
)

private let propertySet = Benchmark(
    "MutableProperty, set", per: "set", operations: count, goal: .ratio(2), baseline: lockedStore,
    ours: {
        let property = MutableProperty(0)
        for value in 0..<count { property.value = value }
    })

private let observedPropertySet = Benchmark(
    "MutableProperty, set while observed", per: "set", operations: count, goal: .ratio(2), baseline: lockedStore,
    ours: {
        let property = MutableProperty(0)
        property.signal.observeValues { sink.add($0) }
        for value in 0..<count { property.value = value }
    })
