import Feedback
import Testing

@Suite("take and skip")
struct TakingTests {
    @Test("take(first:) completes after so many values, and tears the work down")
    func takeFirst() {
        let isDisposed = Shared(false)
        let producer = Producer(0...).on(disposed: { isDisposed.value = true })
        #expect(producer.take(first: 3).recorded().events == [.value(0), .value(1), .value(2), .completed])
        #expect(isDisposed.value)
    }

    @Test("take(first: 0) completes without starting anything")
    func takeNone() {
        let isStarted = Shared(false)
        let producer = Producer(0...).on(starting: { isStarted.value = true })
        #expect(producer.take(first: 0).recorded().events == [.completed])
        #expect(!isStarted.value)
        let (signal, _) = Pipe<Int>.pipe()
        #expect(signal.take(first: 0).recorded().events == [.interrupted])
    }

    @Test("take(first:) of a shorter stream completes with it, of a failing one fails")
    func takeShort() {
        #expect(Producer(value: 1).take(first: 3).recorded().events == [.value(1), .completed])
        #expect(Producer<Int>(error: .first).take(first: 3).recorded().events == [.failed(.first)])
    }

    @Test("A value sent from within the last one that is taken is not delivered")
    func takeReentrant() {
        let (signal, input) = Signal<Int, NoError>.pipe()
        let recorder = Recorder<Int, NoError>()
        signal.take(first: 1).observe { event in
            recorder.record(event)
            if event.value != nil { input.send(value: 2) }
        }
        input.send(value: 1)
        #expect(recorder.events == [.value(1), .completed])
    }

    @Test("Disposal within the last value interrupts instead of completing")
    func takeDisposal() {
        let handle = SerialDisposable()
        let (signal, input) = Signal<Int, NoError>.pipe()
        let recorder = Recorder<Int, NoError>()
        handle.inner = signal.producer.take(first: 1).start { event in
            recorder.record(event)
            handle.dispose()
        }
        input.send(value: 1)
        #expect(recorder.events == [.value(1), .interrupted])
    }

    @Test("take(last:) delivers the last values at completion, and none at failure")
    func takeLast() {
        #expect(Producer(0..<5).take(last: 2).recorded().events == [.value(3), .value(4), .completed])
        #expect(Producer(value: 1).take(last: 2).recorded().events == [.value(1), .completed])
        #expect(Producer(value: 1).take(last: 0).recorded().events == [.completed])
        #expect(Producer(value: 1).concat(error: .first).take(last: 2).recorded().events == [.failed(.first)])
    }

    @Test("take(while:) completes at the first value that is not accepted, take(until:) after it")
    func takeWhile() {
        #expect(Producer(0...).take(while: { $0 < 2 }).recorded().events == [.value(0), .value(1), .completed])
        #expect(
            Producer(0...).take(until: { $0 < 2 }).recorded().events == [.value(0), .value(1), .value(2), .completed])
    }

    @Test("skip(first:) and skip(while:) deliver what follows")
    func skip() {
        #expect(Producer(0..<4).skip(first: 2).recorded().events == [.value(2), .value(3), .completed])
        #expect(Producer(0..<1).skip(first: 2).recorded().events == [.completed])
        #expect(Producer([1, 2, 3, 1]).skip(while: { $0 < 3 }).recorded().values == [3, 1])
    }

    @Test("Hot streams are taken from too")
    func hot() {
        let (signal, input) = Signal<Int, NoError>.pipe()
        let first = signal.take(first: 2).recorded()
        let last = signal.take(last: 1).recorded()
        let small = signal.take(while: { $0 < 2 }).recorded()
        let until = signal.take(until: { $0 < 2 }).recorded()
        let rest = signal.skip(first: 1).recorded()
        let large = signal.skip(while: { $0 < 3 }).recorded()
        for value in 1...3 { input.send(value: value) }
        input.sendCompleted()
        #expect(first.events == [.value(1), .value(2), .completed])
        #expect(last.events == [.value(3), .completed])
        #expect(small.events == [.value(1), .completed])
        #expect(until.events == [.value(1), .value(2), .completed])
        #expect(rest.events == [.value(2), .value(3), .completed])
        #expect(large.events == [.value(3), .completed])
    }
}

@Suite("take and skip by another stream")
struct TriggeringTests {
    let values: Pipe<Int>
    let input: Pipe<Int>.Observer
    let trigger: Signal<Void, NoError>
    let triggerInput: Signal<Void, NoError>.Observer

    init() {
        (values, input) = Pipe<Int>.pipe()
        (trigger, triggerInput) = Signal<Void, NoError>.pipe()
    }

    @Test("take(until:) completes at the first value of the trigger, and disposes both")
    func takeUntil() {
        let disposals = Shared(0)
        let recorder = values.producer.on(disposed: { disposals.value += 1 })
            .take(until: trigger.producer.on(disposed: { disposals.value += 1 })).recorded()
        input.send(value: 1)
        triggerInput.send(value: ())
        input.send(value: 2)
        #expect(recorder.events == [.value(1), .completed])
        #expect(disposals.value == 2)
    }

    @Test("take(until:) completes when the trigger completes, and goes on when it is interrupted")
    func takeUntilEnd() {
        let (other, otherInput) = Signal<Void, NoError>.pipe()
        let completed = values.take(until: trigger).recorded()
        let goesOn = values.take(until: other).recorded()
        triggerInput.sendCompleted()
        otherInput.sendInterrupted()
        input.send(value: 1)
        input.send(error: .first)
        #expect(completed.events == [.completed])
        #expect(goesOn.events == [.value(1), .failed(.first)])
    }

    @Test("take(until:) does not start the work if the trigger triggers at once")
    func takeUntilAtOnce() {
        let isStarted = Shared(false)
        let recorder = Producer(0...).on(starting: { isStarted.value = true })
            .take(until: SignalProducer<Void, NoError>(value: ())).recorded()
        #expect(recorder.events == [.completed])
        #expect(!isStarted.value)
    }

    @Test("skip(until:) delivers values from the trigger on, and the end at any time")
    func skipUntil() {
        let recorder = values.skip(until: trigger).recorded()
        let cold = values.producer.skip(until: trigger).recorded()
        let (never, _) = Signal<Void, NoError>.pipe()
        let ended = values.skip(until: never.concatNever).recorded()
        input.send(value: 1)
        triggerInput.send(value: ())
        input.send(value: 2)
        input.sendCompleted()
        #expect(recorder.events == [.value(2), .completed])
        #expect(cold.events == [.value(2), .completed])
        #expect(ended.events == [.completed])
    }

    @Test("take(during:) completes when the lifetime ends")
    func takeDuring() {
        let (lifetime, token) = Lifetime.make()
        let hot = values.take(during: lifetime).recorded()
        let cold = values.producer.take(during: lifetime).recorded()
        input.send(value: 1)
        token.dispose()
        input.send(value: 2)
        #expect(hot.events == [.value(1), .completed])
        #expect(cold.events == [.value(1), .completed])
        #expect(values.producer.take(during: lifetime).recorded().events == [.completed])
    }

    @Test("take(untilReplacement:) goes over to the replacement at its first event")
    func takeUntilReplacement() {
        let (replacement, replacementInput) = Pipe<Int>.pipe()
        let isDisposed = Shared(false)
        let recorder = values.producer.on(disposed: { isDisposed.value = true })
            .take(untilReplacement: replacement).recorded()
        input.send(value: 1)
        replacementInput.send(value: 10)
        #expect(isDisposed.value)
        input.send(value: 2)
        replacementInput.sendCompleted()
        #expect(recorder.events == [.value(1), .value(10), .completed])
    }

    @Test("take(untilReplacement:) waits for the replacement when it has completed itself, and fails with itself")
    func takeUntilReplacementEnd() {
        let (replacement, replacementInput) = Pipe<Int>.pipe()
        let recorder = values.take(untilReplacement: replacement).recorded()
        input.sendCompleted()
        #expect(recorder.events == [])
        replacementInput.send(value: 1)
        #expect(recorder.events == [.value(1)])
        #expect(
            Producer<Int>(error: .first).take(untilReplacement: Producer.never).recorded().events == [.failed(.first)])
    }
}

extension Signal where Value == Void, Error == NoError {
    /// A producer that never ends, whatever becomes of the signal.
    var concatNever: SignalProducer<Void, NoError> { producer.flatMap(.merge) { _ in .never }.merge(with: .never) }
}
