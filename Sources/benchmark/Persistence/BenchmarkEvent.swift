import CSQLite
import Foundation
import Persistence

/// The model that the rows on pages and aggregates store: a million of them, with indexes.
struct BenchmarkEvent: Identifiable, Equatable, Sendable {
    var id: Int
    var name: String
    var time: Date
    var place: String?
    var size: Double
    var count: Int

    static let schema = Schema<BenchmarkEvent>(
        "events", BenchmarkEvent.init,
        Column("id", \.id), Column("name", \.name, isIndexed: true), Column("time", \.time, isIndexed: true),
        Column("place", \.place, isIndexed: true), Column("size", \.size), Column("count", \.count))

    static let million: [BenchmarkEvent] = (0..<1_000_000).map { index in
        let shuffled = index &* 7919 % 1_000_000
        return BenchmarkEvent(
            id: index, name: "event \(shuffled + 1_000_000)",
            time: Date(timeIntervalSinceReferenceDate: Double(shuffled)),
            place: shuffled % 3 == 0 ? nil : "place \(shuffled + 1_000_000)", size: Double(shuffled % 1000) / 10,
            count: shuffled % 100)
    }

    /// Returns the event at a place in the order of time.
    static func event(at place: Int) -> BenchmarkEvent {
        million.first { $0.time.timeIntervalSinceReferenceDate == Double(place) } ?? million[0]
    }
}

/// The database of the events, as the library and as the C API read it.
enum EventFiles {
    private static let path = TemporaryFiles.newPath()

    static let store: SQLiteStore<BenchmarkEvent> = {
        do {
            var configuration = SQLiteDatabase.Configuration()
            configuration.waitsForDisk = false
            let store = try SQLiteStore(
                BenchmarkEvent.schema, in: SQLiteDatabase(.file(path), configuration: configuration))
            try store.insert(BenchmarkEvent.million).value()
            return store
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    static let bare: BareEvents = {
        _ = store
        return BareEvents(path: path)
    }()

    static let memory: MemoryStore<BenchmarkEvent> = {
        let store = MemoryStore(BenchmarkEvent.schema)
        store.insert(BenchmarkEvent.million).start()
        return store
    }()
}

/// The C API over the same file, with statements that are prepared once.
// Unchecked, since it is used by one benchmark at a time.
final class BareEvents: BareDatabase, @unchecked Sendable {
    private var statements: [String: OpaquePointer] = [:]

    deinit { for statement in statements.values { sqlite3_finalize(statement) } }

    func statement(_ sql: String) -> OpaquePointer? {
        if let statement = statements[sql] { return statement }
        let statement = prepare(sql)
        statements[sql] = statement
        return statement
    }

    /// Returns the events that a prepared statement selects.
    func events(_ statement: OpaquePointer?) -> [BenchmarkEvent] {
        var events: [BenchmarkEvent] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            events.append(
                BenchmarkEvent(
                    id: Int(sqlite3_column_int64(statement, 0)), name: text(statement, 1),
                    time: Date(timeIntervalSinceReferenceDate: sqlite3_column_double(statement, 2)),
                    place: sqlite3_column_type(statement, 3) == SQLITE_NULL ? nil : text(statement, 3),
                    size: sqlite3_column_double(statement, 4), count: Int(sqlite3_column_int64(statement, 5))))
        }
        sqlite3_reset(statement)
        return events
    }

    func number(_ sql: String) -> Double {
        let statement = statement(sql)
        sqlite3_step(statement)
        defer { sqlite3_reset(statement) }
        return sqlite3_column_double(statement, 0)
    }

    /// Runs a statement without rows, which is prepared once.
    func step(_ sql: String) {
        let statement = statement(sql)
        sqlite3_step(statement)
        sqlite3_reset(statement)
    }

}
