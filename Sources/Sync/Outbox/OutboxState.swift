import Feedback
import Foundation

/// The state of an outbox between its steps. It is reached under a lock.
struct OutboxState {
    var queue = OutboxQueue()
    var link = OutboxLink()
    var channels: [String: any OutboxChannel] = [:]
    var lastNumber = 0
    var results: [(row: OutboxRow, result: OutboxResult)] = []
    var requests: [Int: Task<Void, Never>] = [:]
    var problem: String?
    var isScheduled = false
    var isStepping = false
    var timer: (date: Date, disposable: (any Disposable)?)?

    var status: SyncStatus {
        SyncStatus(
            offlineSince: link.offlineSince, waiting: queue.waiting, parked: queue.parked,
            lastSuccess: link.lastSuccess, problem: problem)
    }
}

extension OutboxState {
    mutating func apply(
        _ settlement: OutboxSettlement, _ reach: OutboxResult.Reach, to number: Int, at now: Date,
        _ configuration: Outbox.Configuration
    ) {
        switch reach {
        case .answered:
            if link.succeeded(at: now) { queue.hurry() }
            problem = nil
        case let .busy(reason):
            link.failed(at: now, isNetwork: false)
            problem = reason
        case let .unreachable(reason):
            link.failed(at: now, isNetwork: true)
            problem = reason
        }
        switch settlement {
        case .done: queue.remove(number)
        case .parked: queue.park(number)
        case .rebased: queue.sendAgain(number)
        case .postponed:
            if case .busy = reach {
                queue.postpone(number, at: now, Backoff(first: 0.25, limit: configuration.retryInterval.timeInterval))
            } else {
                queue.sendAgain(number)
            }
        }
    }

    /// The next time at which there is something to do that no answer brings about.
    func nextDate(after now: Date, _ configuration: Outbox.Configuration) -> Date? {
        guard queue.waiting > queue.sending else { return nil }
        if let probe = link.nextProbe(after: now) { return probe }
        // What can be sent now waits for the end of a request.
        return queue.sending < link.width(configuration.width) ? queue.nextDue : nil
    }
}

extension OutboxResult.Reach {
    var isFailure: Bool {
        if case .answered = self { false } else { true }
    }
}
