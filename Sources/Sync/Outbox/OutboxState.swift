import Feedback
import Foundation
import Persistence

/// The state of an outbox between its steps. It is guarded by a lock.
struct OutboxState {
    var queue = OutboxQueue()
    var link = OutboxLink()
    var channels: [String: any OutboxChannel] = [:]
    /// The names of the channels, also of those that are being added.
    var channelNames: Set<String> = []
    /// The number of steps that had work to do.
    var steps = 0
    /// Called at the end of the next step that has work to do.
    var stepWaiters: [CheckedContinuation<Void, Never>] = []
    var lastNumber = 0
    var results: [(row: OutboxRow, result: OutboxResult)] = []
    /// The writes that are ready to be sent. Each is sent as soon as an earlier request has ended. They are taken from the
    /// front one by one, which would move all others in an array.
    var ready: ArraySlice<OutboxRow> = []
    /// The writes whose requests are under way.
    var underWay: Set<Int> = []
    /// The tasks that send writes, by numbers of their own; nil for a moment after one was started.
    var senders: [Int: Task<Void, Never>?] = [:]
    private var lastSender = 0
    var problem: String?
    /// `true` if the server has answered the last request, or has asked to try again.
    var isServerReached = false
    var isScheduled = false
    var isStepping = false
    /// `true` if a step was due while another one was running.
    var mustStepAgain = false
    var isStepDelayed = false
    /// `true` if the disk has failed, and will be tried again after a while.
    var waitsForDisk = false
    /// The number of steps in a row that the disk could not keep, and the error of the last one.
    var diskFailure: (count: Int, error: StoreError)?
    var timer: (date: Date, disposable: (any Disposable)?)?

    var status: SyncStatus {
        SyncStatus(
            offlineSince: link.offlineSince, waiting: queue.waiting, parked: queue.parked,
            lastSuccess: link.lastSuccess, problem: problem, isServerReached: isServerReached)
    }
}

// MARK: - Channels

extension OutboxState {
    /// Closes a channel and takes its writes out of the queue, unless one of them is being sent. Its answer needs to see
    /// the later writes in the queue, so all of them stay there until then.
    ///
    /// - Returns: `true` if the channel is closed.
    mutating func close(_ channel: some OutboxChannel) -> Bool {
        if channel.gate.phase.withLock({ $0 == .closed }) { return true }
        let numbers = queue.numbers(of: channel.name)
        if numbers.contains(where: { queue.phase(of: $0) == .sending }) { return false }
        for number in numbers { queue.remove(number) }
        channel.gate.phase.withLock { $0 = .closed }
        channels[channel.name] = nil
        channelNames.remove(channel.name)
        return true
    }
}

// MARK: - Sending

extension OutboxState {
    /// The work of one step of an outbox. Its part on the disk is one transaction.
    struct Step {
        /// The answers to store.
        var ended: [(row: OutboxRow, result: OutboxResult)] = []
        /// The writes that were ready but are not sent now, since the server cannot be reached.
        var withdrawn: [OutboxRow] = []
        /// The writes to make ready.
        var numbers: [Int] = []
        /// The number of bytes that they may have in memory.
        var room = 0

        var isEmpty: Bool { ended.isEmpty && withdrawn.isEmpty && numbers.isEmpty }
    }

    /// The number of writes that are made ready for each request that may be under way, while the server answers.
    ///
    /// So there are requests to send while answers are written to the disk. If the process ends, a write that was made
    /// ready counts as possibly sent.
    private static let lead = 32

    /// The time in seconds for which an answer may wait for others, to be stored with them.
    static let stepDelay = 0.03

    /// The number of bytes that the writes which are ready may have.
    private static let readyBytes = 4_000_000

    /// Begins a step.
    mutating func nextStep(at now: Date, _ configuration: Outbox.Configuration) -> Step {
        var step = Step(ended: results)
        results = []
        let isClosed = link.nextProbe(after: now) != nil
        if isClosed || link.isOffline || step.ended.contains(where: \.result.reach.isFailure) {
            (step.withdrawn, ready) = (Array(ready), [])
        }
        // A failure may close the link, which is known only after the answers are stored.
        guard !isClosed, !step.ended.contains(where: \.result.reach.isFailure) else { return step }
        let width = link.width(configuration.width)
        let isAnswering = !link.isOffline && link.lastSuccess != nil
        var room = width * (isAnswering ? Self.lead : 1) - underWay.count - ready.count
        step.room = ready.reduce(Self.readyBytes) { $0 - $1.size }
        while room > 0, step.room > 0, let next = queue.next(at: now) {
            step.numbers.append(next)
            room -= 1
        }
        return step
    }

    /// Undoes a step that has failed, so that it is done again.
    mutating func undo(_ step: Step, because error: StoreError) {
        results = step.ended + results
        ready = step.withdrawn + ready
        for number in step.numbers { queue.sendAgain(number) }
        problem = "\(error)"
        diskFailure = ((diskFailure?.count ?? 0) + 1, error)
    }

    /// Takes the writes whose requests can begin now.
    mutating func nextRequests(at now: Date, _ configuration: Outbox.Configuration) -> [OutboxRow] {
        guard !ready.isEmpty, link.nextProbe(after: now) == nil else { return [] }
        let next = Array(ready.prefix(max(0, link.width(configuration.width) - underWay.count)))
        ready.removeFirst(next.count)
        // A slice keeps the rows that were taken from it.
        if ready.isEmpty { ready = [] }
        underWay.formUnion(next.map(\.number))
        return next
    }

    /// Adds a sender, and returns its number.
    mutating func addSender() -> Int {
        lastSender += 1
        senders.updateValue(nil, forKey: lastSender)
        return lastSender
    }

    /// Returns true if another step can send writes at once.
    func canGoOn(at now: Date, _ configuration: Outbox.Configuration) -> Bool {
        !waitsForDisk && queue.mayHaveNext && link.nextProbe(after: now) == nil
            && underWay.count + ready.count < link.width(configuration.width)
    }

    /// Returns true if an answer should be stored at once. Otherwise the outbox waits a moment, and stores several
    /// answers together.
    func isStepUrgent(_ configuration: Outbox.Configuration) -> Bool {
        ready.count < 4 * configuration.width || results.count >= 16 * configuration.width
    }
}

// MARK: - Answers

extension OutboxState {
    mutating func apply(
        _ settlement: OutboxSettlement, _ reach: OutboxResult.Reach, to number: Int, at now: Date,
        _ configuration: Outbox.Configuration
    ) {
        switch reach {
        case .answered:
            isServerReached = true
            if link.succeeded(at: now) { queue.hurry() }
            problem = nil
        case .notSent: break
        case let .busy(reason, after):
            isServerReached = true
            link.failed(at: now, isNetwork: false)
            if let after { link.pause(for: after.timeInterval, at: now) }
            problem = reason
        case let .unreachable(reason):
            isServerReached = false
            link.failed(at: now, isNetwork: true)
            problem = reason
        }
        let delay = DoublingDelay(first: 0.25, limit: configuration.retryInterval.timeInterval)
        switch settlement {
        case .done: queue.remove(number)
        case .parked: queue.park(number)
        case .rebased: queue.sendAgain(number, rebasedAt: now, delay)
        case .postponed:
            if case .busy = reach {
                queue.postpone(number, at: now, delay)
            } else {
                queue.sendAgain(number)
            }
        }
    }

    /// Returns the next time at which a step is due without an answer.
    func nextDate(after now: Date, _ configuration: Outbox.Configuration) -> Date? {
        guard queue.waiting > underWay.count else { return nil }
        if let probe = link.nextProbe(after: now) { return probe }
        // If all requests are under way, the end of one of them triggers the next step.
        return underWay.count < link.width(configuration.width) ? queue.nextDue : nil
    }
}

extension OutboxResult.Reach {
    var isFailure: Bool {
        switch self {
        case .answered, .notSent: false
        case .busy, .unreachable: true
        }
    }
}
