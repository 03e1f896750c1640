import CSQLite

extension SQLiteConnection {
    /// A statement that begins or ends a transaction. It has a slot in every connection, and so is not found by its text,
    /// which a user's SQL may have as well.
    enum TransactionStatement: Int, CaseIterable {
        case begin
        case beginReading
        case commit
        case rollback

        fileprivate var text: String {
            switch self {
            case .begin: "BEGIN IMMEDIATE"
            case .beginReading: "BEGIN"
            case .commit: "COMMIT"
            case .rollback: "ROLLBACK"
            }
        }
    }

    func run(_ statement: TransactionStatement) throws(StoreError) {
        try run(self.statement(statement.rawValue, statement.text))
    }

    /// Lets `body` prepare statements that neither begin nor end transactions, nor attach files.
    func withoutTransactionControl<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        sqlite3_set_authorizer(
            handle,
            { _, action, _, _, _, _ in
                switch action {
                case SQLITE_TRANSACTION, SQLITE_SAVEPOINT, SQLITE_ATTACH, SQLITE_DETACH: SQLITE_DENY
                default: SQLITE_OK
                }
            }, nil)
        defer { sqlite3_set_authorizer(handle, nil, nil) }
        do throws(StoreError) {
            return try body()
        } catch .sqlite(code: SQLITE_AUTH, _) {
            throw .refused(
                reason: "a statement of SQL neither begins nor ends a transaction, nor attaches a file; "
                    + "use the store's transaction function")
        }
    }
}
