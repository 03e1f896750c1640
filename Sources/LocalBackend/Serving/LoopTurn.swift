import Foundation

/// The thread that waits for a server's sockets, and the turns of the threads that use its event loop.
///
/// One thread at a time may use the loop: the one that has the turn. The loop's thread takes it when a socket is ready. A
/// handler's thread takes it to send its answer, if it is free, and so does not wake the loop's thread. If it is not, the
/// answer waits in the mailbox.
///
/// Only the loop's thread waits for the turn. A thread that has it may be within a caller's code, that of a handler which is
/// told that it is cancelled.
final class LoopTurn: Sendable {
    private let turn = NSLock()
    private let mailbox: Mailbox
    nonisolated(unsafe) private var loop: EventLoop  // Only the thread that has the turn touches it.

    init(_ loop: EventLoop, _ mailbox: Mailbox) {
        self.loop = loop
        self.mailbox = mailbox
        self.loop.post = { [weak self] in self?.post($0) ?? false }
    }

    /// Posts mail from any thread. Returns false if the loop has ended.
    func post(_ mail: Mailbox.Mail) -> Bool {
        switch mailbox.put(mail) {
        case .refused: return false
        case .first: if !openMail() { mailbox.wake() }
        case .further: break
        }
        return true
    }

    /// Opens all mail on the calling thread if the turn is free; otherwise returns false.
    private func openMail() -> Bool {
        guard turn.try() else { return false }
        let isToBeWoken = loop.openMail()
        turn.unlock()
        if isToBeWoken { mailbox.wake() }
        return true
    }

    /// Serves until the server is stopped.
    func run() {
        var polled: [pollfd] = []
        while let timeout = turn.withLock({ loop.timeout(updating: &polled) }) {
            if poll(&polled, nfds_t(polled.count), timeout) < 0 {
                for index in polled.indices { polled[index].revents = 0 }
            }
            turn.withLock { loop.serve(polled) }
        }
        turn.withLock { loop.end() }.forEach { $0.resume() }
    }
}
