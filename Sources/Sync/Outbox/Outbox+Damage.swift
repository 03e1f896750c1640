import Foundation
import Persistence

extension Outbox {
    /// Writes the keys of the first rows in capitals. A table that has UUIDs in small letters there cannot be opened; in
    /// the other rows they are mended when they are read.
    static func capitalizeKeys(in database: SQLiteDatabase) throws(StoreError) {
        let tables = try database.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'outbox'")
        if tables.isEmpty { return }
        let numbers = try database.rows(
            """
            SELECT number FROM (SELECT number, key FROM outbox LIMIT 20) WHERE typeof(key) = 'text' AND key <> upper(key)
            """)
        for number in numbers.compactMap({ Int(primitiveValue: $0[0]) }) {
            try database.execute("UPDATE outbox SET key = upper(key) WHERE number = \(number)")
        }
    }

    /// Finds the rows of a channel that do not say any more what they concern, since the file is damaged. Without this,
    /// they would not be sent, and no screen would show them.
    ///
    /// If the other values of a row say what it concerns, it is mended. Otherwise it is parked; if its entity is lost, as
    /// the only write of an entity of its own. A row that says nothing at all is parked by the first channel that is added.
    func recoverRows(of channel: some OutboxChannel) throws(StoreError) {
        let (name, prefix) = (channel.name, "\(channel.name)/")
        // An entity begins with its channel.
        let damaged = try database.rows(
            """
            SELECT number, channel = \(name) AS named, substr(entity, 1, length(\(prefix))) = \(prefix) AS prefixed
            FROM outbox
            WHERE (typeof(channel) <> 'text' OR typeof(entity) <> 'text'
                    OR substr(entity, 1, length(channel) + 1) <> channel || '/')
                AND (named OR prefixed
                    OR typeof(channel) <> 'text' AND (typeof(entity) <> 'text' OR instr(entity, '/') = 0))
            """)
        if damaged.isEmpty { return }
        try rows.perform { transaction throws(StoreError) in
            for values in damaged {
                guard let number = Int(primitiveValue: values[0]) else { continue }
                let (isNamed, isPrefixed) = (values[1] == .integer(1), values[2] == .integer(1))
                try transaction.execute("UPDATE outbox SET channel = \(name) WHERE number = \(number)")
                if !isPrefixed {
                    let entity = "\(prefix)damaged \(number)"
                    try transaction.execute("UPDATE outbox SET entity = \(entity) WHERE number = \(number)")
                }
                guard var row = try transaction.readableRow(number) else { continue }
                let entity = isNamed || isPrefixed ? channel.entity(of: row) : nil
                // `likes/5` may be an object of this table, and `5` one of a table whose name begins with this one's.
                if let entity, isNamed || entity == row.entity {
                    try transaction.execute("UPDATE outbox SET entity = \(entity) WHERE number = \(number)")
                    continue
                }
                let lostKey = row.parking == .damaged ? "\(row.reason ?? "") " : ""
                let lostSubject =
                    isNamed
                    ? "The file does not say any more what the write is about. Later ones may have been sent."
                    : "The file does not say any more what kind of write it is. Send it only if it is one of \(name)."
                row.reason = lostKey + lostSubject
                row.parking = .damaged
                row.truth = .unknownObject
                try transaction.update([row])
            }
        }
    }
}
