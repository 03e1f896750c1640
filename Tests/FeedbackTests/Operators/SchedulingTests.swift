import Feedback
import FeedbackTesting
import Testing

@Suite("observe(on:), start(on:)")
final class SchedulingTests {
    let scheduler = TestScheduler()
    let signal: Pipe<Int>
    let input: Pipe<Int>.Observer

    init() { (signal, input) = Pipe<Int>.pipe() }

    // An action that waits holds the scheduler on which it waits.
    deinit {
        input.sendCompleted()
        scheduler.run()
    }

    @Test("observe(on:) delivers everything on the scheduler, in order")
    func observe() {
        let hot = signal.observe(on: scheduler).recorded()
        let cold = signal.producer.observe(on: scheduler).recorded()
        input.send(value: 1)
        input.send(value: 2)
        input.send(error: .first)
        #expect(hot.events == [])
        scheduler.advance()
        #expect(hot.events == [.value(1), .value(2), .failed(.first)])
        #expect(cold.events == [.value(1), .value(2), .failed(.first)])
    }

    @Test("Disposal drops what waits, and interrupts on the scheduler")
    func disposal() {
        let (recorder, disposable) = signal.producer.observe(on: scheduler).recording()
        input.send(value: 1)
        scheduler.advance()
        input.send(value: 2)
        disposable.dispose()
        #expect(recorder.events == [.value(1)])
        scheduler.advance()
        #expect(recorder.events == [.value(1), .interrupted])
    }

    @Test("Disposal after the completion, which still waits, interrupts")
    func lateDisposal() {
        let (recorder, disposable) = Producer(value: 1).observe(on: scheduler).recording()
        disposable.dispose()
        scheduler.run()
        #expect(recorder.events == [.interrupted])
    }

    @Test("Disposal from within a delivery interrupts")
    func innerDisposal() {
        let handle = SerialDisposable()
        let recorder = Recorder<Int, TestError>()
        handle.inner = Producer(values: 1, 2).observe(on: scheduler).start { event in
            recorder.record(event)
            handle.dispose()
        }
        scheduler.run()
        #expect(recorder.events == [.value(1), .interrupted])
    }

    @Test("An ImmediateScheduler delivers at once")
    func immediate() {
        #expect(
            Producer(values: 1, 2).observe(on: ImmediateScheduler()).recorded().events == [
                .value(1), .value(2), .completed,
            ])
    }

    @Test("A queue delivers in order, from many senders, never two at once", .timeLimit(.minutes(10)))
    func queue() async {
        let (numbers, numbersInput) = Signal<Int, NoError>.pipe()
        let inside = Shared(0)
        let all = Task {
            await numbers.producer.observe(on: QueueScheduler())
                .on(value: { _ in
                    inside.value += 1
                    if inside.value != 1 { Issue.record("Two deliveries at once.") }
                    inside.value -= 1
                })
                .take(first: 4000).collected()
        }
        // Until the task observes, values are lost: it takes the first 4,000 that come.
        let senders = (0..<4).map { _ in
            Task {
                while !Task.isCancelled {
                    numbersInput.send(value: 1)
                    await Task.yield()
                }
            }
        }
        #expect(await all.value.count == 4000)
        for sender in senders { sender.cancel() }
    }

    @Test("start(on:) starts on the scheduler")
    func start() {
        let isStarted = Shared(false)
        let recorder = Producer(value: 1).on(starting: { isStarted.value = true }).start(on: scheduler).recorded()
        #expect(!isStarted.value)
        scheduler.advance()
        #expect(recorder.events == [.value(1), .completed])
    }

    @Test("Disposal before the start interrupts at once, and nothing starts")
    func startDisposal() {
        let isStarted = Shared(false)
        let (recorder, disposable) = Producer(value: 1).on(starting: { isStarted.value = true })
            .start(on: scheduler).recording()
        disposable.dispose()
        #expect(recorder.events == [.interrupted])
        scheduler.run()
        #expect(!isStarted.value)
        #expect(scheduler.isIdle)
    }

    @Test("Disposal after the start disposes the work")
    func startedDisposal() {
        let isDisposed = Shared(false)
        let (recorder, disposable) = Producer<Int>.never.on(disposed: { isDisposed.value = true })
            .start(on: scheduler).recording()
        scheduler.advance()
        disposable.dispose()
        #expect(isDisposed.value)
        #expect(recorder.events == [.interrupted])
    }
}

@Suite("replayLazily, started by its own observers", .timeLimit(.minutes(10)))
struct ReplayReentrancyTests {
    @Test("A start inside an observer gets the values that there were, at once, and then what follows")
    func reentrant() {
        let (signal, input) = Pipe<Int>.pipe()
        let shared = signal.producer.replayLazily(upTo: 2)
        let inner = Recorder<Int, TestError>()
        let atOnce = Shared<[Int]>([])
        shared.startWithResult { result in
            guard case .success(2) = result else { return }
            shared.start { inner.record($0) }
            atOnce.value = inner.values
        }
        for number in 1...3 { input.send(value: number) }
        input.sendCompleted()
        #expect(atOnce.value == [1, 2])
        #expect(inner.events == [.value(1), .value(2), .value(3), .completed])
    }

    @Test("Waiting inside an observer for the first value does not deadlock", .onOwnThread)
    func blocking() {
        let (signal, input) = Pipe<Int>.pipe()
        let shared = signal.producer.replayLazily(upTo: 1)
        let first = Shared<Int?>(nil)
        shared.startWithResult { _ in
            let outcome: Result<Int, TestError>? = shared.first()
            first.value = try? outcome?.get()
        }
        input.send(value: 7)
        #expect(first.value == 7)
    }

    @Test("A start at the end gets the values and the end")
    func atTheEnd() {
        let shared = Producer([1, 2]).replayLazily(upTo: 1)
        let late = Recorder<Int, TestError>()
        shared.startWithCompleted { shared.start { late.record($0) } }
        #expect(late.events == [.value(2), .completed])
        #expect(shared.recorded().events == [.value(2), .completed])
    }
}
