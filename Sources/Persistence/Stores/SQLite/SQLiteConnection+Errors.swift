import CSQLite

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
        case SQLITE_CANTOPEN, SQLITE_PERM: .cannotOpen(file: file, reason: reason)
        // The extended codes SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_CONSTRAINT_ROWID. The caller knows the object's id.
        case SQLITE_CONSTRAINT where status == 1555 || status == 2579: .duplicate(id: "")
        // The extended code is that of a foreign key or, for ON DELETE RESTRICT, that of a trigger.
        case SQLITE_CONSTRAINT where reason == "FOREIGN KEY constraint failed":
            .constraint(reason: "by a foreign key, a row would refer to one that does not exist")
        case SQLITE_CONSTRAINT: .constraint(reason: reason)
        default: .sqlite(code: status, reason: reason)
        }
    }
}
