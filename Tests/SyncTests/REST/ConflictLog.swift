import Feedback
import Sync

/// The conflicts of an outbox so far.
final class ConflictLog: Sendable {
    private let log = Locked<[ConflictEvent]>([])

    init(_ outbox: Outbox) {
        outbox.conflicts.observeValues { [weak self] event in self?.log.withLock { $0.append(event) } }
    }

    var events: [ConflictEvent] { log.withLock { $0 } }
    var columns: [[String]] { events.map(\.columns) }
}
