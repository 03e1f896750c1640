import CPostgres
import Dispatch
import Feedback
import Foundation
import Persistence

/// A connection that is notified of the writes of all processes, and lets the observed queries ask again.
///
/// Writers send the names of their tables in their transactions, so the notification arrives exactly when the writes
/// can be read. After a lost connection is back, all queries ask again, since the server does not repeat missed
/// notifications.
final class PostgresListener: Sendable {
    static var channel: String { "feedback" }
    /// The name that a writer sends if it may have written to any table.
    static var anyTable: String { "" }

    let observed = ObservedQueries()
    /// The queue on which observers are called, one after the other; a slow one is called on a global queue.
    private let queue = DispatchQueue(label: "PostgreSQL observers")
    private let queueMark = DispatchSpecificKey<Bool>()
    private let address: PostgresAddress
    private let patience: Duration
    private let limit: AnswerLimit
    /// The time in milliseconds after which a silent connection is asked if it is still there.
    private let silence: Int32
    private let state = Locked(ListenerState<DispatchSemaphore>())
    private let alarm = Alarm()

    init(_ address: PostgresAddress, patience: Duration, answerTimeout: Duration, silence: Int32 = 30_000) {
        self.address = address
        self.patience = patience
        self.silence = silence
        limit = AnswerLimit(answerTimeout)
        queue.setSpecific(key: queueMark, value: true)
    }

    /// Runs `body` on the queue of the observers; at once if one of them calls this, since it may wait for the result.
    func onQueue(_ body: @escaping @Sendable () -> Void) {
        if DispatchQueue.getSpecific(key: queueMark) == true { body() } else { queue.async(execute: body) }
    }

    // MARK: - Listening

    /// Begins to listen, and waits until it does, so that no write is missed from then on.
    func listen() throws(StoreError) {
        let isListening = DispatchSemaphore(value: 0)
        switch state.withLock({ $0.add(isListening) }) {
        case .nothing: return
        case .wait: break
        case .connect:
            let thread = Thread { self.run() }
            thread.name = "PostgreSQL listener"
            thread.start()
        }
        _ = isListening.wait(timeout: .now() + patience.timeInterval)
        let late = StoreError.unreachable(reason: "\(address) did not answer in \(patience)")
        if let failure = state.withLock({ $0.remove(isListening, orLate: late) }) { throw failure }
    }

    /// Ends the thread.
    func stop() {
        enter(.over)
        alarm.ring()
    }

    private var isOver: Bool { state.withLock { $0.phase == .over } }

    private func run() {
        while !isOver {
            do throws(StoreError) {
                let connection = try PostgresConnection(address, patience: patience, limit: limit)
                try connection.run("LISTEN \(Self.channel)")
                enter(.listening)
                tell(Set([Self.anyTable]))
                receiveNotifications(on: connection)
                enter(.connecting)
            } catch {
                // Waiting does not help if the server refuses the connection.
                if case .unreachable = error { enter(.connecting) } else { enter(.connecting, error) }
            }
            if isOver { return }
            _ = alarm.wait(for: [], milliseconds: state.withLock { $0.pause() })
        }
    }

    private func enter(_ phase: ListenerState<DispatchSemaphore>.Phase, _ failure: StoreError? = nil) {
        for waiter in state.withLock({ $0.enter(phase, failure) }) { waiter.signal() }
    }

    /// Receives notifications until the connection is lost or no longer needed.
    private func receiveNotifications(on connection: PostgresConnection) {
        while !isOver, !connection.isLost {
            switch alarm.wait(for: [PQsocket(connection.handle)], milliseconds: silence) {
            // A connection that was silent for long may have been cut without notice.
            case nil: if (try? connection.run("SELECT 1")) == nil { return }
            // The alarm has rung.
            case []: continue
            default: if PQconsumeInput(connection.handle) == 0 { return }
            }
            var tables: Set<String> = []
            while let notification = PQnotifies(connection.handle) {
                if let table = notification.pointee.extra { tables.insert(String(cString: table)) }
                PQfreemem(notification)
            }
            if !tables.isEmpty { tell(tables) }
        }
    }

    // MARK: - Telling

    /// Marks the answers about tables as stale, before their observers are told.
    func invalidate(_ tables: Set<String>) { for query in queries(of: tables) { query.invalidate() } }

    /// Lets the queries about tables ask again, and tell their observers.
    private func tell(_ tables: Set<String>) {
        let queries = queries(of: tables)
        guard !queries.isEmpty else { return }
        for query in queries { query.invalidate() }
        queue.async { for query in queries { query.tell() } }
    }

    /// Lets the queries about a table ask again in a moment, since they could not ask now.
    func tellSoon(_ table: String) {
        queue.asyncAfter(deadline: .now() + 0.5) { [weak self] in self?.tell([table]) }
    }

    private func queries(of tables: Set<String>) -> [ObservedQuery] {
        let all = observed.all
        if tables.contains(Self.anyTable) { return all }
        return all.filter { $0.table == Self.anyTable || tables.contains($0.table) }
    }
}
