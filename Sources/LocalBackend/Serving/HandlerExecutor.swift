import Foundation

/// Runs handlers on a few threads of its own, so that a handler that blocks holds up neither the event loop nor the
/// threads that the program's other tasks share. While all threads are blocked and jobs wait, more are started.
final class HandlerExecutor: TaskExecutor {
    private struct State {
        var jobs: ArraySlice<UnownedJob> = []
        var threads = 0
        var idle = 0
        var isClosed = false
        var hasProgressed = true
        var nextCheck = ContinuousClock.now
        /// True if jobs wait for ``HandlerExecutor/release()``.
        var isGathering = false
        /// True if the event loop knows that jobs wait, and will call `relieve`.
        var isWatched = false
    }

    private let state = Locked(State())
    /// Idle threads wait for it. Code that lowers their count by one signals it once.
    private let wakeUp = DispatchSemaphore(value: 0)

    private let usualThreads: Int
    private var mostThreads: Int { usualThreads + 62 }
    private static let interval = Duration.milliseconds(30)

    /// Calls for ``relieve(now:)``.
    private let alarm: @Sendable () -> Void

    init(
        usualThreads: Int = max(2, ProcessInfo.processInfo.activeProcessorCount), alarm: @escaping @Sendable () -> Void
    ) {
        self.usualThreads = usualThreads
        self.alarm = alarm
    }

    private enum Recruit { case idleThread, newThread, nobody, reliever, outsider }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let recruit = state.withLock { state -> Recruit in
            guard !state.isClosed else { return .outsider }
            state.jobs.append(job)
            if state.isGathering { return .nobody }
            if state.idle > 0 {
                state.idle -= 1
                return .idleThread
            }
            guard state.threads < usualThreads else {
                defer { state.isWatched = true }
                return state.isWatched ? .nobody : .reliever
            }
            state.threads += 1
            return .newThread
        }
        switch recruit {
        case .idleThread: wakeUp.signal()
        case .newThread: startThread()
        case .reliever: alarm()
        case .nobody: break
        // A handler that outlives the server ends on one of Dispatch's threads.
        case .outsider: DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    /// Collects jobs until ``release()``, so that threads are woken once for many. The event loop calls it before it
    /// passes requests on, and does not wait in between.
    func gather() { state.withLock { $0.isGathering = true } }

    /// Wakes or starts as many threads as there are jobs for.
    func release() {
        let (woken, started) = state.withLock { state in
            state.isGathering = false
            let woken = min(state.idle, state.jobs.count)
            state.idle -= woken
            let room = usualThreads - state.threads
            let started = max(0, min(state.jobs.count - woken, room))
            state.threads += started
            return (woken, started)
        }
        for _ in 0..<woken { wakeUp.signal() }
        for _ in 0..<started { startThread() }
    }

    /// The time to call ``relieve(now:)``, while jobs wait. The caller promises to do so.
    var nextCheck: ContinuousClock.Instant? {
        state.withLock { state in
            state.isWatched = !state.jobs.isEmpty
            return state.isWatched ? state.nextCheck : nil
        }
    }

    /// Starts more threads if jobs wait and none was taken since the last check. Returns the number of new threads.
    @discardableResult
    func relieve(now: ContinuousClock.Instant) -> Int {
        let more = state.withLock { state in
            guard now >= state.nextCheck else { return 0 }
            let isStuck = !state.jobs.isEmpty && !state.hasProgressed && state.idle == 0
            let more = isStuck ? min(state.threads, state.jobs.count, mostThreads - state.threads) : 0
            state.threads += more
            state.hasProgressed = false
            state.nextCheck = now + HandlerExecutor.interval
            return more
        }
        for _ in 0..<more { startThread() }
        return more
    }

    /// Lets the threads end.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            return state.idle
        }
        for _ in 0..<idle { wakeUp.signal() }
    }

    private func startThread() {
        let thread = Thread { [self] in
            while let job = nextJob() { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
        thread.name = "LocalBackend handlers"
        thread.start()
    }

    private enum Turn { case job(UnownedJob), rest, end }

    /// Waits for a job; nil once the executor is closed and nothing is left to do.
    private func nextJob() -> UnownedJob? {
        while true {
            let turn = state.withLock { state -> Turn in
                if let job = state.jobs.popFirst() {
                    state.hasProgressed = true
                    return .job(job)
                }
                guard !state.isClosed else { return .end }
                state.idle += 1
                return .rest
            }
            switch turn {
            case .job(let job): return job
            case .end: return nil
            case .rest: wakeUp.wait()
            }
        }
    }
}
