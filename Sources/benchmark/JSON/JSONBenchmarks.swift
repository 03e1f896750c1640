import Foundation
import JSON
import Sync

/// The rows on JSON, each against `JSONDecoder` or `JSONEncoder` on the same types.
let jsonBenchmarks: [Benchmark] =
    readingBenchmarks + feedBenchmarks + [indexing, floor] + writingBenchmarks + [readingRows, writingRows]
    + tableBenchmarks

private let count = 10_000

/// Bodies and values, made once. A benchmark without them would measure nothing, so it ends.
private enum Samples {
    static let cities = made { try BenchmarkCity.body(count) }
    static let snakeCities = made { try BenchmarkCity.body(count, snakeCase: true) }
    static let smallBody = made { try JSONEncoder().encode(BenchmarkCity.sample(1)[0]) }
    static let posts = BenchmarkPost.body(1_000)
    static let cityList = BenchmarkCity.sample(count)
    static let movies = BenchmarkMovie.sample(count)
    static let movieRows = movies.map(BenchmarkMovieRow.init)
    static let movieBody = made { try JSONEncoder().encode(movieRows) }

    private static func made(_ make: () throws -> Data) -> Data {
        guard let data = try? make() else { preconditionFailure("A sample could not be encoded.") }
        return data
    }
}

// MARK: - Reading

private let snakeCaseDecoder: JSONDecoder = {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return decoder
}()

private func reading<Value: Decodable & SendableMetatype>(
    _ name: String, per unit: String, _ operations: Int, _ type: Value.Type, from body: @escaping @Sendable () -> Data,
    times: Int = 1, decoder: JSONDecoder = JSONDecoder(), goal: Double
) -> Benchmark {
    Benchmark(
        name, per: unit, operations: operations * times, goal: .ratio(goal),
        baseline: (
            "JSONDecoder",
            {
                let body = body()
                for _ in 0..<times { sink.add(withUnsafeBytes(of: try decoder.decode(type, from: body)) { $0.count }) }
            }
        ),
        ours: {
            let body = body()
            for _ in 0..<times {
                guard let strict = StrictJSONDecoder(settingsOf: decoder) else { return }
                sink.add(withUnsafeBytes(of: try strict.decode(type, from: body)) { $0.count })
            }
        })
}

private let readingBenchmarks: [Benchmark] = [
    reading(
        "JSON: list of small objects", per: "element", count, [BenchmarkCity].self, from: { Samples.cities }, goal: 0.16
    ),
    reading(
        "JSON: the same, snake case", per: "element", count, [BenchmarkCity].self, from: { Samples.snakeCities },
        decoder: snakeCaseDecoder, goal: 0.12),
    reading(
        "JSON: large objects, part read", per: "element", 1_000, [BenchmarkPost].self, from: { Samples.posts },
        goal: 0.22),
    reading(
        "JSON: one small body", per: "body", 1, BenchmarkCity.self, from: { Samples.smallBody }, times: 2_000, goal: 0.3
    ),
]

/// The goal is 1 GB/s.
private let indexing = Benchmark(
    "JSON: index", per: "KB", operations: Samples.cities.count / 1_000, goal: .nanoseconds(1_000),
    baseline: (
        "all bytes added up",
        { sink.add(Samples.cities.withUnsafeBytes { $0.reduce(0) { $0 &+ Int($1) } }) }
    ),
    ours: { sink.add(try JSONIndex.read(Samples.cities) { $0.count }) })

/// Compares with the work that no reader can avoid: to look at each byte, and to make the strings.
private let floor = Benchmark(
    "JSON: list of small objects, against the floor", per: "element", operations: count,
    baseline: (
        "a scan of the bytes, and the strings made",
        {
            let names = Samples.cities.withUnsafeBytes { bytes in
                var (strings, start): ([String], Int?) = ([], nil)
                for (place, byte) in bytes.enumerated() where byte == UInt8(ascii: "\"") {
                    if let begin = start {
                        // Keys are not made into strings.
                        if bytes[place + 1] != UInt8(ascii: ":") {
                            strings.append(String(decoding: bytes[begin..<place], as: UTF8.self))
                        }
                        start = nil
                    } else {
                        start = place + 1
                    }
                }
                return strings
            }
            sink.add(names.count)
        }
    ),
    ours: { sink.add(try StrictJSONDecoder().decode([BenchmarkCity].self, from: Samples.cities).count) })

// MARK: - Writing

private let writingBenchmarks: [Benchmark] = [
    Benchmark(
        "JSON: encode a list of small objects", per: "element", operations: count, goal: .ratio(0.4),
        baseline: ("JSONEncoder", { sink.add(try JSONEncoder().encode(Samples.cityList).count) }),
        ours: { sink.add(try StrictJSONEncoder().encode(Samples.cityList).count) })
]

// MARK: - Rows by schema

private let readingRows = Benchmark(
    "JSON: rows by schema, read", per: "row", operations: count, goal: .ratio(0.1),
    baseline: (
        "JSONDecoder",
        { sink.add(try JSONDecoder().decode([BenchmarkMovieRow].self, from: Samples.movieBody).count) }
    ),
    ours: { sink.add(try BenchmarkMovie.schema.objects(fromJSON: Samples.movieBody).get().count) })

private let writingRows = Benchmark(
    "JSON: rows by schema, written", per: "row", operations: count, goal: .ratio(0.15),
    baseline: ("JSONEncoder", { sink.add(try JSONEncoder().encode(Samples.movieRows).count) }),
    ours: { sink.add(try BenchmarkMovie.schema.json(of: Samples.movies).get().count) })
