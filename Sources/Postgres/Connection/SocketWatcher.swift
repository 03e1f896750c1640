import Feedback
import Foundation

/// A thread that waits for input on behalf of suspended tasks. It ends when there has been nothing to wait for in a
/// while.
///
/// A task adds its socket to the events of the kernel for which the thread waits already, so that it need not wake the
/// thread.
final class SocketWatcher: Sendable {
    /// The watcher of this process.
    static let shared = SocketWatcher()

    private struct State: Sendable {
        var waits: [UInt64: UnsafeContinuation<Void, Never>] = [:]
        var lastNumber: UInt64 = 0
        var events: SocketEvents?
        var isRunning = false
    }

    /// The time in milliseconds after which a thread without work ends.
    private static var rest: Int32 { 10_000 }

    private let state = Locked(State())

    /// Suspends the task until the socket has input, or the task is cancelled.
    func waitForInput(on socket: Int32) async {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                add(number, socket, continuation)
                // A cancellation before this moment had nothing to end.
                if Task.isCancelled { end(number) }
            }
        } onCancel: {
            end(number)
        }
    }

    private func add(_ number: UInt64, _ socket: Int32, _ continuation: UnsafeContinuation<Void, Never>) {
        let (events, begins) = state.withLock { state -> (SocketEvents?, Bool) in
            state.waits[number] = continuation
            if state.events == nil { state.events = SocketEvents() }
            guard state.events != nil else { return (nil, false) }
            defer { state.isRunning = true }
            return (state.events, !state.isRunning)
        }
        if begins, let events {
            let thread = Thread { self.run(events) }
            thread.name = "PostgreSQL sockets"
            thread.start()
        }
        if let events, events.report(input: socket, as: number) { return }
        // The process has no descriptors or memory left. The task looks for itself in a moment.
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.01) { self.end(number) }
    }

    private func end(_ number: UInt64) { state.withLock { $0.waits.removeValue(forKey: number) }?.resume() }

    private func run(_ events: SocketEvents) {
        while true {
            let isIdle = !events.wait(milliseconds: Self.rest) { end($0) }
            if isIdle, endsIdle() { return }
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
