import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The thread that owns all sockets: it waits for any of them, lets connections take and give bytes, and hands whole
/// requests to handlers. Everything here is touched by that one thread alone; others leave mail.
struct EventLoop {
    private let mailbox: Mailbox
    private let site: Site
    private let configuration: LocalBackend.Configuration
    private let executor: HandlerExecutor

    private var listener: Listener?
    private var acceptsAgain: ContinuousClock.Instant?
    private var links: [Link] = []
    private var places: [Int: Int] = [:]
    private var lastID = 0
    /// One for the mailbox, one for the listener, and one for each link, in the order of `links`.
    private var polls: [pollfd]
    /// No deadline of a connection is earlier than this.
    private var nextDeadline: ContinuousClock.Instant?

    private var stopDeadline: ContinuousClock.Instant?
    private var stopWaiters: [CheckedContinuation<Void, Never>] = []
    private var now = Moment(instant: .now, date: 0)
    private var input = [UInt8](repeating: 0, count: 65_536)

    init(listener: Listener, mailbox: Mailbox, site: Site, configuration: LocalBackend.Configuration) {
        self.listener = listener
        self.mailbox = mailbox
        self.site = site
        self.configuration = configuration
        executor = HandlerExecutor { [weak mailbox] in mailbox?.wake() }
        polls = [mailbox.descriptor, listener.socket.descriptor]
            .map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    }

    mutating func run() {
        while stopDeadline == nil || !links.isEmpty {
            wait()
            if polls[0].revents != 0 { mailbox.take().forEach { open($0) } }
            // Backwards, since a link that ends is replaced by the last one.
            for index in links.indices.reversed() where polls[index + fixedPolls].revents != 0 { serve(index) }
            acceptConnections()
            expireDeadlines()
            executor.relieve(now: now.instant)
        }
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
        now = Moment(instant: .now, date: time(nil))
    }

    private mutating func expireDeadlines() {
        if let stopDeadline, stopDeadline <= now.instant {
            for index in links.indices.reversed() { close(index, reset: false) }
        }
        guard let due = nextDeadline, due <= now.instant else { return }
        nextDeadline = nil
        for index in links.indices.reversed() {
            if let deadline = links[index].connection.nextDeadline {
                if deadline <= now.instant { links[index].connection.expire(now: now) }
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
        // Not without end, since those who are here already wait meanwhile.
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
        places[lastID] = links.count
        let connection = Connection(limits: configuration.limits, patience: configuration.patience)
        links.append(Link(id: lastID, socket: socket, connection: connection))
        polls.append(pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0))
        // Most clients have sent their request by now.
        links[links.count - 1].read(into: &input)
        settle(links.count - 1)
    }

    // MARK: - Serving a connection

    private mutating func serve(_ index: Int) {
        polls[index + fixedPolls].revents = 0
        if links[index].connection.wantsToRead { links[index].read(into: &input) }
        settle(index)
    }

    /// Lets a connection do all that it can do by itself, and notes what it waits for then.
    private mutating func settle(_ index: Int) {
        var wasCongested: Bool
        repeat {
            if let request = links[index].connection.nextRequest(now: now) { handle(request, index) }
            wasCongested = links[index].connection.isCongested
            links[index].write(now: now)
        } while wasCongested && !links[index].connection.isCongested

        if case .over(let reset) = links[index].connection.phase { return close(index, reset: reset) }
        links[index].endWritingIfDone()
        links[index].resumeProducerIfWelcome()
        note(index)
    }

    private mutating func note(_ index: Int) {
        let events = links[index].awaitedEvents
        polls[index + fixedPolls].events = events
        // Errors are reported even where nothing was asked for, again and again; they can wait until something is.
        polls[index + fixedPolls].fd = events == 0 ? -1 : links[index].socket.descriptor
        if let deadline = links[index].connection.nextDeadline {
            nextDeadline = min(nextDeadline ?? deadline, deadline)
        }
    }

    private mutating func close(_ index: Int, reset: Bool) {
        links[index].close(reset: reset)
        places[links[index].id] = nil
        links.swapAt(index, links.count - 1)
        polls.swapAt(index + fixedPolls, polls.count - 1)
        links.removeLast()
        polls.removeLast()
        if index < links.count { places[links[index].id] = index }
    }

    private mutating func handle(_ request: LocalBackend.Request, _ index: Int) {
        let id = links[index].id
        let admission = site.admit(request)
        links[index].handling = Task(executorPreference: executor) { [mailbox] in
            let answer = await admission.answer()
            mailbox.post(.answer(connection: id, answer))
            guard let produce = answer.producer else { return }
            let writer = LocalBackend.BodyWriter { data in
                try await withCheckedThrowingContinuation { continuation in
                    if !mailbox.post(.chunk(connection: id, data, continuation)) {
                        continuation.resume(throwing: CancellationError())
                    }
                }
            }
            let isWhole = (try? await produce(writer)) != nil
            mailbox.post(.endOfBody(connection: id, isWhole: isWhole))
        }
    }

    // MARK: - Mail

    private mutating func open(_ mail: Mailbox.Mail) {
        switch mail {
        case .answer(let id, let answer):
            guard let index = places[id] else { return }
            links[index].connection.answer(answer, now: now)
            settle(index)
        case .chunk(let id, let data, let continuation):
            guard let index = places[id], links[index].connection.phase == .streaming else {
                return continuation.resume(throwing: CancellationError())
            }
            links[index].connection.stream(data, now: now)
            links[index].producer = continuation
            settle(index)
        case .endOfBody(let id, let isWhole):
            guard let index = places[id] else { return }
            links[index].connection.endStream(isWhole: isWhole, now: now)
            settle(index)
        case .stop(let deadline, let waiter):
            if let waiter { stopWaiters.append(waiter) }
            stop(by: deadline)
        }
    }

    private mutating func stop(by deadline: ContinuousClock.Instant) {
        let isFirst = stopDeadline == nil
        stopDeadline = min(stopDeadline ?? deadline, deadline)
        guard isFirst else { return }
        // Whoever has connected by now is served still.
        polls[1].revents = Int16(POLLIN)
        acceptConnections()
        listener?.socket.close()
        listener = nil
        polls[1] = pollfd(fd: -1, events: 0, revents: 0)
        for index in links.indices.reversed() {
            if links[index].connection.wantsToRead { links[index].read(into: &input) }
            links[index].connection.stop(now: now)
            settle(index)
        }
    }
}
