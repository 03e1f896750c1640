import Feedback
import Foundation
import Persistence

private let count = 100_000
private let reads = 10_000
private let movies = BenchmarkMovie.sample(count)
private let manyMovies = BenchmarkMovie.sample(1_000_000)
private let ids = (0..<reads).map { $0 &* 7919 % count }

/// The rows on stores.
let storeBenchmarks: [Benchmark] = [
    insert, fetchAll, readByID, readByQuery, valueAsJSON, readByIDFromMemory, readByQueryFromMemory, insertIntoMemory,
    filterMemory,
]

// MARK: - SQLite

private let insert = Benchmark(
    "SQLite store: insert 100,000 in one transaction", per: "row", operations: count, goal: .ratio(1.15),
    baseline: ("C API", { Files.withNewFile { BareSQLite(path: $0).insert(movies) } }),
    ours: {
        try Files.withNewFile { try SQLiteStore(BenchmarkMovie.schema, at: $0).insert(movies).value() }
    })

private let fetchAll = Benchmark(
    "SQLite store: fetch 100,000", per: "row", operations: count, goal: .ratio(1.1),
    baseline: ("C API", { sink.add(Files.bare.fetchAll().count) }),
    ours: { sink.add(try Files.store.all().result().value().count) })

private let readByID = Benchmark(
    "SQLite store: 10,000 reads by id", per: "read", operations: reads, goal: .ratio(1.15),
    baseline: ("C API, prepared", { Files.bare.fetch(ids) { sink.add($0.budget) } }),
    ours: {
        for id in ids { sink.add(try Files.store.object(withId: id).value()?.budget ?? 0) }
    })

private let readByQuery = Benchmark(
    "SQLite store: 10,000 queries for an id", per: "query", operations: reads, goal: .ratio(1.15),
    baseline: ("C API, prepared", { Files.bare.fetch(ids) { sink.add($0.budget) } }),
    ours: {
        for id in ids { sink.add(try Files.store.filter(where: \.id == id).result().value().first?.budget ?? 0) }
    })

private let valueAsJSON = Benchmark(
    "a value kept as JSON, to its column and back", per: "value", operations: cinemas.count, goal: .ratio(0.5),
    baseline: (
        "JSONEncoder, JSONDecoder",
        {
            for cinema in cinemas {
                let text = String(decoding: try CinemaJSON.encoder.encode(cinema), as: UTF8.self)
                sink.add(try CinemaJSON.decoder.decode(Cinema.self, from: Data(text.utf8)).seats)
            }
        }
    ),
    ours: { for cinema in cinemas { sink.add(Cinema(primitiveValue: cinema.primitiveValue)?.seats ?? 0) } })

// MARK: - Memory

private let readByIDFromMemory = Benchmark(
    "memory store: 10,000 reads by id", per: "read", operations: reads,
    baseline: ("C API, prepared", { Files.bare.fetch(ids) { sink.add($0.budget) } }),
    ours: {
        for id in ids { sink.add(try Files.memory.object(withId: id).value()?.budget ?? 0) }
    })

private let readByQueryFromMemory = Benchmark(
    "memory store: 10,000 queries for an id", per: "query", operations: reads,
    baseline: ("C API, prepared", { Files.bare.fetch(ids) { sink.add($0.budget) } }),
    ours: {
        for id in ids { sink.add(try Files.memory.filter(where: \.id == id).result().value().first?.budget ?? 0) }
    })

private let insertIntoMemory = Benchmark(
    "memory store: insert 100,000", per: "object", operations: count,
    baseline: (
        "a dictionary",
        {
            var objects: [Int: BenchmarkMovie] = [:]
            for movie in movies { objects[movie.id] = movie }
            sink.add(objects.count)
        }
    ),
    ours: { sink.add(try MemoryStore(BenchmarkMovie.schema).insert(movies).value().count) })

private let filterMemory = Benchmark(
    "memory store: filter 1M objects", per: "object", operations: 1_000_000, goal: .ratio(2),
    baseline: (
        "hand-written closure",
        { sink.add(manyMovies.filter { $0.rating == .G && $0.budget < 5_000_000 }.count) }
    ),
    ours: {
        sink.add(try Files.manyInMemory.filter(where: \.rating == .G && \.budget < 5_000_000).result().value().count)
    })

// MARK: - What they work on

private struct Cinema: Codable, Hashable, StoredAsJSON {
    var name: String
    var street: String
    var seats: Int
    var tags: [String]
}

private let cinemas = (0..<1_000).map {
    Cinema(name: "Cinema \($0)", street: "\($0) High Street", seats: $0 % 400, tags: ["old", "in the centre"])
}

private enum CinemaJSON {
    static let encoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    static let decoder = JSONDecoder()
}

/// Databases that are made once, before the measurements, and removed when the command ends.
private enum Files {
    private static var folder: String { TemporaryFiles.folder }

    static let bare: BareSQLite = {
        let bare = BareSQLite(path: folder + "/movies")
        bare.insert(movies)
        return bare
    }()

    static let store: SQLiteStore<BenchmarkMovie> = {
        _ = bare
        do {
            return try SQLiteStore(BenchmarkMovie.schema, at: folder + "/movies")
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    static let memory = makeMemory(movies)
    static let manyInMemory = makeMemory(manyMovies)

    private static func makeMemory(_ movies: [BenchmarkMovie]) -> MemoryStore<BenchmarkMovie> {
        let store = MemoryStore(BenchmarkMovie.schema)
        store.insert(movies).start()
        return store
    }

    static func withNewFile(_ body: (String) throws -> Void) rethrows {
        let path = folder + "/\(UUID().uuidString)"
        try body(path)
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
}
