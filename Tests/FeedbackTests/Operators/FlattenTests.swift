import FeedbackTesting
import Feedback
import Foundation
import Testing

@Suite("flatten and flatMap")
struct FlattenTests {
    let outer: Pipe<Producer<Int>>
    let outerInput: Pipe<Producer<Int>>.Observer
    let a: Pipe<Int>
    let aInput: Pipe<Int>.Observer
    let b: Pipe<Int>
    let bInput: Pipe<Int>.Observer

    init() {
        (outer, outerInput) = Pipe<Producer<Int>>.pipe()
        (a, aInput) = Pipe<Int>.pipe()
        (b, bInput) = Pipe<Int>.pipe()
    }

    @Test("merge delivers what any inner stream delivers, and completes after all of them and the outer one")
    func merge() {
        let recorder = outer.flatten(.merge).recorded()
        outerInput.send(value: a.producer)
        outerInput.send(value: b.producer)
        aInput.send(value: 1)
        bInput.send(value: 2)
        aInput.send(value: 3)
        outerInput.sendCompleted()
        aInput.sendCompleted()
        #expect(recorder.end == nil)
        bInput.sendCompleted()
        #expect(recorder.events == [.value(1), .value(2), .value(3), .completed])
    }

    @Test("concat starts an inner stream when the one before it has completed")
    func concat() {
        let started = Shared(0)
        let recorder = outer.flatten(.concat).recorded()
        outerInput.send(value: a.producer)
        outerInput.send(value: b.producer.on(starting: { started.value += 1 }))
        bInput.send(value: 0)
        aInput.send(value: 1)
        #expect(started.value == 0)
        aInput.sendCompleted()
        #expect(started.value == 1)
        bInput.send(value: 2)
        outerInput.sendCompleted()
        bInput.sendCompleted()
        #expect(recorder.events == [.value(1), .value(2), .completed])
    }

    @Test("A hundred thousand inner streams that waited and complete at once do not recurse", .onOwnThread)
    func concatDepth() {
        let recorder = outer.flatten(.concat).recorded()
        outerInput.send(value: a.producer)
        for number in 0..<100_000 { outerInput.send(value: SignalProducer(value: number)) }
        aInput.sendCompleted()
        #expect(recorder.values.count == 100_000)
        #expect(recorder.values.last == 99_999)
    }

    @Test("concurrent(limit:) runs no more than so many at once")
    func concurrent() {
        let running = Shared(0)
        let most = Shared(0)
        let pipes = (0..<6).map { _ in Pipe<Int>.pipe() }
        let recorder = outer.flatten(.concurrent(limit: 2)).recorded()
        for pipe in pipes {
            outerInput.send(
                value: pipe.output.producer.on(
                    starting: {
                        most.value = max(
                            most.value,
                            running.modify {
                                $0 += 1; return $0
                            })
                    },
                    terminated: { running.value -= 1 }))
        }
        outerInput.sendCompleted()
        for (number, pipe) in pipes.enumerated() {
            pipe.input.send(value: number)
            pipe.input.sendCompleted()
        }
        #expect(most.value == 2)
        #expect(recorder.events == (0..<6).map { .value($0) } + [.completed])
    }

    @Test("latest disposes the inner stream before when the next one comes")
    func latest() {
        let disposed = Shared(false)
        let recorder = outer.flatten(.latest).recorded()
        outerInput.send(value: a.producer.on(disposed: { disposed.value = true }))
        aInput.send(value: 1)
        #expect(!disposed.value)
        outerInput.send(value: b.producer)
        #expect(disposed.value)
        aInput.send(value: 2)
        aInput.send(error: .first)
        bInput.send(value: 3)
        outerInput.sendCompleted()
        bInput.sendCompleted()
        #expect(recorder.events == [.value(1), .value(3), .completed])
    }

    @Test("race goes on with the first inner stream that delivers, and disposes the others")
    func race() {
        let disposed = Shared(false)
        let recorder = outer.flatten(.race).recorded()
        outerInput.send(value: a.producer.on(disposed: { disposed.value = true }))
        outerInput.send(value: b.producer)
        bInput.send(value: 1)
        #expect(disposed.value)
        aInput.send(value: 2)
        outerInput.send(value: SignalProducer(value: 3))
        bInput.send(value: 4)
        outerInput.sendCompleted()
        bInput.sendCompleted()
        #expect(recorder.events == [.value(1), .value(4), .completed])
    }

    @Test("throttle drops the inner streams that come while one runs")
    func throttle() {
        let recorder = outer.flatten(.throttle).recorded()
        outerInput.send(value: a.producer)
        outerInput.send(value: b.producer)
        aInput.send(value: 1)
        bInput.send(value: 2)
        aInput.sendCompleted()
        outerInput.send(value: b.producer)
        bInput.send(value: 3)
        outerInput.sendCompleted()
        #expect(recorder.end == nil)
        bInput.sendCompleted()
        #expect(recorder.events == [.value(1), .value(3), .completed])
    }

    static let strategies: [FlattenStrategy] = [.merge, .concat, .concurrent(limit: 3), .latest, .race, .throttle]

    @Test("The failure of an inner stream is the end, and disposes the outer one", arguments: strategies)
    func innerFailure(strategy: FlattenStrategy) {
        let disposed = Shared(0)
        let recorder = outer.on(disposed: { disposed.value += 1 }).flatten(strategy).recorded()
        outerInput.send(value: a.producer.on(disposed: { disposed.value += 1 }))
        aInput.send(error: .first)
        outerInput.send(value: SignalProducer(value: 1))
        #expect(recorder.events == [.failed(.first)])
        #expect(disposed.value == 2)
    }

    @Test("The failure of the outer stream is the end, and disposes the inner ones", arguments: strategies)
    func outerFailure(strategy: FlattenStrategy) {
        let disposed = Shared(0)
        let recorder = outer.flatten(strategy).recorded()
        outerInput.send(value: a.producer.on(disposed: { disposed.value += 1 }))
        outerInput.send(error: .second)
        aInput.send(value: 1)
        #expect(recorder.events == [.failed(.second)])
        #expect(disposed.value == 1)
    }

    @Test("The interruption of the outer stream interrupts the whole", arguments: strategies)
    func outerInterruption(strategy: FlattenStrategy) {
        let recorder = outer.flatten(strategy).recorded()
        outerInput.send(value: a.producer)
        outerInput.sendInterrupted()
        #expect(recorder.events == [.interrupted])
    }

    @Test(
        "The interruption of an inner stream counts as its completion",
        arguments: [.merge, .concat, .concurrent(limit: 3), .latest] as [FlattenStrategy])
    func innerInterruption(strategy: FlattenStrategy) {
        let recorder = outer.flatten(strategy).recorded()
        outerInput.send(value: a.producer)
        aInput.sendInterrupted()
        #expect(recorder.events.isEmpty)
        outerInput.sendCompleted()
        #expect(recorder.events == [.completed])
    }

    @Test(
        "The interruption of the inner stream that counts interrupts the whole",
        arguments: [.race, .throttle] as [FlattenStrategy])
    func innerInterruptionPassed(strategy: FlattenStrategy) {
        let recorder = outer.flatten(strategy).recorded()
        outerInput.send(value: a.producer)
        aInput.sendInterrupted()
        #expect(recorder.events == [.interrupted])
    }

    @Test("Disposal disposes the outer and all inner streams", arguments: strategies)
    func disposal(strategy: FlattenStrategy) {
        let disposed = Shared(0)
        let (recorder, disposable) = outer.producer.on(disposed: { disposed.value += 1 })
            .flatMap(strategy) { $0.on(disposed: { disposed.value += 1 }) }.recording()
        outerInput.send(value: a.producer)
        disposable.dispose()
        #expect(disposed.value == 2)
        aInput.send(value: 1)
        #expect(recorder.events == [.interrupted])
    }

    @Test("An endless inner stream that delivers at once can be stopped in the middle", arguments: strategies)
    func stopping(strategy: FlattenStrategy) {
        let recorder = SignalProducer<Int, TestError>(value: 1)
            .flatMap(strategy) { _ in SignalProducer<Int, TestError>(0...) }
            .take(first: 3)
            .recorded()
        #expect(recorder.events == [.value(0), .value(1), .value(2), .completed])
    }

    @Test("Outer values that come from within a delivery wait for their turn")
    func reentrance() {
        let (numbers, input) = Signal<Int, NoError>.pipe()
        let recorder = Recorder<Int, NoError>()
        numbers.flatMap(.latest) { SignalProducer<Int, NoError>(value: $0) }.observe { event in
            recorder.record(event)
            if let value = event.value, value < 3 { input.send(value: value + 1) }
        }
        input.send(value: 1)
        #expect(recorder.values == [1, 2, 3])
        input.sendCompleted()
    }

    @Test("The values that an inner stream delivers before its end count, though it has to wait for its turn")
    func waitingValues() {
        let recorder = Recorder<Int, TestError>()
        outer.flatten(.merge).observe { [bInput] event in
            recorder.record(event)
            guard event.value == 1 else { return }
            bInput.send(value: 2)
            bInput.sendCompleted()
        }
        outerInput.send(value: a.producer)
        outerInput.send(value: b.producer)
        aInput.send(value: 1)
        #expect(recorder.events == [.value(1), .value(2)])
    }

    @Test("Whoever cannot fail, inside or outside, can be flattened with who can")
    func errors() {
        let surely = SignalProducer<Int, NoError>(value: 1)
        let perhaps = SignalProducer<Int, TestError>(value: 2)
        let first: SignalProducer<Int, TestError> = surely.flatMap(.latest) { _ in perhaps }
        let second: SignalProducer<Int, TestError> = perhaps.flatMap(.latest) { _ in surely }
        let third: SignalProducer<Int, NoError> = surely.flatMap(.latest) { _ in surely }
        let fourth: SignalProducer<Int, TestError> = perhaps.flatMap(.latest) { _ in perhaps }
        let fifth: SignalProducer<Int, TestError> = perhaps.flatMap(.concat) { $0 > 1 ? .empty : .init(value: $0) }
        let sixth = surely.flatMap(.merge) { _ in Property(value: 3) }
        let seventh = perhaps.flatMap(.race) { _ in MutableProperty(4) }
        #expect(first.recorded().values == [2])
        #expect(second.recorded().values == [1])
        #expect(third.recorded().values == [1])
        #expect(fourth.recorded().values == [2])
        #expect(fifth.recorded().events == [.completed])
        #expect(sixth.recorded().events == [.value(3), .completed])
        #expect(seventh.recorded().values == [4])
    }

    @Test("flatten() delivers the elements of each value")
    func sequences() {
        let recorder = SignalProducer<[Int], NoError>(values: [1, 2], [], [3]).flatten().recorded()
        #expect(recorder.events == [.value(1), .value(2), .value(3), .completed])
    }
}

@Suite("The values that a flattened stream keeps and drops")
struct FlattenBookkeepingTests {
    @Test("flatten() of an endless sequence can be stopped", .timeLimit(.minutes(10)))
    func endlessSequence() {
        let ranges = SignalProducer<PartialRangeFrom<Int>, NoError>(value: 0...)
        #expect(ranges.flatten().take(first: 3).recorded().values == [0, 1, 2])
    }

    @Test("flatten() of an endless sequence in a signal ends when nobody can hear it", .timeLimit(.minutes(10)))
    func endlessSequenceOfSignal() {
        let (ranges, input) = Signal<Endless, NoError>.pipe()
        let elements = ranges.flatten()
        let recorder = elements.map { $0 * 2 }.take(first: 3).recorded()
        let endless = Endless()
        input.send(value: endless)
        #expect(recorder.events == [.value(0), .value(2), .value(4), .completed])
        #expect(endless.made.value == 3)
        input.send(value: endless)
        #expect(endless.made.value == 3)
        let observation = SerialDisposable()
        let next = Recorder<Int, NoError>()
        observation.inner = elements.observe { event in
            next.record(event)
            observation.dispose()
        }
        input.send(value: endless)
        #expect(next.events.count == 1)
        #expect(endless.made.value == 4)
    }

    @Test("A value that an observer sends while a sequence is being flattened follows the sequence")
    func sentMeanwhile() {
        let (sequences, input) = Signal<[Int], NoError>.pipe()
        let log = Log<Int>()
        let observation = sequences.flatten().observeValues { number in
            log.add(number)
            if number == 1 { input.send(value: [4, 5]) }
        }
        input.send(value: [1, 2, 3])
        #expect(log.entries == [1, 2, 3, 4, 5])
        observation?.dispose()
    }

    @Test("An inner stream that is replaced while it makes a value does not deliver it")
    func replacedMeanwhile() {
        let (outer, outerInput) = Signal<SignalProducer<Int, NoError>, NoError>.pipe()
        let (inner, input) = Signal<Int, NoError>.pipe()
        let recorder = outer.flatten(.latest).recorded()
        let replaced = inner.producer.map { number -> Int in
            outerInput.send(value: .never)
            return number
        }
        outerInput.send(value: replaced)
        input.send(value: 1)
        #expect(recorder.events == [])
    }

    @Test("A loser of a race delivers nothing, also if it loses while it makes its first value")
    func loserIsSilent() {
        let (winner, input) = Pipe<Int>.pipe()
        let loser = Producer([10, 11]).map { number -> Int in
            input.send(value: number - 10)
            return number
        }
        let recorder = SignalProducer<Producer<Int>, NoError>([winner.producer, loser]).flatten(.race).recorded()
        input.send(value: 5)
        #expect(recorder.values == [0, 5])
        #expect(recorder.end == nil)
    }

    @Test(
        "An inner stream that has ended is torn down while the outer one goes on",
        arguments: [.merge, .concat, .latest, .race, .throttle] as [FlattenStrategy])
    func innerTeardown(strategy: FlattenStrategy) {
        let torn = Shared(0)
        let (outer, input) = Signal<Int, NoError>.pipe()
        let recorder = outer.flatMap(strategy) { number in
            SignalProducer<Int, NoError> { observer, lifetime in
                lifetime.observeEnded { torn.modify { $0 += 1 } }
                observer.send(value: number)
                observer.sendCompleted()
            }
        }
        .recorded()
        input.send(value: 1)
        #expect(torn.value == 1)
        #expect(recorder.values == [1])
    }

    @Test("An inner stream that fails is torn down")
    func failedTeardown() {
        let torn = Shared(false)
        let (outer, input) = Pipe<Int>.pipe()
        let recorder = outer.flatMap(.merge) { _ in
            Producer<Int> { observer, lifetime in
                lifetime.observeEnded { torn.value = true }
                observer.send(error: .first)
            }
        }
        .recorded()
        input.send(value: 1)
        #expect(recorder.events == [.failed(.first)])
        #expect(torn.value)
    }
}

/// All numbers from zero on, counted as they are made. It gives up after a million, so that a test of it can fail.
private struct Endless: Sequence, Sendable {
    let made = Shared(0)

    func makeIterator() -> AnyIterator<Int> {
        var next = 0
        return AnyIterator {
            guard next < 1_000_000 else { return nil }
            defer { next += 1 }
            made.modify { $0 += 1 }
            return next
        }
    }

    /// Numbers without an end, until a test has failed by taking too many.
    private struct Numbers: Sequence, Sendable {
        let taken: Shared<Int>

        func makeIterator() -> AnyIterator<Int> {
            AnyIterator {
                taken.modify { $0 += 1 }
                return taken.value > 10_000 ? nil : taken.value
            }
        }
    }

    @Test(
        "An endless sequence is left when nobody hears it any more, however long the row of signals",
        arguments: [0, 1, 40, 70])
    func endless(depth: Int) {
        let taken = Shared(0)
        let (signal, input) = Signal<Int, NoError>.pipe()
        var before = signal
        for _ in 0..<depth { before = before.map { $0 } }
        var after = before.map { _ in Numbers(taken: taken) }.flatten()
        for _ in 0..<depth { after = after.merge(with: .never).map { $0 } }
        let recorder = after.take(first: 3).recorded()
        after = .never
        input.send(value: 1)
        input.sendCompleted()
        #expect(recorder.values == [1, 2, 3])
        #expect(recorder.end == .completed)
        // Deep in a row some more are on their way.
        #expect(taken.value < (depth < 32 ? 10 : 1_000))
    }

    @Test("Deep in a row of signals, elements arrive in their order, and the end after them")
    func deepOrder() {
        let (signal, input) = Signal<Int, NoError>.pipe()
        var row = signal
        for _ in 0..<40 { row = row.map { $0 } }
        let flattened = row.map { [$0, $0 + 1] }.flatten().map { [$0 * 10, $0 * 10 + 5] }.flatten()
        let recorder = flattened.recorded()
        flattened.take(first: 1).observeValues { if $0 == 10 { input.send(value: 2) } }
        input.send(value: 1)
        input.sendCompleted()
        #expect(recorder.events == [10, 15, 20, 25, 20, 25, 30, 35].map { .value($0) } + [.completed])
    }
}
