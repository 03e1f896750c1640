import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads keys on a thread of its own, until it is stopped or there is no more input.
final class KeyReader: Sendable {
    private let isStopped = Atomic(false)

    /// - Parameters:
    ///   - onKeys: Called on the reader's thread.
    ///   - onEnd: Called at the end of the input.
    init(
        _ terminal: Terminal, onKeys: @escaping @Sendable ([Key]) -> Void, onEnd: @escaping @Sendable () -> Void
    ) {
        let input = terminal.input
        let thread = Thread { [weak self] in
            var decoder = KeyDecoder()
            var buffer = [UInt8](repeating: 0, count: 1_024)
            while self?.isStopped.load(ordering: .acquiring) == false {
                var ready = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
                // Escape alone is known by the silence after it.
                let count = poll(&ready, 1, decoder.isUndecided ? 40 : 100)
                if count == 0 {
                    if decoder.isUndecided { onKeys(decoder.finish()) }
                    continue
                }
                let length = read(input, &buffer, buffer.count)
                if length > 0 {
                    let keys = decoder.keys(from: buffer[..<length])
                    if !keys.isEmpty { onKeys(keys) }
                } else if length == 0 || (errno != EINTR && errno != EAGAIN) {
                    let keys = decoder.finish()
                    if !keys.isEmpty { onKeys(keys) }
                    return onEnd()
                }
            }
        }
        thread.name = "Presentation.KeyReader"
        thread.start()
    }

    deinit { stop() }

    func stop() { isStopped.store(true, ordering: .releasing) }
}
