import Dispatch
import Feedback
import FeedbackTesting
import Foundation
import Testing

/// A function that returns when it is told to, and tells when it runs.
private final class Slow: Sendable {
    private let entered = DispatchSemaphore(value: 0)
    private let leave = DispatchSemaphore(value: 0)

    func run<Value>(_ value: Value) -> Value {
        entered.signal()
        leave.wait()
        return value
    }

    /// Returns once the function runs.
    func awaitEntry() { entered.wait() }

    /// Lets the function return.
    func finish() { leave.signal() }
}

@Suite("Disposal while a source works", .timeLimit(.minutes(10)), .onOwnThread)
struct DisposalTests {
    fileprivate static let sources: [(String, @Sendable (Slow) -> Producer<Int>)] = [
        ("a lazy value", { slow in SignalProducer { slow.run(1) } }),
        ("a lazy result", { slow in SignalProducer { Result<Int, TestError>.success(slow.run(1)) } }),
        ("a mapped sequence", { slow in SignalProducer([1, 2, 3]).map(slow.run) }),
        ("concat", { slow in Producer<Int>.empty.concat(SignalProducer { slow.run(1) }) }),
        ("then", { slow in Producer<Int>.empty.then(Producer { slow.run(1) }) }),
        ("flatMapError", { slow in Producer<Int>(error: .first).flatMapError { _ in Producer { slow.run(1) } } }),
        ("flatMap", { slow in Producer<Int>(value: 1).flatMap(.concat) { _ in Producer { slow.run(1) } } }),
        ("retry", { slow in SignalProducer { slow.run(Result<Int, TestError>.failure(.first)) }.retry(upTo: 3) }),
        ("take", { slow in SignalProducer([1, 2]).map(slow.run).take(first: 1) }),
    ]

    @Test("The interruption is delivered at once, and nothing after it", arguments: sources.map(\.0))
    func interruption(name: String) throws {
        let make = try #require(Self.sources.first { $0.0 == name }).1
        let slow = Slow()
        let (recorder, disposable) = make(slow).start(on: QueueScheduler()).recording()
        slow.awaitEntry()
        disposable.dispose()
        #expect(recorder.events == [.interrupted])
        slow.finish()
        let isOver = DispatchSemaphore(value: 0)
        // Nothing is delivered later either.
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { isOver.signal() }
        isOver.wait()
        #expect(recorder.events == [.interrupted])
    }

    @Test("A hot value that is being mapped is dropped when the start is disposed")
    func hot() async {
        let slow = Slow()
        let (signal, input) = Pipe<Int>.pipe()
        let (recorder, disposable) = signal.producer.map(slow.run).recording()
        let sent = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            input.send(value: 1)
            sent.signal()
        }
        slow.awaitEntry()
        disposable.dispose()
        #expect(recorder.events == [.interrupted])
        slow.finish()
        sent.wait()
        #expect(recorder.events == [.interrupted])
    }

    @Test("On one thread too, from within the work")
    func oneThread() {
        let handle = SerialDisposable()
        let scheduler = TestScheduler()
        let recorder = Recorder<Int, TestError>()
        let atDisposal = Shared<[SignalEvent<Int, TestError>]>([])
        handle.inner = Producer([1, 2, 3])
            .map { number -> Int in
                if number == 2 {
                    handle.dispose()
                    atDisposal.value = recorder.events
                }
                return number
            }
            .start(on: scheduler)
            .start { recorder.record($0) }
        scheduler.advance()
        #expect(atDisposal.value == [.value(1), .interrupted])
        #expect(recorder.events == [.value(1), .interrupted])
    }

    @Test("A stream that delivers on a scheduler is interrupted there, also as a signal")
    func scheduled() {
        let scheduler = TestScheduler()
        let handle = SerialDisposable()
        let recorder = Producer<Int>.never.observe(on: scheduler).map { $0 }.startWithSignal { signal, interrupt in
            handle.inner = interrupt
            return signal.recorded()
        }
        handle.dispose()
        #expect(recorder.events == [])
        scheduler.advance()
        #expect(recorder.events == [.interrupted])
        let (started, disposable) = Producer<Int>.never.observe(on: scheduler).map { $0 }.recording()
        disposable.dispose()
        #expect(started.events == [])
        scheduler.advance()
        #expect(started.events == [.interrupted])
    }

    @Test("on(disposed:) is called after the end, on a scheduler too")
    func disposedAfterTheEnd() {
        let log = Log<String>()
        let scheduler = TestScheduler()
        Producer<Int>.never.observe(on: scheduler)
            .on(terminated: { log.add("end") }, disposed: { log.add("disposed") }).start().dispose()
        scheduler.advance()
        #expect(log.entries == ["end", "disposed"])
    }

    @Test("An observation of a living signal that is disposed is not an interruption of the signal")
    func hotEffects() {
        let log = Log<String>()
        let (signal, input) = Pipe<Int>.pipe()
        let disposable = signal.on(
            interrupted: { log.add("interrupted") }, terminated: { log.add("terminated") },
            disposed: { log.add("disposed") }
        )
        .observe { _ in }
        disposable?.dispose()
        #expect(log.entries == ["disposed"])
        input.sendCompleted()
        #expect(log.entries == ["disposed"])
    }

    @Test("Setting the same content of a serial disposable again does not dispose it")
    func sameContent() {
        let inner = AnyDisposable()
        let serial = SerialDisposable(inner)
        serial.inner = inner
        #expect(!inner.isDisposed)
        serial.dispose()
        #expect(inner.isDisposed)
    }
}

@Suite("A source's work ends with the source")
struct TeardownTests {
    let scheduler = TestScheduler()

    @Test("A value or an end that waits for its turn at a merge is dropped when an observer disposes the merge")
    func disposedWhileSomethingWaits() {
        for end in [false, true] {
            let (first, firstInput) = Pipe<Int>.pipe()
            let (second, secondInput) = Pipe<Int>.pipe()
            let (recorder, start) = (Recorder<Int, TestError>(), SerialDisposable())
            start.inner = first.producer.merge(with: second.producer).start { event in
                recorder.record(event)
                guard event == .value(1) else { return }
                if end { secondInput.send(error: .first) } else { secondInput.send(value: 2) }
                start.dispose()
            }
            firstInput.send(value: 1)
            #expect(recorder.events == [.value(1), .interrupted])
        }
    }

    @Test("A timer of which one tick is taken does not tick while that is delayed")
    func delayedTake() {
        let ticks = Shared(0)
        let recorder = SignalProducer.timer(interval: .seconds(1), on: scheduler)
            .on(value: { _ in ticks.modify { $0 += 1 } }).take(first: 1).delay(.seconds(10), on: scheduler).recorded()
        scheduler.advance(by: .seconds(20))
        #expect(ticks.value == 1)
        #expect(recorder.values.count == 1)
        #expect(recorder.end == .completed)
    }

    @Test(
        "A source that has completed is torn down before its events are delivered later",
        arguments: ["delay", "observe", "debounce", "collect", "throttle"])
    func lifetime(name: String) {
        let hasEnded = Shared(false)
        let source = SignalProducer<Int, NoError> { observer, lifetime in
            lifetime.observeEnded { hasEnded.value = true }
            observer.send(value: 1)
            observer.sendCompleted()
        }
        switch name {
        case "delay": source.delay(.seconds(60), on: scheduler).start()
        case "observe": source.observe(on: scheduler).start()
        case "debounce": source.debounce(.seconds(60), on: scheduler, discardWhenCompleted: false).start()
        case "collect": source.collect(every: .seconds(60), on: scheduler, discardWhenCompleted: false).start()
        default: source.throttle(while: Property(value: false), on: scheduler).start()
        }
        #expect(hasEnded.value)
        // The work that waits holds the scheduler that holds it.
        scheduler.run()
    }

    @Test("A request is not started to be combined with what has failed")
    func failedFirst() {
        let isStarted = Shared(false)
        let request = Producer(value: 1).on(starting: { isStarted.value = true })
        let recorder = Producer<Int>(error: .first).zip(with: request).observe(on: scheduler).recorded()
        Producer<Int>(error: .first).combineLatest(with: request).delay(.seconds(1), on: scheduler).start()
        scheduler.run()
        #expect(!isStarted.value)
        #expect(recorder.events.count == 1)
    }

    @Test("Values that wait to be delivered later go with the disposal")
    func delayedValues() {
        let census = Tracked.Census()
        let (signal, input) = Signal<Tracked, NoError>.pipe()
        let disposable = signal.producer.delay(.seconds(60), on: scheduler).start()
        for _ in 0..<1_000 { input.send(value: census.make()) }
        #expect(census.living == 1_000)
        disposable.dispose()
        scheduler.advance()
        #expect(census.living == 0)
        #expect(scheduler.isIdle)
    }

    @Test("A value that is due when the end arrives is delivered before it")
    func throttledOnce() {
        let recorder = SignalProducer<Int, NoError>(value: 7).throttle(.milliseconds(1), on: scheduler).recorded()
        scheduler.advance()
        #expect(recorder.events == [.value(7), .completed])
        let failing = Producer(value: 7).concat(error: .first).throttle(.seconds(1), on: scheduler).recorded()
        let waiting = Producer(values: 7, 8).throttle(.seconds(1), on: scheduler).recorded()
        scheduler.advance()
        #expect(failing.events == [.value(7), .failed(.first)])
        #expect(waiting.events == [.value(8), .completed])
    }

    @Test("No one-shot value is lost on a queue", .timeLimit(.minutes(10)))
    func throttledOnAQueue() async {
        let queue = QueueScheduler()
        for number in 0..<500 {
            let values = await SignalProducer<Int, NoError>(value: number).throttle(.milliseconds(1), on: queue)
                .collected()
            #expect(values == [number])
        }
    }

    @Test("An interruption of a part goes on to the next, with concat and flatten(.concat) alike")
    func oneRule() {
        let interrupted = Producer<Int> { observer, _ in observer.sendInterrupted() }
        let one = Producer(value: 1)
        #expect(interrupted.concat(one).recorded().events == [.value(1), .completed])
        #expect(one.prefix(interrupted).recorded().events == [.value(1), .completed])
        let both = SignalProducer<Producer<Int>, NoError>([interrupted, one])
        #expect(both.flatten(.concat).recorded().events == [.value(1), .completed])
        #expect(interrupted.then(one).recorded().events == [.interrupted])
    }
}

@Suite("Dates and intervals at the limits", .timeLimit(.minutes(10)))
struct LimitTests {
    @Test(
        "An action that is scheduled for the past runs at once",
        arguments: [-1, -1e12, -.infinity, .nan] as [TimeInterval])
    func past(seconds: TimeInterval) async {
        let (ran, input) = Signal<Void, NoError>.pipe()
        var runs = ran.values.makeAsyncIterator()
        QueueScheduler().schedule(after: Date(timeIntervalSince1970: seconds)) { input.send(value: ()) }
        #expect(await runs.next() != nil)
        let repeated = QueueScheduler()
            .schedule(after: Date(timeIntervalSince1970: seconds), interval: .seconds(Int.max)) {
                input.send(value: ())
            }
        #expect(await runs.next() != nil)
        repeated?.dispose()
    }

    @Test("A timer with an interval of thirty years or more does not tick, and can be disposed")
    func never() {
        let scheduler = QueueScheduler()
        for interval in [Duration.seconds(Int64.max), .seconds(1_000_000_000), .milliseconds(Int64.max)] {
            let (recorder, disposable) = SignalProducer.timer(interval: interval, on: scheduler).recording()
            disposable.dispose()
            #expect(recorder.events == [.interrupted])
            let values = Producer<Int>.never.collect(every: interval, on: scheduler)
            values.start().dispose()
        }
        let virtual = TestScheduler()
        let rest = Producer([1, 2]).collect(
            every: .seconds(Int64.max), on: virtual, discardWhenCompleted: false)
        let (recorder, disposable) = rest.recording()
        #expect(recorder.events == [])
        disposable.dispose()
        virtual.run()
    }
}
