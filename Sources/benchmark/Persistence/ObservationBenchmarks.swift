import CSQLite
import Dispatch
import Feedback
import Foundation
import Persistence
import Synchronization

private let writes = 500

/// The rows on observation, and on readers beside a writer.
let observationBenchmarks: [Benchmark] = [oneObserver, hundredObservers, busyReaders]

private let oneObserver = Benchmark(
    "SQLite store: one write to its observer of 50 rows", per: "write", operations: writes, goal: .ratio(1.2),
    baseline: (
        "C API: a write, and the query again",
        {
            let bare = Observed.bare
            let statement = bare.statement("SELECT id, name, time, place, size, count FROM events ORDER BY id LIMIT 50")
            for number in 0..<writes {
                bare.step("BEGIN IMMEDIATE")
                let update = bare.statement("UPDATE events SET count = ? WHERE id = 7")
                sqlite3_bind_int64(update, 1, Int64(number))
                sqlite3_step(update)
                sqlite3_reset(update)
                bare.step("COMMIT")
                sink.add(bare.events(statement).count)
            }
        }
    ),
    ours: { try write(to: Observed.observedByOne) })

private let hundredObservers = Benchmark(
    "SQLite store: one write while 100 queries are observed, one of them concerned", per: "write", operations: writes,
    goal: .nanoseconds(1_000_000),
    ours: { try write(to: Observed.observedByHundred) })

private func write(to observed: SQLiteStore<BenchmarkEvent>) throws {
    var event = BenchmarkEvent.million[7]
    for number in 0..<writes {
        event.count = number &* 2 + 1
        try observed.upsert(event).value()
    }
}

private let busyReaders = Benchmark(
    "SQLite store: one write beside 8 busy readers", per: "write", operations: 4_000, goal: .nanoseconds(55_000),
    ours: {
        let store = Observed.alone
        let isDone = Atomic(false)
        let reads = Atomic(0)
        let group = DispatchGroup()
        for reader in 0..<8 {
            Thread.detachNewThread {
                group.enter()
                while !isDone.load(ordering: .relaxed) {
                    store.object(withId: reader &* 100).startWithResult { _ in }
                    reads.add(1, ordering: .relaxed)
                }
                group.leave()
            }
        }
        var event = BenchmarkEvent.million[7]
        let start = ContinuousClock.now
        for number in 0..<4_000 {
            event.count = number
            try store.upsert(event).value()
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        isDone.store(true, ordering: .relaxed)
        group.wait()
        if ProcessInfo.processInfo.environment["BENCHMARK_READS"] != nil {
            print("  reads/s: \(Int(Double(reads.load(ordering: .relaxed)) / seconds))")
        }
    })

/// Stores of 1,000 events that do not wait for the disk, so that the library's share of the time is measured.
private enum Observed {
    private static func make(_ path: String = TemporaryFiles.newPath()) -> SQLiteStore<BenchmarkEvent> {
        do {
            var configuration = SQLiteDatabase.Configuration()
            configuration.waitsForDisk = false
            let store = try SQLiteStore(
                BenchmarkEvent.schema, in: SQLiteDatabase(.file(path), configuration: configuration))
            try store.insert(Array(BenchmarkEvent.million[..<1_000])).value()
            return store
        } catch {
            preconditionFailure("\(error)")
        }
    }

    static let alone = make()

    static let observedByOne: SQLiteStore<BenchmarkEvent> = {
        let store = make()
        store.all().page(limit: 50).observe().startWithResult { _ in sink.add(1) }
        return store
    }()

    static let observedByHundred: SQLiteStore<BenchmarkEvent> = {
        let store = make()
        for page in 0..<100 {
            store.filter(where: \.id >= page * 10 && \.id < page * 10 + 10).observe().startWithResult { _ in sink.add(1)
            }
        }
        return store
    }()

    static let bare: BareEvents = {
        let path = TemporaryFiles.newPath()
        _ = make(path)
        let bare = BareEvents(path: path)
        bare.execute("PRAGMA synchronous = NORMAL")
        return bare
    }()
}
