import Dispatch
import Feedback
import Testing

@Suite("Law 1: serial")
struct SignalLawTests {
    @Test("From many threads, an observer never gets two events at once, and each value once")
    func threads() {
        let (signal, input) = Signal<Int, NoError>.pipe()
        let inside = Shared(0)
        let sum = Shared(0)
        signal.observeValues { value in
            if inside.modify({
                $0 += 1; return $0
            }) != 1 {
                Issue.record("Two events at once.")
            }
            sum.value += value
            inside.value -= 1
        }
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<2000 { input.send(value: 1) }
        }
        #expect(sum.value == 16_000)
    }

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
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<2000 { input.send(value: (thread, number)) }
        }
        #expect(last.value == [1999, 1999, 1999, 1999])
    }

    @Test("Nothing is delivered after an end, however many are sent at once")
    func ends() {
        for _ in 0..<200 {
            let (signal, input) = Signal<Int, TestError>.pipe()
            let recorder = signal.recorded()
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                input.send(value: thread)
                if thread % 2 == 0 { input.sendCompleted() } else { input.send(error: .first) }
                input.send(value: thread)
            }
            let ends = recorder.events.indices.filter { recorder.events[$0].isTerminating }
            #expect(ends == [recorder.events.count - 1])
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
    }

    @Test("Re-entrant sends to a depth of a hundred thousand do not grow the stack")
    func depth() {
        let (signal, input) = Signal<Int, NoError>.pipe()
        let count = Shared(0)
        signal.map { $0 + 1 }.filter { _ in true }.observeValues { value in
            count.value = value
            if value < 100_000 { input.send(value: value) }
        }
        input.send(value: 0)
        #expect(count.value == 100_000)
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
            DispatchQueue.concurrentPerform(iterations: 3) { _ in
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

    @Test("A signal that has ended interrupts whoever comes")
    func late() {
        let (signal, input) = Pipe<Int>.pipe()
        input.sendCompleted()
        #expect(signal.recorded().events == [.interrupted])
        #expect(signal.map { $0 }.recorded().events == [.interrupted])
        #expect(signal.merge(with: signal).recorded().end == .interrupted)
        #expect(signal.producer.recorded().events == [.interrupted])
    }

    @Test("A derived signal lets its source go when nobody holds or observes it any more")
    func release() {
        let isDisposed = Shared(0)
        let (signal, input) = Pipe<Int>.pipe()
        var derived: Pipe<Int>? = signal.on(disposed: { isDisposed.value += 1 }).filter { _ in true }
            .flatMap(.merge) { Producer(value: $0) }
        let disposable = derived?.observeValuesOrErrors()
        derived = nil
        input.send(value: 1)
        #expect(isDisposed.value == 0)
        disposable?.dispose()
        #expect(isDisposed.value == 1)
    }
}

extension Signal {
    fileprivate func observeValuesOrErrors() -> (any Disposable)? { observe { _ in } }
}
