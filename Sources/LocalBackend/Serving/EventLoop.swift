import Foundation

/// The thread that owns all sockets: it waits for any of them, reads and writes bytes, and passes complete requests to
/// handlers. Only this thread accesses the loop; other threads post mail.
struct EventLoop {
    private let mailbox: Mailbox
    private let serverState: ServerState
    private let configuration: LocalBackend.Configuration
    private let executor: HandlerExecutor

    private var listener: Listener?
    private var acceptsAgain: ContinuousClock.Instant?
    private var connections: [SocketConnection] = []
    private var places: [Int: Int] = [:]
    private var lastID = 0
    /// The polled descriptors: the mailbox's, the listener's, and one for each connection, in the order of
    /// `connections`.
    private var polls: [pollfd]
    /// A time that is not later than any connection's deadline.
    private var nextDeadline: ContinuousClock.Instant?

    private var stopDeadline: ContinuousClock.Instant?
    private var stopWaiters: [CheckedContinuation<Void, Never>] = []
    private var now = Moment(instant: .now, second: 0)
    private var input = [UInt8](repeating: 0, count: 65_536)

    init(listener: Listener, mailbox: Mailbox, serverState: ServerState, configuration: LocalBackend.Configuration) {
        self.listener = listener
        self.mailbox = mailbox
        self.serverState = serverState
        self.configuration = configuration
        executor = HandlerExecutor { [weak mailbox] in mailbox?.wake() }
        polls = [mailbox.descriptor, listener.socket.descriptor].map(pollfd.init(reading:))
    }

    mutating func run() {
        while stopDeadline == nil || !connections.isEmpty {
            wait()
            // Handlers' threads are woken once for all requests of this round.
            executor.gather()
            if polls[0].revents != 0 { mailbox.take().forEach { open($0) } }
            // Backwards, because a connection that is closed is replaced by the last one.
            for index in connections.indices.reversed() where polls[index + fixedPolls].revents != 0 { serve(index) }
            acceptConnections()
            expireDeadlines()
            executor.release()
            executor.relieve(now: now.instant)
        }
        executor.release()
        executor.close()
        listener?.socket.close()
        mailbox.close().forEach { open($0) }
        stopWaiters.forEach { $0.resume() }
    }

    private let fixedPolls = 2

    // MARK: - Waiting

    private mutating func wait() {
        var timeout: Int32 = -1
        if let deadline = [nextDeadline, stopDeadline, acceptsAgain, executor.nextCheck].compactMap({ $0 }).min() {
            let left = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
            timeout = Int32(min(max(left.rounded(.up), 0), 60_000))
        }
        if poll(&polls, nfds_t(polls.count), timeout) < 0 {
            for index in polls.indices { polls[index].revents = 0 }
        }
        now.update(instant: .now, second: time(nil))
    }

    private mutating func expireDeadlines() {
        if let stopDeadline, stopDeadline <= now.instant {
            for index in connections.indices.reversed() {
                close(index, reset: connections[index].connection.wouldEndBodyEarly)
            }
        }
        guard let due = nextDeadline, due <= now.instant else { return }
        nextDeadline = nil
        for index in connections.indices.reversed() {
            if let deadline = connections[index].connection.nextDeadline {
                if deadline <= now.instant { connections[index].connection.expire(now: now) }
                settle(index)
            }
        }
    }

    // MARK: - Accepting

    private mutating func acceptConnections() {
        if let again = acceptsAgain, again <= now.instant {
            acceptsAgain = nil
            polls[1].fd = listener?.socket.descriptor ?? -1
        }
        guard let listener, acceptsAgain == nil, polls[1].revents != 0 else { return }
        // Up to a limit, because connected clients wait meanwhile.
        for _ in 0..<1_024 {
            switch listener.accept() {
            case .accepted(let socket): add(socket)
            case .none: return
            case .exhausted:
                acceptsAgain = now.instant + .milliseconds(50)
                polls[1].fd = -1
                return
            }
        }
    }

    private mutating func add(_ socket: Socket) {
        lastID += 1
        places[lastID] = connections.count
        let connection = Connection(limits: configuration.limits, timeouts: configuration.timeouts)
        connections.append(SocketConnection(id: lastID, socket: socket, connection: connection))
        polls.append(pollfd(reading: socket.descriptor))
        // Most clients have sent their request by now.
        connections[connections.count - 1].read(into: &input)
        settle(connections.count - 1)
    }

    // MARK: - Serving a connection

    private mutating func serve(_ index: Int) {
        if connections[index].connection.wantsToRead { connections[index].read(into: &input) }
        settle(index)
    }

    /// Lets a connection do all that it can do without waiting, and then notes the events that it waits for.
    private mutating func settle(_ index: Int) {
        var wasCongested: Bool
        repeat {
            if let request = connections[index].connection.nextRequest(now: now) { handle(request, index) }
            wasCongested = connections[index].connection.isCongested
            connections[index].write(now: now)
        } while wasCongested && !connections[index].connection.isCongested

        if case .over(let reset) = connections[index].connection.phase { return close(index, reset: reset) }
        connections[index].endWritingIfDone()
        connections[index].resumeProducersIfWelcome()
        note(index)
    }

    private mutating func note(_ index: Int) {
        let events = connections[index].awaitedEvents
        polls[index + fixedPolls].events = events
        // `poll` reports errors again and again, even if no event is asked for, so the descriptor is left out until one
        // is.
        polls[index + fixedPolls].fd = events == 0 ? -1 : connections[index].socket.descriptor
        if let deadline = connections[index].connection.nextDeadline {
            nextDeadline = min(nextDeadline ?? deadline, deadline)
        }
    }

    private mutating func close(_ index: Int, reset: Bool) {
        connections[index].close(reset: reset)
        places[connections[index].id] = nil
        connections.swapAt(index, connections.count - 1)
        polls.swapAt(index + fixedPolls, polls.count - 1)
        connections.removeLast()
        polls.removeLast()
        if index < connections.count { places[connections[index].id] = index }
    }

    private mutating func handle(_ request: LocalBackend.Request, _ index: Int) {
        let exchange = connections[index].beginExchange()
        let admitted = serverState.admit(request)
        connections[index].handling = Task(executorPreference: executor) {
            [mailbox, onAnswer = configuration.onAnswer] in
            let answer = await admitted.answer()
            onAnswer?(admitted.request, answer.response)
            mailbox.post(.answer(exchange, answer))
            guard let produce = answer.producer else { return }
            let writer = LocalBackend.BodyWriter { data in
                try await withCheckedThrowingContinuation { continuation in
                    if !mailbox.post(.chunk(exchange, data, continuation)) {
                        continuation.resume(throwing: CancellationError())
                    }
                }
            }
            let isWhole = (try? await produce(writer)) != nil
            mailbox.post(.endOfBody(exchange, isWhole: isWhole))
        }
    }

    // MARK: - Mail

    private mutating func open(_ mail: Mailbox.Mail) {
        switch mail {
        case .answer(let exchange, let answer):
            guard let index = place(of: exchange) else { return }
            connections[index].connection.answer(answer, now: now)
            settle(index)
        case .chunk(let exchange, let data, let continuation):
            guard let index = place(of: exchange), connections[index].connection.phase == .streaming else {
                return continuation.resume(throwing: CancellationError())
            }
            connections[index].connection.stream(data, now: now)
            connections[index].producers.append(continuation)
            settle(index)
        case .endOfBody(let exchange, let isWhole):
            guard let index = place(of: exchange) else { return }
            connections[index].connection.endStream(isWhole: isWhole, now: now)
            settle(index)
        case .stop(let deadline, let waiter):
            if let waiter { stopWaiters.append(waiter) }
            stop(by: deadline)
        }
    }

    /// Returns the place of the connection; `nil` if it is closed, or if the exchange is not its latest one.
    private func place(of exchange: Mailbox.ExchangeID) -> Int? {
        places[exchange.connection].flatMap { connections[$0].exchange == exchange ? $0 : nil }
    }

    private mutating func stop(by deadline: ContinuousClock.Instant) {
        let isFirst = stopDeadline == nil
        stopDeadline = min(stopDeadline ?? deadline, deadline)
        guard isFirst else { return }
        // Clients that have connected by now are still served.
        polls[1].revents = Int16(POLLIN)
        acceptConnections()
        listener?.socket.close()
        listener = nil
        polls[1].fd = -1
        for index in connections.indices.reversed() {
            if connections[index].connection.wantsToRead { connections[index].read(into: &input) }
            connections[index].connection.stop(now: now)
            settle(index)
        }
    }
}

extension pollfd {
    /// Waits for bytes, or for clients of a listener.
    fileprivate init(reading descriptor: Int32) { self.init(fd: descriptor, events: Int16(POLLIN), revents: 0) }
}
