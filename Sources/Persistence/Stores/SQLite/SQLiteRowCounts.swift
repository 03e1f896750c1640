import CSQLite

/// Counts the rows of each table that a connection changes, including those that triggers and foreign keys change.
///
/// SQLite reports neither rows of tables without row ids, nor those that it deletes by clearing a whole table.
// Unchecked, since only the thread that writes reaches it.
final class SQLiteRowCounts: @unchecked Sendable {
    private var counts: [String: Int] = [:]

    /// Begins to count from zero.
    func begin(on connection: SQLiteConnection) {
        counts = [:]
        sqlite3_update_hook(
            connection.handle,
            { counts, _, _, name, _ in
                guard let counts, let name else { return }
                Unmanaged<SQLiteRowCounts>.fromOpaque(counts).takeUnretainedValue()
                    .counts[String(cString: name), default: 0] += 1
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    func end(on connection: SQLiteConnection) { sqlite3_update_hook(connection.handle, nil, nil) }

    /// The number of reported rows.
    var total: Int { counts.values.reduce(0, +) }

    /// The numbers of reported rows, by the names of the tables as observers know them.
    var byTable: [String: Int] {
        Dictionary(counts.map { (observedName(of: $0), $1) }, uniquingKeysWith: +)
    }
}

/// Returns the name by which observers know a table; to SQLite, ASCII letters of either case are the same.
func observedName(of table: String) -> String {
    String(decoding: table.utf8.map { 65...90 ~= $0 ? $0 + 32 : $0 }, as: UTF8.self)
}
