import Feedback
import FeedbackTesting
import Foundation
import Testing

@Suite("Producers from async code", .timeLimit(.minutes(10)))
struct AsyncProducingTests {
    @Test("A producer of an async closure delivers its value and completes")
    func value() async {
        let producer = SignalProducer { () async throws(TestError) -> Int in
            await Task.yield()
            return 1
        }
        #expect(await producer.materialize().collected() == [.value(1), .completed])
    }

    @Test("Closures of all kinds find their initializer")
    func overloads() async throws {
        @Sendable func number() async -> Int { 1 }
        @Sendable func failing() async throws(TestError) -> Int { throw .first }
        @Sendable func untyped() async throws -> Int { 2 }
        let first: SignalProducer<Int, NoError> = SignalProducer { await number() }
        let second: SignalProducer<Int, TestError> = SignalProducer { () async throws(TestError) in try await failing()
        }
        let third: SignalProducer<Int, any Error> = SignalProducer { try await untyped() }
        let fourth = SignalProducer { () async throws(TestError) -> Int in
            try await failing()
        }
        let fifth: SignalProducer<Int, NoError> = SignalProducer { 3 }
        let sixth = SignalProducer<Int, TestError> { observer, _ in observer.send(value: 4) }
        let seventh: SignalProducer<Int, TestError> = SignalProducer { Result.success(5) }
        let eighth: SignalProducer<Int, TestError> = SignalProducer(failing)
        let ninth = SignalProducer<Int, any Error> {
            try Task.checkCancellation()
            return 6
        }
        #expect(await first.first() == 1)
        await #expect(throws: TestError.first) { try await second.first() }
        #expect(try await third.first() == 2)
        await #expect(throws: TestError.first) { try await fourth.first() }
        #expect(await fifth.first() == 3)
        #expect(try await sixth.first() == 4)
        #expect(try await seventh.first() == 5)
        await #expect(throws: TestError.first) { try await eighth.first() }
        #expect(try await ninth.first() == 6)
    }

    @Test("A closure that returns nothing makes a producer without values, with or without `then`")
    func withoutValue() async throws {
        let calls = MutableProperty(0)
        @Sendable func work() async throws(TestError) {
            calls.modify { $0 += 1 }
            if calls.value > 2 { throw .second }
        }
        let plain: SignalProducer<Never, TestError> = SignalProducer { () async throws(TestError) in try await work() }
        let then: SignalProducer<Never, TestError> =
            SignalProducer { () async throws(TestError) in try await work() }.then(.empty)
        let empty = SignalProducer { () async throws(TestError) in try await work() }
        let ofSeveralStatements = SignalProducer<Never, TestError> { () async throws(TestError) in
            try await work()
            calls.modify { $0 += 10 }
        }
        #expect(await plain.materialize().collected() == [.completed])
        #expect(await then.materialize().collected() == [.completed])
        await #expect(throws: TestError.second) { try await empty.first() }
        #expect(await plain.materialize().collected() == [.failed(.second)])
        #expect(calls.value == 4)
        calls.value = 0
        #expect(await ofSeveralStatements.materialize().collected() == [.completed])
        #expect(calls.value == 11)
    }

    @Test("Disposing a producer cancels its task, and delivers nothing but the interruption")
    func cancellation() async {
        let (cancelled, input) = Signal<Bool, NoError>.pipe()
        var cancellations = cancelled.values.makeAsyncIterator()
        let (recorder, disposable) = SignalProducer { () async -> Int in
            while !Task.isCancelled { await Task.yield() }
            input.send(value: true)
            return 1
        }
        .recording()
        disposable.dispose()
        #expect(await cancellations.next() == true)
        #expect(recorder.events == [.interrupted])
    }

    private func currentThread() -> ObjectIdentifier { ObjectIdentifier(Thread.current) }

    /// Work that is as if awaited, which tells on which thread it began, and then waits for the end of `gate`.
    private func telling(
        _ place: MutableProperty<ObjectIdentifier?>, until gate: AsyncStream<Never>
    ) -> SignalProducer<Bool, NoError> {
        SignalProducer.asIfAwaited {
            place.value = currentThread()
            for await _ in gate {}
            return Task.isCancelled
        }
    }

    @Test("Work that is as if awaited begins on the thread of the task that starts it, and does not keep it")
    func asIfAwaited() async {
        let place = MutableProperty<ObjectIdentifier?>(nil)
        let (gate, opening) = AsyncStream<Never>.makeStream()
        let work = telling(place, until: gate)
        // In a detached task, as the main actor may run the test.
        let recorder = await Task.detached {
            let recorder = work.recorded()
            #expect(place.value == currentThread())
            return recorder
        }.value
        #expect(recorder.events == [])
        opening.finish()
        await eventually { recorder.events == [.value(false), .completed] }
    }

    @Test("Work that is as if awaited leaves the main actor, and threads of no task")
    func asIfAwaitedElsewhere() async {
        let place = MutableProperty<ObjectIdentifier?>(nil)
        let (gate, opening) = AsyncStream<Never>.makeStream()
        opening.finish()
        let work = telling(place, until: gate)
        /// Keeps this thread until the work has begun.
        @Sendable func beginsElsewhere() -> Bool {
            place.value = nil
            work.start()
            while place.value == nil { sched_yield() }
            return place.value != currentThread()
        }
        #expect(await MainActor.run { beginsElsewhere() })
        let isElsewhere = await withCheckedContinuation { done in
            Thread { done.resume(returning: beginsElsewhere()) }.start()
        }
        #expect(isElsewhere)
    }

    @Test("Disposing work that is as if awaited cancels it, also while it begins")
    func asIfAwaitedCancelled() async {
        let isCancelled = MutableProperty(false)
        let disposable = SerialDisposable()
        let work = SignalProducer<Int, NoError>.asIfAwaited {
            disposable.dispose()
            await Task.yield()
            while !Task.isCancelled { await Task.yield() }
            isCancelled.value = true
            return 1
        }
        let recorder = await Task.detached {
            let recorder = Recorder<Int, NoError>()
            work.startWithSignal { signal, interrupting in
                disposable.inner = interrupting
                signal.observe { recorder.record($0) }
            }
            return recorder
        }.value
        await eventually { isCancelled.value }
        #expect(recorder.events == [.interrupted])
    }

    @Test("A long row of work that is as if awaited, each begun by the one before, does not overflow the stack")
    func asIfAwaitedInARow() async {
        let (ended, input) = Signal<Bool, NoError>.pipe()
        var ends = ended.values.makeAsyncIterator()
        @Sendable func begin(_ number: Int) {
            SignalProducer<Int, NoError>.asIfAwaited { number }
                .startWithValues { number in
                    if number == 0 { input.send(value: true) } else { begin(number - 1) }
                }
        }
        await Task.detached { begin(100_000) }.value
        #expect(await ends.next() == true)
    }

    @Test("A producer of an asynchronous sequence delivers its elements, and its error")
    func sequence() async throws {
        let (stream, continuation) = AsyncThrowingStream<Int, any Error>.makeStream()
        continuation.yield(1)
        continuation.yield(2)
        continuation.finish(throwing: TestError.first)
        let events = await SignalProducer(stream).materialize().collected()
        #expect(events.compactMap(\.value) == [1, 2])
        #expect(events.last?.error as? TestError == .first)
        let (surely, input) = AsyncStream<Int>.makeStream()
        input.yield(3)
        input.finish()
        let producer: SignalProducer<Int, NoError> = SignalProducer(surely)
        #expect(await producer.collected() == [3])
    }

    @Test("Disposing a producer of an asynchronous sequence ends the iteration")
    func sequenceDisposal() async {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        let (ended, input) = Signal<Bool, NoError>.pipe()
        var ends = ended.values.makeAsyncIterator()
        continuation.onTermination = { _ in input.send(value: true) }
        let (recorder, disposable) = SignalProducer(stream).recording()
        disposable.dispose()
        #expect(await ends.next() == true)
        #expect(recorder.events == [.interrupted])
    }

    /// Counts for ever, whether its task is cancelled or not.
    private struct Endless: AsyncSequence, AsyncIteratorProtocol, Sendable {
        let count = Shared(0)

        func makeAsyncIterator() -> Endless { self }
        func next() async -> Int? {
            await Task.yield()
            return count.modify {
                $0 += 1; return $0
            }
        }
    }

    @Test("A sequence that does not heed the cancellation is left all the same")
    func endless() async {
        let sequence = Endless()
        let producer: SignalProducer<Int, NoError> = SignalProducer(sequence)
        #expect(await producer.take(first: 3).collected() == [1, 2, 3])
        // The iteration ends after at most one more element; an endless one never stands still for so long.
        var last = -1
        while last != sequence.count.value {
            last = sequence.count.value
            for _ in 0..<1_000 { await Task.yield() }
        }
    }
}

@Suite("Streams as asynchronous sequences", .timeLimit(.minutes(10)))
struct AsyncValuesTests {
    @Test("A producer is iterated to its end")
    func iteration() async {
        var received: [Int] = []
        for await value in SignalProducer<Int, NoError>(0..<5).values { received.append(value) }
        #expect(received == [0, 1, 2, 3, 4])
    }

    @Test("The error of a producer is thrown, as its own type, after its values")
    func failure() async {
        var received: [Int] = []
        do throws(TestError) {
            for try await value in Producer(value: 1).concat(error: .first).values { received.append(value) }
            Issue.record("Nothing was thrown.")
        } catch {
            #expect(error == .first)
        }
        #expect(received == [1])
    }

    @Test("An error is thrown once, and followed by the end")
    func failureOnce() async {
        var iterator = Producer<Int>(error: .first).values.makeAsyncIterator()
        await #expect(throws: TestError.first) { try await iterator.next() }
        #expect(await (try? iterator.next()) == .some(nil))
    }

    @Test(
        "Values that nobody has asked for yet wait as the buffering says",
        arguments: [
            (.unbounded, [1, 2, 3, 4]), (.oldest(2), [1, 2]), (.newest(2), [3, 4]), (.latest, [4]), (.oldest(0), []),
        ] as [(Buffering, [Int])])
    func buffering(buffering: Buffering, expected: [Int]) async {
        let (signal, input) = Signal<Int, NoError>.pipe()
        var iterator = signal.values(buffering: buffering).makeAsyncIterator()
        for value in 1...4 { input.send(value: value) }
        input.sendCompleted()
        var received: [Int] = []
        while let value = await iterator.next() { received.append(value) }
        #expect(received == expected)
    }

    @Test("A value that was taken leaves room for another one", arguments: [Buffering.oldest(2), .newest(2)])
    func room(buffering: Buffering) async {
        let (signal, input) = Signal<Int, NoError>.pipe()
        var iterator = signal.values(buffering: buffering).makeAsyncIterator()
        input.send(value: 1)
        input.send(value: 2)
        var received = [await iterator.next()]
        input.send(value: 3)
        input.sendCompleted()
        while let value = await iterator.next() { received.append(value) }
        #expect(received == [1, 2, 3])
    }

    @Test("Cancelling the task that iterates disposes the producer and ends the iteration")
    func cancellation() async {
        let isDisposed = Shared(false)
        let (started, input) = Signal<Bool, NoError>.pipe()
        var starts = started.values.makeAsyncIterator()
        let task = Task {
            let producer = SignalProducer<Int, NoError>.never
                .on(started: { input.send(value: true) }, disposed: { isDisposed.value = true })
            for await _ in producer.values {}
            return isDisposed.value
        }
        _ = await starts.next()
        task.cancel()
        #expect(await task.value)
    }

    @Test("Letting go of the iterator disposes the producer")
    func drop() async {
        let isDisposed = Shared(false)
        let producer = SignalProducer<Int, NoError>(value: 1).concat(.never).on(disposed: { isDisposed.value = true })
        for await _ in producer.values { break }
        #expect(isDisposed.value)
    }

    @Test("A property is iterated from its current value on, and skips what was replaced meanwhile")
    func property() async {
        let property = MutableProperty(0)
        var iterator = property.values.makeAsyncIterator()
        #expect(await iterator.next() == 0)
        property.value = 1
        property.value = 2
        #expect(await iterator.next() == 2)
    }

    @Test("A value that comes while the task waits wakes it")
    func waking() async {
        let (signal, input) = Signal<Int, NoError>.pipe()
        let values = signal.values
        let task = Task { await values.producer.first() }
        // The task begins to observe at an unknown moment, so values are sent until it has received one.
        let sender = Task {
            while !Task.isCancelled {
                input.send(value: 7)
                await Task.yield()
            }
        }
        #expect(await task.value == 7)
        sender.cancel()
    }

    @Test("An iteration that has ended, or thrown, stays ended")
    func staysEnded() async throws {
        let (signal, input) = Pipe<Int>.pipe()
        var iterator = signal.values.makeAsyncIterator()
        let isWaiting = Shared(false)
        Thread.detachNewThread {
            while !isWaiting.value { sched_yield() }
            input.sendCompleted()
        }
        isWaiting.value = true
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
        var failed = Producer<Int>(error: .first).values.makeAsyncIterator()
        await #expect(throws: TestError.first) { try await failed.next() }
        #expect(try await failed.next() == nil)
    }

    @Test("A cancelled iteration ends while another observer keeps the stream busy", arguments: [true, false])
    func cancelledWhileBusy(before: Bool) async {
        let (signal, input) = Signal<Int, NoError>.pipe()
        let (entered, leave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        signal.observeValues { _ in
            entered.signal()
            leave.wait()
        }
        let isReady = Shared(false)
        let hasEnded = Shared(false)
        let task = Task {
            var iterator = signal.values.makeAsyncIterator()
            isReady.value = true
            if before { while !Task.isCancelled { await Task.yield() } }
            #expect(await iterator.next() == nil)
            hasEnded.value = true
        }
        await eventually("the iteration has begun") { isReady.value }
        Thread.detachNewThread { input.send(value: 1) }
        await onThreads(1) { _ in entered.wait() }
        task.cancel()
        await eventually("the iteration has ended") { hasEnded.value }
        leave.signal()
        await task.value
    }
}

@Suite("Async first, last, single, collected, wait", .timeLimit(.minutes(10)))
struct AsyncFunctionsTests {
    let failing = Producer(values: 1, 2).concat(error: .first)

    @Test("first() gives the first value and disposes the producer")
    func first() async throws {
        let isDisposed = Shared(false)
        #expect(await SignalProducer<Int, NoError>(0...).on(disposed: { isDisposed.value = true }).first() == 0)
        #expect(isDisposed.value)
        #expect(try await failing.first() == 1)
        #expect(try await Producer<Int>.empty.first() == nil)
        await #expect(throws: TestError.second) { try await Producer<Int>(error: .second).first() }
    }

    @Test("last() gives the last value, or throws")
    func last() async throws {
        #expect(await SignalProducer<Int, NoError>(0..<3).last() == 2)
        await #expect(throws: TestError.first) { try await failing.last() }
    }

    @Test("single() gives the only value")
    func single() async throws {
        #expect(await SignalProducer<Int, NoError>(value: 1).single() == 1)
        #expect(await SignalProducer<Int, NoError>(0..<2).single() == nil)
        #expect(await SignalProducer<Int, NoError>.empty.single() == nil)
    }

    @Test("collected() gives all values, or throws")
    func collected() async throws {
        #expect(await SignalProducer<Int, NoError>(0..<3).collected() == [0, 1, 2])
        #expect(await SignalProducer<Int, NoError>.empty.collected() == [])
        await #expect(throws: TestError.first) { try await failing.collected() }
    }

    @Test("wait() returns at the end, or throws")
    func wait() async throws {
        await SignalProducer<Int, NoError>(0..<3).wait()
        await #expect(throws: TestError.first) { try await failing.wait() }
    }

    @Test("A cancelled task gets nothing, and its producer is disposed")
    func cancellation() async {
        let isDisposed = Shared(false)
        let task = Task {
            await SignalProducer<Int, NoError>.never.on(disposed: { isDisposed.value = true }).first()
        }
        task.cancel()
        #expect(await task.value == nil)
        #expect(isDisposed.value)
    }

    @Test("In async code, collect() is still the operator")
    func collectOperator() async {
        let arrays = SignalProducer<Int, NoError>(0..<3).collect()
        #expect(await arrays.first() == [0, 1, 2])
    }
}

@Suite("The value of a request", .timeLimit(.minutes(10)))
struct RequestValueTests {
    private enum RequestError: ExpressibleByCancellation, Equatable {
        case cancelled
        case refused
    }

    private typealias Request = SignalProducer<Int, RequestError>

    @Test("value() returns the value, and disposes the producer")
    func value() async throws {
        let isDisposed = Shared(false)
        let request = Request(value: 1).concat(.never).on(disposed: { isDisposed.value = true })
        #expect(try await request.value() == 1)
        #expect(isDisposed.value)
    }

    @Test("value() throws the producer's error, as its own type")
    func failure() async {
        do throws(RequestError) {
            _ = try await Request(error: .refused).value()
            Issue.record("Nothing was thrown.")
        } catch {
            #expect(error == .refused)
        }
    }

    @Test("value() of several values returns the first, and the rest of the work is not done")
    func several() async throws {
        let delivered = Shared(0)
        let request = Request(0..<10).on(value: { _ in delivered.modify { $0 += 1 } })
        #expect(try await request.value() == 0)
        #expect(delivered.value == 1)
    }

    @Test("value() throws a cancellation if the producer completes without a value, or is interrupted")
    func none() async {
        await #expect(throws: RequestError.cancelled) { try await Request.empty.value() }
        let interrupted = Request { observer, _ in observer.sendInterrupted() }
        await #expect(throws: RequestError.cancelled) { try await interrupted.value() }
        await #expect(throws: RequestError.refused) { try await Request.empty.value(or: .refused) }
    }

    @Test("value() throws a CancellationError where any error can be thrown")
    func anyError() async throws {
        #expect(try await SignalProducer<Int, any Error>(value: 1).value() == 1)
        await #expect(throws: CancellationError.self) { try await SignalProducer<Int, any Error>.empty.value() }
    }

    @Test("Cancelling the task disposes the producer, and value() throws a cancellation at once")
    func cancellation() async {
        let isDisposed = Shared(false)
        let task = Task {
            try await Request.never.on(disposed: { isDisposed.value = true }).value()
        }
        task.cancel()
        await #expect(throws: RequestError.cancelled) { try await task.value }
        #expect(isDisposed.value)
    }

    @Test("A value of a request that is optional is told apart from no value")
    func optional() async throws {
        let none = SignalProducer<Int?, RequestError>(value: nil)
        #expect(try await none.value() == nil)
        await #expect(throws: RequestError.cancelled) { try await SignalProducer<Int?, RequestError>.empty.value() }
    }
}
