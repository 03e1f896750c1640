import Feedback
import Presentation

/// The sessions of a display by their ids. Their number is bounded: with one more, the session that was not used for
/// the longest time is removed.
final class SessionRegistry: Sendable {
    private let makeSession: @Sendable () -> BrowserSession
    private let maximum: Int
    private let sessions = Locked<[String: BrowserSession]>([:])

    init(maximum: Int, makeSession: @escaping @Sendable () -> BrowserSession) {
        self.maximum = max(1, maximum)
        self.makeSession = makeSession
    }

    var count: Int { sessions.withLock(\.count) }

    /// Returns the session with an id; a new one if there is none.
    func session(_ id: String) -> BrowserSession {
        if let session = sessions.withLock({ $0[id] }) { return session }
        let new = makeSession()
        return sessions.withLock { sessions in
            if let session = sessions[id] { return session }
            if sessions.count >= maximum {
                // A session that a tab shows is removed only if tabs show all of them.
                let oldest = sessions.min {
                    ($0.value.isWatched ? 1 : 0, $0.value.lastUse) < ($1.value.isWatched ? 1 : 0, $1.value.lastUse)
                }
                if let oldest { sessions[oldest.key] = nil }
            }
            sessions[id] = new
            return new
        }
    }
}
