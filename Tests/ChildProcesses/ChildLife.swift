import Dispatch
import Feedback
import Foundation

/// Waits for the end of a child on a thread of its own, so that a child that has ended does not stay in the system's table.
final class ChildLife: Sendable {
    private struct State {
        var ending: ChildProcess.Ending?
        var waiting: [@Sendable (ChildProcess.Ending) -> Void] = []
    }

    private let identifier: pid_t
    private let state = Locked(State())

    init(of identifier: pid_t) {
        self.identifier = identifier
        Thread.detachNewThread { self.watch() }
    }

    /// Nil while the child runs.
    var ending: ChildProcess.Ending? { state.withLock { $0.ending } }

    func kill(_ signal: Int32) {
        state.withLock { if $0.ending == nil { _ = Foundation.kill(identifier, signal) } }
    }

    func whenEnded(_ action: @escaping @Sendable (ChildProcess.Ending) -> Void) {
        let ending = state.withLock { state in
            if state.ending == nil { state.waiting.append(action) }
            return state.ending
        }
        if let ending { action(ending) }
    }

    func wait() -> ChildProcess.Ending {
        let hasEnded = DispatchSemaphore(value: 0)
        whenEnded { _ in hasEnded.signal() }
        while true {
            hasEnded.wait()
            if let ending { return ending }
        }
    }

    private func watch() {
        // The child's identifier stays its own until its status is taken, while the lock is held.
        var information = siginfo_t()
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
        let (ending, waiting) = state.withLock { state in
            var status: Int32 = 0
            while waitpid(identifier, &status, 0) == -1, errno == EINTR {}
            let signal = status & 0x7F
            let ending: ChildProcess.Ending = signal == 0 ? .exit((status >> 8) & 0xFF) : .signal(signal)
            state.ending = ending
            defer { state.waiting = [] }
            return (ending, state.waiting)
        }
        for action in waiting { action(ending) }
    }
}
