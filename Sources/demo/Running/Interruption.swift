import Dispatch
import Feedback
import Foundation

/// The signals that ask the program to end: Ctrl-C (SIGINT), SIGTERM, and SIGHUP, as when the terminal is closed.
enum Interruption {
    /// Waits for a signal.
    static func wait() async {
        let (interruptions, continuation) = AsyncStream<Void>.makeStream()
        let sources = sources { _ in continuation.yield() }
        for await _ in interruptions { break }
        for source in sources { source.cancel() }
    }

    /// Runs `work`, and cancels its task on a signal, so that it can end in order. A second signal ends the program at
    /// once.
    ///
    /// - Returns: The result of `work`, and the signal if one came. After its last work the program should `end(by:)` it.
    static func cancelling<Value: Sendable>(
        _ work: @escaping @Sendable () async -> Value
    ) async -> (value: Value, signal: Int32?) {
        let task = Task { await work() }
        let first = Locked<Int32?>(nil)
        let sources = sources { number in
            let isFirst = first.withLock { first in
                defer { first = first ?? number }
                return first == nil
            }
            guard isFirst else { end(by: number) }
            task.cancel()
        }
        let value = await task.value
        for source in sources { source.cancel() }
        return (value, first.withLock { $0 })
    }

    /// Ends the program as the signal alone would have done, so that a shell sees why it ended.
    static func end(by number: Int32) -> Never {
        signal(number, SIG_DFL)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(number)
        // The code that shells give to such an end.
        exit(128 + number)
    }

    private static func sources(_ onSignal: @escaping @Sendable (Int32) -> Void) -> [any DispatchSourceSignal] {
        [SIGINT, SIGTERM, SIGHUP].compactMap { number in
            let former = signal(number, SIG_IGN)
            // `nohup` has the program ignore that its terminal is closed.
            if number == SIGHUP, unsafeBitCast(former, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
                return nil
            }
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { onSignal(number) }
            source.activate()
            return source
        }
    }
}
