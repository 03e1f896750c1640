import CSQLite
import Foundation

extension SQLiteConnection {
    func check(_ status: Int32) throws(StoreError) {
        if status != SQLITE_OK { throw error(status) }
    }

    /// Returns the error for a statement that has failed, or one of whose values could not be bound.
    func error(_ status: Int32, of statement: SQLiteStatement) -> StoreError {
        statement.binder.refusal.map { .constraint(reason: "a value cannot be encoded: \($0)") } ?? error(status)
    }

    func error(_ status: Int32) -> StoreError {
        let reason = String(cString: sqlite3_errmsg(handle))
        return switch status & 0xFF {
        case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt(file: file, reason: reason)
        // A damaged number in the header of the file.
        case SQLITE_ERROR where reason == "unsupported file format": .corrupt(file: file, reason: reason)
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .locked(file: file)
        case SQLITE_READONLY: .readOnly(file: file)
        case SQLITE_FULL: .full(file: file)
        case SQLITE_IOERR where !Self.readErrors.contains(status) && isFull: .full(file: file)
        case SQLITE_CANTOPEN, SQLITE_PERM: .cannotOpen(file: file, reason: systemReason ?? reason)
        // The extended code is that of a foreign key or, for ON DELETE RESTRICT, that of a trigger.
        case SQLITE_CONSTRAINT where reason == "FOREIGN KEY constraint failed":
            .constraint(reason: "by a foreign key, a row would refer to one that does not exist")
        case SQLITE_CONSTRAINT: .constraint(reason: reason)
        default: .sqlite(code: status, reason: reason)
        }
    }

    /// The extended codes SQLITE_IOERR_READ and SQLITE_IOERR_SHORT_READ. To read needs no space.
    private static let readErrors: [Int32] = [266, 522]

    /// True if an I/O error was one of a file that cannot grow, since the disk or a quota is used up, or since files may not be
    /// larger.
    private var isFull: Bool {
        var log: UnsafeMutablePointer<sqlite3_file>?
        var error: Int32 = 0
        // A write fails in the log first. For a commit, SQLite keeps the error nowhere else.
        if sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) == SQLITE_OK, let log {
            _ = log.pointee.pMethods?.pointee.xFileControl?(log, SQLITE_FCNTL_LAST_ERRNO, &error)
        }
        if error == 0 { sqlite3_file_control(handle, "main", SQLITE_FCNTL_LAST_ERRNO, &error) }
        if error == 0 { error = sqlite3_system_errno(handle) }
        return [ENOSPC, EDQUOT, EFBIG].contains(error)
    }

    /// The reason that the system gives for the failure to open a file; nil if there is none.
    private var systemReason: String? {
        let error = sqlite3_system_errno(handle)
        return error == 0 ? nil : String(cString: strerror(error))
    }
}
