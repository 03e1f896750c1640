import CSQLite

/// The policy for checkpoints, which copy the write-ahead log of a database into its file.
///
/// A checkpoint that does not wait cannot empty the log while there is always a reader, and the log would grow without
/// end. So from some size on, a checkpoint waits a moment for the readers of the old log; readers that begin meanwhile
/// do not block it.
struct SQLiteCheckpoints {
    enum Action: Equatable {
        case none
        /// Copies the pages that no reader blocks.
        case passive
        /// Waits for readers, so that the next write restarts the log.
        case restart
    }

    private static let pages = 1_000
    private var nextRestart = 4 * pages

    /// Returns the action for a log with this number of pages after a commit.
    func action(pages: Int) -> Action {
        pages >= nextRestart ? .restart : pages >= Self.pages ? .passive : .none
    }

    /// Records the result of an attempt to restart the log.
    mutating func restarted(_ isDone: Bool, pages: Int) {
        // After a failed attempt, the next writes do not wait again for a very slow reader.
        nextRestart = isDone ? 4 * Self.pages : pages + 4 * Self.pages
    }
}

extension SQLiteCheckpoints {
    /// Runs the checkpoint that is due after a commit. A failure does no harm, since the log itself is complete.
    mutating func run(on connection: SQLiteConnection) {
        switch action(pages: connection.logPages) {
        case .none: return
        case .passive: _ = connection.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
        case .restart: restart(on: connection)
        }
    }

    /// Tries to restart the log.
    mutating func restart(on connection: SQLiteConnection) {
        let isDone = connection.withPatience(.milliseconds(50)) { connection.checkpoint(SQLITE_CHECKPOINT_RESTART) }
        restarted(isDone, pages: connection.logPages)
    }
}
