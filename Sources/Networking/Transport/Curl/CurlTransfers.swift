#if canImport(CCurl)
import CCurl
import Feedback
import Foundation

/// The transfers and connections of a transport, for one thread at a time.
final class CurlTransfers {
    enum Command: Sendable {
        case start(CurlTransfer)
        case cancel(CurlTransfer)
        /// The body has more to send, or the reader of the answer has room.
        case resume(CurlTransfer)
        /// The caller's thread no longer looks for the answer.
        case endLook(CurlTransfer)
    }

    private let configuration: CurlTransport.Configuration
    private let multi: UnsafeMutableRawPointer
    private let sockets: SocketPoll
    /// Posts the command of this name; called on any thread.
    var resume: @Sendable (CurlTransfer) -> Void = { _ in }

    private var running: [UnsafeMutableRawPointer: CurlTransfer] = [:]
    /// The sockets that are watched for their closing alone.
    private var leftSockets: Set<Int32> = []
    private var idleConnections = IdleConnections()
    private var look = CurlLook()
    private var waiting: Set<CurlTransfer> = []
    private var slots: ConnectionSlots<CurlTransfer.Place, CurlTransfer>
    private var ended: [(transfer: CurlTransfer, outcome: CurlTransfer.Outcome)] = []
    /// Streamed answers whose heads have come.
    private var begun: [CurlTransfer] = []
    private var idleHandles: [UnsafeMutableRawPointer] = []
    /// A lower bound of all deadlines; `nil` if there is none.
    private var nextDeadline: ContinuousClock.Instant?
    /// The time at which libcurl has something to do, whatever the sockets; `nil` if there is none.
    private var timer: ContinuousClock.Instant?
    /// The time at which the engine's thread looks at the deadlines again, unless it is woken.
    private var nextLook = ContinuousClock.now

    private static let hasStarted = ccurl_start() == CURLE_OK
    private static let mostIdleHandles = 16

    /// Returns `nil` if libcurl cannot start.
    init?(_ configuration: CurlTransport.Configuration, _ sockets: SocketPoll) {
        guard CurlTransfers.hasStarted, let multi = curl_multi_init() else { return nil }
        self.configuration = configuration
        self.multi = multi
        self.sockets = sockets
        slots = ConnectionSlots(
            limit: configuration.connectionsPerHost, multiplexedLimit: configuration.streamsPerConnection)
        _ = ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Int(clamping: max(1, configuration.idleConnections)))
        _ = ccurl_multi_set_long(
            multi, CURLMOPT_MAX_CONCURRENT_STREAMS, Int(clamping: max(1, configuration.streamsPerConnection)))
        ccurl_multi_set_callbacks(multi, socketCallback, timerCallback, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Closes all connections; nothing else may be called afterwards.
    func close() {
        for handle in idleHandles { curl_easy_cleanup(handle) }
        ccurl_multi_set_callbacks(multi, nil, nil, nil)
        curl_multi_cleanup(multi)
    }

    /// True if no transfer is running or waiting.
    var isEmpty: Bool { running.isEmpty && waiting.isEmpty }

    /// Returns the transfers that have ended since the last call, with their outcomes.
    func takeEnded() -> [(transfer: CurlTransfer, outcome: CurlTransfer.Outcome)] {
        defer { ended = [] }
        return ended
    }

    /// Performs commands, lets libcurl do what is due, and ends transfers.
    ///
    /// - Parameter looks: True if the calling thread is about to look for the answer to the transfer that it starts, as long as
    ///   ``interest(of:)`` says what to wait for.
    func act(on commands: [Command], _ events: [SocketPoll.Event] = [], looks: Bool = false) {
        for command in commands { perform(command, looks: looks) }
        var count: Int32 = 0
        for event in events {
            if event.isClosed {
                // Since this was told, the socket may be in use again, or its number may be another connection's.
                guard leftSockets.remove(event.socket) != nil else { continue }
                sockets.watch(SocketPoll.Interest(socket: event.socket, isRead: false, isWritten: false))
                for transfer in running.values { transfer.serverHasClosed(event.socket) }
                continue
            }
            let ready = (event.isReadable ? CURL_CSELECT_IN : 0) | (event.isWritable ? CURL_CSELECT_OUT : 0)
            curl_multi_socket_action(multi, event.socket, ready, &count)
        }
        if let due = timer, due <= .now {
            timer = nil
            curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &count)
        }
        endTransfers()
        expireDeadlines()
    }

    private func perform(_ command: Command, looks: Bool) {
        switch command {
        case .start(let transfer):
            if transfer.isCancelled { return transfer.end(with: .failure(.cancelled)) }
            if let other = look.transfer { endLook(for: other, .overtaken) }
            if looks, isEmpty, transfer.endsByItself { look.begin(for: transfer) }
            note(transfer.wholeDeadline)
            if slots.begin(transfer, at: transfer.place) { begin([transfer]) } else { waiting.insert(transfer) }
        case .cancel(let transfer): stop(transfer, with: .cancelled)
        case .resume(let transfer):
            if let handle = transfer.handle { curl_easy_pause(handle, CURLPAUSE_CONT) }
        case .endLook(let transfer): endLook(for: transfer, .late)
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
        guard let handle = idleHandles.popLast() ?? curl_easy_init() else {
            return leave(transfer, with: .failure(transfer.failure(CURLE_OUT_OF_MEMORY, detail: "")))
        }
        do throws(CoreError) {
            try transfer.prepare(handle, configuration) { [resume] in resume(transfer) }
            transfer.noteHead = { [unowned self] in begun.append(transfer) }
            transfer.canBeRead = { [unowned self] in idleConnections.remove($0).contains(where: SocketPoll.canBeRead) }
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
        running[handle] = transfer
        note(transfer.nextLook)
        return []
    }

    /// Ends a transfer before its time, if it has not ended yet.
    private func stop(_ transfer: CurlTransfer, with error: CoreError) {
        if waiting.contains(transfer), slots.remove(transfer, at: transfer.place) {
            waiting.remove(transfer)
            return transfer.end(with: .failure(error))
        }
        guard let handle = transfer.handle, running[handle] != nil else { return }
        // The caller is told first, since closing the connection may take a moment.
        transfer.end(with: .failure(error))
        remove(handle)
        begin(slots.end(at: transfer.place, multiplexes: nil))
    }

    private func endTransfers() {
        // A stream may last, and so may the wait of others for what its answer shows.
        for transfer in begun where transfer.multiplexes == true {
            begin(slots.note(at: transfer.place, multiplexes: true))
        }
        begun = []
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle,
                let transfer = running[handle]
            else { continue }
            if transfer.needsNewConnection, startAgain(transfer, handle) { continue }
            let result = transfer.result(of: message.pointee.data.result)
            let multiplexes = transfer.multiplexes
            if multiplexes == false { noteIdleConnection(of: handle) }
            remove(handle)
            ended.append((transfer, result))
            begin(slots.end(at: transfer.place, multiplexes: multiplexes))
        }
    }

    /// Starts a transfer, of which nothing was sent, on a connection of its own. Returns false if libcurl has no memory for it.
    private func startAgain(_ transfer: CurlTransfer, _ handle: UnsafeMutableRawPointer) -> Bool {
        transfer.needsNewConnection = false
        curl_multi_remove_handle(multi, handle)
        _ = ccurl_enable(handle, CURLOPT_FRESH_CONNECT)
        return curl_multi_add_handle(multi, handle) == CURLM_OK
    }

    private func noteIdleConnection(of handle: UnsafeMutableRawPointer) {
        let socket = ccurl_active_socket(handle)
        var port = 0
        guard socket != CURL_SOCKET_BAD, ccurl_get_long(handle, CURLINFO_LOCAL_PORT, &port) == CURLE_OK else { return }
        idleConnections.insert(socket, localPort: port)
    }

    private func leave(_ transfer: CurlTransfer, with result: CurlTransfer.Outcome) -> [CurlTransfer] {
        transfer.end(with: result)
        return slots.end(at: transfer.place, multiplexes: nil)
    }

    private func remove(_ handle: UnsafeMutableRawPointer) {
        curl_multi_remove_handle(multi, handle)
        if let transfer = running.removeValue(forKey: handle) {
            endLook(for: transfer, .answered)
            transfer.release()
        }
        recycle(handle)
    }

    private func recycle(_ handle: UnsafeMutableRawPointer) {
        guard idleHandles.count < CurlTransfers.mostIdleHandles else { return curl_easy_cleanup(handle) }
        curl_easy_reset(handle)
        idleHandles.append(handle)
    }

    // MARK: - The looks of callers

    /// The socket that the thread which has started this transfer, the only one, may wait for; `nil` if the transfer has
    /// ended, or the engine's thread watches its sockets.
    func interest(of transfer: CurlTransfer) -> SocketPoll.Interest? {
        look.transfer == transfer ? look.interest : nil
    }

    /// Has the engine's thread watch the sockets of a transfer, if its caller looks for its answer.
    func endLook(for transfer: CurlTransfer, _ end: CurlLook.End) {
        guard look.transfer == transfer else { return }
        look.end(end).forEach(sockets.watch)
    }

    // MARK: - Calls of libcurl

    fileprivate func watch(_ interest: SocketPoll.Interest, of handle: UnsafeMutableRawPointer) {
        let isOver = !interest.isRead && !interest.isWritten
        if isOver, look.forget(interest.socket) { return }
        if !isOver, look.transfer?.handle == handle { return look.keep(interest) }
        sockets.watch(interest)
        leftSockets.remove(interest.socket)
        guard isOver, let transfer = running[handle], transfer.waitsForClosing(of: interest.socket) else { return }
        leftSockets.insert(interest.socket)
        sockets.watchForClosing(interest.socket)
    }

    /// - Parameter milliseconds: -1 for no timer.
    fileprivate func setTimer(milliseconds: Int) {
        timer = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
    }

    // MARK: - Deadlines

    private var nextDue: ContinuousClock.Instant? { [timer, nextDeadline].compactMap(\.self).min() }

    /// True if something is due before the engine's thread looks again.
    var isDueBeforeNextLook: Bool { nextDue.map { $0 < nextLook } ?? false }

    /// Returns the time in milliseconds that the engine's thread waits for sockets.
    func timeUntilNextLook() -> Int32 {
        let now = ContinuousClock.now
        let longest = now + .seconds(60)
        nextLook = min(nextDue ?? longest, longest)
        return Int32(max(0, (now.duration(to: nextLook) / .milliseconds(1)).rounded(.up)))
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
            + running.values.filter { $0.deadline <= now }
        for transfer in late { stop(transfer, with: transfer.failure(CURLE_OPERATION_TIMEDOUT, detail: "")) }
        for transfer in waiting { note(transfer.wholeDeadline) }
        for transfer in running.values { note(transfer.nextLook) }
    }
}

// MARK: - Functions that C can call

private let socketCallback: curl_socket_callback = { handle, socket, interest, context, _ in
    guard let context, let handle else { return 0 }
    let transfers = Unmanaged<CurlTransfers>.fromOpaque(context).takeUnretainedValue()
    let interest = SocketPoll.Interest(
        socket: socket, isRead: interest == CURL_POLL_IN || interest == CURL_POLL_INOUT,
        isWritten: interest == CURL_POLL_OUT || interest == CURL_POLL_INOUT)
    transfers.watch(interest, of: handle)
    return 0
}

private let timerCallback: curl_multi_timer_callback = { _, milliseconds, context in
    guard let context else { return 0 }
    let transfers = Unmanaged<CurlTransfers>.fromOpaque(context).takeUnretainedValue()
    transfers.setTimer(milliseconds: milliseconds)
    return 0
}
#endif
