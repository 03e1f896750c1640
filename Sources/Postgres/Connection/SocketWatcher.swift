import Feedback
import Foundation

/// A thread that waits for input on behalf of suspended tasks. It ends when there has been nothing to wait for in a
/// while.
final class SocketWatcher: Sendable {
    /// The watcher of this process.
    static let shared = SocketWatcher()

    private struct Wait: Sendable {
        let number: Int
        let socket: Int32
        let continuation: UnsafeContinuation<Void, Never>
    }

    private struct State: Sendable {
        var waits: [Wait] = []
        var lastNumber = 0
        var isRunning = false

        mutating func take(_ number: Int) -> Wait? {
            waits.firstIndex { $0.number == number }.map { waits.swapRemove(at: $0) }
        }
    }

    private let state = Locked(State())
    private let alarm = Alarm()

    /// Suspends the task until the socket has input, or the task is cancelled.
    func waitForInput(on socket: Int32) async {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                add(Wait(number: number, socket: socket, continuation: continuation))
                // A cancellation before this moment had nothing to end.
                if Task.isCancelled { end(number) }
            }
        } onCancel: {
            end(number)
        }
    }

    private func add(_ wait: Wait) {
        let begins = state.withLock { state in
            state.waits.append(wait)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard begins else { return alarm.ring() }
        let thread = Thread { self.run() }
        thread.name = "PostgreSQL sockets"
        thread.start()
    }

    private func end(_ number: Int) { state.withLock { $0.take(number) }?.continuation.resume() }

    private func run() {
        while true {
            let waits = state.withLock { $0.waits }
            let ready = alarm.wait(for: waits.map(\.socket), milliseconds: waits.isEmpty ? 10_000 : -1)
            if ready == nil, endsIdle() { return }
            for index in ready ?? [] { end(waits[index].number) }
        }
    }

    /// Ends the thread, unless a task waits meanwhile.
    private func endsIdle() -> Bool {
        state.withLock { state in
            if state.waits.isEmpty { state.isRunning = false }
            return state.waits.isEmpty
        }
    }
}

extension Array {
    /// Removes an element and moves the last one to its place.
    fileprivate mutating func swapRemove(at index: Int) -> Element {
        swapAt(index, count - 1)
        return removeLast()
    }
}
