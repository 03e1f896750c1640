import Feedback
import FeedbackTesting
import Foundation
import Testing

@Suite("Law 1: serial")
struct SignalLawTests {
    @Test("The values of one thread keep their order")
    func order() {
        let (signal, input) = Signal<(thread: Int, number: Int), NoError>.pipe()
        let last = Shared([Int](repeating: -1, count: 4))
        signal.observeValues { value in
            last.modify { last in
                if value.number != last[value.thread] + 1 { Issue.record("Out of order.") }
                last[value.thread] = value.number
            }
        }
        onThreadsBlocking(4) { thread in
            for number in 0..<2000 { input.send(value: (thread, number)) }
        }
        #expect(last.value == [1999, 1999, 1999, 1999])
    }

    @Test(
        "A thread that sends hands over to another one that never stops", .timeLimit(.minutes(10)),
        arguments: ["signal", "producer", "property", "derived property", "loop"])
    func handover(way: String) async {
        let delivered = Shared(0)
        let first = Shared<ObjectIdentifier?>(nil)
        let observe: @Sendable (Int) -> Void = { _ in
            if ObjectIdentifier(Thread.current) == first.value { delivered.modify { $0 += 1 } }
            // Slower than sending, so that what the other thread sends never runs out.
            let end = ContinuousClock.now + .microseconds(20)
            while ContinuousClock.now < end {}
        }
        let (send, observation) = Self.sender(way, observe)
        let isOver = Shared(false)
        async let other: Void = onThreads(1) { _ in while !isOver.value { send(1) } }
        await onThreads(1) { _ in
            first.value = ObjectIdentifier(Thread.current)
            for _ in 0..<10 { send(1) }
            isOver.value = true
        }
        await other
        // Some offers may find the other thread asleep, on a busy machine.
        #expect(delivered.value < 1_000_000)
        observation.dispose()
    }

    /// Returns a function that sends in one of the ways, and what keeps the observation.
    private static func sender(
        _ way: String, _ observe: @escaping @Sendable (Int) -> Void
    ) -> (@Sendable (Int) -> Void, any Disposable) {
        switch way {
        case "signal":
            let (signal, input) = Signal<Int, NoError>.pipe()
            let observation = signal.observeValues(observe) ?? AnyDisposable()
            return ({ input.send(value: $0) }, observation)
        case "producer":
            let input = Shared<Observer<Int, NoError>?>(nil)
            let observation = SignalProducer<Int, NoError> { observer, _ in input.value = observer }
                .startWithValues(observe)
            return ({ input.value?.send(value: $0) }, observation)
        case "property":
            let property = MutableProperty(0)
            return ({ property.value = $0 }, property.producer.startWithValues(observe))
        case "derived property":
            let property = MutableProperty(0)
            let derived = property.map { $0 }
            return ({ property.value = $0 }, derived.producer.startWithValues(observe))
        default:
            let loop = FeedbackLoop<Int, Int>(initial: 0, reduce: { $0 += $1 })
            loop.start()
            let observation = loop.producer.startWithValues(observe)
            return ({ _ = loop.send($0) }, observation)
        }
    }

    @Test("A value sent from within a delivery is delivered after it, to all observers in the same order")
    func reentrance() {
        let (signal, input) = Signal<Int, NoError>.pipe()
        let first = Recorder<Int, NoError>()
        signal.observe { event in
            first.record(event)
            if let value = event.value, value < 3 { input.send(value: value + 1) }
        }
        let second = signal.recorded()
        input.send(value: 1)
        #expect(first.values == [1, 2, 3])
        #expect(second.values == [1, 2, 3])
        input.sendCompleted()
    }

    @Test("Re-entrant sends to a depth of a hundred thousand do not grow the stack", .onOwnThread)
    func depth() {
        let (signal, input) = Signal<Int, NoError>.pipe()
        let count = Shared(0)
        signal.map { $0 + 1 }.filter { _ in true }.observeValues { value in
            count.value = value
            if value < 100_000 { input.send(value: value) }
        }
        input.send(value: 0)
        #expect(count.value == 100_000)
        input.sendCompleted()
    }

    @Test("An observer that is added within a delivery gets what follows, one that is disposed nothing more")
    func observersInDelivery() {
        let (signal, input) = Signal<Int, NoError>.pipe()
        let late = Recorder<Int, NoError>()
        let gone = Recorder<Int, NoError>()
        let handle = SerialDisposable()
        signal.observeValues { value in
            if value == 1 {
                signal.observe { late.record($0) }
                handle.dispose()
            }
        }
        handle.inner = signal.observe { gone.record($0) }
        input.send(value: 1)
        input.send(value: 2)
        #expect(late.values == [2])
        #expect(gone.values == [])
    }

    @Test("Teardown runs exactly once, however a stream ends", arguments: ["complete", "fail", "dispose", "drop"])
    func teardown(way: String) {
        for _ in 0..<50 {
            let teardowns = Shared(0)
            let inputs = Shared<[Pipe<Int>.Observer]>([])
            let disposable = Producer<Int> { observer, lifetime in
                lifetime.observeEnded { teardowns.value += 1 }
                inputs.value = [observer]
            }.start()
            onThreadsBlocking(3) { _ in
                switch way {
                case "complete": inputs.value.first?.sendCompleted()
                case "fail": inputs.value.first?.send(error: .first)
                case "dispose": disposable.dispose()
                default: inputs.value = []
                }
            }
            #expect(teardowns.value == 1)
        }
    }
}
