import Dispatch
import Foundation

/// Waits for the end of a run that lasts until it is interrupted.
enum Interruption {
    /// Waits for Ctrl-C (SIGINT) or for SIGTERM.
    static func wait() async {
        let signals = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number)
        }
        let (interruptions, continuation) = AsyncStream<Void>.makeStream()
        for source in signals {
            source.setEventHandler { continuation.yield() }
            source.activate()
        }
        for await _ in interruptions { break }
        for source in signals { source.cancel() }
    }
}
