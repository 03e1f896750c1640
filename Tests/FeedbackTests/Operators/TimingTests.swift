import Feedback
import FeedbackTesting
import Foundation
import Testing

@Suite("delay, timeout, timer, interval")
final class DelayingTests {
    let scheduler = TestScheduler()
    let signal: Pipe<Int>
    let input: Pipe<Int>.Observer

    init() { (signal, input) = Pipe<Int>.pipe() }

    // An action that waits holds the scheduler on which it waits.
    deinit {
        input.sendCompleted()
        scheduler.run()
    }

    @Test("delay delivers values and the completion later")
    func delay() {
        let hot = signal.delay(.seconds(2), on: scheduler).recorded()
        let cold = signal.producer.delay(.seconds(2), on: scheduler).recorded()
        input.send(value: 1)
        scheduler.advance(by: .seconds(1))
        input.send(value: 2)
        input.sendCompleted()
        scheduler.advance(by: .seconds(1))
        #expect(hot.events == [.value(1)])
        scheduler.advance(by: .seconds(1))
        #expect(hot.events == [.value(1), .value(2), .completed])
        #expect(cold.events == [.value(1), .value(2), .completed])
    }

    @Test(
        "If an observer of a delayed stream ends the source, what waits and the completion still come when they are due"
    )
    func delayEndedByItsObserver() {
        let recorder = Recorder<Int, TestError>()
        let (source, input) = Pipe<Int>.pipe()
        source.delay(.seconds(2), on: scheduler).observe { event in
            recorder.record(event)
            if event == .value(1) { input.sendCompleted() }
        }
        input.send(value: 1)
        scheduler.advance(by: .seconds(1))
        input.send(value: 2)
        scheduler.advance(by: .seconds(1))
        #expect(recorder.events == [.value(1)])
        scheduler.advance(by: .seconds(1))
        #expect(recorder.events == [.value(1), .value(2)])
        scheduler.advance(by: .seconds(1))
        #expect(recorder.events == [.value(1), .value(2), .completed])
    }

    @Test("If an observer of a delayed stream makes the source fail, or disposes the stream, what waits is dropped")
    func delayBrokenByItsObserver() {
        let recorder = Recorder<Int, TestError>()
        let (source, input) = Pipe<Int>.pipe()
        source.delay(.seconds(2), on: scheduler).observe { event in
            recorder.record(event)
            if event == .value(1) { input.send(error: .first) }
        }
        let (disposed, start) = (Recorder<Int, TestError>(), SerialDisposable())
        start.inner = Producer(values: 1, 2).delay(.seconds(2), on: scheduler).start { event in
            disposed.record(event)
            if event == .value(1) { start.dispose() }
        }
        input.send(value: 1)
        input.send(value: 2)
        scheduler.run()
        #expect(recorder.events == [.value(1), .failed(.first)])
        #expect(disposed.events == [.value(1), .interrupted])
    }

    @Test("delay delivers a failure at once, in place of what waits")
    func delayFailure() {
        let recorder = signal.delay(.seconds(2), on: scheduler).recorded()
        input.send(value: 1)
        input.send(error: .first)
        scheduler.advance()
        #expect(recorder.events == [.failed(.first)])
        scheduler.run()
        #expect(recorder.events == [.failed(.first)])
    }

    @Test("Disposal of a delayed stream that has completed interrupts without waiting")
    func delayDisposal() {
        let (recorder, disposable) = Producer(value: 1).delay(.seconds(100), on: scheduler).recording()
        disposable.dispose()
        scheduler.advance()
        #expect(recorder.events == [.interrupted])
    }

    @Test("When a stream has ended, or is disposed, its timeout is not scheduled any more")
    func timeoutEnds() {
        let producer = signal.producer.timeout(after: .seconds(2), raising: .second, on: scheduler)
        producer.start().dispose()
        #expect(scheduler.isIdle)
        let ended = producer.recorded()
        input.sendCompleted()
        #expect(ended.events == [.completed])
        #expect(scheduler.isIdle)
    }

    @Test("timeout fails if the stream has not ended in time, and not if it has")
    func timeout() {
        let late = signal.timeout(after: .seconds(2), raising: .second, on: scheduler).recorded()
        let cold = signal.producer.timeout(after: .seconds(2), raising: .second, on: scheduler).recorded()
        let (quick, quickInput) = Signal<Int, NoError>.pipe()
        let early = quick.timeout(after: .seconds(2), raising: TestError.second, on: scheduler).recorded()
        let coldEarly = quick.producer.timeout(after: .seconds(2), raising: TestError.second, on: scheduler).recorded()
        input.send(value: 1)
        quickInput.sendCompleted()
        scheduler.advance(by: .milliseconds(1999))
        #expect(late.events == [.value(1)])
        scheduler.advance(by: .milliseconds(1))
        input.send(value: 2)
        #expect(late.events == [.value(1), .failed(.second)])
        #expect(cold.events == [.value(1), .failed(.second)])
        #expect(early.events == [.completed])
        #expect(coldEarly.events == [.completed])
        #expect(scheduler.isIdle)
    }

    @Test("timer delivers the date each interval, until it is disposed")
    func timer() {
        let start = scheduler.currentDate
        let (recorder, disposable) = SignalProducer.timer(interval: .seconds(2), on: scheduler).recording()
        scheduler.advance(by: .seconds(1))
        #expect(recorder.values == [])
        scheduler.advance(by: .seconds(4))
        #expect(recorder.values == [start + 2, start + 4])
        disposable.dispose()
        scheduler.run()
        #expect(recorder.events == [.value(start + 2), .value(start + 4), .interrupted])
    }

    @Test("interval delivers the elements one by one, and completes one interval after the last")
    func interval() {
        let recorder = SignalProducer.interval(["a", "b"], interval: .seconds(1), on: scheduler).recorded()
        scheduler.advance(by: .seconds(2))
        #expect(recorder.events == [.value("a"), .value("b")])
        scheduler.advance(by: .seconds(1))
        #expect(recorder.events == [.value("a"), .value("b"), .completed])
        #expect(scheduler.isIdle)
        let numbers = SignalProducer.interval(.seconds(1), on: scheduler).take(first: 3).recorded()
        scheduler.run()
        #expect(numbers.events == [.value(0), .value(1), .value(2), .completed])
    }
}

@Suite("debounce, throttle, collect(every:)")
final class LimitingTests {
    let scheduler = TestScheduler()
    let signal: Pipe<Int>
    let input: Pipe<Int>.Observer

    init() { (signal, input) = Pipe<Int>.pipe() }

    // An action that waits holds the scheduler on which it waits.
    deinit {
        input.sendCompleted()
        scheduler.run()
    }

    @Test("debounce delivers a value when none has followed it for so long")
    func debounce() {
        let hot = signal.debounce(.seconds(1), on: scheduler).recorded()
        let cold = signal.producer.debounce(.seconds(1), on: scheduler).recorded()
        input.send(value: 1)
        scheduler.advance(by: .milliseconds(600))
        input.send(value: 2)
        scheduler.advance(by: .milliseconds(600))
        #expect(hot.values == [])
        scheduler.advance(by: .milliseconds(400))
        #expect(hot.values == [2])
        input.send(value: 3)
        scheduler.advance(by: .seconds(1))
        #expect(hot.values == [2, 3])
        #expect(cold.values == [2, 3])
    }

    @Test("debounce drops what waits at completion, or delivers it when it is due")
    func debounceCompletion() {
        let discarding = signal.debounce(.seconds(1), on: scheduler).recorded()
        let keeping = signal.debounce(.seconds(1), on: scheduler, discardWhenCompleted: false).recorded()
        input.send(value: 1)
        input.sendCompleted()
        scheduler.advance()
        #expect(discarding.events == [.completed])
        #expect(keeping.events == [])
        scheduler.advance(by: .seconds(1))
        #expect(keeping.events == [.value(1), .completed])
        #expect(
            Producer<Int>.empty.debounce(.seconds(1), on: ImmediateClock(), discardWhenCompleted: false).recorded()
                .events == [
                    .completed
                ])
    }

    @Test(
        "If an observer of a debounced or throttled stream ends the source, the stream ends at once",
        arguments: [true, false])
    func endedByItsObserver(discards: Bool) {
        for name in ["debounce", "throttle"] {
            let recorder = Recorder<Int, TestError>()
            let (source, input) = Pipe<Int>.pipe()
            let limited =
                name == "throttle"
                ? source.throttle(.seconds(1), on: scheduler)
                : source.debounce(.seconds(1), on: scheduler, discardWhenCompleted: discards)
            limited.observe { event in
                recorder.record(event)
                if event == .value(1) { input.sendCompleted() }
            }
            input.send(value: 1)
            scheduler.advance(by: .seconds(1))
            #expect(recorder.events == [.value(1), .completed], "\(name)")
        }
    }

    @Test(
        "A clock that runs what is due, and sends, when it is read is read outside of locks", .timeLimit(.minutes(10)))
    func readingTheClock() {
        for name in ["debounce", "throttle", "delay"] {
            let (source, input) = Pipe<Int>.pipe()
            let clock = CallingClock()
            let limited =
                switch name {
                case "debounce": source.debounce(.seconds(1), on: clock)
                case "throttle": source.throttle(.seconds(1), on: clock)
                default: source.delay(.seconds(1), on: clock)
                }
            let recorder = limited.recorded()
            input.send(value: 1)
            clock.whenRead.value = { [scheduler = clock.scheduler] in
                scheduler.advance(by: .seconds(1))
                input.send(value: 3)
            }
            input.send(value: 2)
            clock.scheduler.advance(by: .seconds(5))
            input.sendCompleted()
            clock.scheduler.run()
            #expect(recorder.values == (name == "delay" ? [1, 2, 3] : [1, 3]), "\(name)")
            #expect(recorder.end == .completed, "\(name)")
        }
    }

    @Test("throttle keeps its interval if a value is delivered just after the clock was read for the next one")
    func throttleAfterReading() {
        let (source, input) = Pipe<Int>.pipe()
        let clock = CallingClock()
        let recorder = source.throttle(.seconds(1), on: clock).recorded()
        input.send(value: 1)
        clock.scheduler.advance()
        clock.scheduler.advance(by: .milliseconds(500))
        input.send(value: 2)
        clock.scheduler.advance(by: .milliseconds(400))
        clock.afterRead.value = { [scheduler = clock.scheduler] in scheduler.advance(by: .milliseconds(100)) }
        input.send(value: 3)
        clock.scheduler.advance(by: .milliseconds(900))
        #expect(recorder.values == [1, 2])
        clock.scheduler.advance(by: .milliseconds(100))
        #expect(recorder.values == [1, 2, 3])
    }

    @Test("A value that is dropped because its stream was disposed is released outside of locks")
    func releasedOutsideOfLocks() {
        for name in ["debounce", "throttle while"] {
            let (source, input) = Pipe<AtRelease>.pipe()
            let clock = CallingClock()
            let isHeld = MutableProperty(true)
            let start =
                name == "debounce"
                ? source.producer.debounce(.seconds(1), on: clock).start()
                : source.producer.throttle(while: isHeld, on: clock).start()
            let released = Shared(false)
            input.send(
                value: AtRelease {
                    released.value = true
                    input.send(value: AtRelease {})
                })
            // The value is due when the stream has been disposed, and before its parts have been.
            clock.whenScheduled.value = { [scheduler = clock.scheduler] in
                isHeld.value = false
                scheduler.advance(by: .seconds(1))
            }
            start.dispose()
            #expect(released.value, "\(name)")
        }
    }

    @Test("Disposal takes what a delayed, debounced or throttled stream has scheduled off the scheduler")
    func disposedActions() {
        for name in ["debounce", "throttle", "delay", "debounce, completed", "delay, completed"] {
            let clock = CallingClock()
            let values = Producer(values: 1, 2)
            let source = name.hasSuffix("completed") ? values : values.concat(.never)
            let start =
                switch name.prefix(5) {
                case "debou": source.debounce(.seconds(1), on: clock, discardWhenCompleted: false).start()
                case "throt": source.throttle(.seconds(1), on: clock).start()
                default: source.delay(.seconds(1), on: clock).start()
                }
            #expect(clock.waiting.value.count == 1, "\(name)")
            start.dispose()
            #expect(clock.waiting.value.isEmpty, "\(name)")
            clock.scheduler.run()
        }
    }

    @Test("A queue lets go of an action that is disposed long before its date", .timeLimit(.minutes(10)))
    func disposedOnQueue() async {
        let census = Tracked.Census()
        let queue = QueueScheduler()
        weak let disposed = queue.schedule(after: Date() + 3_600) { [tracked = census.make()] in tracked.touch() }
        #expect(census.living == 1)
        disposed?.dispose()
        #expect(census.living == 0)
        while disposed != nil { await Task.yield() }
    }

    @Test("A queue lets go of an action that has run at its date", .timeLimit(.minutes(10)))
    func ranOnQueue() async {
        let census = Tracked.Census()
        let queue = QueueScheduler()
        let action = queue.schedule(after: Date() + 0.01) { [tracked = census.make()] in tracked.touch() }
        while census.living > 0 { await Task.yield() }
        #expect(action?.isDisposed == true)
    }

    @Test("An action on a queue runs once at its date, and not after its disposal", .timeLimit(.minutes(10)))
    func onceOnQueue() async {
        let queue = QueueScheduler()
        let log = Log<String>()
        let disposed = queue.schedule(after: Date() + 0.001) { log.add("disposed") }
        disposed?.dispose()
        for date in [Date.distantPast, Date(), Date() + 0.01] { queue.schedule(after: date) { log.add("ran") } }
        while log.entries.count < 3 { await Task.yield() }
        await withCheckedContinuation { done in _ = queue.schedule(after: Date() + 0.02) { done.resume() } }
        #expect(log.entries == ["ran", "ran", "ran"])
        #expect(disposed?.isDisposed == true)
    }

    @Test("debounce drops what waits at failure and at disposal")
    func debounceEnds() {
        let failed = signal.debounce(.seconds(1), on: scheduler, discardWhenCompleted: false).recorded()
        let (disposed, disposable) = signal.producer.debounce(.seconds(1), on: scheduler).recording()
        input.send(value: 1)
        disposable.dispose()
        input.send(error: .first)
        scheduler.run()
        #expect(failed.events == [.failed(.first)])
        #expect(disposed.events == [.interrupted])
    }

    @Test("throttle delivers the first value at once, and then the latest of each interval")
    func throttle() {
        let hot = signal.throttle(.seconds(1), on: scheduler).recorded()
        let cold = signal.producer.throttle(.seconds(1), on: scheduler).recorded()
        input.send(value: 0)
        #expect(hot.values == [])
        scheduler.advance()
        #expect(hot.values == [0])
        input.send(value: 1)
        scheduler.advance(by: .milliseconds(500))
        input.send(value: 2)
        scheduler.advance(by: .milliseconds(499))
        #expect(hot.values == [0])
        scheduler.advance(by: .milliseconds(1))
        #expect(hot.values == [0, 2])
        scheduler.advance(by: .seconds(5))
        input.send(value: 3)
        scheduler.advance()
        #expect(hot.values == [0, 2, 3])
        #expect(cold.values == [0, 2, 3])
        input.send(value: 4)
        input.sendCompleted()
        scheduler.run()
        #expect(hot.events == [.value(0), .value(2), .value(3), .completed])
    }

    @Test("throttle with the first value of each interval drops those that follow within it, also the last")
    func throttleFirst() {
        let hot = signal.throttle(.seconds(1), latest: false, on: scheduler).recorded()
        let cold = signal.producer.throttle(.seconds(1), latest: false, on: scheduler).recorded()
        input.send(value: 0)
        #expect(hot.values == [])
        scheduler.advance()
        #expect(hot.values == [0])
        scheduler.advance(by: .milliseconds(999))
        input.send(value: 1)
        scheduler.advance(by: .milliseconds(1))
        #expect(hot.values == [0])
        input.send(value: 2)
        input.send(value: 3)
        scheduler.rewind(by: .seconds(100))
        input.send(value: 4)
        input.sendCompleted()
        scheduler.run()
        #expect(hot.events == [.value(0), .value(2), .value(4), .completed])
        #expect(cold.events == hot.events)
    }

    @Test("throttle with the first value of each interval lets each value of a timer of this interval pass")
    func throttleFirstOfATimer() {
        let ticks = SignalProducer.interval(.milliseconds(100), on: scheduler).throttle(
            .milliseconds(100), latest: false, on: scheduler
        ).take(first: 1_000).recorded()
        scheduler.advance(by: .milliseconds(700))
        scheduler.run()
        #expect(ticks.values == Array(0..<1_000))
    }

    @Test("throttle does not wait for a delivery in the future when the clock was set back")
    func throttleRewound() {
        let recorder = signal.throttle(.seconds(1), on: scheduler).recorded()
        input.send(value: 0)
        scheduler.advance()
        scheduler.rewind(by: .seconds(100))
        input.send(value: 1)
        scheduler.advance()
        #expect(recorder.values == [0, 1])
    }

    @Test("throttle(while:) holds the latest value back while the property is true")
    func throttleWhile() {
        let holds = MutableProperty(false)
        let recorder = signal.throttle(while: holds, on: scheduler).recorded()
        input.send(value: 1)
        scheduler.advance()
        #expect(recorder.values == [1])
        holds.value = true
        input.send(value: 2)
        input.send(value: 3)
        scheduler.advance()
        #expect(recorder.values == [1])
        holds.value = false
        scheduler.advance()
        #expect(recorder.values == [1, 3])
        input.send(value: 4)
        input.sendCompleted()
        scheduler.advance()
        #expect(recorder.events == [.value(1), .value(3), .value(4), .completed])
    }

    @Test("throttle(while:) schedules nothing for a value that it holds")
    func throttleWhileSchedules() {
        let clock = CallingClock()
        let hasScheduled = Shared(false)
        clock.whenScheduled.value = { hasScheduled.value = true }
        let recorder = signal.throttle(while: Property(value: true), on: clock).recorded()
        input.send(value: 1)
        input.send(value: 2)
        #expect(!hasScheduled.value)
        input.sendCompleted()
        clock.scheduler.run()
        #expect(recorder.events == [.completed])
    }

    @Test("throttle(while:) holds a value as the property says, also in an observer that has just set it")
    func throttleWhileSetInObserver() {
        let holds = MutableProperty(true)
        let recorder = signal.throttle(while: holds, on: scheduler).recorded()
        holds.signal.take(first: 1).observeValues { [input] _ in
            input.send(value: 1)
            holds.value = true
            input.send(value: 2)
        }
        holds.value = false
        scheduler.advance()
        #expect(recorder.values == [1])
        holds.value = false
        scheduler.advance()
        #expect(recorder.values == [1, 2])
    }

    @Test("throttle(while:) keeps the order of values that come while the property changes on another thread")
    func throttleWhileOrder() async {
        for _ in 0..<50 {
            let holds = MutableProperty(true)
            let (source, input) = Signal<Int, NoError>.pipe()
            let log = Log<Int>()
            source.throttle(while: holds, on: ImmediateScheduler()).observeValues { log.add($0) }
            await onThreads(2) { thread in
                for number in 1..<1_000 {
                    if thread == 0 { input.send(value: number) } else { holds.value = number % 2 == 0 }
                }
            }
            let entries = log.entries
            // Compared in one word, as the difference of two long lists takes minutes to print.
            let isSorted = entries == entries.sorted()
            #expect(isSorted)
        }
    }

    @Test("collect(every:) delivers what came in each interval")
    func collect() {
        let all = signal.collect(every: .seconds(1), on: scheduler).recorded()
        let some = signal.collect(every: .seconds(1), on: scheduler, skipEmpty: true, discardWhenCompleted: false)
            .recorded()
        let cold = signal.producer.collect(every: .seconds(1), on: scheduler).recorded()
        input.send(value: 1)
        input.send(value: 2)
        scheduler.advance(by: .seconds(2))
        input.send(value: 3)
        input.sendCompleted()
        scheduler.advance()
        #expect(all.events == [.value([1, 2]), .value([]), .completed])
        #expect(cold.events == [.value([1, 2]), .value([]), .completed])
        #expect(some.events == [.value([1, 2])])
        scheduler.run()
        #expect(some.events == [.value([1, 2]), .value([3]), .completed])
    }
}

/// A scheduler that runs each action at once, whatever its date.
struct ImmediateClock: DateScheduler {
    var currentDate: Date { Date(timeIntervalSinceReferenceDate: 0) }

    func schedule(_ action: @escaping @Sendable () -> Void) -> (any Disposable)? {
        action()
        return nil
    }

    func schedule(after date: Date, action: @escaping @Sendable () -> Void) -> (any Disposable)? {
        schedule(action)
    }

    func schedule(
        after date: Date, interval: Duration, leeway: Duration,
        action: @escaping @Sendable () -> Void
    ) -> (any Disposable)? {
        schedule(action)
    }
}

/// A scheduler that calls a function, once, when its date is read, and knows what waits for a date.
private final class CallingClock: DateScheduler {
    let scheduler = TestScheduler()
    let whenRead = Shared<(@Sendable () -> Void)?>(nil)
    /// Called after the date was read, and before it is returned.
    let afterRead = Shared<(@Sendable () -> Void)?>(nil)
    let whenScheduled = Shared<(@Sendable () -> Void)?>(nil)
    let waiting = Shared<Set<Int>>([])
    private let count = Shared(0)

    var currentDate: Date {
        whenRead.modify { $0.take() }?()
        let date = scheduler.currentDate
        afterRead.modify { $0.take() }?()
        return date
    }

    func schedule(_ action: @escaping @Sendable () -> Void) -> (any Disposable)? {
        whenScheduled.modify { $0.take() }?()
        return scheduler.schedule(action)
    }

    func schedule(after date: Date, action: @escaping @Sendable () -> Void) -> (any Disposable)? {
        let number = count.modify { count in
            count += 1
            return count
        }
        waiting.modify { _ = $0.insert(number) }
        let action = scheduler.schedule(after: date) { [waiting] in
            waiting.modify { _ = $0.remove(number) }
            action()
        }
        return AnyDisposable { [waiting] in
            waiting.modify { _ = $0.remove(number) }
            action?.dispose()
        }
    }

    func schedule(
        after date: Date, interval: Duration, leeway: Duration, action: @escaping @Sendable () -> Void
    ) -> (any Disposable)? {
        scheduler.schedule(after: date, interval: interval, leeway: leeway, action: action)
    }
}
