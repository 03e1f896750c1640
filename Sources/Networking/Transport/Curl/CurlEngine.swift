#if canImport(CCurl)
import CCurl
import Feedback
import Foundation

/// The thread that waits for a transport's sockets, and the turns of the threads that use libcurl.
///
/// One thread at a time may use libcurl: the one that has the turn. The engine's thread takes the turn when a socket is
/// ready. A thread that starts a request takes the turn if it is free, and so sends the request without waking the
/// engine's thread. If it is not, the request waits in the inbox.
///
/// If there is no other request, the thread that has started one looks for its answer for a moment; see ``CurlLook``. It gives
/// the turn back while it waits, so that it is in nobody's way.
///
/// Only the engine's thread waits for the turn: a thread that has it may be within a caller's code, such as a progress
/// observer, which starts or cancels other requests.
final class CurlEngine: Sendable {
    private struct Inbox {
        var commands: [CurlTransfers.Command] = []
        var isRunning = false
        /// True if no more transfers will be started; the thread ends with the last one.
        var isFinishing = false
        /// True if the thread has been told that commands wait.
        var isSignalled = false
    }

    private struct Parts: Sendable {
        let sockets: SocketPoll
        nonisolated(unsafe) let transfers: CurlTransfers  // Only the thread that has the turn touches it.
    }

    private let inbox = Locked(Inbox())
    private let turn: NSLock
    private let configuration: CurlTransport.Configuration
    private let makeSockets: @Sendable () -> SocketPoll?
    private let lookAtSocket: Look
    /// `nil` until a request has made them.
    private let parts: Locked<Parts?> = Locked(nil)

    /// Older versions write to TLS connections in a way that can raise SIGPIPE, which only the engine's thread blocks.
    private static let isQuietOnAnyThread = curl_version_info(CURLVERSION_FIRST).pointee.version_num >= 0x075800

    typealias Look = @Sendable (SocketPoll.Interest, _ end: ContinuousClock.Instant) -> SocketPoll.Event?

    /// - Parameters:
    ///   - makeSockets: Returns `nil` if the process has no descriptors left.
    ///   - turn: A lock that nobody has; tests take it.
    ///   - look: Waits for a socket on a caller's thread, without the turn.
    init(
        _ configuration: CurlTransport.Configuration,
        makeSockets: @escaping @Sendable () -> SocketPoll? = { SocketPoll() }, turn: NSLock = NSLock(),
        look: @escaping Look = { SocketPoll.look(for: $0, until: $1) }
    ) {
        self.configuration = configuration
        self.makeSockets = makeSockets
        self.turn = turn
        lookAtSocket = look
    }

    deinit {
        guard let parts = parts.withLock(\.self) else { return }
        parts.transfers.close()
        parts.sockets.close()
    }

    /// Returns the parts, which the first request makes. If libcurl cannot start, or the process has no descriptors left,
    /// the result is `nil`, and the next request tries again.
    private func makeParts() -> Parts? {
        parts.withLock { parts in
            if parts == nil, let sockets = makeSockets() {
                if let transfers = CurlTransfers(configuration, sockets) {
                    transfers.resume = { [weak self] in self?.post(.resume($0)) }
                    parts = Parts(sockets: sockets, transfers: transfers)
                } else {
                    sockets.close()
                }
            }
            return parts
        }
    }

    // MARK: - For any thread

    func post(_ command: CurlTransfers.Command) {
        guard let parts = makeParts() else {
            if case .start(let transfer) = command {
                transfer.end(with: .failure(transfer.failure(CURLE_FAILED_INIT, detail: "libcurl cannot start")))
            }
            return
        }
        if case .start(let transfer) = command, start(transfer, parts) { return }
        append(command, parts)
    }

    /// Leaves a command to the engine's thread.
    private func append(_ command: CurlTransfers.Command, _ parts: Parts) {
        let isFirst = inbox.withLock { inbox in
            inbox.commands.append(command)
            defer { inbox.isSignalled = true }
            return !inbox.isSignalled
        }
        startThread(parts)
        if isFirst { parts.sockets.wake() }
    }

    /// Starts a transfer on the calling thread if the turn is free; otherwise returns false.
    ///
    /// It also does what is due for other requests. Leaving that to the engine's thread would send many requests through the
    /// inbox, since right after an answer libcurl's own timer is often due.
    private func start(_ transfer: CurlTransfer, _ parts: Parts) -> Bool {
        guard CurlEngine.isQuietOnAnyThread, turn.try() else { return false }
        parts.transfers.act(on: [.start(transfer)], looks: true)
        startThread(parts)
        guard look(for: transfer, parts) else { return true }
        let isDueEarlier = parts.transfers.isDueBeforeNextLook
        endTurn(parts)
        if isDueEarlier { parts.sockets.wake() }
        return true
    }

    /// Looks a moment for the answer to the request that the calling thread has started, if no other one is in progress.
    /// Returns false if another thread has the turn afterwards.
    private func look(for transfer: CurlTransfer, _ parts: Parts) -> Bool {
        let end = ContinuousClock.now + CurlLook.moment
        while let interest = parts.transfers.interest(of: transfer), .now < end {
            endTurn(parts)
            let event = lookAtSocket(interest, end)
            guard turn.try() else {
                append(.endLook(transfer), parts)
                return false
            }
            // Meanwhile, another thread may have ended the transfer.
            guard let event, parts.transfers.interest(of: transfer) == interest else { break }
            parts.transfers.act(on: [], [event])
        }
        parts.transfers.endLook(for: transfer, .late)
        return true
    }

    /// Lets the thread end when the last transfer has.
    func finish() {
        inbox.withLock { $0.isFinishing = true }
        parts.withLock(\.self)?.sockets.wake()
    }

    /// Starts the thread if this is the first request.
    private func startThread(_ parts: Parts) {
        let isRunning = inbox.withLock { inbox in
            defer { inbox.isRunning = true }
            return inbox.isRunning
        }
        guard !isRunning else { return }
        let thread = Thread { self.run(parts) }
        thread.name = "CurlTransport"
        thread.start()
    }

    /// Gives the turn to another thread, and then resumes the callers whose requests have ended: they may want the turn.
    private func endTurn(_ parts: Parts) {
        let ended = parts.transfers.takeEnded()
        turn.unlock()
        for (transfer, outcome) in ended { transfer.end(with: outcome) }
    }

    // MARK: - The thread

    private func run(_ parts: Parts) {
        let (transfers, sockets) = (parts.transfers, parts.sockets)
        blockBrokenPipeSignal()
        var events: [SocketPoll.Event] = []
        while true {
            turn.lock()
            let (commands, isFinishing) = inbox.withLock { inbox in
                inbox.isSignalled = false
                defer { inbox.commands = [] }
                return (inbox.commands, inbox.isFinishing)
            }
            transfers.act(on: commands, events)
            let isOver = isFinishing && transfers.isEmpty
            let time = transfers.timeUntilNextLook()
            endTurn(parts)
            if isOver { return }
            events = sockets.wait(milliseconds: time)
        }
    }
}

/// Blocks the signal that a write to a closed connection raises, which would end the process.
private func blockBrokenPipeSignal() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
}
#endif
