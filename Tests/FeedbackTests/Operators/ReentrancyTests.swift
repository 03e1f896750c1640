import Feedback
import FeedbackTesting
import Foundation
import Testing

@Suite("Streams that what they start, or their observers, end or send to", .timeLimit(.minutes(10)))
struct ReentrancyTests {
    @Test("retry(when:) starts again in place of a try that is under way when the trigger comes")
    func retryWhenUnderWay() {
        let starts = Shared(0)
        let (trigger, fire) = Pipe<Void>.pipe()
        let (source, input) = Pipe<Int>.pipe()
        let producer = Producer<Int> { observer, lifetime in
            starts.modify { $0 += 1 }
            lifetime += source.observe(observer)
        }
        let recorder = producer.retry(when: { _ in trigger }).recorded()
        input.send(value: 1)
        fire.send(value: ())
        input.send(value: 2)
        #expect(starts.value == 2)
        #expect(recorder.events == [.value(1), .value(2)])
    }

    @Test("A timeout that is due at once starts no work")
    func timeoutInline() {
        let starts = Shared(0)
        let producer = Producer<Int> { _, _ in starts.modify { $0 += 1 } }
        let recorder = producer.timeout(after: .zero, raising: .first, on: ImmediateClock()).recorded()
        let perValue = producer.timeout(perValue: .zero, raising: .first, on: ImmediateClock()).recorded()
        #expect(recorder.events == [.failed(.first)])
        #expect(perValue.events == [.failed(.first)])
        #expect(starts.value == 0)
    }

    @Test("A start handler is not called if another part of the stream has ended it before")
    func disposedDuringStart() {
        let starts = Shared(0)
        let (trigger, fire) = Signal<Void, NoError>.pipe()
        let main = Producer<Int> { _, _ in starts.modify { $0 += 1 } }
        let samplee = SignalProducer<Int, NoError> { _, _ in fire.send(value: ()) }
        let recorder = main.withLatest(from: samplee).take(until: trigger).recorded()
        #expect(recorder.events.count == 1)
        #expect(starts.value == 0)
        let skipped = main.skip(until: samplee.map(value: ())).take(until: trigger).recorded()
        #expect(skipped.events.count == 1)
        #expect(starts.value == 0)
    }

    @Test("An action whose application is disposed before its work begins can be applied again")
    func actionDisposedEarly() {
        let starts = Shared(0)
        let action = Action<Int, Int, TestError> { input in
            Producer<Int> { observer, _ in
                starts.modify { $0 += 1 }
                observer.send(value: input)
                observer.sendCompleted()
            }
        }
        let (trigger, fire) = Signal<Void, NoError>.pipe()
        let watching = action.isExecuting.signal.observeValues { if $0 { fire.send(value: ()) } }
        let recorder = action.apply(1).take(until: trigger).recorded()
        #expect(recorder.events.count == 1)
        #expect(action.isExecuting.value == false)
        #expect(starts.value == 0)
        watching?.dispose()
        #expect(action.apply(2).recorded().values == [2])
    }

    @Test("On a scheduler that runs everything at once, operators neither lose values nor recurse")
    func inlineScheduler() {
        let inline = ImmediateClock()
        let values = Producer<Int>(0..<5)
        #expect(values.debounce(.seconds(1), on: inline).recorded().events.last == .completed)
        #expect(values.throttle(.seconds(1), on: inline).recorded().values == [0, 1, 2, 3, 4])
        #expect(values.delay(.seconds(1), on: inline).recorded().values == [0, 1, 2, 3, 4])
        #expect(values.observe(on: inline).recorded().values == [0, 1, 2, 3, 4])
        #expect(values.throttle(while: Property(value: false), on: inline).recorded().values == [0, 1, 2, 3, 4])
        let starts = Shared(0)
        let failing = Producer<Int> { observer, _ in
            starts.modify { $0 += 1 }
            observer.send(error: .first)
        }
        #expect(failing.retry(upTo: 20_000, interval: .seconds(1), on: inline).recorded().events == [.failed(.first)])
        #expect(starts.value == 20_001)
    }

    @Test("A throttled, debounced or delayed source can be ended by its own observer")
    func endsInside() {
        for form in 0..<4 {
            let scheduler = TestScheduler()
            let (source, input) = Pipe<Int>.pipe()
            let limited =
                switch form {
                case 0: source.throttle(.seconds(1), on: scheduler)
                case 1: source.debounce(.seconds(1), on: scheduler)
                case 2: source.debounce(.seconds(1), on: scheduler, discardWhenCompleted: false)
                default: source.delay(.seconds(1), on: scheduler)
                }
            let recorder = Recorder<Int, TestError>()
            limited.observe { event in
                recorder.record(event)
                if case .value(1) = event {
                    input.send(value: 2)
                    input.sendCompleted()
                    input.send(value: 3)
                }
            }
            input.send(value: 1)
            scheduler.run()
            let expected: [SignalEvent<Int, TestError>] =
                form < 2 ? [.value(1), .completed] : [.value(1), .value(2), .completed]
            #expect(recorder.events == expected, "form \(form)")
        }
    }

    @Test("A replay can be ended by a value that it replays")
    func replay() {
        let (source, input) = Pipe<Int>.pipe()
        let replayed = source.producer.replayLazily(upTo: 3)
        let first = replayed.recorded()
        for number in 1...3 { input.send(value: number) }
        #expect(first.values == [1, 2, 3])
        #expect(replayed.take(first: 1).recorded().events == [.value(1), .completed])
        let scope = CompositeDisposable()
        let log = Log<String>()
        scope.add(replayed.on(disposed: { log.add("disposed") }).take(first: 2).start { log.add("\($0)") })
        input.send(value: 4)
        #expect(log.entries.count == 4)
        #expect(first.values == [1, 2, 3, 4])
    }

    @Test("A property can be set by the observer of its first value")
    func propertySetInside() {
        let property = MutableProperty(0)
        let log = Log<Int>()
        property.producer.startWithValues { value in
            log.add(value)
            if value < 3 { property.value = value + 1 }
        }
        #expect(log.entries == [0, 1, 2, 3])
    }

    @Test("Two properties that are bound to each other are equal after a change of either, if one skips repeats")
    func boundToEachOther() {
        let (shown, stored) = (MutableProperty(0), MutableProperty(1))
        let log = Log<Int>()
        stored.producer.startWithValues { log.add($0) }
        shown <~ stored
        stored <~ shown.skipRepeats()
        shown.value = 2
        #expect(stored.value == 2)
        stored.value = 3
        #expect(shown.value == 3)
        #expect(log.entries.last == 3)
    }

    @Test("An inner producer of flatMap can send to the outer signal while it starts")
    func flatMapReentrant() {
        for (strategy, values) in [
            (FlattenStrategy.latest, [2, 3]), (.concat, [2, 3]), (.merge, [2, 3]), (.race, [2]),
        ] {
            let (source, input) = Pipe<Int>.pipe()
            let recorder = source.flatMap(strategy) { outer in
                Producer<Int> { observer, _ in
                    if outer == 1 { input.send(value: 2) }
                    observer.send(value: outer + 1)
                    observer.sendCompleted()
                }
            }.recorded()
            input.send(value: 1)
            #expect(recorder.values == values)
            #expect(recorder.end == nil)
        }
    }
}
