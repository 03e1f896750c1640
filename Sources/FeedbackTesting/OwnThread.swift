import Feedback
import Foundation
import Testing

/// Runs a test, or each test of a suite, on a thread of its own: for tests that compute long without awaiting
/// anything, or block.
///
/// ```swift
/// @Test("A million mutated bodies never crash the parser", .onOwnThread)
/// func mutatedBodies() { … }
/// ```
///
/// Swift's shared threads are as few as the machine's cores. A test that keeps one busy for seconds delays all async
/// tests beside it, until those reach their time limits.
///
/// Each case of a test with arguments has a thread for itself. At most two cases for each core run at once, and those
/// that wait for a thread start in the order in which they asked. Child tasks (`async let`, task groups) run on the same
/// thread: one that awaits while the test blocks its thread never goes on.
public struct OwnThread: TestTrait, SuiteTrait, TestScoping {
    private static let turns = Turns(2 * ProcessInfo.processInfo.activeProcessorCount)
    @TaskLocal private static var isTaken = false

    public var isRecursive: Bool { true }

    /// Provides the scope for each case of a test. Swift Testing runs only a few cases at once: a test that kept a
    /// thread for all its cases would keep it while they wait for the tests before them.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> OwnThread? {
        testCase == nil ? nil : self
    }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        // A test may have the trait itself and inherit it from its suite.
        if Self.isTaken { return try await function() }
        await Self.turns.take()
        defer { Self.turns.pass() }
        let executor = ThreadExecutor()
        defer { executor.stop() }
        try await Self.$isTaken.withValue(true) {
            try await withTaskExecutorPreference(executor) { try await function() }
        }
    }
}

/// Lets a few run at a time, in the order in which they asked.
private final class Turns: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Locked<State>

    init(_ count: Int) { state = Locked(State(free: count)) }

    func take() async {
        await withCheckedContinuation { continuation in
            let mayGoOn = state.withLock { state in
                if state.free == 0 {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if mayGoOn { continuation.resume() }
        }
    }

    func pass() {
        let next = state.withLock { state in
            if state.waiting.isEmpty {
                state.free += 1
                return nil as CheckedContinuation<Void, Never>?
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}

extension Trait where Self == OwnThread {
    /// Runs on a thread of its own, because it computes long without awaiting anything.
    public static var onOwnThread: OwnThread { OwnThread() }
}

/// Runs jobs one after the other on one thread, until it is stopped.
private final class ThreadExecutor: TaskExecutor {
    private let jobs = Jobs()

    init() {
        let thread = Thread { [jobs] in jobs.work() }
        // Some tests recurse deeply. Swift's shared threads have a stack of this size too.
        thread.stackSize = 8 << 20
        thread.start()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        jobs.add { job.runSynchronously(on: executor) }
    }

    func stop() { jobs.add(nil) }
}

private final class Jobs: @unchecked Sendable {
    private let condition = NSCondition()
    // Guarded by the condition. `nil` is the end.
    private var waiting: [(@Sendable () -> Void)?] = []

    func add(_ job: (@Sendable () -> Void)?) {
        condition.withLock {
            waiting.append(job)
            condition.signal()
        }
    }

    func work() {
        while let job = next() { job() }
    }

    private func next() -> (@Sendable () -> Void)? {
        condition.withLock {
            while waiting.isEmpty { condition.wait() }
            return waiting.removeFirst()
        }
    }
}
