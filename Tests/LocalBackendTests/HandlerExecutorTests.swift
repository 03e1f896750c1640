import FeedbackTesting
import Foundation
import Testing

@testable import LocalBackend

@Suite("Threads for handlers", .onOwnThread)
struct HandlerExecutorTests {
    @Test("There are more threads only while all are blocked and no job has begun for a while")
    func relief() async {
        let usual = 2
        let executor = HandlerExecutor(usualThreads: usual) {}
        let begun = Locked(0)
        let gate = DispatchSemaphore(value: 0)
        let block: @Sendable () -> Void = {
            begun.withLock { $0 += 1 }
            gate.wait()
        }
        for count in [usual, 9 * usual] {
            executor.gather()
            for _ in 0..<count { Task(executorPreference: executor) { block() } }
            executor.release()
        }
        await eventually { begun.withLock { $0 } == usual }
        #expect(executor.nextCheck != nil)

        let start = ContinuousClock.now + .seconds(1)
        // Jobs have begun since the executor was made.
        #expect(executor.relieve(now: start) == 0)
        #expect(executor.relieve(now: start + .milliseconds(1)) == 0)
        #expect(executor.relieve(now: start + .seconds(1)) == usual)
        await eventually { begun.withLock { $0 } == 2 * usual }
        #expect(executor.relieve(now: start + .seconds(2)) == 0)
        #expect(executor.relieve(now: start + .seconds(3)) == 2 * usual)
        await eventually { begun.withLock { $0 } == 4 * usual }

        for _ in 0..<10 * usual { gate.signal() }
        await eventually { begun.withLock { $0 } == 10 * usual }
        #expect(executor.nextCheck == nil)
        #expect(executor.relieve(now: start + .seconds(4)) == 0)
        #expect(executor.relieve(now: start + .seconds(5)) == 0)
        executor.close()
    }

    @Test("A job that comes alone begins at once, on a new thread or on an idle one")
    func alone() async {
        let executor = HandlerExecutor(usualThreads: 2) {}
        let ended = Locked(0)
        let job: @Sendable () -> Void = { ended.withLock { $0 += 1 } }
        for count in 1...10 {
            Task(executorPreference: executor) { job() }
            await eventually { ended.withLock { $0 } == count }
        }
        executor.close()
    }

    @Test("Jobs that come one by one while all threads are blocked wait, and the event loop is told so once")
    func oneByOne() async {
        let usual = 2
        let alarms = Locked(0)
        let executor = HandlerExecutor(usualThreads: usual) { alarms.withLock { $0 += 1 } }
        let begun = Locked(0)
        let gate = DispatchSemaphore(value: 0)
        let block: @Sendable () -> Void = {
            begun.withLock { $0 += 1 }
            gate.wait()
        }
        // The first jobs start threads, and the later ones find them idle.
        for round in 1...3 {
            for _ in 0..<10 { Task(executorPreference: executor) { block() } }
            await eventually { begun.withLock { $0 } >= 10 * (round - 1) + usual }
            #expect(alarms.withLock { $0 } == round)
            #expect(begun.withLock { $0 } == 10 * (round - 1) + usual)
            #expect(executor.nextCheck != nil)
            for _ in 0..<10 { gate.signal() }
            await eventually { begun.withLock { $0 } == 10 * round }
            // Now the next job that has to wait is news again.
            #expect(executor.nextCheck == nil)
        }
        executor.close()
    }

    @Test("However many handlers block, there are at most 62 more threads than usual")
    func mostThreads() async {
        let executor = HandlerExecutor(usualThreads: 2) {}
        let begun = Locked(0)
        let gate = DispatchSemaphore(value: 0)
        let block: @Sendable () -> Void = {
            begun.withLock { $0 += 1 }
            gate.wait()
        }
        for _ in 0..<100 { Task(executorPreference: executor) { block() } }
        var now = ContinuousClock.now
        var threads = 2
        for more in [2, 4, 8, 16, 32, 0] {
            await eventually { begun.withLock { $0 } == threads }
            for expected in [0, more] {
                now += .seconds(1)
                #expect(executor.relieve(now: now) == expected)
            }
            threads += more
        }
        for _ in 0..<100 { gate.signal() }
        await eventually { begun.withLock { $0 } == 100 }
        executor.close()
    }

    @Test("After its end its threads end, and a job that comes late runs elsewhere")
    func closing() async {
        weak var ended: HandlerExecutor?
        do {
            let executor = HandlerExecutor(usualThreads: 2) {}
            ended = executor
            let count = Locked(0)
            let job: @Sendable () -> Void = { count.withLock { $0 += 1 } }
            for _ in 0..<10 { Task(executorPreference: executor) { job() } }
            await eventually { count.withLock { $0 } == 10 }
            executor.close()
            Task(executorPreference: executor) { job() }
            await eventually { count.withLock { $0 } == 11 }
        }
        await eventually("the threads end") { ended == nil }
    }
}
