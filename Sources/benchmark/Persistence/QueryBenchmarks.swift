import CSQLite
import Foundation
import Persistence

private let pages = 1_000
private let columns = "id, name, time, place, size, count"

/// The rows on pages and aggregates.
let queryBenchmarks: [Benchmark] = [
    pageByIndex, pageByDate, pageByOptional, memoryPage, memoryPageByDate, sumOfIntegers, sumOfNumbers, counts,
]

// MARK: - Pages

private let pageByIndex = Benchmark(
    "SQLite store: page of 50 by an index", per: "page", operations: pages, goal: .ratio(1.1),
    baseline: (
        "C API, prepared",
        {
            let statement = EventFiles.bare.statement(
                "SELECT \(columns) FROM events WHERE name >= ? ORDER BY name, id LIMIT 50")
            for page in 0..<pages {
                sqlite3_bind_text(statement, 1, "event \(page &* 997 + 1_000_000)", -1, transient)
                sink.add(EventFiles.bare.events(statement).count)
            }
        }
    ),
    ours: {
        for page in 0..<pages {
            let name = "event \(page &* 997 + 1_000_000)"
            sink.add(
                try EventFiles.store.filter(where: \.name >= name).sorted(by: \.name).page(limit: 50).result().value()
                    .count)
        }
    })

private let after = BenchmarkEvent.event(at: 600_000)

private let pageByDate = Benchmark(
    "SQLite store: page of 50 after 600,000 of 1M, by date", per: "page", operations: pages, goal: .ratio(1.3),
    baseline: (
        "C API, prepared",
        {
            let statement = EventFiles.bare.statement(
                """
                SELECT \(columns) FROM events WHERE time >= ? AND (time > ? OR id > ?) ORDER BY time, id LIMIT 50
                """)
            for _ in 0..<pages {
                sqlite3_bind_double(statement, 1, after.time.timeIntervalSinceReferenceDate)
                sqlite3_bind_double(statement, 2, after.time.timeIntervalSinceReferenceDate)
                sqlite3_bind_int64(statement, 3, Int64(after.id))
                sink.add(EventFiles.bare.events(statement).count)
            }
        }
    ),
    ours: {
        let query = EventFiles.store.sorted(by: \.time).page(after: after, limit: 50)
        for _ in 0..<pages { sink.add(try query.result().value().count) }
    })

private let placed = BenchmarkEvent.event(at: 600_001)

private let pageByOptional = Benchmark(
    "SQLite store: page of 50 after 600,000 of 1M, by an optional", per: "page", operations: pages, goal: .ratio(1.3),
    baseline: (
        "C API, prepared",
        {
            let statement = EventFiles.bare.statement(
                """
                SELECT \(columns) FROM events WHERE place >= ? AND (place > ? OR id > ?) ORDER BY place, id LIMIT 50
                """)
            for _ in 0..<pages {
                sqlite3_bind_text(statement, 1, placed.place, -1, transient)
                sqlite3_bind_text(statement, 2, placed.place, -1, transient)
                sqlite3_bind_int64(statement, 3, Int64(placed.id))
                sink.add(EventFiles.bare.events(statement).count)
            }
        }
    ),
    ours: {
        let query = EventFiles.store.sorted(by: \.place).page(after: placed, limit: 50)
        for _ in 0..<pages { sink.add(try query.result().value().count) }
    })

private let memoryPage = Benchmark(
    "memory store: 20 of 1M in index order", per: "page", operations: pages, goal: .nanoseconds(100_000),
    ours: {
        let query = EventFiles.memory.sorted(by: \.time, inOrder: .descending).page(limit: 20)
        for _ in 0..<pages { sink.add(try query.result().value().count) }
    })

private let memoryPageByDate = Benchmark(
    "memory store: page of 50 after 600,000 of 1M, by date", per: "page", operations: pages,
    goal: .nanoseconds(100_000),
    ours: {
        let query = EventFiles.memory.sorted(by: \.time).page(after: after, limit: 50)
        for _ in 0..<pages { sink.add(try query.result().value().count) }
    })

// MARK: - Aggregates

private let sumOfIntegers = Benchmark(
    "SQLite store: sum of 1M integers", per: "sum", operations: 1, goal: .ratio(1.3),
    baseline: ("C API", { sink.add(Int(EventFiles.bare.number("SELECT sum(count) FROM events"))) }),
    ours: { sink.add(try EventFiles.store.all().sum(\.count).value()) })

private let sumOfNumbers = Benchmark(
    "SQLite store: sum of 1M numbers, exact", per: "sum", operations: 1, goal: .ratio(1.3),
    baseline: ("C API", { sink.add(Int(EventFiles.bare.number("SELECT sum(size) FROM events"))) }),
    ours: { sink.add(Int(try EventFiles.store.all().sum(\.size).value())) })

private let counts = Benchmark(
    "SQLite store: count 1M by a property", per: "count", operations: 1, goal: .ratio(1.3),
    baseline: (
        "C API",
        {
            let statement = EventFiles.bare.statement("SELECT count, count(*) FROM events GROUP BY count")
            var counts: [Int: Int] = [:]
            while sqlite3_step(statement) == SQLITE_ROW {
                counts[Int(sqlite3_column_int64(statement, 0))] = Int(sqlite3_column_int64(statement, 1))
            }
            sqlite3_reset(statement)
            sink.add(counts.count)
        }
    ),
    ours: { sink.add(try EventFiles.store.all().count(by: \.count).value().count) })

// A constant of SQLite, which is not an address.
private nonisolated(unsafe) let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
