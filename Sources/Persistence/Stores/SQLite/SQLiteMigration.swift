import CSQLite
import Foundation

/// A connection to a SQLite file during its migrations.
struct SQLiteMigration: MigratingConnection {
    /// The connection, and the error with which SQLite has ended the transaction, if it has.
    let writer: SQLiteDatabase.Writer

    func rows(_ sql: SQL) throws(StoreError) -> [[PrimitiveValue]] {
        try step(sql.text[...]) { connection throws(StoreError) in
            try connection.rows(sql.text, sql.values, isUsers: true)
        } ?? []
    }

    func execute(_ sql: SQL) throws(StoreError) -> Int {
        try step(sql.text[...]) { connection throws(StoreError) in try connection.execute(sql) } ?? 0
    }

    func run(_ statements: String) throws(StoreError) {
        var rest = statements[...]
        while !rest.isEmpty {
            let before = rest
            let isRun: Void? = try step(before) { connection throws(StoreError) in
                guard let statement = try connection.prepareNext(&rest, isUsers: true) else { return }
                try statement.bindAll([])
                try connection.run(statement)
            }
            // A statement that was not even prepared is still in the rest.
            if isRun == nil, rest.utf8.count == before.utf8.count {
                guard let end = rest.endOfStatement else { return }
                rest = rest[end...]
            }
        }
    }

    /// Runs the first statement in `text` by `body`; returns nil if it names a table that the file does not have.
    private func step<Result>(
        _ text: Substring, _ body: (SQLiteConnection) throws(StoreError) -> Result
    ) throws(StoreError) -> Result? {
        do throws(StoreError) {
            return try writer.step { () throws(StoreError) in try body(writer.connection) }
        } catch {
            if let table = error.missingTable, writer.connection.isMissing(table, namedIn: text) { return nil }
            throw error
        }
    }
}

extension SQLiteConnection {
    /// Returns true if the first statement in `text` itself names a missing table, and not only a trigger or a view that it uses.
    fileprivate func isMissing(_ table: String, namedIn text: Substring) -> Bool {
        // In a trigger or a view, SQLite reports the name with that of the schema.
        let names = [table, String(table.drop { $0 != "." }.dropFirst())].filter { !$0.isEmpty }
        guard names.contains(where: { text.range(of: $0, options: .caseInsensitive) != nil }) else { return false }
        csqlite_enable_triggers(handle, false)
        defer { csqlite_enable_triggers(handle, true) }
        var text = text
        do throws(StoreError) {
            _ = try prepareNext(&text)
            return false
        } catch {
            return error.missingTable == table
        }
    }
}

extension Substring {
    /// The end of the first statement, which SQLite does not return for a statement that it cannot prepare; nil if the
    /// statement ends with the text.
    fileprivate var endOfStatement: Index? {
        // A semicolon may be in a literal, a comment or a trigger.
        indices.lazy.filter { self[$0] == ";" }.map { self.index(after: $0) }
            .first { sqlite3_complete(String(self[..<$0])) != 0 }
    }
}

extension StoreError {
    /// The table that does not exist, as SQLite reports it; nil for another error.
    fileprivate var missingTable: String? {
        let beginning = "no such table: "
        guard case .sqlite(1, let reason) = self, reason.hasPrefix(beginning) else { return nil }
        return String(reason.dropFirst(beginning.count))
    }
}
