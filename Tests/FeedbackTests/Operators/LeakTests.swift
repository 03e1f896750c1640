import Feedback
import FeedbackTesting
import Testing

@Suite("Nothing is left behind")
struct LeakTests {
    /// The number of streams of each way; with all ways, more than 10,000.
    static let count = 1000

    /// Each way in which a stream that holds a tracked instance can come and go.
    static let ways: [(name: String, run: @Sendable (Tracked) -> Void)] = [
        (
            "completed",
            { tracked in
                Producer(value: tracked).map { $0 }.filter { _ in true }.flatMap(.latest) { Producer(value: $0) }
                    .start()
            }
        ),
        (
            "failed and retried",
            { tracked in
                Producer(value: tracked).concat(error: .first).retry(upTo: 2).flatMapError { _ in
                    Producer(value: tracked)
                }
                .start()
            }
        ),
        (
            "disposed",
            { tracked in
                Producer(value: tracked).concat(.never).combineLatest(with: Producer(value: tracked).concat(.never))
                    .zip(with: Producer<Int>.never).start().dispose()
            }
        ),
        (
            "disposed while it waits",
            { tracked in
                let scheduler = TestScheduler()
                Producer(value: tracked).delay(.seconds(9), on: scheduler).debounce(.seconds(9), on: scheduler)
                    .throttle(.seconds(9), on: scheduler)
                    .observe(on: scheduler).collect(every: .seconds(1), on: scheduler).start().dispose()
                // An action that waits there does nothing any more, and goes when it is due.
                scheduler.run()
            }
        ),
        (
            "dropped hot",
            { tracked in
                let (signal, input) = Pipe<Tracked>.pipe()
                signal.map { $0 }.scan(into: [Tracked]()) { $0.append($1) }.observe { _ in }
                signal.merge(with: signal).combineLatest(with: signal).observe { _ in }
                signal.flatMap(.concat) { Producer(value: $0).concat(.never) }.observe { _ in }
                input.send(value: tracked)
            }
        ),
        (
            "unobserved derived",
            { tracked in
                let (signal, input) = Pipe<Tracked>.pipe()
                _ = signal.map { [tracked] in ($0, tracked) }.flatMap(.merge) { Producer(value: $0) }
                withExtendedLifetime(input) {}
            }
        ),
        (
            "property",
            { tracked in
                let property = MutableProperty(tracked)
                let derived = Property.combineLatest(property, property.map { $0 }).map { $0.0 }
                    .flatMap(.latest) { Property(value: $0) }
                derived.producer.start()
                property.value = tracked
            }
        ),
        (
            "replayed",
            { tracked in
                let shared = Producer(value: tracked).concat(.never).replayLazily(upTo: 1)
                let first = shared.start()
                shared.start().dispose()
                first.dispose()
            }
        ),
        (
            "action",
            { tracked in
                let action = Action<Tracked, Tracked, TestError> { [tracked] in
                    Producer(values: $0, tracked).concat(.never)
                }
                action.values.observeValues { _ in }
                action.apply(tracked).start().dispose()
            }
        ),
        (
            "iterated",
            { tracked in
                var iterator = Producer(value: tracked).concat(.never).values.makeAsyncIterator()
                withExtendedLifetime(iterator) {}
                iterator = Producer(value: tracked).values.makeAsyncIterator()
            }
        ),
        (
            "raced",
            { tracked in
                SignalProducer<Producer<Tracked>, TestError>([.never, Producer(value: tracked), .never]).flatten(.race)
                    .take(until: SignalProducer<Void, NoError>.never).take(first: 1).start()
            }
        ),
    ]

    @Test("A thousand streams of each kind, made and dropped, leave nothing", .onOwnThread, arguments: ways.indices)
    func streams(index: Int) {
        let census = Tracked.Census()
        for _ in 0..<Self.count { Self.ways[index].run(census.make()) }
        #expect(census.living == 0, "\(Self.ways[index].name)")
    }
}
