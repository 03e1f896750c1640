import Feedback
import FeedbackTesting
import Foundation
import Synchronization
import Testing

@Suite("Operators under threads", .timeLimit(.minutes(10)), .onOwnThread)
struct OperatorStressTests {
    static let threads = 4
    static let count = 1500

    /// Notices two deliveries at once, and counts them all.
    final class Guard: Sendable {
        private let inside = Atomic(false)
        private let counter = Atomic(0)
        private let ended = Atomic(false)

        var count: Int { counter.load(ordering: .acquiring) }

        func enter() {
            if inside.exchange(true, ordering: .acquiringAndReleasing) { Issue.record("Two events at once.") }
            if ended.load(ordering: .acquiring) { Issue.record("An event after the end.") }
            counter.add(1, ordering: .relaxed)
            inside.store(false, ordering: .releasing)
        }

        func end() {
            if inside.exchange(true, ordering: .acquiringAndReleasing) { Issue.record("Two events at once.") }
            if ended.exchange(true, ordering: .acquiringAndReleasing) { Issue.record("A second end.") }
            inside.store(false, ordering: .releasing)
        }

        func observe<Value, Error>(_ event: SignalEvent<Value, Error>) {
            if event.isTerminating { end() } else { enter() }
        }
    }

    func concurrently(_ body: @escaping @Sendable (_ thread: Int) -> Void) {
        onThreadsBlocking(Self.threads, body)
    }

    @Test("merge delivers each value of each sender once")
    func merge() {
        let pipes = (0..<Self.threads).map { _ in Signal<Int, NoError>.pipe() }
        let check = Guard()
        SignalProducer.merge(pipes.map(\.output)).start { check.observe($0) }
        concurrently { thread in
            for number in 0..<Self.count { pipes[thread].input.send(value: number) }
            pipes[thread].input.sendCompleted()
        }
        #expect(check.count == Self.threads * Self.count)
    }

    @Test(
        "flatMap delivers each value of all inner streams that run once",
        arguments: [.merge, .concat, .concurrent(limit: 2)] as [FlattenStrategy])
    func flatMap(strategy: FlattenStrategy) {
        let (outer, input) = Signal<Int, NoError>.pipe()
        let check = Guard()
        outer.flatMap(strategy) { SignalProducer<Int, NoError>(values: $0, $0) }.observe { check.observe($0) }
        concurrently { _ in
            for number in 0..<Self.count { input.send(value: number) }
        }
        #expect(check.count == Self.threads * Self.count * 2)
    }

    @Test("flatMap(.latest) delivers nothing of an inner stream after its replacement has delivered")
    func latest() {
        let (outer, input) = Signal<Int, NoError>.pipe()
        let inner = Signal<Void, NoError>.pipe()
        let latest = Shared(-1)
        outer.flatMap(.latest) { number in
            SignalProducer(value: number).concat(inner.output.map(value: number).producer)
        }
        .observeValues { number in
            if number < latest.value { Issue.record("A replaced stream has delivered.") }
            latest.value = number
        }
        concurrently { thread in
            for number in 0..<Self.count {
                if thread == 0 { input.send(value: number) } else { inner.input.send(value: ()) }
            }
        }
        #expect(latest.value == Self.count - 1)
    }

    @Test("combineLatest ends with the last value of each")
    func combineLatest() {
        let a = Signal<Int, NoError>.pipe()
        let b = Signal<Int, NoError>.pipe()
        let check = Guard()
        let last = Shared((0, 0))
        a.output.combineLatest(with: b.output).observe { event in
            check.observe(event)
            guard let pair = event.value else { return }
            if pair.0 < last.value.0 || pair.1 < last.value.1 { Issue.record("A combination out of order.") }
            last.value = pair
        }
        onThreadsBlocking(2) { thread in
            for number in 1...Self.count { (thread == 0 ? a : b).input.send(value: number) }
        }
        #expect(last.value == (Self.count, Self.count))
    }

    @Test("zip pairs values by their number, whoever is faster")
    func zip() {
        let a = Signal<Int, NoError>.pipe()
        let b = Signal<Int, NoError>.pipe()
        let check = Guard()
        a.output.zip(with: b.output).observe { event in
            check.observe(event)
            if let pair = event.value, pair.0 != pair.1 { Issue.record("A wrong pair.") }
        }
        onThreadsBlocking(2) { thread in
            for number in 0..<Self.count { (thread == 0 ? a : b).input.send(value: number) }
        }
        #expect(check.count == Self.count)
    }

    @Test("replayLazily gives everybody the same values in the same order, whenever they come")
    func replay() {
        let (signal, input) = Signal<Int, NoError>.pipe()
        let shared = signal.producer.replayLazily(upTo: .max)
        shared.start()
        let recorders = (1..<Self.threads).map { _ in Recorder<Int, NoError>() }
        concurrently { thread in
            if thread == 0 {
                for number in 0..<Self.count { input.send(value: number) }
                input.sendCompleted()
            } else {
                shared.start { recorders[thread - 1].record($0) }
            }
        }
        for recorder in recorders {
            #expect(recorder.values == Array(0..<Self.count))
            #expect(recorder.end == .completed)
        }
    }

    @Test("Property.combineLatest has a value at once, though its sources change meanwhile")
    func properties() {
        let (a, b) = (MutableProperty(0), MutableProperty(0))
        let makers = Atomic(2)
        concurrently { thread in
            if thread < 2 {
                // For as long as there are makers, which take longer than this.
                var number = 0
                while makers.load(ordering: .acquiring) > 0 {
                    number += 1
                    (thread == 0 ? a : b).value = number
                }
            } else {
                for _ in 0..<100 {
                    if thread == 2 {
                        let before = (a.value, b.value)
                        let both = Property.combineLatest(a, b).value
                        if both.0 < before.0 || both.1 < before.1 { Issue.record("An old value.") }
                    } else {
                        _ = a.flatMap(.latest) { _ in b }.map { $0 + 1 }.zip(with: a).value
                    }
                }
                makers.subtract(1, ordering: .acquiringAndReleasing)
            }
        }
        #expect(Property.combineLatest(a, b).value == (a.value, b.value))
    }

    @Test("Disposal at every moment lets nothing follow the interruption")
    func disposal() {
        let scheduler = ImmediateScheduler()
        for round in 0..<300 {
            let (a, aInput) = Signal<Int, TestError>.pipe()
            let (b, bInput) = Signal<Int, TestError>.pipe()
            let check = Guard()
            let teardowns = Shared(0)
            let producer = a.producer.on(disposed: { teardowns.modify { $0 += 1 } })
                .flatMap(.latest) { Producer(values: $0, $0) }
                .combineLatest(with: b.producer.on(disposed: { teardowns.modify { $0 += 1 } }))
                .map { $0 + $1 }
                .merge(with: a.producer)
                .observe(on: scheduler)
                .take(first: 500)
            let disposable = producer.start { check.observe($0) }
            onThreadsBlocking(3) { thread in
                switch thread {
                case 0: for number in 0..<20 { aInput.send(value: number) }
                case 1: for number in 0..<20 { bInput.send(value: number) }
                default:
                    for _ in 0..<(round % 20) { _ = check.count }
                    disposable.dispose()
                }
            }
            #expect(teardowns.value == 2)
        }
    }

    @Test("A timer, a debounce and a delay on a queue end with their disposal", .timeLimit(.minutes(10)))
    func timers() async {
        let queue = QueueScheduler()
        let teardowns = Shared(0)
        for _ in 0..<50 {
            let (signal, input) = Signal<Int, NoError>.pipe()
            let check = Guard()
            let disposable = signal.producer.debounce(.microseconds(100), on: queue).delay(
                .microseconds(100), on: queue
            )
            .throttle(.microseconds(100), on: queue)
            .on(interrupted: { teardowns.modify { $0 += 1 } })
            .start { check.observe($0) }
            for number in 0..<20 { input.send(value: number) }
            disposable.dispose()
        }
        while teardowns.value < 50 { await Task.yield() }
    }
}
