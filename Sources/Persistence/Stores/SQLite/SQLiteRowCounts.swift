import CSQLite

/// Counts the rows of each table that a connection changes, including those that triggers and foreign keys change.
///
/// SQLite reports neither rows of tables without row ids, nor those that it deletes by clearing a whole table.
// Unchecked, since only the thread that writes reaches it.
final class SQLiteRowCounts: @unchecked Sendable {
    private var counts: [(table: String, count: Int)] = []
    /// The name that SQLite gave last, and the index of its table.
    private var last: (name: UnsafePointer<CChar>, index: Int)?

    /// Begins to count from zero.
    func begin(on connection: SQLiteConnection) {
        (counts, last) = ([], nil)
        sqlite3_update_hook(
            connection.handle,
            { counts, _, _, name, _ in
                guard let counts, let name else { return }
                Unmanaged<SQLiteRowCounts>.fromOpaque(counts).takeUnretainedValue().add(name)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    func end(on connection: SQLiteConnection) { sqlite3_update_hook(connection.handle, nil, nil) }

    /// The number of reported rows.
    var total: Int { counts.reduce(0) { $0 + $1.count } }

    /// The numbers of reported rows, by the names of the tables as observers know them.
    var byTable: [String: Int] {
        Dictionary(counts.map { (observedName(of: $0.table), $0.count) }, uniquingKeysWith: +)
    }

    private func add(_ name: UnsafePointer<CChar>) {
        // Most changes are of the same table as the one before.
        if let last, last.name == name { return counts[last.index].count += 1 }
        let table = String(cString: name)
        let index = counts.firstIndex { $0.table == table } ?? counts.count
        if index == counts.count { counts.append((table, 0)) }
        counts[index].count += 1
        last = (name, index)
    }
}

/// Returns the name by which observers know a table; to SQLite, ASCII letters of either case are the same.
func observedName(of table: String) -> String {
    String(decoding: table.utf8.map { 65...90 ~= $0 ? $0 + 32 : $0 }, as: UTF8.self)
}
