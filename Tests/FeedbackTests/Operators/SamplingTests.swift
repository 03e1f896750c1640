import Feedback
import Testing

@Suite("withLatest, sample")
struct SamplingTests {
    let values: Pipe<Int>
    let input: Pipe<Int>.Observer
    let other: Signal<String, NoError>
    let otherInput: Signal<String, NoError>.Observer

    init() {
        (values, input) = Pipe<Int>.pipe()
        (other, otherInput) = Signal<String, NoError>.pipe()
    }

    @Test("withLatest pairs each value with the latest of the other, whose end does not matter")
    func withLatest() {
        let hot = values.withLatest(from: other).map { "\($0)\($1)" }.recorded()
        let cold = values.producer.withLatest(from: other.producer).map { "\($0)\($1)" }.recorded()
        input.send(value: 1)
        otherInput.send(value: "a")
        input.send(value: 2)
        otherInput.send(value: "b")
        otherInput.sendCompleted()
        input.send(value: 3)
        input.sendCompleted()
        #expect(hot.events == [.value("2a"), .value("3b"), .completed])
        #expect(cold.events == [.value("2a"), .value("3b"), .completed])
    }

    @Test("withLatest of a property has a value at once")
    func withLatestProperty() {
        let recorder = Producer(values: 1, 2).withLatest(from: Property(value: "p")).map { "\($0)\($1)" }.recorded()
        #expect(recorder.events == [.value("1p"), .value("2p"), .completed])
    }

    @Test("withLatest disposes the other at the end")
    func withLatestEnd() {
        let isDisposed = Shared(false)
        let recorder = values.withLatest(from: other.producer.on(disposed: { isDisposed.value = true })).map { $0.0 }
            .recorded()
        input.send(error: .first)
        #expect(recorder.events == [.failed(.first)])
        #expect(isDisposed.value)
    }

    @Test("sample delivers the latest value each time the sampler does, also again, and completes with both")
    func sample() {
        let (sampler, samplerInput) = Signal<Void, NoError>.pipe()
        let hot = values.sample(on: sampler).recorded()
        let cold = values.producer.sample(on: sampler).recorded()
        let with = values.sample(with: other).map { "\($0)\($1)" }.recorded()
        let coldWith = values.producer.sample(with: other).map { "\($0)\($1)" }.recorded()
        samplerInput.send(value: ())
        input.send(value: 1)
        input.send(value: 2)
        samplerInput.send(value: ())
        samplerInput.send(value: ())
        otherInput.send(value: "x")
        input.sendCompleted()
        #expect(hot.end == nil)
        samplerInput.send(value: ())
        samplerInput.sendCompleted()
        otherInput.sendCompleted()
        #expect(hot.events == [.value(2), .value(2), .value(2), .completed])
        #expect(cold.events == [.value(2), .value(2), .value(2), .completed])
        #expect(with.events == [.value("2x"), .completed])
        #expect(coldWith.events == [.value("2x"), .completed])
    }

    @Test("An interruption of either ends sampling")
    func sampleInterruption() {
        let recorder = values.sample(with: other).map { $0.0 }.recorded()
        otherInput.sendInterrupted()
        #expect(recorder.events == [.interrupted])
    }
}

@Suite("replayLazily")
struct SharingTests {
    @Test("A value that starts the shared producer when it is released can do so")
    func startedByARelease() {
        final class Starting: Sendable {
            let action: @Sendable () -> Void
            init(_ action: @escaping @Sendable () -> Void) { self.action = action }
            deinit { action() }
        }
        let (signal, input) = Pipe<Starting?>.pipe()
        let shared = signal.producer.replayLazily(upTo: 1)
        let starts = Shared(0)
        let (observer, disposable) = (Observer<Starting?, TestError>(), CompositeDisposable())
        disposable += shared.start(observer)
        input.send(
            value: Starting {
                starts.modify { $0 += 1 }
                disposable += shared.start(observer)
            })
        input.send(value: nil)
        #expect(starts.value == 1)
        disposable.dispose()
    }

    @Test("The work starts with the first observer, and once; later ones get the last values first")
    func replay() {
        let starts = Shared(0)
        let (signal, input) = Pipe<Int>.pipe()
        let shared = signal.producer.on(starting: { starts.value += 1 }).replayLazily(upTo: 2)
        #expect(starts.value == 0)
        let first = shared.recorded()
        for value in 1...3 { input.send(value: value) }
        let second = shared.recorded()
        input.send(value: 4)
        input.sendCompleted()
        let third = shared.recorded()
        #expect(starts.value == 1)
        #expect(first.events == [.value(1), .value(2), .value(3), .value(4), .completed])
        #expect(second.events == [.value(2), .value(3), .value(4), .completed])
        #expect(third.events == [.value(3), .value(4), .completed])
    }

    @Test("A failure is replayed too, and without capacity only the end")
    func failure() {
        let shared = Producer(value: 1).concat(error: .first).replayLazily(upTo: 0)
        #expect(shared.recorded().events == [.value(1), .failed(.first)])
        #expect(shared.recorded().events == [.failed(.first)])
    }

    @Test("The disposal of one observer leaves the others alone")
    func disposal() {
        let (signal, input) = Pipe<Int>.pipe()
        let shared = signal.producer.replayLazily(upTo: 1)
        let (first, disposable) = shared.recording()
        let second = shared.recorded()
        input.send(value: 1)
        disposable.dispose()
        input.send(value: 2)
        #expect(first.events == [.value(1), .interrupted])
        #expect(second.events == [.value(1), .value(2)])
    }

    @Test("The work is disposed when nobody holds the producer or follows it any more")
    func release() {
        let isDisposed = Shared(false)
        var shared: Producer<Int>? = Producer<Int>.never.on(disposed: { isDisposed.value = true }).replayLazily(upTo: 1)
        let disposable = shared?.start()
        shared = nil
        #expect(!isDisposed.value)
        disposable?.dispose()
        #expect(isDisposed.value)
    }

    @Test("Who comes in the middle of a delivery gets each value once")
    func reentrance() {
        let (signal, input) = Pipe<Int>.pipe()
        let shared = signal.producer.replayLazily(upTo: 5)
        let late = Recorder<Int, TestError>()
        shared.startWithResult { result in
            if case .success(2) = result { shared.start { late.record($0) } }
        }
        for value in 1...3 { input.send(value: value) }
        #expect(late.values == [1, 2, 3])
    }
}

@Suite("negate, and, or, all, any")
struct BooleansTests {
    @Test(
        "Streams of truth values are combined", arguments: [(false, false), (false, true), (true, false), (true, true)])
    func streams(a: Bool, b: Bool) {
        let (x, y) = (Producer(value: a), Producer(value: b))
        #expect(x.negate().recorded().values == [!a])
        #expect(x.and(y).recorded().values == [a && b])
        #expect(x.or(y).recorded().values == [a || b])
        #expect(SignalProducer.all(x, y, x).recorded().values == [a && b])
        #expect(SignalProducer.any(x, y, x).recorded().values == [a || b])
        #expect(SignalProducer.all([x, y]).recorded().values == [a && b])
        #expect(SignalProducer.any([x, y]).recorded().values == [a || b])
        let (s, sInput) = Pipe<Bool>.pipe()
        let (t, tInput) = Pipe<Bool>.pipe()
        let recorders = [
            s.and(t).recorded(), Signal.all(s, t).recorded(), s.or(t).recorded(), Signal.any(s, t).recorded(),
            s.negate().recorded(),
        ]
        sInput.send(value: a)
        tInput.send(value: b)
        #expect(recorders.map { $0.values } == [[a && b], [a && b], [a || b], [a || b], [!a]])
        let (p, q) = (MutableProperty(a), MutableProperty(b))
        #expect(p.negate().value == !a)
        #expect(p.and(q).value == (a && b))
        #expect(p.or(q).value == (a || b))
        #expect(Property.all(p, q).value == (a && b))
        #expect(Property.any(p, q).value == (a || b))
        #expect(Property.all([p, q]).value == (a && b))
        #expect(Property.any([p, q]).value == (a || b))
    }

    @Test("All of none is true, any of none is false")
    func none() {
        #expect(Producer<Bool>.all([Producer<Bool>]()).recorded().events == [.value(true), .completed])
        #expect(Producer<Bool>.any([Producer<Bool>]()).recorded().events == [.value(false), .completed])
        #expect(Property.all([Property<Bool>]()).value)
        #expect(!Property.any([Property<Bool>]()).value)
    }
}

@Suite("Blocking first, single, last, wait")
struct BlockingTests {
    let failing = Producer(value: 1).concat(error: .first)

    @Test("first gives the first value, or the failure before it")
    func first() {
        #expect(Producer(0...).first() == .success(0))
        #expect(failing.first() == .success(1))
        #expect(Producer<Int>(error: .second).first() == .failure(.second))
        #expect(Producer<Int>.empty.first() == nil)
    }

    @Test("single gives the only value")
    func single() {
        #expect(Producer(value: 1).single() == .success(1))
        #expect(Producer(values: 1, 2).single() == nil)
        #expect(Producer<Int>.empty.single() == nil)
        #expect(failing.single() == .failure(.first))
    }

    @Test("last gives the last value, or the failure after it")
    func last() {
        #expect(Producer(values: 1, 2).last() == .success(2))
        #expect(failing.last() == .failure(.first))
        #expect(Producer<Int>.empty.last() == nil)
    }

    @Test("wait gives the end")
    func wait() {
        #expect((try? Producer(values: 1, 2).wait().get()) != nil)
        #expect(throws: TestError.first) { try failing.wait().get() }
    }

    @Test("They wait for what comes from another thread")
    func waiting() {
        #expect(Producer(values: 1, 2).observe(on: QueueScheduler()).start(on: QueueScheduler()).last() == .success(2))
    }
}
