import CSQLite

extension SQLiteDatabase {
    /// The rows that a transaction has changed itself, without those that triggers and foreign keys have changed.
    struct OwnRows {
        /// ``SQLiteConnection/totalChanges`` when the transaction began.
        let firstChange: Int
        var count = 0
        /// Their numbers for each table, counted if queries are observed.
        var byTable: [String: Int] = [:]
        /// The tables that its statements may change besides their own.
        var triggerTargets: Set<String> = []
        /// True if a step of it has failed, whose rows SQLite may have reported before it took them back.
        var hasFailedStep = false
    }

    /// The connection that writes, and the changes of its transaction.
    // Unchecked, since only the holder of the writer's lock reaches it.
    final class Writer: @unchecked Sendable {
        let connection: SQLiteConnection
        var changes = ChangeLog([])
        /// The changed objects of observed tables, by the tables' names.
        var edits: [String: any SQLiteEditing] = [:]
        /// The rows that the transaction has changed itself.
        var ownRows: OwnRows
        /// The numbers of all changed rows, counted if queries are observed.
        let allRows = SQLiteRowCounts()
        /// The ``SQLiteConnection/dataVersion`` after the last transaction.
        var dataVersion: UInt32?
        /// The error with which SQLite has ended the transaction on its own, or with which a step has failed that cannot be
        /// undone alone; nil if there is none.
        var failure: StoreError?
        var checkpoints = SQLiteCheckpoints()
        /// The time since which another process has held the file, if it did so when a transaction last began.
        var heldSince: ContinuousClock.Instant?

        init(_ connection: SQLiteConnection) {
            self.connection = connection
            ownRows = OwnRows(firstChange: connection.totalChanges)
        }

        /// Runs one step of a transaction; none runs once SQLite has ended it, as it does on a full disk.
        func step<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
            if let failure { throw failure }
            do throws(StoreError) {
                return try body()
            } catch {
                ownRows.hasFailedStep = true
                if !connection.isInTransaction { failure = error }
                throw error
            }
        }

        /// Undoes the part that has begun last, and ends it.
        func undoPart() {
            // If SQLite has ended the whole transaction, there is nothing to return to.
            guard connection.isInTransaction else { return }
            do throws(StoreError) {
                try connection.run(.undoPart)
                try connection.run(.endPart)
                // Also what a statement that failed had kept.
                failure = nil
            } catch {
                // The transaction must not be committed with what could not be undone.
                failure = error
            }
        }

        /// Runs a statement of the library's user.
        func execute(_ sql: SQL) throws(StoreError) -> Int {
            try step { () throws(StoreError) in
                changes.noteAnything()
                return try connection.execute(sql)
            }
        }
    }
}
