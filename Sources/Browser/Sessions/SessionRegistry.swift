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
        let (session, removed) = sessions.withLock { sessions -> (BrowserSession, BrowserSession?) in
            if let session = sessions[id] { return (session, nil) }
            defer { sessions[id] = new }
            guard sessions.count >= maximum else { return (new, nil) }
            // A session that a tab shows is removed only if tabs show all of them.
            let oldest = sessions.min {
                ($0.value.isWatched ? 1 : 0, $0.value.lastUse) < ($1.value.isWatched ? 1 : 0, $1.value.lastUse)
            }
            return (new, oldest.flatMap { sessions.removeValue(forKey: $0.key) })
        }
        // Its screens, and their loops, end outside the lock.
        withExtendedLifetime(removed) {}
        return session
    }
}
