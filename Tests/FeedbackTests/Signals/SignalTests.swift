import FeedbackTesting
import Foundation
import Synchronization
import Testing

@testable import Feedback

@Suite("Signals and producers")
struct SignalTests {
    struct Failure: Error, Equatable {}

    // MARK: - Serial

    @Test("Nothing is delivered after the end, whatever is sent")
    func nothingAfterTheEnd() {
        let (signal, observer) = Signal<Int, Failure>.pipe()
        let log = Log<String>()
        signal.observe { log.add("\($0)") }
        observer.send(value: 1)
        observer.send(error: Failure())
        observer.send(value: 2)
        observer.sendCompleted()
        #expect(log.entries == ["value(1)", "failed(Failure())"])
    }

    @Test("An observer is never called twice at once, by threads or by itself, and gets each value")
    func neverTwoAtOnce() async {
        let (signal, observer) = Signal<Int, NoError>.pipe()
        let inside = Atomic(0)
        let overlaps = Atomic(0)
        let sum = Atomic(0)
        signal.map { $0 }.observeValues { value in
            if inside.add(1, ordering: .acquiringAndReleasing).oldValue != 0 { overlaps.add(1, ordering: .relaxed) }
            if value > 0 { observer.send(value: value - 1) }
            sum.add(1, ordering: .relaxed)
            inside.subtract(1, ordering: .acquiringAndReleasing)
        }
        await onThreads(8) { _ in
            for _ in 0..<1_000 { observer.send(value: 2) }
        }
        // The observer that holds its own input lets go of it at the end.
        observer.sendCompleted()
        #expect(overlaps.load(ordering: .relaxed) == 0)
        #expect(sum.load(ordering: .relaxed) == 24_000)
    }

    @Test("An observation that is disposed before its turn to be added ends no other")
    func disposedBeforeAdded() {
        let (signal, observer) = Signal<Int, NoError>.pipe()
        let (first, second) = (signal.recorded(), signal.recorded())
        signal.observeValues { _ in signal.observeValues { _ in }?.dispose() }
        observer.send(value: 1)
        observer.send(value: 2)
        #expect(first.values == [1, 2])
        #expect(second.values == [1, 2])
    }

    @Test("A producer's start handler may send from many threads and after the end")
    func unrulyStartHandler() {
        let overlaps = Atomic(0)
        let inside = Atomic(0)
        let ends = Atomic(0)
        let afterEnd = Atomic(0)
        SignalProducer<Int, NoError> { observer, _ in
            onThreadsBlocking(8) { thread in
                for _ in 0..<1_000 { observer.send(value: thread) }
                observer.sendCompleted()
                observer.send(value: -1)
            }
        }.start { event in
            if inside.add(1, ordering: .acquiringAndReleasing).oldValue != 0 { overlaps.add(1, ordering: .relaxed) }
            if ends.load(ordering: .relaxed) > 0 { afterEnd.add(1, ordering: .relaxed) }
            if event.isTerminating { ends.add(1, ordering: .relaxed) }
            inside.subtract(1, ordering: .acquiringAndReleasing)
        }
        #expect(overlaps.load(ordering: .relaxed) == 0)
        #expect(ends.load(ordering: .relaxed) == 1)
        #expect(afterEnd.load(ordering: .relaxed) == 0)
    }

    // MARK: - Disposal

    @Test("Disposing delivers interrupted once, tears down once, and lets nothing follow")
    func disposal() {
        let (signal, observer) = Signal<Int, NoError>.pipe()
        let log = Log<String>()
        let disposable = SignalProducer<Int, NoError> { observer, lifetime in
            lifetime += signal.observe(observer)
            lifetime.observeEnded { log.add("torn down") }
        }.start { log.add("\($0)") }
        observer.send(value: 1)
        disposable.dispose()
        disposable.dispose()
        observer.send(value: 2)
        #expect(log.entries == ["value(1)", "interrupted", "torn down"])
        #expect(disposable.isDisposed)
    }

    @Test("An observer that disposes itself in the middle of a value gets interrupted after it, and no more")
    func disposalFromInside() {
        let log = Log<String>()
        let disposable = SerialDisposable()
        disposable.inner = SignalProducer<Int, NoError> { observer, lifetime in
            lifetime.observeEnded { log.add("torn down") }
            // Sends once the disposable is known, and goes on as if nothing had happened.
            DispatchQueue.global().sync { observer.send(value: 0) }
            disposable.inner = nil
            observer.send(value: 1)
            observer.sendCompleted()
        }.start { event in
            log.add("\(event)")
        }
        #expect(log.entries.first == "value(0)")
        #expect(log.entries.filter { $0 == "torn down" }.count == 1)

        let values = Log<Int>()
        let (signal, input) = Signal<Int, NoError>.pipe()
        let observation = SerialDisposable()
        observation.inner = signal.observeValues {
            values.add($0)
            observation.dispose()
        }
        input.send(value: 1)
        input.send(value: 2)
        #expect(values.entries == [1])
    }

    @Test("An observer that is disposed by another one during a value does not get that value")
    func disposalByNeighbour() {
        let (signal, observer) = Signal<Int, NoError>.pipe()
        let neighbour = SerialDisposable()
        let log = Log<String>()
        signal.observeValues { _ in neighbour.dispose() }
        neighbour.inner = signal.observeValues { log.add("\($0)") }
        observer.send(value: 1)
        #expect(log.entries.isEmpty)
    }

    @Test("At whatever moment it is disposed, a producer ends once and tears down once")
    func disposalAtEveryMoment() async {
        for _ in 0..<500 {
            let ends = Atomic(0)
            let teardowns = Atomic(0)
            let late = Atomic(0)
            let started = DispatchSemaphore(value: 0)
            let box = SerialDisposable()
            await onThreads(2) { thread in
                if thread == 0 {
                    box.inner = SignalProducer<Int, NoError> { observer, lifetime in
                        lifetime.observeEnded { teardowns.add(1, ordering: .relaxed) }
                        started.signal()
                        for value in 0..<20 { observer.send(value: value) }
                        observer.sendCompleted()
                    }.start { event in
                        if ends.load(ordering: .relaxed) > 0 { late.add(1, ordering: .relaxed) }
                        if event.isTerminating { ends.add(1, ordering: .relaxed) }
                    }
                } else {
                    started.wait()
                    box.dispose()
                }
            }
            #expect(ends.load(ordering: .relaxed) == 1)
            #expect(teardowns.load(ordering: .relaxed) == 1)
            #expect(late.load(ordering: .relaxed) == 0)
        }
    }

    @Test("A signal's producer that is disposed while the signal completes ends once, one way or the other")
    func disposalAtTheEnd() async {
        for _ in 0..<500 {
            let ends = Log<String>()
            let (signal, observer) = Signal<Int, NoError>.pipe()
            let disposable = signal.producer.start { ends.add("\($0)") }
            await onThreads(2) { thread in
                if thread == 0 { observer.sendCompleted() } else { disposable.dispose() }
            }
            #expect(ends.entries == ["completed"] || ends.entries == ["interrupted"])
        }
    }

    @Test("An object that a disposed observer held is let go of, although the disposable is kept")
    func disposalReleases() {
        let census = Tracked.Census()
        let (signal, observer) = Signal<Int, NoError>.pipe()
        let disposable = { () -> (any Disposable)? in
            let tracked = census.make()
            return signal.observeValues { _ in tracked.touch() }
        }()
        #expect(census.living == 1)
        disposable?.dispose()
        #expect(census.living == 0)
        observer.send(value: 1)
    }

    // MARK: - Lifetimes of signals

    @Test("A signal whose observer is let go of is interrupted")
    func droppedInput() {
        let log = Log<String>()
        var pipe: (output: Signal<Int, NoError>, input: Observer<Int, NoError>)? = Signal.pipe()
        pipe?.output.observe { log.add("\($0)") }
        pipe?.input.send(value: 1)
        pipe = nil
        #expect(log.entries == ["value(1)", "interrupted"])
    }

    @Test("A derived signal lets go of its source when nobody holds or observes it")
    func unusedDerivedSignal() {
        let census = Tracked.Census()
        let (signal, observer) = Signal<Int, NoError>.pipe()
        func derive() -> Signal<Int, NoError> {
            let tracked = census.make()
            return signal.map {
                tracked.touch()
                return $0
            }
        }
        var derived: Signal<Int, NoError>? = derive()
        #expect(census.living == 1)
        let disposable = derived?.observeValues { _ in }
        derived = nil
        #expect(census.living == 1, "it is observed")
        disposable?.dispose()
        #expect(census.living == 0)
        observer.send(value: 1)
    }

    @Test("An observer that comes after the end is interrupted at once")
    func lateObserver() {
        let (signal, observer) = Signal<Int, NoError>.pipe()
        observer.sendCompleted()
        let log = Log<String>()
        signal.observe { log.add("\($0)") }
        #expect(log.entries == ["interrupted"])
    }

    @Test("startWithSignal lets all observers see the first event, and its handle interrupts")
    func startWithSignal() {
        let log = Log<String>()
        SignalProducer<Int, NoError>([1, 2]).startWithSignal { signal, _ in
            signal.observeValues { log.add("a\($0)") }
            signal.observeValues { log.add("b\($0)") }
        }
        #expect(log.entries == ["a1", "b1", "a2", "b2"])

        let (source, observer) = Signal<Int, NoError>.pipe()
        let ends = Log<String>()
        let handle = source.producer.startWithSignal { signal, handle in
            signal.observe { ends.add("\($0)") }
            return handle
        }
        observer.send(value: 1)
        handle.dispose()
        observer.send(value: 2)
        #expect(ends.entries == ["value(1)", "interrupted"])
    }

    @Test("10,000 producers started and dropped leave nothing behind", .onOwnThread)
    func noLeaks() {
        let census = Tracked.Census()
        for index in 0..<10_000 {
            let tracked = census.make()
            let disposable = SignalProducer<Int, NoError> { observer, lifetime in
                lifetime.observeEnded { tracked.touch() }
                observer.send(value: 1)
                if index % 2 == 0 { observer.sendCompleted() }
                lifetime.observeEnded { withExtendedLifetime(observer) { tracked.touch() } }
            }.map { value in
                tracked.touch()
                return value
            }.startWithValues { _ in tracked.touch() }
            if index % 4 == 1 { disposable.dispose() }
            if index % 4 == 3 { disposable.dispose() }
        }
        #expect(census.living == 0)
    }

    @Test("100,000 observers come and go in reasonable time, in any order", .onOwnThread)
    func manyObservers() {
        let (signal, observer) = Signal<Int, NoError>.pipe()
        let count = Atomic(0)
        let disposables = (0..<100_000).map { _ in
            signal.observeValues { _ in count.add(1, ordering: .relaxed) }
        }
        observer.send(value: 1)
        for disposable in disposables { disposable?.dispose() }
        observer.send(value: 2)
        #expect(count.load(ordering: .relaxed) == 100_000)
    }
}

@Suite("Disposables and lifetimes")
struct DisposableTests {
    @Test("A composite disposes what it holds once, and what comes late at once")
    func composite() {
        let log = Log<String>()
        let composite = CompositeDisposable()
        composite += { log.add("a") }
        let removal = composite.add { log.add("removed") }
        composite += AnyDisposable { log.add("b") }
        removal?.dispose()
        composite.dispose()
        composite.dispose()
        composite += { log.add("late") }
        #expect(log.entries == ["a", "b", "late"])
    }

    @Test("A serial disposable disposes what is replaced")
    func serial() {
        let log = Log<String>()
        let serial = SerialDisposable(AnyDisposable { log.add("a") })
        serial.inner = AnyDisposable { log.add("b") }
        serial.dispose()
        serial.inner = AnyDisposable { log.add("c") }
        #expect(log.entries == ["a", "b", "c"])
    }

    @Test("A scoped disposable disposes when it goes, and a lifetime ends with its token")
    func scopes() {
        let log = Log<String>()
        do { _ = ScopedDisposable(AnyDisposable { log.add("scoped") }) }
        var (lifetime, token): (Lifetime, Lifetime.Token?) = Lifetime.make()
        lifetime.observeEnded { log.add("ended") }
        #expect(!lifetime.hasEnded)
        token = nil
        #expect(lifetime.hasEnded)
        lifetime.observeEnded { log.add("late") }
        #expect(log.entries == ["scoped", "ended", "late"])
        #expect(Lifetime.empty.hasEnded)
        _ = token
        lifetime = .empty
    }

    @Test("From many threads, each thing that was added is disposed once")
    func stress() async {
        for _ in 0..<200 {
            let composite = CompositeDisposable()
            let count = Atomic(0)
            await onThreads(4) { thread in
                if thread == 0 { return composite.dispose() }
                for _ in 0..<20 { composite.add { count.add(1, ordering: .relaxed) } }
            }
            #expect(count.load(ordering: .relaxed) == 60)
        }
    }
}

@Suite("Queues")
struct QueueTests {
    @Test("A queue of few elements keeps little memory, however many have passed through it")
    func memory() {
        var queue = Queue<Int>()
        for number in 0..<1_000 {
            queue.append(number)
            if number > 0 { #expect(queue.popFirst() == number - 1) }
            #expect(queue.elements.count <= 64)
        }
    }
}
