import Feedback
import FeedbackTesting
import Foundation
import Testing

@Suite("flatMapError, replaceError")
struct ErrorsTests {
    let failing = Producer(value: 1).concat(error: .first)

    @Test("flatMapError goes on with what is made of the error")
    func flatMapError() {
        let seen = Shared<TestError?>(nil)
        let recorder = failing.flatMapError { error in
            seen.value = error
            return SignalProducer<Int, NoError>(value: 2)
        }.recorded()
        #expect(recorder.events == [.value(1), .value(2), .completed])
        #expect(seen.value == .first)
        #expect(failing.flatMapError { _ in Property(value: 3) }.recorded().values == [1, 3])
        #expect(
            failing.flatMapError { _ in Producer(error: .second) }.recorded().events == [.value(1), .failed(.second)])
    }

    @Test("flatMapError tears down what failed before it goes on")
    func teardown() {
        let log = Shared<[String]>([])
        let (recorder, disposable) = failing.on(disposed: { log.modify { $0.append("down") } })
            .flatMapError { _ in
                log.modify { $0.append("next") }
                return Producer<Int>.never
            }.recording()
        #expect(log.value == ["down", "next"])
        #expect(recorder.end == nil)
        disposable.dispose()
    }

    @Test("replaceError takes a function, as in the issue, a value, or a producer")
    func replaceError() {
        enum Event: Equatable { case didLoad(Int), didFail(TestError) }
        let events: SignalProducer<Event, NoError> = failing.map(Event.didLoad).replaceError(Event.didFail)
        #expect(events.recorded().events == [.value(.didLoad(1)), .value(.didFail(.first)), .completed])
        #expect(failing.replaceError(0).recorded().events == [.value(1), .value(0), .completed])
        #expect(
            failing.replaceError(SignalProducer(values: 8, 9)).recorded().events
                == [.value(1), .value(8), .value(9), .completed])
        #expect(failing.replaceError(.empty).recorded().events == [.value(1), .completed])
        #expect(Producer(value: 1).replaceError(0).recorded().events == [.value(1), .completed])
    }

    @Test("Hot streams go on too")
    func hot() {
        let (signal, input) = Pipe<Int>.pipe()
        let replaced = signal.replaceError(0).recorded()
        let function = signal.replaceError { $0 == .first ? 1 : 2 }.recorded()
        let producer = signal.replaceError(SignalProducer(value: 3)).recorded()
        let mapped = signal.flatMapError { _ in SignalProducer<Int, NoError>(value: 4) }.recorded()
        input.send(error: .first)
        #expect(replaced.events == [.value(0), .completed])
        #expect(function.events == [.value(1), .completed])
        #expect(producer.events == [.value(3), .completed])
        #expect(mapped.events == [.value(4), .completed])
    }

    @Test("Disposal disposes what it has gone on with")
    func disposal() {
        let isDisposed = Shared(false)
        let (recorder, disposable) = failing.flatMapError { _ in
            Producer<Int>.never.on(disposed: { isDisposed.value = true })
        }.recording()
        disposable.dispose()
        #expect(isDisposed.value)
        #expect(recorder.events == [.value(1), .interrupted])
    }
}

@Suite("retry and repeat")
struct RetryingTests {
    let scheduler = TestScheduler()

    /// Fails so many times before it succeeds.
    func flaky(_ failures: Int, starts: Shared<Int>) -> Producer<Int> {
        SignalProducer { () -> Result<Int, TestError> in
            starts.modify { starts in
                starts += 1
                return starts > failures ? .success(starts) : .failure(.first)
            }
        }
    }

    @Test("retry(upTo:) starts again until it succeeds, or has tried so often")
    func retry() {
        #expect(flaky(2, starts: Shared(0)).retry(upTo: 2).recorded().events == [.value(3), .completed])
        #expect(flaky(3, starts: Shared(0)).retry(upTo: 2).recorded().events == [.failed(.first)])
        let starts = Shared(0)
        #expect(flaky(1, starts: starts).retry(upTo: 0).recorded().events == [.failed(.first)])
        #expect(starts.value == 1)
    }

    @Test("A hundred thousand retries do not recurse", .onOwnThread)
    func depth() {
        let starts = Shared(0)
        #expect(flaky(100_000, starts: starts).retry(upTo: 100_000).recorded().end == .completed)
        #expect(starts.value == 100_001)
    }

    @Test("In a long chain, an endless second try can be stopped", arguments: [1, 40, 80])
    func endlessTry(stages: Int) {
        let (first, input) = Pipe<Int>.pipe()
        let (starts, sent) = (Shared(0), Shared(0))
        var producer = Producer<Int> { observer, lifetime in
            starts.modify { $0 += 1 }
            guard starts.value > 1 else {
                first.observe(observer)
                return
            }
            // It gives up at last, so that this test can fail.
            for number in 0..<100_000 where !lifetime.hasEnded {
                sent.value = number + 1
                observer.send(value: number)
            }
        }
        for _ in 0..<stages { producer = producer.map { $0 } }
        producer = producer.retry(upTo: 1)
        for _ in 0..<stages { producer = producer.map { $0 } }
        let recorder = producer.take(first: 3).recorded()
        input.send(error: .first)
        #expect(recorder.events == [.value(0), .value(1), .value(2), .completed])
        #expect(sent.value == 3)
    }

    @Test("retry with an interval waits for it")
    func interval() {
        let starts = Shared(0)
        let recorder = flaky(2, starts: starts).retry(upTo: 5, interval: .seconds(2), on: scheduler).recorded()
        #expect(starts.value == 1)
        scheduler.advance(by: .milliseconds(1999))
        #expect(starts.value == 1)
        scheduler.advance(by: .milliseconds(1))
        #expect(starts.value == 2)
        scheduler.advance(by: .seconds(2))
        #expect(recorder.events == [.value(3), .completed])
        #expect(scheduler.isIdle)
    }

    @Test("Exponential backoff waits longer each time, up to its limit, with the jitter of its chance")
    func backoff() {
        let plain = Backoff.exponential(from: .seconds(1), factor: 3, upTo: .seconds(10), jitter: 0)
        #expect((0..<4).map(plain.interval) == [.seconds(1), .seconds(3), .seconds(9), .seconds(10)])
        let late = Backoff.exponential(from: .seconds(1), factor: 2, jitter: 0.5) { $0.upperBound }
        #expect((0..<3).map(late.interval) == [.seconds(1.5), .seconds(3), .seconds(6)])
        #expect(Backoff.exponential(from: .zero, jitter: 0).interval(5_000) == .zero)
        let random = Backoff.exponential(from: .seconds(1), factor: 1, jitter: 0.2)
        #expect((0..<100).allSatisfy { (Duration.seconds(0.8) ... .seconds(1.2)).contains(random.interval($0)) })
        let starts = Shared(0)
        let recorder = flaky(9, starts: starts).retry(upTo: 3, backoff: plain, on: scheduler).recorded()
        scheduler.advance(by: .seconds(1))
        #expect(starts.value == 2)
        scheduler.advance(by: .seconds(3))
        #expect(starts.value == 3)
        scheduler.advance(by: .seconds(9))
        #expect(starts.value == 4)
        #expect(recorder.events == [.failed(.first)])
    }

    @Test("Only errors that are accepted are retried")
    func condition() {
        let starts = Shared(0)
        let recorder = flaky(9, starts: starts)
            .retry(upTo: 5, backoff: .constant(.seconds(1)), on: scheduler, where: { $0 != .first }).recorded()
        #expect(recorder.events == [.failed(.first)])
        #expect(starts.value == 1)
    }

    @Test("Disposal while it waits interrupts, and it does not start again")
    func disposal() {
        let starts = Shared(0)
        let (recorder, disposable) = flaky(9, starts: starts).retry(upTo: 5, interval: .seconds(1), on: scheduler)
            .recording()
        disposable.dispose()
        #expect(recorder.events == [.interrupted])
        scheduler.run()
        #expect(starts.value == 1)
    }

    @Test("repeat starts again at completion, and not at failure", .onOwnThread)
    func repeating() {
        #expect(Producer(value: 1).repeat(3).recorded().events == [.value(1), .value(1), .value(1), .completed])
        #expect(Producer(value: 1).repeat(1).recorded().events == [.value(1), .completed])
        #expect(Producer(value: 1).repeat(0).recorded().events == [.completed])
        #expect(Producer<Int>(error: .first).repeat(3).recorded().events == [.failed(.first)])
        #expect(Producer(value: 1).repeat(100_000).recorded().values.count == 100_000)
    }
}
