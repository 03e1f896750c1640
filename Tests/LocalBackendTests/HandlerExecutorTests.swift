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
}
