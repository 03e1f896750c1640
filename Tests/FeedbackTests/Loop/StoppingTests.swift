import Feedback
import FeedbackTesting
import Testing

@Suite("Stopping a loop that was not started")
struct StoppingTests {
    @Test("The state of a loop that is stopped instead of started completes")
    func state() {
        let loop = FeedbackLoop<Int, Int>(initial: 1) { $0 += $1 }
        let (states, values) = (loop.property.producer.recorded(), loop.producer.recorded())
        loop.stop()
        #expect(states.events == [.value(1), .completed])
        #expect(values.events == [.value(1), .completed])
    }

    #if DEBUG && !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
    @Test("A loop with events that was stopped instead of started may be released")
    func releaseAfterStop() async {
        await #expect(processExitsWith: .success) {
            let loop = FeedbackLoop<Int, Int>(initial: 0) { $0 += $1 }
            loop.send(1)
            loop.stop()
        }
    }
    #endif
}

@Suite("Stopping a loop while something of it starts")
struct StoppingWhileStartingTests {
    @Test("A feedback that stops its loop while being started")
    func stopWhileStarting() {
        let starts = Shared(0)
        let asked = Shared(0)
        let stop = Shared<(@Sendable () -> Void)?>(nil)
        let loop = FeedbackLoop<Int, Int>(
            initial: 0, reduce: { (state: inout Int, event: Int) in state += event },
            feedbacks: [
                .custom { _, _ in
                    stop.value?()
                    return AnyDisposable()
                },
                Feedback(source: SignalProducer<Int, NoError> { _, _ in starts.modify { $0 += 1 } }),
                Feedback(
                    predicate: { _ in
                        asked.modify { $0 += 1 }
                        return true
                    },
                    effects: { _ in
                        SignalProducer<Int, NoError> { _, _ in starts.modify { $0 += 1 } }
                    }),
            ])
        stop.value = { [weak loop] in loop?.stop() }
        loop.start()
        #expect(starts.value == 0)
        #expect(asked.value == 0)
        #expect(loop.send(1) == false)
        #expect(loop.state == 0)
    }

    @Test("A feedback that stops its loop while being started, as one of several that are combined")
    func stopWhileCombined() {
        let attached = Log<String>()
        let stop = Shared<(@Sendable () -> Void)?>(nil)
        func feedback(_ name: String, _ action: @escaping @Sendable () -> Void = {}) -> Feedback<Int, Int> {
            .custom { _, _ in
                attached.add(name)
                action()
                return AnyDisposable { attached.add("\(name) is disposed") }
            }
        }
        let inner: Feedback<Int, Int> = .combine(feedback("second") { stop.value?() }, feedback("third"))
        let loop = FeedbackLoop<Int, Int>(
            initial: 0, reduce: { (state: inout Int, event: Int) in state += event },
            feedbacks: [.combine(feedback("first"), inner, feedback("fourth"))])
        stop.value = { [weak loop] in loop?.stop() }
        loop.start()
        #expect(attached.entries == ["first", "second", "first is disposed", "second is disposed"])
    }

    @Test("An effect that stops its loop while it starts, and sends while it is torn down")
    func effectStops() {
        let log = Log<String>()
        let stop = Shared<(@Sendable () -> Void)?>(nil)
        let send = Shared<(@Sendable () -> Bool)?>(nil)
        let loop = FeedbackLoop<Int, Int>(
            initial: 0, reduce: { (state: inout Int, event: Int) in state += event },
            feedbacks: [
                Feedback(
                    predicate: { $0 == 1 },
                    effects: { _ in
                        SignalProducer<Int, NoError> { observer, lifetime in
                            lifetime.observeEnded { log.add("ended \(send.value?() ?? true)") }
                            stop.value?()
                            observer.send(value: 5)
                            log.add("started")
                        }
                    })
            ])
        stop.value = { [weak loop] in loop?.stop() }
        send.value = { [weak loop] in loop?.send(7) ?? false }
        loop.start()
        loop.send(1)
        #expect(log.entries == ["ended false", "started"])
        #expect(loop.state == 1)
    }

    // MARK: - Work that delivers without end while it starts

    struct Variant: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (SignalProducer<Int, NoError>) -> Feedback<Int, Int>

        init(_ name: String, _ make: @escaping @Sendable (SignalProducer<Int, NoError>) -> Feedback<Int, Int>) {
            (testDescription, self.make) = (name, make)
        }
    }

    static let variants: [Variant] = [
        Variant("source") { Feedback(source: $0) },
        Variant("source as") { Feedback(source: $0, as: { $0 }) },
        Variant("predicate") { work in Feedback(predicate: { $0 == 0 }, effects: { _ in work }) },
        Variant("whenBecomesTrue") { work in Feedback(whenBecomesTrue: { $0 == 0 }, effects: { _ in work }) },
        Variant("lensing") { work in Feedback(lensing: { $0 }, effects: { _ in work }) },
        Variant("skippingRepeated") { work in Feedback(skippingRepeated: { $0 }, effects: { _ in work }) },
        Variant("firstValueAfterNil") { work in Feedback(firstValueAfterNil: { $0 }, effects: { _ in work }) },
        Variant("eachNew") { work in Feedback(eachNew: { [$0] }, effects: { _ in work }) },
        Variant("compacting, effects") { work in Feedback(compacting: { $0 }, effects: { _ in work }) },
        Variant("compacting, states") { work in
            Feedback(compacting: { _ in work }, effects: { SignalProducer<Int, NoError>(value: $0) })
        },
        Variant("compacting, states and what follows") { work in
            Feedback(
                compacting: { states in states.flatMap(.latest) { _ in work } },
                effects: { SignalProducer<Int, NoError>(value: $0) })
        },
        Variant("custom") { work in
            .custom { states, output in
                states.flatMap(.latest) { _ in work }.startWithValues { output.send($0) }
            }
        },
        Variant("custom, enqueue") { work in .custom { _, output in work.enqueue(to: output).start() } },
        Variant("combine") { .combine(Feedback(source: $0)) },
        Variant("pullback") {
            .pullback(Feedback<Int, Int>(source: $0), value: { (state: Int) -> Int in state }, event: { $0 }) { $0 }
        },
        Variant("pullback of an optional part") {
            .pullback(Feedback<Int, Int>(source: $0), value: { (state: Int) -> Int? in state }, event: { $0 }) { $0 }
        },
        Variant("pullback of an optional part, custom") { work in
            let custom = Feedback<Int, Int>.custom { _, output in work.enqueue(to: output).start() }
            return .pullback(custom, value: { (state: Int) -> Int? in state }, event: { $0 }) { $0 }
        },
    ]

    @Test("Stopping the loop ends work that delivers without end while it starts", arguments: variants, [false, true])
    func endless(_ variant: Variant, isStoppedByAnotherThread: Bool) {
        let delivered = Shared(0)
        let stop = Shared<(@Sendable () -> Void)?>(nil)
        // So many that a loop which does not end them is seen, and the test ends.
        let work = SignalProducer<Int, NoError>(0..<1000).on(value: { value in
            delivered.modify { $0 += 1 }
            guard value == 2, let stop = stop.value else { return }
            if isStoppedByAnotherThread { onThreadsBlocking(1) { _ in stop() } } else { stop() }
        })
        let loop = FeedbackLoop<Int, Int>(
            initial: 0, reduce: { (state: inout Int, event: Int) in state += event }, feedbacks: [variant.make(work)])
        stop.value = { [weak loop] in loop?.stop() }
        loop.start()
        #expect(delivered.value == 3)
        #expect(loop.state == 0)
    }

    @Test("Disposing a system ends work that delivers without end while it starts")
    func endlessSystem() {
        let delivered = Shared(0)
        let scope = SerialDisposable()
        let work = SignalProducer<Int, NoError>(0..<1000).on(value: { value in
            delivered.modify { $0 += 1 }
            if value == 2 { scope.dispose() }
        })
        let states = SignalProducer<Int, NoError>.system(
            initial: 0, reduce: { (state: inout Int, event: Int) in state += event },
            feedbacks: [Feedback(source: work)])
        states.startWithSignal { _, interruptHandle in scope.inner = interruptHandle }
        #expect(delivered.value == 3)
    }

    @Test("A loop that is started by the setter of a property, in the delivery to an observer, can be stopped there")
    func endlessFromSetter() {
        let delivered = Shared(0)
        let property = MutableProperty(false)
        let stop = Shared<(@Sendable () -> Void)?>(nil)
        let work = property.producer.flatMap(.latest) { _ in SignalProducer<Int, NoError>(0..<1000) }.on(value: {
            value in
            delivered.modify { $0 += 1 }
            if value == 2 { stop.value?() }
        })
        let loop = FeedbackLoop<Int, Int>(
            initial: 0, reduce: { (state: inout Int, event: Int) in state += event },
            feedbacks: [Feedback(source: work)])
        stop.value = { [weak loop] in loop?.stop() }
        property.signal.observeValues { _ in loop.start() }
        property.value = true
        #expect(delivered.value == 3)
    }
}
