import Feedback
import Foundation
import LocalBackend
import Networking
import Persistence
import Sync

/// The rows on the outbox.
let outboxBenchmarks: [Benchmark] = [durableWrite, drain, status]

private let writes = 500
private let drained = 10_000
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

private let drain = Benchmark(
    "outbox: 10,000 writes sent to a server on loopback", per: "write", operations: drained, goal: .ratio(1.25),
    baseline: (
        "sent without an outbox",
        {
            let remote = try await remote(loopback.value)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for lane in 0..<16 {
                    group.addTask {
                        for index in stride(from: lane, to: drained, by: 16) { try await remote.insert(movies[index]) }
                    }
                }
                try await group.waitForAll()
            }
        }
    ),
    ours: {
        let path = TemporaryFiles.newPath()
        try await FileManager.default.copyItem(atPath: filled.value, toPath: path)
        let (_, outbox) = try synced(SQLiteDatabase(.file(path)), try await loopback.value)
        _ = await outbox.status.producer.filter { $0.waiting == 0 }.first()
        withExtendedLifetime(outbox) {}
    })

private let status = Benchmark(
    "outbox: status with 100,000 waiting writes", per: "read", operations: 100_000, goal: .ratio(1.5),
    baseline: ("with 10", { readStatus(try await fewWaiting.value.1) }),
    ours: { readStatus(try await manyWaiting.value.1) })

// MARK: - What they use

private let loopback = Task { () throws -> BackendSession in
    let backend = LocalBackend()
    // The rows come back as they were sent, as from a table.
    backend.post("/movies") { request in
        let isList = request.body.first == UInt8(ascii: "[")
        let rows = isList ? request.body : Data("[".utf8) + request.body + Data("]".utf8)
        return .data(rows, contentType: "application/json", status: 201)
    }
    let url = try await backend.start()
    running.withLock { $0 = backend }
    return BackendSession(environment: BackendEnvironment(name: "loopback", services: [.core: url]))
}

private let running = Locked<LocalBackend?>(nil)

/// A session with a server that does not exist.
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

/// A database whose outbox holds 10,000 writes.
private let filled = Task { () throws -> String in
    let path = TemporaryFiles.newPath()
    let (store, _) = try synced(SQLiteDatabase(.file(path)), nowhere)
    try await store.save(Array(movies.prefix(drained)))
    return path
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
