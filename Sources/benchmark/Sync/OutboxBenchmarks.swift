import Feedback
import Foundation
import Networking
import Persistence
import Sync

/// The rows on the outbox.
let outboxBenchmarks: [Benchmark] = [durableWrite, status]

private let writes = 500
private let many = 100_000
private let movies = BenchmarkMovie.sample(many)

// MARK: - Rows

private let durableWrite = Benchmark(
    "outbox: 500 durable writes, one by one", per: "write", operations: writes, goal: .ratio(2.2),
    baseline: (
        "the same without an outbox",
        {
            let store = try SQLiteStore(BenchmarkMovie.schema, at: TemporaryFiles.newPath())
            for movie in movies.prefix(writes) { try await store.upsert(movie) }
        }
    ),
    ours: {
        let (store, _) = try synced(SQLiteDatabase(.file(TemporaryFiles.newPath())), nowhere)
        for movie in movies.prefix(writes) { try await store.save(movie) }
    })

private let status = Benchmark(
    "outbox: status with 100,000 waiting writes", per: "read", operations: 100_000, goal: .ratio(1.5),
    baseline: ("with 10", { readStatus(try await fewWaiting.value.1) }),
    ours: { readStatus(try await manyWaiting.value.1) })

// MARK: - What they use

/// A session of a server that does not exist.
private let nowhere = BackendSession(
    environment: BackendEnvironment(
        name: "nowhere", services: [.core: URL(string: "http://127.0.0.1:9") ?? URL(filePath: "/")]))

private func remote(_ session: BackendSession) -> PostgRESTStore<BenchmarkMovie> {
    PostgRESTStore(BenchmarkMovie.schema, open: session)
}

private func synced(
    _ database: SQLiteDatabase, _ session: BackendSession
) throws -> (SyncedStore<BenchmarkMovie>, Outbox) {
    let outbox = try Outbox(in: database)
    return (try SyncedStore(BenchmarkMovie.schema, remote: remote(session), outbox: outbox), outbox)
}

private let fewWaiting = Task { try await waiting(10) }
private let manyWaiting = Task { try await waiting(many) }

private func waiting(_ count: Int) async throws -> (SyncedStore<BenchmarkMovie>, Outbox) {
    let (store, outbox) = try synced(SQLiteDatabase(.memory), nowhere)
    try await store.save(Array(movies.prefix(count)))
    return (store, outbox)
}

private func readStatus(_ outbox: Outbox) {
    for _ in 0..<100_000 { sink.add(outbox.status.value.waiting) }
}
