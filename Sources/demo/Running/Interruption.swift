import Dispatch
import Feedback
import Foundation
import Presentation

/// The signals that ask the program to end: Ctrl-C (SIGINT), SIGTERM, and SIGHUP, as when the terminal is closed.
enum Interruption {
    /// Calls a function once no signal can be missed any more, and waits for a signal.
    static func wait(_ begin: () -> Void) async {
        let (interruptions, continuation) = AsyncStream<Void>.makeStream()
        let stop = watch { _ in continuation.yield() }
        begin()
        for await _ in interruptions { break }
        stop()
    }

    /// Runs `work`, and cancels its task on a signal, so that it can end in order. A second signal ends the program at
    /// once, also if the work is stuck, and restores the terminal.
    ///
    /// - Returns: The result of `work`, and the signal if one came. After its last work the program should `end(by:)` it.
    static func cancelling<Value: Sendable>(
        _ work: @escaping @Sendable () async -> Value
    ) async -> (value: Value, signal: Int32?) {
        let (begin, continuation) = AsyncStream<Never>.makeStream()
        let task = Task {
            for await _ in begin {}
            return await work()
        }
        let first = Locked<Int32?>(nil)
        let stop = watch { number in
            let isFirst = first.withLock { first in
                defer { first = first ?? number }
                return first == nil
            }
            guard isFirst else { end(by: number) }
            task.cancel()
        }
        // Only now, so that no signal is missed that comes while it begins.
        continuation.finish()
        let value = await task.value
        stop()
        return (value, first.withLock { $0 })
    }

    /// Ends the program as the signal alone would have done, so that a shell sees why it ended.
    static func end(by number: Int32) -> Never {
        // First, so that another signal ends the program even if the terminal hangs.
        signal(number, SIG_DFL)
        TerminalSession.restoreTerminal()
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(number)
        // The code that shells give to such an end.
        exit(128 + number)
    }

    /// Calls a function for each signal, instead of what the program did before.
    ///
    /// - Returns: A function that has signals do again what they did before.
    private static func watch(_ onSignal: @escaping @Sendable (Int32) -> Void) -> () -> Void {
        // Its own queue, because work that is stuck may have all threads of the others.
        let queue = DispatchQueue(label: "Interruption")
        let registrations = DispatchGroup()
        let endings = [SIGINT, SIGTERM, SIGHUP].compactMap { number -> (() -> Void)? in
            let former = signal(number, SIG_IGN)
            // `nohup` has the program ignore that its terminal is closed.
            if number == SIGHUP, unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
                return nil
            }
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { onSignal(number) }
            // Until then the signal is ignored.
            registrations.enter()
            source.setRegistrationHandler { registrations.leave() }
            source.activate()
            return {
                source.cancel()
                signal(number, former)
            }
        }
        registrations.wait()
        return { for end in endings { end() } }
    }
}
