import FeedbackTesting
import Dispatch
import Feedback
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
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<2000 { input.send(value: (thread, number)) }
        }
        #expect(last.value == [1999, 1999, 1999, 1999])
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
}
