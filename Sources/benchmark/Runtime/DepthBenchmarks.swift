import ColdOperators
import Feedback
import Foundation

private let count = 10_000

/// The rows on long chains. Each runs on a stack of 512 KB; a chain that needs more, or that is released wrongly by an
/// optimized build, ends the process. So these rows are tests as well.
let depthBenchmarks: [Benchmark] = [
    deep("hot maps") {
        let (source, input) = Signal<Int, NoError>.pipe()
        var signal = source
        for _ in 0..<count { signal = signal.map { $0 &+ 1 } }
        signal.observeValues { sink.add($0) }
        input.send(value: 0)
    },
    deep("cold maps") {
        var producer = SignalProducer<Int, NoError>(value: 0)
        for _ in 0..<count { producer = producer.map { $0 &+ 1 } }
        producer.startWithValues { sink.add($0) }
    },
    deep("concats") {
        var producer = SignalProducer<Int, NoError>(value: 0)
        for _ in 0..<count { producer = producer.concat(value: 1) }
        producer.startWithValues { sink.add($0) }
    },
    deep("flatMapErrors") {
        var producer = SignalProducer<Int, Failure>(error: Failure())
        for _ in 0..<count { producer = producer.flatMapError { SignalProducer(error: $0) } }
        producer.startWithFailed { _ in sink.add(1) }
    },
    deep("retries") {
        var producer = SignalProducer<Int, Failure>(value: 1)
        for _ in 0..<count { producer = producer.retry(upTo: 1) }
        producer.startWithResult { _ in sink.add(1) }
    },
    deep("cold merges") {
        var producer = SignalProducer<Int, NoError>(value: 0)
        for _ in 0..<count { producer = producer.merge(with: .empty) }
        producer.startWithValues { sink.add($0) }
    },
    deep("hot merges") {
        let (source, input) = Signal<Int, NoError>.pipe()
        var signal = source
        for _ in 0..<count { signal = signal.merge(with: .never) }
        signal.observeValues { sink.add($0) }
        input.send(value: 1)
    },
    deep("properties") {
        let root = MutableProperty(0)
        var property = root.map { $0 &+ 1 }
        for _ in 1..<count { property = property.map { $0 &+ 1 } }
        root.value = 1
        sink.add(property.value)
    },
    deep("combined properties") {
        let root = MutableProperty(0)
        let other = MutableProperty(0)
        var property = root.map { $0 }
        for _ in 0..<count { property = property.combineLatest(with: other).map { $0.0 &+ $0.1 } }
        root.value = 1
        sink.add(property.value)
    },
    Benchmark(
        "10,000 of each of \(ColdOperator.all.count) cold operators in a row, on a stack of 512 KB", per: "stage",
        operations: count * ColdOperator.all.count
    ) {
        for `operator` in ColdOperator.all {
            await onStack(ofKilobytes: 512, named: `operator`.name) {
                let scheduler = RequestedScheduler()
                var row = ColdOperator.Stream([7, 8])
                for _ in 0..<count { row = `operator`.apply(row, scheduler) }
                let start = row.startWithResult { _ in sink.add(1) }
                scheduler.run()
                start.dispose()
                scheduler.run()
            }
        }
    },
]

private struct Failure: Error {}

/// Returns a row that makes, uses once and releases a chain of 10,000.
private func deep(_ name: String, _ work: @escaping @Sendable () -> Void) -> Benchmark {
    Benchmark("10,000 \(name) in a row, on a stack of 512 KB", per: "stage", operations: count) {
        await onStack(ofKilobytes: 512, named: name, work)
    }
}

/// Runs work on a thread of its own. The report of an overflow tells the name of the thread.
func onStack(ofKilobytes size: Int, named name: String, _ work: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        let thread = Thread {
            work()
            continuation.resume()
        }
        thread.name = name
        thread.stackSize = size << 10
        thread.start()
    }
}

/// A scheduler whose time stands still, and that runs its actions when it is asked to.
private final class RequestedScheduler: DateScheduler {
    private let actions = Locked<[@Sendable () -> Void]>([])

    let currentDate = Date(timeIntervalSinceReferenceDate: 0)

    func schedule(_ action: @escaping @Sendable () -> Void) -> (any Disposable)? {
        actions.withLock { $0.append(action) }
        return nil
    }

    func schedule(after date: Date, action: @escaping @Sendable () -> Void) -> (any Disposable)? {
        date > currentDate ? nil : schedule(action)
    }

    func schedule(
        after date: Date, interval: Duration, leeway: Duration, action: @escaping @Sendable () -> Void
    ) -> (any Disposable)? {
        schedule(after: date, action: action)
    }

    /// Runs the actions that wait, and those that they schedule.
    func run() {
        while true {
            let next = actions.withLock { actions in
                defer { actions = [] }
                return actions
            }
            if next.isEmpty { return }
            for action in next { action() }
        }
    }
}
