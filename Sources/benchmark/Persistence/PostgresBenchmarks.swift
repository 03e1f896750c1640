#if POSTGRES
import Dispatch
import Feedback
import Foundation
import Persistence
import Postgres

private let count = 100_000
private let inserted = 10_000
private let reads = 4_000
private let movies = BenchmarkMovie.sample(count)
private let ids = (0..<reads).map { $0 &* 7919 % count }

/// The rows on a PostgreSQL server. `BENCHMARK_POSTGRES` must contain its address when the command is built and when it
/// is run. They use a schema of their own, `feedback_benchmark`.
let postgresBenchmarks: [Benchmark] =
    Server.address == nil ? [] : [insert, fetchAll, readByID, awaitByID, readInParallel]

private let insert = Benchmark(
    "PostgreSQL store: insert 10,000 in one transaction", per: "row", operations: inserted, goal: .ratio(1.3),
    baseline: (
        "libpq, prepared",
        {
            Server.bare.execute("TRUNCATE movies")
            Server.bare.insert(Array(movies[..<inserted]))
        }
    ),
    ours: {
        Server.bare.execute("TRUNCATE movies")
        _ = try await Server.store.insert(Array(movies[..<inserted]))
    })

private let fetchAll = Benchmark(
    "PostgreSQL store: fetch 100,000", per: "row", operations: count, goal: .ratio(1.2),
    baseline: ("libpq", { sink.add(Server.filled.bare.fetchAll().count) }),
    ours: { sink.add(try await Server.filled.store.all().result().count) })

private let readByID = Benchmark(
    "PostgreSQL store: reads by id on the calling thread", per: "read", operations: reads, goal: .ratio(1.2),
    baseline: ("libpq, prepared", { for id in ids { sink.add(Server.filled.bare.find(id)?.budget ?? 0) } }),
    ours: { for id in ids { sink.add(try Server.filled.store.find(id)?.budget ?? 0) } })

private let awaitByID = Benchmark(
    "PostgreSQL store: reads by id, awaited", per: "read", operations: reads, goal: .ratio(1.2),
    baseline: ("libpq, prepared", { for id in ids { sink.add(Server.filled.bare.find(id)?.budget ?? 0) } }),
    ours: { for id in ids { sink.add(try await Server.filled.store.object(withId: id)?.budget ?? 0) } })

private let readInParallel = Benchmark(
    "PostgreSQL store: 8 tasks read by id", per: "read", operations: reads * 8, goal: .ratio(1.11),
    baseline: (
        "8 threads with libpq",
        {
            let group = DispatchGroup()
            for connection in Server.eight {
                group.enter()
                Thread.detachNewThread {
                    for id in ids { _ = opaque(connection.find(id)) }
                    group.leave()
                }
            }
            await withCheckedContinuation { continuation in group.notify(queue: .global()) { continuation.resume() } }
        }
    ),
    ours: {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for id in ids { _ = opaque(try await Server.filled.store.object(withId: id)) } }
            }
            try await group.waitForAll()
        }
    })

/// The connections, which are made once.
private enum Server {
    static let address = ProcessInfo.processInfo.environment["BENCHMARK_POSTGRES"].flatMap { $0.isEmpty ? nil : $0 }

    private static let schemaAddress: String = {
        let address = Server.address ?? ""
        let bare = BarePostgres(address)
        bare.execute("DROP SCHEMA IF EXISTS feedback_benchmark CASCADE; CREATE SCHEMA feedback_benchmark")
        return address + (address.contains("?") ? "&" : "?") + "options=-csearch_path%3Dfeedback_benchmark"
    }()

    static let store: PostgresStore<BenchmarkMovie> = {
        do {
            return try PostgresStore(BenchmarkMovie.schema, in: PostgresDatabase(schemaAddress))
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    static let bare: BarePostgres = {
        _ = store
        return BarePostgres(schemaAddress)
    }()

    /// The same with all movies in the table.
    static let filled: (store: PostgresStore<BenchmarkMovie>, bare: BarePostgres) = {
        bare.execute("TRUNCATE movies")
        bare.insert(movies)
        bare.execute("ANALYZE movies")
        return (store, bare)
    }()

    static let eight: [BarePostgres] = {
        _ = filled
        return (0..<8).map { _ in BarePostgres(schemaAddress) }
    }()
}
#else
/// There are no rows, because `BENCHMARK_POSTGRES` was not set when the command was built.
let postgresBenchmarks: [Benchmark] = []
#endif
