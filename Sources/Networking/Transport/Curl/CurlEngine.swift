#if canImport(CCurl)
import CCurl
import Feedback
import Foundation

/// The thread that owns all transfers and connections of a transport. Other threads post commands and wake it.
final class CurlEngine: @unchecked Sendable {  // Only the engine's thread touches what is not behind the lock.
    enum Command {
        case start(CurlTransfer)
        case cancel(CurlTransfer)
        /// The body has more to send.
        case resume(CurlTransfer)
    }

    private struct Inbox {
        var commands: [Command] = []
        var isRunning = false
        /// True if no more transfers will be started; the thread ends with the last one.
        var isFinishing = false
        /// True if the thread has been told that commands wait.
        var isSignalled = false
    }

    private let configuration: CurlTransport.Configuration
    private let inbox = Locked(Inbox())
    /// `nil` if libcurl cannot start.
    private let multi: UnsafeMutableRawPointer?

    private var transfers: [UnsafeMutableRawPointer: CurlTransfer] = [:]
    private var waiting: Set<CurlTransfer> = []
    private var slots: ConnectionSlots<CurlTransfer>
    private var idleHandles: [UnsafeMutableRawPointer] = []
    /// A lower bound of all deadlines; `nil` if there is none.
    private var nextDeadline: ContinuousClock.Instant?

    private static let hasStarted = ccurl_start() == CURLE_OK
    private static let mostIdleHandles = 16

    init(_ configuration: CurlTransport.Configuration) {
        self.configuration = configuration
        slots = ConnectionSlots(
            limit: configuration.connectionsPerHost, multiplexedLimit: configuration.streamsPerConnection)
        multi = CurlEngine.hasStarted ? curl_multi_init() : nil
        guard let multi else { return }
        _ = ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Int(clamping: max(1, configuration.idleConnections)))
        _ = ccurl_multi_set_long(
            multi, CURLMOPT_MAX_CONCURRENT_STREAMS, Int(clamping: max(1, configuration.streamsPerConnection)))
    }

    deinit {
        for handle in idleHandles { curl_easy_cleanup(handle) }
        if let multi { curl_multi_cleanup(multi) }
    }

    // MARK: - For any thread

    func post(_ command: Command) {
        guard let multi else {
            if case .start(let transfer) = command {
                transfer.end(with: .failure(transfer.failure(CURLE_FAILED_INIT, detail: "libcurl cannot start")))
            }
            return
        }
        let (isFirst, isNew) = inbox.withLock { inbox in
            inbox.commands.append(command)
            defer { (inbox.isSignalled, inbox.isRunning) = (true, true) }
            return (!inbox.isSignalled, !inbox.isRunning)
        }
        if isNew { startThread() } else if isFirst { curl_multi_wakeup(multi) }
    }

    /// Lets the thread end when the last transfer has.
    func finish() {
        inbox.withLock { $0.isFinishing = true }
        if let multi { curl_multi_wakeup(multi) }
    }

    private func startThread() {
        let thread = Thread { self.run() }
        thread.name = "CurlTransport"
        thread.start()
    }

    // MARK: - The thread

    private func run() {
        guard let multi else { return }
        blockBrokenPipeSignal()
        while true {
            let isFinishing = performCommands()
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            endTransfers()
            expireDeadlines()
            if isFinishing, transfers.isEmpty, waiting.isEmpty { return }
            curl_multi_poll(multi, nil, 0, timeUntilDeadline, nil)
        }
    }

    /// Performs the waiting commands; returns true if the thread should end with the last transfer.
    private func performCommands() -> Bool {
        let (commands, isFinishing) = inbox.withLock { inbox in
            inbox.isSignalled = false
            defer { inbox.commands = [] }
            return (inbox.commands, inbox.isFinishing)
        }
        commands.forEach(perform)
        return isFinishing
    }

    private func perform(_ command: Command) {
        switch command {
        case .start(let transfer):
            if transfer.isCancelled { return transfer.end(with: .failure(.cancelled)) }
            note(transfer.wholeDeadline)
            if slots.begin(transfer, at: transfer.origin) { begin([transfer]) } else { waiting.insert(transfer) }
        case .cancel(let transfer): stop(transfer, with: .cancelled)
        case .resume(let transfer):
            if let handle = transfer.handle { curl_easy_pause(handle, CURLPAUSE_CONT) }
        }
    }

    /// Starts transfers, and those that take the places of transfers that could not begin.
    private func begin(_ next: [CurlTransfer]) {
        var next = next
        while !next.isEmpty { next = next.flatMap(start) }
    }

    /// Returns the transfers that take the place of this one if it could not begin.
    private func start(_ transfer: CurlTransfer) -> [CurlTransfer] {
        waiting.remove(transfer)
        guard let multi, let handle = idleHandles.popLast() ?? curl_easy_init() else {
            return leave(transfer, with: .failure(transfer.failure(CURLE_OUT_OF_MEMORY, detail: "")))
        }
        do throws(CoreError) {
            try transfer.prepare(handle, configuration) { [weak self] in self?.post(.resume(transfer)) }
        } catch {
            transfer.release()
            recycle(handle)
            return leave(transfer, with: .failure(error))
        }
        guard curl_multi_add_handle(multi, handle) == CURLM_OK else {
            transfer.release()
            recycle(handle)
            return leave(transfer, with: .failure(transfer.failure(CURLE_OUT_OF_MEMORY, detail: "")))
        }
        transfers[handle] = transfer
        note(transfer.nextLook)
        return []
    }

    /// Ends a transfer before its time, if it has not ended yet.
    private func stop(_ transfer: CurlTransfer, with error: CoreError) {
        if waiting.contains(transfer), slots.remove(transfer, at: transfer.origin) {
            waiting.remove(transfer)
            return transfer.end(with: .failure(error))
        }
        guard let handle = transfer.handle, transfers[handle] != nil else { return }
        // The caller is told first, since closing the connection may take a moment.
        transfer.end(with: .failure(error))
        remove(handle)
        begin(slots.end(at: transfer.origin, multiplexes: nil))
    }

    private func endTransfers() {
        guard let multi else { return }
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle,
                let transfer = transfers[handle]
            else { continue }
            let result = transfer.result(of: message.pointee.data.result)
            let multiplexes = transfer.multiplexes
            remove(handle)
            transfer.end(with: result)
            begin(slots.end(at: transfer.origin, multiplexes: multiplexes))
        }
    }

    private func leave(_ transfer: CurlTransfer, with result: CurlTransfer.Outcome) -> [CurlTransfer] {
        transfer.end(with: result)
        return slots.end(at: transfer.origin, multiplexes: nil)
    }

    private func remove(_ handle: UnsafeMutableRawPointer) {
        guard let multi else { return }
        curl_multi_remove_handle(multi, handle)
        transfers.removeValue(forKey: handle)?.release()
        recycle(handle)
    }

    private func recycle(_ handle: UnsafeMutableRawPointer) {
        guard idleHandles.count < CurlEngine.mostIdleHandles else { return curl_easy_cleanup(handle) }
        curl_easy_reset(handle)
        idleHandles.append(handle)
    }

    // MARK: - Deadlines

    private var timeUntilDeadline: Int32 {
        guard let nextDeadline else { return 60_000 }
        let left = ContinuousClock.now.duration(to: nextDeadline) / .milliseconds(1)
        return Int32(min(max(left.rounded(.up), 0), 60_000))
    }

    private func note(_ deadline: ContinuousClock.Instant?) {
        guard let deadline else { return }
        nextDeadline = min(nextDeadline ?? deadline, deadline)
    }

    /// Ends late transfers. Deadlines move while bytes arrive, so the next one is computed only when the last one has
    /// passed.
    private func expireDeadlines() {
        guard let due = nextDeadline, due <= .now else { return }
        let now = ContinuousClock.now
        nextDeadline = nil
        let late =
            waiting.filter { $0.wholeDeadline.map { $0 <= now } ?? false }
            + transfers.values.filter { $0.deadline <= now }
        for transfer in late { stop(transfer, with: transfer.failure(CURLE_OPERATION_TIMEDOUT, detail: "")) }
        for transfer in waiting { note(transfer.wholeDeadline) }
        for transfer in transfers.values { note(transfer.nextLook) }
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
