import Dispatch
import Feedback
import Foundation

/// The threads on which a database works for producers and transactions: a bounded number, which end when they have had
/// nothing to do for a while.
final class PostgresWorkers: Sendable {
    private enum Next {
        case job(@Sendable () -> Void)
        case rest
        case end
    }

    private struct State: Sendable {
        var jobs: [@Sendable () -> Void] = []
        /// The index of the first job in the array, so that taking a job moves nothing.
        var first = 0
        var idle = 0
        var threads = 0
        var isStopped = false

        /// Returns what a thread without a job does next. A thread decides to rest under the lock under which jobs are
        /// added, so that it misses none.
        mutating func advance() -> Next {
            if let job = next() { return .job(job) }
            if isStopped {
                threads -= 1
                return .end
            }
            idle += 1
            return .rest
        }

        private mutating func next() -> (@Sendable () -> Void)? {
            guard first < jobs.count else { return nil }
            let job = jobs[first]
            first += 1
            if first == jobs.count {
                jobs.removeAll(keepingCapacity: true)
                first = 0
            } else if first > 1_024, first > jobs.count / 2 {
                jobs.removeFirst(first)
                first = 0
            }
            return job
        }
    }

    private let maximum: Int
    /// The time after which a thread without a job ends.
    private let idleTime: TimeInterval
    private let state = Locked(State())
    private let wakeUp = DispatchSemaphore(value: 0)

    init(maximum: Int, idleTime: TimeInterval = 10) {
        self.maximum = max(1, maximum)
        self.idleTime = idleTime
    }

    /// The number of threads, busy or not.
    var threadCount: Int { state.withLock(\.threads) }

    private enum Need {
        case none
        case wakeUp
        case thread
    }

    /// Runs `job` on one of the threads, after those that were added before.
    func add(_ job: @escaping @Sendable () -> Void) {
        let need = state.withLock { state -> Need in
            state.jobs.append(job)
            if state.idle > 0 {
                state.idle -= 1
                return .wakeUp
            }
            guard state.threads < maximum else { return .none }
            state.threads += 1
            return .thread
        }
        switch need {
        case .none: return
        case .wakeUp: wakeUp.signal()
        case .thread:
            let thread = Thread { self.work() }
            thread.name = "PostgreSQL"
            thread.start()
        }
    }

    /// Lets the threads end when they are done.
    func stop() {
        let idle = state.withLock { state in
            state.isStopped = true
            defer { state.idle = 0 }
            return state.idle
        }
        for _ in 0..<idle { wakeUp.signal() }
    }

    private func work() {
        while true {
            switch state.withLock({ $0.advance() }) {
            case .job(let job): job()
            case .end: return
            case .rest:
                if wakeUp.wait(timeout: .now() + idleTime) == .timedOut {
                    if endsIdle() { return }
                    // A job was just added for this thread.
                    wakeUp.wait()
                }
            }
        }
    }

    /// Ends this thread, unless a job was added for it meanwhile.
    private func endsIdle() -> Bool {
        state.withLock { state in
            guard state.idle > 0 else { return false }
            state.idle -= 1
            state.threads -= 1
            return true
        }
    }
}
