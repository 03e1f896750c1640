import CSQLite

/// When the write-ahead log of a database is copied into its file.
///
/// A checkpoint that waits for nobody cannot empty the log while readers never rest, and the log would grow without end. So from
/// some size on one waits a moment for the readers that are in its way; those that begin meanwhile are not.
struct SQLiteCheckpoints {
    enum Action: Equatable {
        case none
        /// Copies what no reader is in the way of.
        case passive
        /// Waits for readers, so that the next write begins the log anew.
        case restart
    }

    private static let pages = 1_000
    private var nextRestart = 4 * pages

    /// Returns what to do when the log has so many pages after a commit.
    func action(pages: Int) -> Action {
        pages >= nextRestart ? .restart : pages >= Self.pages ? .passive : .none
    }

    /// Notes what is left after an attempt to begin the log anew.
    mutating func restarted(_ isDone: Bool, pages: Int) {
        // A reader that takes very long is not waited for with each write.
        nextRestart = isDone ? 4 * Self.pages : pages + 4 * Self.pages
    }
}

extension SQLiteCheckpoints {
    /// Does what is to be done after a commit. A failure is of no harm: the log is complete without.
    mutating func run(on connection: SQLiteConnection) {
        switch action(pages: connection.logPages) {
        case .none: return
        case .passive: _ = connection.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
        case .restart:
            let pages = connection.logPages
            let isDone = connection.withPatience(.milliseconds(50)) { connection.checkpoint(SQLITE_CHECKPOINT_RESTART) }
            restarted(isDone, pages: pages)
        }
    }
}
