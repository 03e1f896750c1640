import Feedback
import Testing

@Suite("concat, prefix, then")
struct ConcatenatingTests {
    @Test("concat goes on when the first has completed, and not when it failed")
    func concat() {
        let isStarted = Shared(false)
        let next = Producer(value: 2).on(starting: { isStarted.value = true })
        #expect(Producer<Int>(error: .first).concat(next).recorded().events == [.failed(.first)])
        #expect(!isStarted.value)
        #expect(Producer(value: 1).concat(next).recorded().events == [.value(1), .value(2), .completed])
        #expect(Producer(value: 1).concat(value: 3).recorded().values == [1, 3])
        #expect(Producer(value: 1).concat(error: .second).recorded().events == [.value(1), .failed(.second)])
        #expect(SignalProducer(value: 1).concat(Property(value: 4)).recorded().values == [1, 4])
        #expect(Producer(value: 1).concat(.empty).recorded().events == [.value(1), .completed])
    }

    @Test("prefix comes first")
    func prefix() {
        #expect(Producer(value: 1).prefix(Producer(value: 0)).recorded().events == [.value(0), .value(1), .completed])
        #expect(Producer(value: 1).prefix(value: 0).recorded().events == [.value(0), .value(1), .completed])
        #expect(SignalProducer(value: 1).prefix(Property(value: 0)).recorded().values == [0, 1])
    }

    @Test("then drops the values of the first, whoever can fail")
    func then() {
        let first = Producer(value: 1)
        let surely = SignalProducer<Int, NoError>(value: 2)
        let a: SignalProducer<String, TestError> = first.then(Producer(value: "a"))
        let b: SignalProducer<Int, TestError> = first.then(surely)
        let c: SignalProducer<Int, TestError> = surely.then(first)
        let d: SignalProducer<Int, NoError> = surely.then(SignalProducer<Int, NoError>(value: 3))
        let e = first.then(Property(value: 4))
        #expect(a.recorded().events == [.value("a"), .completed])
        #expect(b.recorded().events == [.value(2), .completed])
        #expect(c.recorded().events == [.value(1), .completed])
        #expect(d.recorded().events == [.value(3), .completed])
        #expect(e.recorded().events == [.value(4), .completed])
        #expect(Producer<Int>(error: .first).then(Producer(value: 1)).recorded().events == [.failed(.first)])
    }

    @Test("The first is torn down before the next starts")
    func teardown() {
        let log = Shared<[String]>([])
        _ = Producer(value: 1).on(disposed: { log.modify { $0.append("down") } })
            .concat(Producer(value: 2).on(starting: { log.modify { $0.append("next") } })).recorded()
        #expect(log.value == ["down", "next"])
    }

    @Test("Disposal within the first keeps the next from starting, within the next disposes it")
    func disposal() {
        let isStarted = Shared(false)
        let handle = SerialDisposable()
        let (signal, input) = Pipe<Int>.pipe()
        let recorder = Recorder<Int, TestError>()
        handle.inner = signal.producer.concat(Producer(value: 2).on(starting: { isStarted.value = true }))
            .start { event in
                recorder.record(event)
                handle.dispose()
            }
        input.send(value: 1)
        input.sendCompleted()
        #expect(recorder.events == [.value(1), .interrupted])
        #expect(!isStarted.value)
        let isDisposed = Shared(false)
        let (other, disposable) = Producer<Int>.empty
            .concat(.never.on(disposed: { isDisposed.value = true })).recording()
        disposable.dispose()
        #expect(isDisposed.value)
        #expect(other.events == [.interrupted])
    }
}

@Suite("materialize, dematerialize")
struct EventsTests {
    let failing = Producer(value: 1).concat(error: .first)

    @Test("materialize delivers events, and completes")
    func materialize() {
        #expect(
            failing.materialize().recorded().events
                == [.value(.value(1)), .value(.failed(.first)), .completed])
        #expect(Producer<Int>.empty.materialize().recorded().events == [.value(.completed), .completed])
    }

    @Test("dematerialize is the opposite")
    func dematerialize() {
        #expect(failing.materialize().dematerialize().recorded().events == [.value(1), .failed(.first)])
        let events = SignalProducer<SignalEvent<Int, TestError>, NoError>([.value(1), .completed, .value(2)])
        #expect(events.dematerialize().recorded().events == [.value(1), .completed])
        let (signal, input) = Pipe<Int>.pipe()
        let recorder = signal.materialize().dematerialize().recorded()
        let interrupted = signal.materialize().recorded()
        input.send(value: 1)
        input.sendInterrupted()
        #expect(recorder.events == [.value(1), .interrupted])
        #expect(interrupted.events == [.value(.value(1)), .value(.interrupted), .interrupted])
    }

    @Test("Results go there and back")
    func results() {
        let results = failing.materializeResults().recorded()
        #expect(results.events == [.value(.success(1)), .value(.failure(.first)), .completed])
        #expect(failing.materializeResults().dematerializeResults().recorded().events == [.value(1), .failed(.first)])
        let (signal, input) = Pipe<Int>.pipe()
        let recorder = signal.materializeResults().dematerializeResults().recorded()
        input.send(error: .second)
        #expect(recorder.events == [.failed(.second)])
    }

    @Test("Disposal of materialized events is not an event")
    func disposal() {
        let (recorder, disposable) = Producer<Int>.never.materialize().recording()
        disposable.dispose()
        #expect(recorder.events == [.interrupted])
    }
}

@Suite("on")
struct EffectsTests {
    let log = Shared<[String]>([])

    func add(_ entry: String) -> @Sendable () -> Void {
        { [log] in log.modify { $0.append(entry) } }
    }

    func logged(_ producer: Producer<Int>, _ name: String = "") -> Producer<Int> {
        producer.on(
            starting: add(name + "starting"), started: add(name + "started"),
            event: { [log] event in log.modify { $0.append(name + "event \(event)") } },
            failed: { [log] error in log.modify { $0.append(name + "failed \(error)") } },
            completed: add(name + "completed"), interrupted: add(name + "interrupted"),
            terminated: add(name + "terminated"), disposed: add(name + "disposed"),
            value: { [log] value in log.modify { $0.append(name + "value \(value)") } })
    }

    @Test("Each hook is called in its turn, before the observer")
    func order() {
        logged(Producer(value: 1)).start { [log] event in log.modify { $0.append("observed \(event)") } }
        #expect(
            log.value == [
                "starting", "event value(1)", "value 1", "observed value(1)", "event completed", "completed",
                "terminated", "observed completed", "disposed", "started",
            ])
    }

    @Test("A failure calls its hook")
    func failure() {
        _ = logged(Producer(error: .first)).recorded()
        #expect(
            log.value == ["starting", "event failed(first)", "failed first", "terminated", "disposed", "started"])
    }

    @Test("Disposal calls the hooks of the interruption, then that of the disposal")
    func disposal() {
        let (recorder, disposable) = logged(.never).recording()
        log.value = []
        disposable.dispose()
        #expect(log.value == ["event interrupted", "interrupted", "terminated", "disposed"])
        #expect(recorder.events == [.interrupted])
    }

    @Test("Of several in a row, the last is starting first and the first has started first")
    func nested() {
        let disposable = logged(logged(.never, "a "), "b ").start()
        #expect(log.value == ["b starting", "a starting", "a started", "b started"])
        disposable.dispose()
    }

    @Test("Hot streams have hooks too, which are called once for all observers")
    func hot() {
        let (signal, input) = Pipe<Int>.pipe()
        let watched = signal.on(
            completed: add("completed"), terminated: add("terminated"), disposed: add("disposed"),
            value: { [log] value in log.modify { $0.append("value \(value)") } })
        watched.observe { _ in }
        watched.observe { _ in }
        input.send(value: 1)
        input.sendCompleted()
        #expect(log.value == ["value 1", "completed", "terminated", "disposed"])
    }
}

@Suite("attempt, attemptMap")
struct AttemptingTests {
    @Test("attempt passes values on until an action fails")
    func attempt() {
        let numbers = Producer(values: 1, 2, 3)
        let checked = numbers.attempt { $0 < 2 ? .success(()) : .failure(.first) }.recorded()
        #expect(checked.events == [.value(1), .failed(.first)])
        let thrown = numbers.attempt { (value) throws(TestError) in if value > 2 { throw .second } }.recorded()
        #expect(thrown.events == [.value(1), .value(2), .failed(.second)])
    }

    @Test("attemptMap transforms values until a transformation fails")
    func attemptMap() {
        let texts = Producer(values: "1", "x", "3")
        let results = texts.attemptMap { text in Int(text).map { .success($0) } ?? .failure(.first) }.recorded()
        #expect(results.events == [.value(1), .failed(.first)])
        let thrown = texts.attemptMap { (text) throws(TestError) -> Int in
            guard let number = Int(text) else { throw .second }
            return number
        }.recorded()
        #expect(thrown.events == [.value(1), .failed(.second)])
    }

    @Test("A stream that cannot fail takes on what is thrown")
    func noError() {
        let numbers = SignalProducer<Int, NoError>(value: 1)
        let typed: SignalProducer<Int, TestError> = numbers.attemptMap { (_) throws(TestError) -> Int in throw .first }
        #expect(typed.recorded().events == [.failed(.first)])
        let untyped: SignalProducer<Int, any Error> = numbers.attempt { _ in throw TestError.second }
        #expect(untyped.recorded().events.first?.error as? TestError == .second)
    }

    @Test("A failed attempt disposes the work, hot and cold")
    func ends() {
        let isDisposed = Shared(false)
        let endless = Producer(0...).on(disposed: { isDisposed.value = true })
        let failed = endless.attempt { $0 < 3 ? .success(()) : .failure(.first) }.recorded()
        #expect(failed.values == [0, 1, 2])
        #expect(isDisposed.value)
        let (signal, input) = Pipe<Int>.pipe()
        let recorder = signal.attemptMap { $0 > 0 ? .success($0 * 2) : .failure(.second) }.recorded()
        input.send(value: 1)
        input.send(value: 0)
        input.send(value: 1)
        #expect(recorder.events == [.value(2), .failed(.second)])
    }
}
