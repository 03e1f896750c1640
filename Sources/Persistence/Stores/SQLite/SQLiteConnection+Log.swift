import CSQLite

// The write-ahead log.

extension SQLiteConnection {
    /// Lets writes go to a write-ahead log, so that readers never wait for them.
    ///
    /// SQLite needs the file for itself alone to begin a log, and fails at once if somebody else has it. So this tries
    /// again until the time is over that has begun at `start`.
    func turnOnLog(since start: ContinuousClock.Instant) throws(StoreError) {
        while true {
            do throws(StoreError) {
                let mode = try withPatience(patience - start.duration(to: .now)) { () throws(StoreError) in
                    try rows("PRAGMA journal_mode = WAL")
                }
                // A file system without shared memory is no error to SQLite, which then keeps the mode that it had.
                guard mode == [[.text("wal")]] else {
                    throw StoreError.cannotOpen(
                        file: file,
                        reason:
                            "its file system has no memory that connections share, which the write-ahead log needs; "
                            + "keep it on another file system")
                }
                return
            } catch {
                guard case .locked = error, start.duration(to: .now) < patience else { throw error }
                sqlite3_sleep(5)
            }
        }
    }

    /// Counts the pages of the log, and leaves checkpoints to ``SQLiteCheckpoints``.
    func watchLog() {
        sqlite3_wal_hook(
            handle,
            { connection, _, _, pages in
                connection.map {
                    Unmanaged<SQLiteConnection>.fromOpaque($0).takeUnretainedValue().logPages = Int(pages)
                }
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Copies the log into the file; returns true if it did everything that `mode` asks for.
    func checkpoint(_ mode: Int32) -> Bool {
        sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil) == SQLITE_OK
    }

    /// Runs `body` with another time limit for waiting on the locks of other connections.
    func withPatience<Result, Failure>(
        _ patience: Duration, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        sqlite3_busy_timeout(handle, patience.milliseconds)
        defer { sqlite3_busy_timeout(handle, self.patience.milliseconds) }
        return try body()
    }
}

extension Duration {
    /// The milliseconds, rounded down, as far as SQLite can count them.
    var milliseconds: Int32 {
        let seconds = max(0, min(components.seconds, Int64(Int32.max)))
        return Int32(clamping: seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)
    }
}
