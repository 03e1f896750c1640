import Dispatch
import Feedback
import FeedbackTesting
import Foundation
import Testing

@testable import Postgres

@Suite("Threads of a PostgreSQL database", .timeLimit(.minutes(1)))
struct PostgresWorkersTests {
    /// Counts the jobs that run, and the most that have run at a time.
    private final class Jobs: Sendable {
        private let counts = Locked((running: 0, most: 0, done: 0))

        var most: Int { counts.withLock(\.most) }
        var done: Int { counts.withLock(\.done) }

        func add(_ count: Int, to workers: PostgresWorkers) {
            for _ in 0..<count {
                workers.add { [self] in
                    counts.withLock { counts in
                        counts.running += 1
                        counts.most = max(counts.most, counts.running)
                    }
                    // A job takes a moment, so that another thread would begin the next one meanwhile. Nothing depends on how long.
                    usleep(200)
                    counts.withLock { counts in
                        counts.running -= 1
                        counts.done += 1
                    }
                }
            }
        }
    }

    @Test("Threads end when they have had no job for a while, and new ones begin for the next jobs")
    func idleThreads() async {
        let workers = PostgresWorkers(maximum: 2, idleTime: 0.001)
        let jobs = Jobs()
        for round in 1...20 {
            jobs.add(4, to: workers)
            await eventually("the jobs are done") { jobs.done == 4 * round }
            await eventually("the threads have ended") { workers.threadCount == 0 }
        }
        #expect(jobs.most <= 2)
    }

    @Test("Once its threads have ended, nothing keeps it")
    func freed() async {
        weak var freed: PostgresWorkers?
        let jobs = Jobs()
        do {
            let workers = PostgresWorkers(maximum: 2, idleTime: 0.001)
            freed = workers
            jobs.add(4, to: workers)
        }
        await eventually("the jobs are done") { jobs.done == 4 }
        await eventually("it is freed") { freed == nil }
    }

    @Test("Jobs that are added just when a thread gives up waiting run, too")
    func lateJobs() async {
        let workers = PostgresWorkers(maximum: 2, idleTime: 0)
        let jobs = Jobs()
        for round in 1...300 {
            jobs.add(1, to: workers)
            if round % 3 == 0 { await eventually("the jobs are done") { jobs.done == round } }
        }
        await eventually("the jobs are done") { jobs.done == 300 }
        await eventually("the threads have ended") { workers.threadCount == 0 }
        #expect(jobs.most <= 2)
    }

    @Test("After the end, jobs still run, and no more than before at a time")
    func afterTheEnd() async {
        let workers = PostgresWorkers(maximum: 1)
        let jobs = Jobs()
        jobs.add(3, to: workers)
        workers.stop()
        await eventually("the jobs are done") { jobs.done == 3 }
        await eventually("the threads have ended") { workers.threadCount == 0 }
        for round in 1...5 {
            jobs.add(4, to: workers)
            await eventually("the jobs are done") { jobs.done == 3 + 4 * round }
        }
        #expect(jobs.most == 1)
        await eventually("the threads have ended") { workers.threadCount == 0 }
    }

    @Test("Threads that rest end when they are told to stop, however long they would rest")
    func stoppedAtRest() async {
        let workers = PostgresWorkers(maximum: 2, idleTime: 3_600)
        let jobs = Jobs()
        jobs.add(4, to: workers)
        await eventually("the jobs are done") { jobs.done == 4 }
        workers.stop()
        await eventually("the threads have ended") { workers.threadCount == 0 }
    }

    @Test("After the only thread has come to rest, two jobs run at once")
    func meetingJobs() async {
        for _ in 0..<50 {
            let workers = PostgresWorkers(maximum: 2)
            let jobs = Jobs()
            jobs.add(1, to: workers)
            await eventually("the job is done") { jobs.done == 1 }
            let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let ended = Locked(0)
            for (own, other) in [(first, second), (second, first)] {
                workers.add {
                    own.signal()
                    other.wait()
                    ended.withLock { $0 += 1 }
                }
            }
            await eventually("they have met") { ended.withLock(\.self) == 2 }
            workers.stop()
        }
    }

    @Test("Jobs that are added while threads come to rest are all done")
    func noJobIsForgotten() async {
        let workers = PostgresWorkers(maximum: 1)
        defer { workers.stop() }
        for _ in 0..<20_000 {
            await withCheckedContinuation { continuation in workers.add { continuation.resume() } }
        }
    }

    @Test("Jobs that are added to threads that were told to stop are done")
    func jobsAfterStop() async {
        let workers = PostgresWorkers(maximum: 1)
        workers.stop()
        for _ in 0..<1_000 {
            await withCheckedContinuation { continuation in workers.add { continuation.resume() } }
        }
    }

    @Test("Jobs are done in the order in which they were added, however many wait")
    func jobsInOrder() async {
        let workers = PostgresWorkers(maximum: 1)
        defer { workers.stop() }
        let mayBegin = DispatchSemaphore(value: 0)
        let done = Locked<[Int]>([])
        workers.add { mayBegin.wait() }
        for number in 0..<5_000 { workers.add { done.withLock { $0.append(number) } } }
        mayBegin.signal()
        await eventually("all are done") { done.withLock(\.count) == 5_000 }
        #expect(done.withLock(\.self) == Array(0..<5_000))
    }

    @Test("As many jobs run at once as there may be threads, and no more")
    func jobsAtOnce() async {
        let workers = PostgresWorkers(maximum: 3)
        defer { workers.stop() }
        let mayEnd = DispatchSemaphore(value: 0)
        let begun = Locked(0)
        let ended = Locked(0)
        for _ in 0..<9 {
            workers.add {
                begun.withLock { $0 += 1 }
                mayEnd.wait()
                ended.withLock { $0 += 1 }
            }
        }
        for number in 0..<9 {
            await eventually("three are under way, or the last ones") { begun.withLock(\.self) == min(number + 3, 9) }
            mayEnd.signal()
            await eventually("one has ended") { ended.withLock(\.self) == number + 1 }
        }
        #expect(begun.withLock(\.self) == 9)
    }
}
