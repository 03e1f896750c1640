import CSQLite
import Foundation

extension SQLiteDatabase {
    /// Writes a copy of the database, as it is now, to a new file.
    ///
    ///     try database.copy(to: "/backups/movies.sqlite")
    ///
    /// Others read and write meanwhile; nothing that they write is in the copy. It is an ordinary database, without a log beside it.
    /// A database in memory can be kept in this way.
    ///
    /// Fails with ``StoreError/cannotOpen(file:reason:)`` if a file exists at the path. Whenever this fails, it leaves no file there.
    public func copy(to path: String) throws(StoreError) {
        let place = try SQLiteConnection.Location(.file(path), patience: configuration.patience)
        try read { connection throws(StoreError) in
            try place.makeFile()
            do throws(StoreError) {
                try connection.copy(to: try SQLiteConnection(place, flags: SQLITE_OPEN_READWRITE))
            } catch {
                for file in [place.file + "-journal", place.file] { unlink(file) }
                throw error
            }
        }
    }

    /// Gives the space of what was deleted back to the file system.
    ///
    /// This writes the whole file anew, which needs space for a second one. Meanwhile others read, and nobody writes.
    public func compact() throws(StoreError) {
        try withWriter { writer throws(StoreError) in
            try writer.connection.execute("VACUUM")
            writer.dataVersion = writer.connection.dataVersion
            // The file shrinks when the log is copied into it, now or at a later checkpoint.
            _ = writer.connection.withPatience(.milliseconds(50)) {
                writer.connection.checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
            }
        }
    }
}

extension SQLiteConnection {
    /// Copies all that a read of this connection sees at one moment.
    fileprivate func copy(to copy: SQLiteConnection) throws(StoreError) {
        guard let backup = sqlite3_backup_init(copy.handle, "main", handle, "main") else {
            throw copy.error(sqlite3_errcode(copy.handle))
        }
        let status = sqlite3_backup_step(backup, -1)
        sqlite3_backup_finish(backup)
        guard status != SQLITE_DONE else { return }
        let failure = copy.error(status)
        // The pages that were read are this database's.
        if case .corrupt(_, let reason) = failure { throw .corrupt(file: file, reason: reason) }
        throw failure
    }
}

extension SQLiteConnection.Location {
    /// Makes an empty file, which nobody else takes for theirs.
    fileprivate func makeFile() throws(StoreError) {
        let descriptor = open(file, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o644)
        guard descriptor != -1 else {
            if errno == EEXIST {
                throw .cannotOpen(
                    file: file, reason: "there is a file at this path already; choose another path, or delete the file")
            }
            throw explained(.cannotOpen(file: file, reason: String(cString: strerror(errno))), isReadOnly: false)
        }
        close(descriptor)
        // SQLite would take the log of another database for that of this one.
        for log in [file + "-wal", file + "-journal"] where FileManager.default.fileExists(atPath: log) {
            unlink(file)
            throw .cannotOpen(
                file: file, reason: "\(log) belongs to another database; choose another path, or delete that file")
        }
    }
}
