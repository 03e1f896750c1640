import CPostgres
import Feedback
import Foundation

/// The waiting for input on behalf of suspended tasks.
///
/// All sockets are in one list of the kernel. While answers come soon, threads of tasks wait for it, a few milliseconds
/// at most and between the tasks that they run, since an answer then needs no other thread. Otherwise a thread of the
/// watcher waits. It ends when there has been nothing to wait for in a while.
final class SocketWatcher: Sendable {
    /// The watcher of this process.
    static let shared = SocketWatcher()

    private typealias Waits = SocketWaits<UnsafeContinuation<Void, Never>>

    private struct State: Sendable {
        var waits = Waits(maximumVisits: max(2, ProcessInfo.processInfo.activeProcessorCount / 2))
        var lastNumber: UInt64 = 0
        var events: SocketEvents?
    }

    /// The longest time in milliseconds for which a thread of a task waits. It is longer than the usual interval between
    /// two ticks of the kernel. A shorter wait would set a timer of the processor each time, which takes long.
    static let shortTime: Int32 = 5

    private let makeEvents: @Sendable () -> SocketEvents?
    private let state = Locked(State())
    private let wakeUp = DispatchSemaphore(value: 0)

    init(makeEvents: @escaping @Sendable () -> SocketEvents? = { SocketEvents() }) { self.makeEvents = makeEvents }

    /// Suspends the task until the socket has input, or the task is cancelled.
    ///
    /// - Parameter isSoon: `true` if the input is likely to come soon.
    func waitForInput(on socket: Int32, isSoon: Bool) async {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                add(number, socket, continuation, isSoon)
                // A cancellation before this moment had nothing to end.
                if Task.isCancelled { end(number) }
            }
        } onCancel: {
            end(number)
        }
    }

    private func add(
        _ number: UInt64, _ socket: Int32, _ continuation: UnsafeContinuation<Void, Never>, _ isSoon: Bool
    ) {
        let (events, need) = state.withLock { state -> (SocketEvents?, Waits.Need) in
            if state.events == nil { state.events = makeEvents() }
            guard let events = state.events else {
                state.waits.addUnwatched(continuation, as: number)
                return (nil, .nothing)
            }
            return (events, state.waits.add(continuation, as: number, isSoon: isSoon))
        }
        let isReported = events?.report(input: socket, as: number) == true
        if let events { meet(need, events) }
        // The process has no descriptors or memory left. The task looks for itself in a moment.
        if !isReported { DispatchQueue.global().asyncAfter(deadline: .now() + 0.01) { self.end(number) } }
    }

    private func end(_ number: UInt64) { state.withLock { $0.waits.take(number) }?.resume() }

    private func meet(_ need: Waits.Need, _ events: SocketEvents) {
        switch need {
        case .nothing: return
        case .visit: Task.detached(priority: Task.currentPriority) { await self.visit(events) }
        case .wakeUp: wakeUp.signal()
        case .thread:
            let thread = Thread { self.run(events) }
            thread.name = "PostgreSQL sockets"
            thread.start()
        }
    }

    /// Waits on threads of tasks, as long as answers come soon. The tasks with answers run before it waits again.
    private func visit(_ events: SocketEvents) async {
        var isLate = false
        while true {
            if let need = state.withLock({ $0.waits.leave(isLate: isLate) }) { return meet(need, events) }
            isLate = !events.wait(milliseconds: Self.shortTime) { end($0) }
            await Task.yield()
        }
    }

    private func run(_ events: SocketEvents) {
        while true {
            let isIdle = !events.wait(milliseconds: 10_000) { end($0) }
            switch state.withLock({ $0.waits.afterWatching(isIdle: isIdle) }) {
            case .none: return
            case .watching: continue
            case .resting: if wakeUp.wait(timeout: .now() + 10) == .timedOut, endsResting() { return }
            }
        }
    }

    /// Ends the thread, unless it is needed meanwhile.
    private func endsResting() -> Bool {
        let isResting = state.withLock { $0.waits.endRest() }
        // The signal is on its way.
        if !isResting { wakeUp.wait() }
        return isResting
    }
}
