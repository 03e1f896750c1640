import Feedback
import Testing

@Suite("combineLatest")
struct CombineLatestTests {
    let a: Pipe<Int>
    let aInput: Pipe<Int>.Observer
    let b: Pipe<String>
    let bInput: Pipe<String>.Observer

    init() {
        (a, aInput) = Pipe<Int>.pipe()
        (b, bInput) = Pipe<String>.pipe()
    }

    @Test("It delivers the latest of both once both have delivered, and completes with both")
    func values() {
        let hot = a.combineLatest(with: b).map { "\($0)\($1)" }.recorded()
        let cold = a.producer.combineLatest(with: b).map { "\($0)\($1)" }.recorded()
        let fixed = SignalProducer.combineLatest(a, b).map { "\($0)\($1)" }.recorded()
        let fixedHot = Signal.combineLatest(a, b).map { "\($0)\($1)" }.recorded()
        aInput.send(value: 1)
        aInput.send(value: 2)
        bInput.send(value: "x")
        aInput.send(value: 3)
        aInput.sendCompleted()
        bInput.send(value: "y")
        for recorder in [hot, cold, fixed, fixedHot] { #expect(recorder.end == nil) }
        bInput.sendCompleted()
        for recorder in [hot, cold, fixed, fixedHot] {
            #expect(recorder.events == [.value("2x"), .value("3x"), .value("3y"), .completed])
        }
    }

    @Test("Any number can be combined: producers, signals and properties together")
    func many() {
        let producer = SignalProducer<Int, NoError>(value: 1)
        let (signal, input) = Signal<String, NoError>.pipe()
        let property = MutableProperty(true)
        let recorder = SignalProducer.combineLatest(producer, signal, property, Property(value: 2.5))
            .map { "\($0) \($1) \($2) \($3)" }.recorded()
        input.send(value: "a")
        property.value = false
        #expect(recorder.values == ["1 a true 2.5", "1 a false 2.5"])
        let (other, otherInput) = Signal<Int, NoError>.pipe()
        let hot = Signal.combineLatest(signal, other, signal).map { "\($0)\($1)\($2)" }.recorded()
        input.send(value: "b")
        otherInput.send(value: 3)
        #expect(hot.values == ["b3b"])
    }

    @Test("A sequence of streams is combined to arrays in their order")
    func sequence() {
        let pipes = (0..<3).map { _ in Pipe<Int>.pipe() }
        let cold = SignalProducer.combineLatest(pipes.map(\.output)).recorded()
        let hot = Signal.combineLatest(pipes.map(\.output)).recorded()
        for (number, pipe) in pipes.enumerated() { pipe.input.send(value: number) }
        pipes[1].input.send(value: 9)
        for pipe in pipes { pipe.input.sendCompleted() }
        #expect(cold.events == [.value([0, 1, 2]), .value([0, 9, 2]), .completed])
        #expect(hot.events == [.value([0, 1, 2]), .value([0, 9, 2]), .completed])
        #expect(Producer<Int>.combineLatest([Producer<Int>]()).recorded().events == [.completed])
        #expect(
            Producer<Int>.combineLatest([Producer<Int>](), emptySentinel: [7]).recorded().events
                == [.value([7]), .completed])
    }

    @Test("A failure or an interruption of one is the end, and disposes the other")
    func ends() {
        let isDisposed = Shared(0)
        let failed = a.producer.combineLatest(with: b.producer.on(disposed: { isDisposed.value += 1 })).map { _ in 0 }
            .recorded()
        let (c, cInput) = Pipe<Int>.pipe()
        let interrupted = c.producer.combineLatest(with: b.producer.on(disposed: { isDisposed.value += 1 }))
            .map { _ in 0 }.recorded()
        aInput.send(error: .first)
        cInput.sendInterrupted()
        #expect(failed.events == [.failed(.first)])
        #expect(interrupted.events == [.interrupted])
        #expect(isDisposed.value == 2)
    }

    @Test("If the first ends at its start, the second does not start")
    func earlyEnd() {
        let isStarted = Shared(false)
        let recorder = Producer<Int>(error: .first)
            .combineLatest(with: Producer(value: 1).on(starting: { isStarted.value = true })).map { _ in 0 }.recorded()
        #expect(recorder.events == [.failed(.first)])
        #expect(!isStarted.value)
    }

    @Test("Disposal disposes both")
    func disposal() {
        let disposals = Shared(0)
        let (recorder, disposable) = a.producer.on(disposed: { disposals.value += 1 })
            .combineLatest(with: b.producer.on(disposed: { disposals.value += 1 })).map { _ in 0 }.recording()
        disposable.dispose()
        #expect(disposals.value == 2)
        #expect(recorder.events == [.interrupted])
    }

    @Test("A value sent from within a delivery is combined after it")
    func reentrance() {
        let (numbers, input) = Signal<Int, NoError>.pipe()
        let recorder = Recorder<Int, NoError>()
        numbers.combineLatest(with: numbers.map { $0 * 10 }).map { $0 + $1 }.observe { event in
            recorder.record(event)
            if event.value == 11 { input.send(value: 2) }
        }
        input.send(value: 1)
        #expect(recorder.values == [11, 21, 22])
        input.sendCompleted()
    }
}

@Suite("zip")
struct ZipTests {
    let a: Pipe<Int>
    let aInput: Pipe<Int>.Observer
    let b: Pipe<String>
    let bInput: Pipe<String>.Observer

    init() {
        (a, aInput) = Pipe<Int>.pipe()
        (b, bInput) = Pipe<String>.pipe()
    }

    @Test("It pairs the values by their number, and completes when no pair can follow")
    func values() {
        let hot = a.zip(with: b).map { "\($0)\($1)" }.recorded()
        let cold = a.producer.zip(with: b).map { "\($0)\($1)" }.recorded()
        let fixed = SignalProducer.zip(a, b).map { "\($0)\($1)" }.recorded()
        let fixedHot = Signal.zip(a, b).map { "\($0)\($1)" }.recorded()
        aInput.send(value: 1)
        aInput.send(value: 2)
        bInput.send(value: "x")
        aInput.sendCompleted()
        for recorder in [hot, cold, fixed, fixedHot] { #expect(recorder.events == [.value("1x")]) }
        bInput.send(value: "y")
        for recorder in [hot, cold, fixed, fixedHot] {
            #expect(recorder.events == [.value("1x"), .value("2y"), .completed])
        }
    }

    @Test("It completes at once when one completes that has nothing waiting")
    func completion() {
        let recorder = a.zip(with: b).map { _ in 0 }.recorded()
        bInput.send(value: "x")
        aInput.sendCompleted()
        #expect(recorder.events == [.completed])
    }

    @Test("Any number can be zipped, also of a sequence")
    func many() {
        let numbers = Producer(0..<3)
        let recorder = SignalProducer.zip(numbers, numbers.map { $0 * 10 }, numbers.map { $0 * 100 })
            .map { $0 + $1 + $2 }.recorded()
        #expect(recorder.events == [.value(0), .value(111), .value(222), .completed])
        #expect(
            SignalProducer.zip([numbers, numbers.skip(first: 1)]).recorded().events
                == [.value([0, 1]), .value([1, 2]), .completed])
        #expect(Producer<Int>.zip([Producer<Int>](), emptySentinel: []).recorded().events == [.value([]), .completed])
        let (c, cInput) = Pipe<Bool>.pipe()
        let hot = Signal.zip(a, b, c).map { "\($0)\($1)\($2)" }.recorded()
        let list = Signal.zip([a, a]).recorded()
        aInput.send(value: 1)
        bInput.send(value: "x")
        cInput.send(value: true)
        #expect(hot.values == ["1xtrue"])
        #expect(list.values == [[1, 1]])
    }

    @Test("A failure or an interruption of one is the end")
    func ends() {
        let failed = a.zip(with: b).map { _ in 0 }.recorded()
        aInput.send(value: 1)
        bInput.send(error: .second)
        #expect(failed.events == [.failed(.second)])
        let (c, cInput) = Pipe<Int>.pipe()
        let interrupted = c.zip(with: a).map { _ in 0 }.recorded()
        cInput.sendInterrupted()
        #expect(interrupted.events == [.interrupted])
    }

    @Test("Disposal within a delivery interrupts, even if that was the last pair")
    func disposal() {
        let handle = SerialDisposable()
        let recorder = Recorder<Int, TestError>()
        handle.inner = a.producer.zip(with: b).map { $0.0 }.start { event in
            recorder.record(event)
            handle.dispose()
        }
        aInput.send(value: 1)
        aInput.sendCompleted()
        bInput.send(value: "x")
        #expect(recorder.events == [.value(1), .interrupted])
    }
}

@Suite("merge")
struct MergeTests {
    @Test("It delivers what any delivers, and completes with all")
    func values() {
        let (a, aInput) = Pipe<Int>.pipe()
        let (b, bInput) = Pipe<Int>.pipe()
        let recorders = [
            a.merge(with: b).recorded(), a.producer.merge(with: b).recorded(), Signal.merge(a, b).recorded(),
            SignalProducer.merge(a, b.producer).recorded(), SignalProducer.merge([a, b]).recorded(),
            Signal.merge([a, b]).recorded(),
        ]
        aInput.send(value: 1)
        bInput.send(value: 2)
        aInput.sendCompleted()
        bInput.send(value: 3)
        bInput.sendCompleted()
        for recorder in recorders {
            #expect(recorder.events == [.value(1), .value(2), .value(3), .completed])
        }
    }

    @Test("A failure of one is the end, and disposes the others")
    func failure() {
        let (a, aInput) = Pipe<Int>.pipe()
        let isDisposed = Shared(false)
        let recorder = SignalProducer.merge(a.producer, Producer<Int>.never.on(disposed: { isDisposed.value = true }))
            .recorded()
        aInput.send(error: .first)
        #expect(recorder.events == [.failed(.first)])
        #expect(isDisposed.value)
    }

    @Test("Merging nothing completes at once")
    func none() {
        #expect(Producer<Int>.merge([Producer<Int>]()).recorded().events == [.completed])
    }
}
