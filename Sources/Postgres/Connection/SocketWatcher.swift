import CPostgres
import Feedback
import Foundation

/// The waiting for input on behalf of suspended tasks.
///
/// All sockets are in one list of the kernel, and stay there while tasks use them, so that a wait takes no call of the
/// kernel. While answers come soon, threads of tasks wait for them, a few milliseconds at most and between the tasks that
/// they run, since an answer then needs no other thread. Otherwise a thread of the watcher waits. It ends when there has
/// been nothing to wait for in a while.
final class SocketWatcher: Sendable {
    /// The watcher of this process.
    static let shared = SocketWatcher()

    private enum Watch: Sendable {
        case none
        case watching
        /// The thread rests while threads of tasks wait.
        case resting
    }

    private enum Need {
        case nothing
        case visit
        case thread
        case wakeUp
    }

    private struct Wait: Sendable {
        let continuation: UnsafeContinuation<Void, Never>
        /// `true` if the wait is likely to end soon.
        var isSoon: Bool
    }

    private struct Socket: Sendable {
        var wait: Wait?
        /// `true` if input has come for which no task waited.
        var hasInput = false
    }

    private struct State: Sendable {
        var sockets: [UInt64: Socket] = [:]
        /// The number of the waits, and of those that are likely to end soon.
        var (waits, soon) = (0, 0)
        var lastNumber: UInt64 = 0
        var events: SocketEvents?
        /// The number of tasks that wait for events on threads of tasks.
        var visits = 0
        var watch = Watch.none

        /// Adds a wait; returns nil if there is input already.
        mutating func add(_ wait: Wait, for number: UInt64) -> Need? {
            guard let index = sockets.index(forKey: number), !sockets.values[index].hasInput else {
                sockets[number]?.hasInput = false
                return nil
            }
            sockets.values[index].wait = wait
            waits += 1
            if wait.isSoon { soon += 1 }
            guard wait.isSoon, visits < min(maximumVisits, soon) else { return visits > 0 ? .nothing : thread() }
            visits += 1
            return .visit
        }

        /// Ends the wait for a socket, or notes that there is input.
        mutating func take(_ number: UInt64, hasInput: Bool) -> UnsafeContinuation<Void, Never>? {
            guard let index = sockets.index(forKey: number) else { return nil }
            guard let wait = sockets.values[index].wait.take() else {
                if hasInput { sockets.values[index].hasInput = true }
                return nil
            }
            waits -= 1
            if wait.isSoon { soon -= 1 }
            return wait.continuation
        }

        /// Ends a visit unless an answer is likely to come soon; returns what watches the rest.
        ///
        /// - Parameter isLate: `true` if there was none in time.
        mutating func leave(isLate: Bool) -> Need? {
            if isLate, visits == 1 {
                for number in sockets.keys { sockets[number]?.wait?.isSoon = false }
                soon = 0
            }
            guard isLate || soon == 0 else { return nil }
            visits -= 1
            return visits > 0 || waits == 0 ? .nothing : thread()
        }

        private mutating func thread() -> Need {
            defer { watch = .watching }
            return switch watch {
            case .none: .thread
            case .watching: .nothing
            case .resting: .wakeUp
            }
        }
    }

    private static let maximumVisits = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
    /// The number of times that a thread of a task looks for answers before it sleeps. Meanwhile a server on the same machine
    /// gives more answers, and one look takes them all.
    private static let looks = 3
    /// The longest time in milliseconds for which a thread of a task waits. It is longer than the usual interval between
    /// two ticks of the kernel. A shorter wait would set a timer of the processor each time, which takes long.
    static let shortTime: Int32 = 5

    private let state = Locked(State())
    private let wakeUp = DispatchSemaphore(value: 0)

    /// `true` while threads of tasks wait for answers to several tasks.
    var isVisited: Bool { state.withLock { $0.visits > 0 } }

    /// Watches a socket from now on, and returns its number; nil if the process has no descriptors or memory left.
    func watch(_ socket: Int32) -> UInt64? {
        let (number, events) = state.withLock { state -> (UInt64, SocketEvents?) in
            if state.events == nil { state.events = SocketEvents() }
            state.lastNumber += 1
            state.sockets[state.lastNumber] = Socket()
            return (state.lastNumber, state.events)
        }
        if events?.add(socket, as: number) == true { return number }
        state.withLock { $0.sockets[number] = nil }
        return nil
    }

    /// Forgets a socket for which no task waits.
    func forget(_ socket: Int32, _ number: UInt64) {
        let events = state.withLock { state in
            state.sockets[number] = nil
            return state.events
        }
        events?.remove(socket)
    }

    /// Suspends the task until the socket gets input, or the task is cancelled. Returns at once if there was input since the
    /// last wait.
    ///
    /// - Parameter isSoon: `true` if the input is likely to come soon.
    func waitForInput(of number: UInt64, isSoon: Bool) async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let (need, events) = state.withLock { state in
                    (state.add(Wait(continuation: continuation, isSoon: isSoon), for: number), state.events)
                }
                guard let need, let events else { return continuation.resume() }
                meet(need, events)
                // A cancellation before this moment had nothing to end.
                if Task.isCancelled { end(number, hasInput: false) }
            }
        } onCancel: {
            end(number, hasInput: false)
        }
    }

    private func end(_ number: UInt64, hasInput: Bool = true) {
        state.withLock { $0.take(number, hasInput: hasInput) }?.resume()
    }

    private func meet(_ need: Need, _ events: SocketEvents) {
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
            if let need = state.withLock({ $0.leave(isLate: isLate) }) { return meet(need, events) }
            isLate = !events.wait(milliseconds: Self.shortTime, looks: Self.looks) { end($0) }
            if !isLate { await Task.yield() }
        }
    }

    private func run(_ events: SocketEvents) {
        while true {
            let isIdle = !events.wait(milliseconds: 10_000) { end($0) }
            let watch = state.withLock { state in
                if state.visits > 0 {
                    state.watch = .resting
                } else if isIdle, state.waits == 0 {
                    state.watch = .none
                }
                return state.watch
            }
            switch watch {
            case .none: return
            case .watching: continue
            case .resting: if wakeUp.wait(timeout: .now() + 10) == .timedOut, endsResting() { return }
            }
        }
    }

    /// Ends the thread, unless it is needed meanwhile.
    private func endsResting() -> Bool {
        let isResting = state.withLock { state in
            guard case .resting = state.watch else { return false }
            state.watch = .none
            return true
        }
        // The signal is on its way.
        if !isResting { wakeUp.wait() }
        return isResting
    }
}
