import Feedback
import FeedbackTesting
import Foundation
import Testing

@testable import Postgres

@Suite("Threads of a PostgreSQL database")
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
}
